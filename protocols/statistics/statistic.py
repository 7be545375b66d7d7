"""The contract of a statistic: everything that is known of one stands in its one file.

A statistic is a frozen dataclass in a module of this room. Its fields are its parameters. Options,
ledger, the pooled check, help texts, progress, predicted cost and the benchmark read this contract
and know no statistic by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, ClassVar, Generic

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.pipelines.pipeline import Clear, Data, Inputs, Pipeline
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.privacy import Privacy
from ppaurora.protocols.release.values import Released, ValueKind
from ppaurora.protocols.statistics.parameters import (
    read_parameters,
    usage,
    written_parameters,
)


class Topic(StrEnum):
    """The question that a statistic answers."""

    DISCRIMINATION = "How well do scores tell the classes apart?"
    PRECISION = "Precision and recall"
    THRESHOLD = "What happens at a threshold?"
    CALIBRATION = "Are probabilities right?"
    COMPARISON = "Which of two models is better?"
    SITES = "How good is it within hospitals, and from one to the next?"
    GROUPS = "Does it do as well in one group of samples as in another?"
    FOLDS = "How good is the model, by cross-validation?"
    SURVIVAL = "Who has the event earlier?"
    NOISE = "With differential privacy"


NO_CLASS = "a class is missing"
NO_POSITIVES = "there are no positives"
NEVER = "never"
MOST_SAMPLES = (1 << 31) - 1
DIGITS_OF_WEIGHT = 10
"""Of a sum of weights in steps, of which `MOST_SAMPLES` are the most."""
JOINABLE = (
    *("auroc", "auroc_ci", "auroc_se", "auroc_above"),
    *("average_precision", "pauc", "tpauc", "rocglm"),
    *("roc_curve", "pr_curve", "accuracy", "balanced_accuracy", "ppv", "npv", "f1", "mcc"),
    *(
        "f_beta",
        "youden",
        "net_benefit",
        "calibration",
        "calibration_slope",
        "calibration_in_the_large",
    ),
    *("observed_expected", "brier", "scaled_brier", "log_loss", "spiegelhalter_z", "ece"),
    "samples_dp",
    *("auroc_groups", "auroc_groups_equal", "rates_groups", "calibration_groups"),
    *("auroc_folds", "mean_folds"),
)
"""Those that are computed of joined rows; a test holds it against the registry."""


class Statistic(ABC, Generic[Data, Clear]):
    """One statistic with its parameters; `Data` and `Clear` are what its pipeline prepares."""

    __slots__ = ()

    name: ClassVar[str]
    """The name in a study."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that mean the same."""
    title: ClassVar[str]
    """A description in one line."""
    short: ClassVar[str] = ""
    """The name in a results table; the beginning of the description where there is none."""
    reference: ClassVar[str] = ""
    """The publication of the method, for the methods of a report."""
    known_as: ClassVar[str]
    """The function by which others know it."""
    topic: ClassVar[Topic] = Topic.DISCRIMINATION
    """The property of the classifier that it measures."""
    listed: ClassVar[bool] = True
    """False of a program for cells of a statistic whose other program is listed."""
    cells: ClassVar[type[Statistic[Any, Any]] | None] = None
    """Its program over cells instead of sorted scores, where it has one."""
    bounds: ClassVar[type[Statistic[Any, Any]] | None] = None
    """Another program over cells with several scores each, with bounds, where it has one."""
    weighted: ClassVar[bool] = False
    """True if it is right where samples count with secret weights, and all of them together with a
    secret number: it divides by no number of samples, and takes no sample for one."""
    joins: ClassVar[bool] = False
    """True of counts and sums of samples that servers can make of joined rows, and that do not tell
    how many of these there are."""
    resampled: ClassVar[bool] = False
    """True of a program over counts of which a bootstrap can be taken (`bootstrap:of=NAME`)."""
    steps_by_chance: ClassVar[bool] = False
    """True if the last digits of what it opens depend on random numbers of the session."""
    revision: ClassVar[int] = 1
    """Raised when the same name and parameters come to stand for another number."""

    kind: ClassVar[ValueKind]
    """The kind of the released value."""
    pipeline: ClassVar[type[Pipeline[Data, Clear]]]
    """From what it is computed."""
    by_group: ClassVar[bool] = True
    """False of a number that is of the lists and not of the samples in them."""
    group: ClassVar[str] = ""
    """The group of samples of which it is; empty of all."""
    compares_groups: ClassVar[bool] = False
    """True of a number of two groups of the samples, which is not of all of them."""
    inputs: ClassVar[Inputs] = frozenset()
    """The inputs that it asks of the pipeline beyond the least."""
    undefined: ClassVar[str]
    """The condition under which there is no number."""
    fewest_owners: ClassVar[int] = 1
    """With fewer owners there never is one."""

    @property
    def source(self) -> str:
        """The publication of the method, with these parameters."""
        return self.reference

    # -- the study that it is for --------------------------------------------------------------

    def check_scale(self, scale: Scale) -> None:
        """Refuse a scale of scores that it has no meaning for."""
        if self.topic is Topic.CALIBRATION:
            self._check_probabilities(scale)

    def _check_probabilities(self, scale: Scale) -> None:
        """Refuse a scale of scores that are no probabilities."""
        if not scale.probabilities:
            raise OptionRefused(
                "metrics",
                f"asks for {self.text}, which takes scores as probabilities, and the study's range "
                "is not [0, 1]",
                advice="Leave it out, or have all owners give probabilities.",
            )

    def over_cells(self, *, certain: bool) -> Statistic[Any, Any]:
        """The same statistic over cells: of one score each where `certain`, or of several."""
        kind = self.cells if certain or self.bounds is None else self.bounds
        if kind is None:
            raise OptionRefused(
                "metrics",
                f"asks for {self.text}, which needs the scores sorted, in a study that counts them",
                advice='Leave it out, or take a resolution of "full", "float32", or "decimals:..." '
                'with table = "sorted".',
            )
        return kind(**read_parameters(kind, self.name, written_parameters(self)))

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of whose samples it is: one, or two that it compares."""
        return (self.group,)

    def data_in(self, pipeline: Pipeline[Any, Any], data: Any) -> Any:
        """Its data among all that the pipeline of a study has prepared."""
        return pipeline.part(self.pipeline, data, self.group)

    def vectors_in(self, pipeline: Pipeline[Any, Any], sizes: Sequence[int]) -> tuple[int, ...]:
        """The places of the vectors in its data, for lists of these sizes."""
        return pipeline.member(self.pipeline).vectors(sizes, self.group)

    def over_weights(self) -> Statistic[Any, Any]:
        """The same statistic where samples count with weights, as scikit-learn's sample_weight."""
        of_cells = self.cells if self.pipeline.sorts else None
        weighted = of_cells.weighted if of_cells else self.over_secret_total().weighted
        if not weighted or getattr(self, "level", None) is not None:
            raise OptionRefused(
                "metrics",
                f"asks for {self.text}, which takes every sample for one, in a study whose samples "
                "have weights",
                advice="Leave it out, or make a study without weights for it.",
            )
        return self.over_secret_total()

    def over_secret_total(self) -> Statistic[Any, Any]:
        """The same statistic of samples of which nobody knows how many count."""
        if self.pipeline.sorts and self.cells is not None:
            return self.over_cells(certain=True)
        return self

    def over_join(self) -> Statistic[Any, Any]:
        """The same statistic over joined rows, of which nobody knows how many there are."""
        found = self.over_secret_total()
        if not found.joins and not (self.pipeline.sorts and self.cells):
            raise OptionRefused(
                "metrics",
                f"asks for {self.text}, which needs the score and the label of a row at one owner, "
                "or the number of samples, in a study that joins lists and tells neither",
                advice=f"Leave it out, or ask for one of {', '.join(JOINABLE)}.",
            )
        return found

    # -- the number ----------------------------------------------------------------------------

    @abstractmethod
    def private(self, party: Party, data: Data, decimals: int) -> Shared:
        """The released words, still shared; run by all three roles."""

    @abstractmethod
    def plaintext_words(self, data: Clear, decimals: int) -> Sequence[int]:
        """The same words from the pooled data, by exact arithmetic that shares no code."""

    @abstractmethod
    def words(self, decimals: int) -> int:
        """The number of released words."""

    @abstractmethod
    def decode(self, words: Sequence[int], decimals: int) -> Released:
        """The value of the opened words; words that no computation yields are refused."""

    def of_owners(self, value: Released, owners: Sequence[str]) -> Released:
        """The value with the names of the owners in it, where it has a row for each of them."""
        return value

    @abstractmethod
    def value_without_samples(self) -> Released:
        """The value of no samples at all."""

    # -- what is known beforehand --------------------------------------------------------------

    @abstractmethod
    def fits(self, n: int, decimals: int) -> bool:
        """True if the arithmetic allows n samples to so many decimals; monotone in n."""

    @abstractmethod
    def cost(self, n: int, decimals: int) -> Cost:
        """The hops and payload bytes of `private` for vectors of n places.

        The sorted list has a place for each sample, a histogram has one for each bin.
        """

    def cost_of(self, vectors: Sequence[int], decimals: int) -> Cost:
        """The same for several vectors, of these places: one for each fold of the study."""
        [n] = vectors
        return self.cost(n, decimals)

    def leaks(self, decimals: int) -> str:
        """The facts that its receivers learn, for the ledger."""
        return f"the released decimals, and whether the metric is undefined: {self.undefined}"

    def readings(self) -> frozenset[str]:
        """The released numbers about a part of the samples that its parameters choose, in words.

        Two statistics that release the same one use the same words. Those at thresholds are not
        among them (`ppaurora.protocols.grid.cuts.Cutting`); numbers of all samples are not either.
        """
        return frozenset()

    def label_digits(self, decimals: int) -> int:
        """The decimals of its numbers that are others for nearly every set of labels.

        Enough of them tell all labels to who knows the scores, whatever the number is about. An
        area under the ROC curve, a rate or a count has few values for many labels, and tells none.
        """
        return 0

    def weighted_digits(self, decimals: int) -> int:
        """The same where samples count with weights, of which nearly every set of labels makes
        another number: the digits of all its numbers."""
        return decimals * self.words(decimals)

    def decimals_held(self, decimals: int) -> int:
        """To how many decimals the receivers hold its numbers, which may be more than it shows."""
        return decimals

    def proxies_learn(self, decimals: int) -> str:
        """The facts that P0 and P1 learn, for the ledger; empty where they learn nothing."""
        return ""

    def privacy(self, decimals: int) -> Privacy | None:
        """The privacy loss if it is differentially private; None where it is exact."""
        return None

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        """Warnings where a number of so many samples reveals more than it seems to.

        Those of few samples, unless it is known better what the number tells.
        """
        return few_samples_warnings(self.text, sizes)

    def most_samples(self, decimals: int) -> int:
        """The largest number of samples that it `fits`, by bisection."""
        low, high = 0, MOST_SAMPLES
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.fits(middle, decimals) else (low, middle - 1)
        return low

    @property
    def text(self) -> str:
        """The text in a study: its name, and the parameters that differ from their defaults."""
        written = written_parameters(self)
        return f"{self.name}:{written}" if written else self.name

    @classmethod
    def usage(cls) -> str:
        """The text that asks for it with all its parameters."""
        return usage(cls, cls.name)
