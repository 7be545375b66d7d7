"""The contract of a pipeline: from the owners' uploads to what statistics are computed from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.grid.sums import Numbers
from ppaurora.protocols.grid.time_grid import TimeGrid
from ppaurora.protocols.lists.outsourcing import UploadForm
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.lists.verdicts import Findings, judging_cost
from ppaurora.protocols.sorting.sort import Conditions

Data = TypeVar("Data")
Vector = TypeVar("Vector", Shared, Words)
Clear = TypeVar("Clear")
Prepared = TypeVar("Prepared", covariant=True)
InTheClear = TypeVar("InTheClear", covariant=True)
Inputs = frozenset[str]
ANY_NUMBER = (1 << 31) - 1
MOST_FOLDS = 100
"""Lists in an upload, where a study has a list for each fold."""


@dataclass(frozen=True, slots=True)
class PhaseEstimate:
    """The predicted cost of a phase; `exact` unless it depends on the data."""

    phase: str
    spent: Cost
    exact: bool = True


class Choices(Protocol):
    """The options of a study that concern protocols; a pipeline takes those that concern it."""

    @property
    def asked(self) -> Sequence[object]: ...
    @property
    def inputs(self) -> Inputs: ...
    @property
    def sort(self) -> str: ...
    @property
    def decimals(self) -> int: ...
    @property
    def delta(self) -> int: ...
    @property
    def ties(self) -> str: ...
    @property
    def scale(self) -> Scale: ...
    @property
    def times(self) -> TimeGrid: ...
    @property
    def folds(self) -> int: ...
    @property
    def against(self) -> tuple[str, ...]: ...
    @property
    def classes(self) -> tuple[str, ...]: ...
    @property
    def least_join(self) -> int: ...
    @property
    def conditions(self) -> Conditions: ...


class Pipeline(ABC, Generic[Prepared, InTheClear]):
    """One way from the uploads, a shared vector for each owner, to a statistic's data.

    An instance holds the study's choices for this pipeline. `sizes` are the public numbers of
    samples of the lists in the uploads: one list in each, unless the study has folds. `inputs` are
    the union of what the study's statistics ask for; what nobody asks for is not computed.
    """

    name: ClassVar[str]
    inputs: ClassVar[Inputs]
    """The inputs that statistics may ask for."""
    feeds: ClassVar[tuple[type[Pipeline[Any, Any]], ...]] = ()
    """Other pipelines, whose statistics can be computed from a part of what this one prepares."""
    columns: ClassVar[tuple[str, ...]] = ()
    """The kinds of columns that it needs of each sample beside the score and the label."""
    folded: ClassVar[bool] = False
    """True if an upload consists of several lists, one for each fold of the study."""
    alone: ClassVar[bool] = False
    """True if no statistic of another pipeline may stand in the same study."""
    of_groups: ClassVar[bool] = True
    """True if it can be of each group of the samples as well."""
    sorts: ClassVar[bool] = True
    """True if scores are sorted, and False if they are only counted."""
    adds: ClassVar[bool] = False
    """True if the uploads of two sets of rows add up to that of both together."""

    @property
    @abstractmethod
    def sound(self) -> str:
        """A description of an upload that passes the check, for the ledger."""

    @classmethod
    @abstractmethod
    def of(cls, choices: Choices) -> Self:
        """The pipeline with a study's choices; `OptionRefused` where they do not go together."""

    @abstractmethod
    def upload(self, keys: Sequence[Words]) -> Words:
        """The words that an owner shares: independent of the order of its rows.

        `keys` are those of its rows: of their scores, and behind them those of each of `columns`.
        """

    def repeatable(self, keys: Sequence[Words], secret: bytes, left_out: int = 0) -> Words:
        """The upload where an owner draws some of it at random, which follows from its secret.

        `secret` are 16 bytes that the owner keeps; so many rows without a score or a label were
        `left_out`, which the upload says where the study asks for it.
        """
        return self.upload(keys)

    def columns_of(self, holds: str) -> tuple[str, ...]:
        """Those of `columns` that a list has which holds scores only, labels only, or both.

        Of the others its rows have no values.
        """
        return self.columns

    def showing(self, shows: bool) -> Self:
        """The pipeline of an owner whose own values may be shown by its name, or may not."""
        return self

    @property
    def lists_each(self) -> int:
        """The number of lists in each upload."""
        return 1

    @property
    def totals_each(self) -> int:
        """The number of totals of each upload that are the same in all its parts (`positives`)."""
        return self.lists_each

    def sizes(self, keys: Sequence[Words]) -> tuple[int, ...]:
        """The number of samples of each list in the upload of these keys."""
        return (len(keys[0]),)

    def of_uploads(self, sizes: Sequence[int]) -> list[tuple[int, ...]]:
        """The sizes of the lists, upload by upload."""
        starts = range(0, len(sizes), self.lists_each)
        return [tuple(sizes[start : start + self.lists_each]) for start in starts]

    def check_sizes(self, sizes: Sequence[int]) -> None:
        """Refuse sizes of which its numbers would be too large, naming the bound."""

    @property
    def most_uploads(self) -> int:
        """The most uploads whose numbers it can add without a sum that overflows its word."""
        return ANY_NUMBER

    def owners(self, sizes: Sequence[int], group: str = "") -> list[int]:
        """The number of samples of each upload, or of those in one group of them."""
        return [sum(own) for own in self.of_uploads(sizes)]

    @property
    def counting_grid(self) -> Grid | None:
        """The grid on which counts are all that an upload needs of a list, if there is one.

        They can be made where the owner's data lie.
        """
        return None

    def of_counts(self, counts: Sequence[Numbers], secret: bytes, left_out: int = 0) -> Words:
        """The upload, as `repeatable` makes it, from counts on the grid, lowest scores first."""
        raise TypeError(f"an upload of {self.name} is not made of counts")

    @abstractmethod
    def form(self, samples: int) -> UploadForm:
        """The upload of a list of so many samples as it travels."""

    def words(self, samples: int) -> int:
        """The number of words in the upload of a list of so many samples."""
        return self.form(samples).numbers

    @abstractmethod
    def places(self, samples: int) -> int:
        """The length of the vectors that statistics of so many samples in all compute on."""

    def vectors(self, sizes: Sequence[int], group: str = "") -> tuple[int, ...]:
        """The lengths of these vectors for each fold, or of the one list of all samples.

        Of a `group` they are those of its samples.
        """
        return (self.places(sum(sizes)),)

    def lifted(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]
    ) -> Sequence[Shared]:
        """The uploads as they are checked and computed with: numbers that are shared in fewer bits
        as numbers of Z_2^64. It shows nothing, and runs whether verdicts are known or not."""
        return uploads

    def lifting_cost(self, sizes: Sequence[int]) -> Cost:
        """The cost of `lifted`."""
        return Cost()

    @abstractmethod
    def check(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Findings:
        """The findings on these uploads, of which none is without words: what makes one unsound."""

    @abstractmethod
    def check_cost(self, sizes: Sequence[int]) -> Cost:
        """The cost of `check` for uploads of these sizes."""

    @abstractmethod
    def positives(self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int]) -> Shared:
        """The number of positives in each of these uploads, of which none is without words.

        Where uploads are of groups of samples, it is that in each group. Where samples have
        weights, the weight of the positives and that of all follow.
        """

    @abstractmethod
    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        """The cost of `positives`."""

    @abstractmethod
    def prepare(
        self, party: Party, uploads: Sequence[Shared], sizes: Sequence[int], inputs: Inputs
    ) -> Prepared:
        """The prepared data of the statistics, in phases named as in `phase_estimates`."""

    @abstractmethod
    def plaintext(self, uploads: Sequence[Words], sizes: Sequence[int] = ()) -> InTheClear:
        """The prepared data from uploads in the clear; `sizes` are those of their lists."""

    def at_hand(self) -> Pipeline[Any, Any] | None:
        """The pipeline that prepares, of the same uploads, what waits neither for a sort nor for
        the least cell; None if all does. It says of no cut whether it may be shown."""
        return None

    def of_only(self, kinds: Collection[type[Pipeline[Any, Any]]]) -> Pipeline[Any, Any]:
        """The pipeline of which nothing is prepared but what these pipelines' statistics read."""
        return self

    def member(self, of: type[Pipeline[Any, Any]]) -> Pipeline[Any, Any]:
        """The pipeline whose data a statistic of the pipeline `of` is computed from."""
        return self

    def part(self, of: type[Pipeline[Any, Any]], data: Any, group: str = "") -> Any:
        """The data for a statistic of the pipeline `of`: `data`, or its part in it.

        Of a `group` it is that of the group's samples, None where there are none.
        """
        return data

    def phase_estimates(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        """The cost of `check` and `prepare`, phase by phase, for uploads of these sizes."""
        uploads = [own for own in self.of_uploads(sizes) if self.words(sum(own))]
        check = Cost()
        if uploads:
            check += self.lifting_cost(sizes) + self.check_cost(sizes) + judging_cost(len(uploads))
        return (PhaseEstimate("check", check), *self.preparing(sizes, inputs))

    @abstractmethod
    def preparing(self, sizes: Sequence[int], inputs: Inputs) -> tuple[PhaseEstimate, ...]:
        """The cost of `prepare`, phase by phase, for uploads of these sizes."""

    @abstractmethod
    def proxies_learn(self) -> tuple[str, ...]:
        """The facts that P0 and P1 learn, for the ledger."""

    def can_be_turned(self) -> tuple[str, ...]:
        """The values opened beside the verdicts, by which a server that deviates can learn
        something else, and how; empty if it opens and tells nothing."""
        return ()

    def onlookers_learn(self) -> tuple[str, ...]:
        """The facts that sizes and times of encrypted frames reveal, for the ledger.

        Where they tell anything, the figures of a session are no public facts.
        """
        return ()

    @abstractmethod
    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        """The facts that the helper learns of the uploads, for the ledger."""

    def helper_only_deals(self) -> bool:
        """True if the helper is told which uploads are sound, and nothing else.

        Then what it deals is determined by its keys and by public sizes, and others can compute it
        again: a study of assurance "covert" needs that.
        """
        return False

    def helper_sees(self) -> tuple[str, ...]:
        """The random values that the helper sees beside, for the ledger."""
        return ()

    def warnings(self, sizes: Sequence[int]) -> tuple[str, ...]:
        """Warnings where public sizes reveal more than they seem to, or make a number do so."""
        return ()

    def merge(self, sizes: Sequence[int]) -> str | None:
        """The name of the sort that runs on lists of these sizes; None where nothing is sorted."""
        return None


class OwnersNumbers(Pipeline[Prepared, InTheClear]):
    """A pipeline of numbers that owners make of their own rows: servers learn the verdicts only."""

    sorts: ClassVar[bool] = False

    def positives_cost(self, sizes: Sequence[int]) -> Cost:
        return Cost()

    def proxies_learn(self) -> tuple[str, ...]:
        return ()

    def helper_learns(self, samples: int, inputs: Inputs) -> tuple[str, ...]:
        return ()

    def helper_only_deals(self) -> bool:
        return True
