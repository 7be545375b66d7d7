"""What a study asks for: statistics, decimals, and which of the interchangeable protocols run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ppaurora.mpc.committed import FEWEST_DEALINGS, MOST_DEALINGS
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.cuts import Cutting, at_cut_points
from ppaurora.protocols.lists.encoding import CODES, DIRECTIONS
from ppaurora.protocols.pipelines.pipeline import MOST_FOLDS, Inputs, Mode, Pipeline
from ppaurora.protocols.ranking.ties import WAYS
from ppaurora.protocols.release.privacy import Privacy
from ppaurora.protocols.sorting import SORTS
from ppaurora.protocols.sorting.auto import AutoSort
from ppaurora.protocols.sorting.sort import USUAL, Conditions
from ppaurora.protocols.statistics.parameters import hint
from ppaurora.protocols.statistics.registry import AnyStatistic, statistic, statistics

MOST_DECIMALS = 15
EXACT = Mode.EXACT
OF_THE_SORT = ("merge", "delta", "ties")
OF_THE_GRID = ("bins",)
"""Options that have a meaning in one mode only."""
COVERT = "covert"
ASSURANCES = ("semi-honest", COVERT)
ONLY_DEALING = "network"
"""The sort that can be checked, of those which `auto` chooses from."""
OF_COVERT = ("assurance", "dealings")


@dataclass(frozen=True, slots=True)
class Options:
    """The choices that all parties must share; checked when made.

    - `metrics`: the statistics, `name` or `name:key=value,...`, in the order of the results.
    - `decimals`: how many are released, correctly rounded (half up).
    - `merge`: the sort: `auto` is `network` or `shuffled`, by the sizes and the conditions;
      `network` opens nothing; `shuffled` opens comparisons of elements that nobody can tell apart,
      in few hops; `delta` is the paper's merge with the odd parameter `delta`, which opens
      comparisons for `delta` > 1 (see the ledger).
    - `ties`: `compare` leaks nothing; `helper` shows the helper the number of ties plus dummies.
    - `code`: how scores are encoded, `unit` for [0, 1] or `real`.
    - `direction`: which scores speak for the positive class, `higher` or `lower`. A sample is
      called positive at a threshold if its score is that or higher, or that or lower.
    - `mode`: `exact` sorts all scores; `grid` counts them in `bins` bins between 0 and 1.
    - `conditions`: the network between the servers, for `auto`; of a session, not of a study.
    - `folds`: how many folds cross-validation has, of each of which a list is uploaded; 0 of none.
    - `assurance`: `semi-honest` computes once; `covert` three times with rotated roles, where of
      `dealings` committed dealings all but one are opened, and only equal results are accepted.

    >>> Options(("auroc", "aupr"), decimals=6).statistics[1].title
    'area under the precision-recall curve, by trapezoids'
    """

    metrics: tuple[str, ...] = ("auroc",)
    decimals: int = 4
    merge: str = "auto"
    delta: int = 1
    ties: str = "compare"
    code: str = "unit"
    mode: str = "exact"
    bins: int = 4096
    conditions: Conditions = USUAL
    folds: int = 0
    assurance: str = "semi-honest"
    dealings: int = 4
    direction: str = "higher"

    def __post_init__(self) -> None:
        if isinstance(self.metrics, str):
            raise OptionRefused(
                "metrics",
                f'is the text "{self.metrics}" and not a list of texts',
                advice=f'Write ("{self.metrics}",).',
            )
        object.__setattr__(self, "metrics", tuple(self.metrics))
        if not self.metrics:
            raise OptionRefused("metrics", "is empty", advice="Ask for at least one metric.")
        _refuse_repeated(self.metrics, self.statistics)
        if not _whole(self.decimals) or not 1 <= self.decimals <= MOST_DECIMALS:
            raise OptionRefused("decimals", f"must be a whole number from 1 to {MOST_DECIMALS}")
        _one_of("mode", self.mode, Mode)
        for one in self.statistics:
            _refuse_other_mode(one, self.mode)
        self._refuse_of_other_modes()
        if self.merge not in SORTS:
            _one_of("merge", self.merge, SORTS)
        _one_of("ties", self.ties, WAYS)
        _one_of("code", self.code, CODES)
        _one_of("direction", self.direction, DIRECTIONS)
        if not _whole(self.delta):
            raise OptionRefused("delta", "must be an odd whole number, 1 or more")
        self._refuse_exact_beside_noisy()
        self._refuse_other_folds()
        self._refuse_what_undoes_privacy(self.pipeline)
        _one_of("assurance", self.assurance, ASSURANCES)
        self._refuse_other_dealings()
        if self.covert:
            self._refuse_what_cannot_be_recomputed()

    def _refuse_other_folds(self) -> None:
        """Statistics of folds need them, and others cannot be computed from them."""
        if self.folds and (not _whole(self.folds) or not 2 <= self.folds <= MOST_FOLDS):
            raise OptionRefused("folds", f"must be a whole number from 2 to {MOST_FOLDS}")
        folded = self.pipeline.folded
        if folded and not self.folds:
            raise OptionRefused(
                "folds",
                "are missing: a metric is the mean over folds",
                advice="Say how many, and by which column (`study new` and `simulate`: "
                "--folds K --fold-by COLUMN).",
            )
        if self.folds and not folded:
            raise OptionRefused(
                "folds",
                "are made, but no metric is the mean over them",
                advice=f"Ask for {', '.join(_names_of_folds())}, or leave the folds out.",
            )

    @property
    def privacy(self) -> Privacy | None:
        """What all numbers together cost where they are differentially private."""
        costs = [one.privacy(self.decimals) for one in self.statistics]
        return Privacy.together(one for one in costs if one) if any(costs) else None

    def _refuse_exact_beside_noisy(self) -> None:
        """Of the same lists an exact number would undo what noise protects."""
        exact = [one.text for one in self.statistics if one.privacy(self.decimals) is None]
        if exact and self.privacy is not None:
            raise OptionRefused(
                "metrics",
                f"ask for differentially private numbers beside exact ones ({', '.join(exact)})",
                advice="Of the same lists release either the ones or the others.",
            )

    def _refuse_what_undoes_privacy(self, pipeline: Pipeline[Any, Any]) -> None:
        """Beside a noisy number no server may learn anything about the lists."""
        learned = (*pipeline.proxies_learn(), *pipeline.helper_learns(2, self.inputs))
        if self.privacy is not None and learned:
            raise OptionRefused(
                "metrics",
                "are differentially private, and the servers would learn about the lists",
                advice='Take merge = "network" and ties = "compare".',
            )

    def _refuse_other_dealings(self) -> None:
        """An option without an effect is a mistake of somebody who expects one."""
        if not _whole(self.dealings) or not FEWEST_DEALINGS <= self.dealings <= MOST_DEALINGS:
            raise OptionRefused(
                "dealings", f"must be a whole number from {FEWEST_DEALINGS} to {MOST_DEALINGS}"
            )
        if not self.covert and self.dealings != _default("dealings"):
            raise OptionRefused(
                "dealings",
                f'have no meaning in a study of assurance "{self.assurance}"',
                advice=f'Leave them out, or choose assurance = "{COVERT}".',
            )

    def _refuse_what_cannot_be_recomputed(self) -> None:
        """A dealing is checked by computing it again, and a result by comparing three of it."""
        if self.privacy is not None:
            raise OptionRefused(
                "assurance",
                f'is "{COVERT}", and the numbers have noise, which each of its three runs would '
                "draw for itself",
                advice="Ask for exact numbers, or leave the assurance out.",
            )
        if not self.pipeline.helper_only_deals():
            raise OptionRefused(
                "assurance",
                f'is "{COVERT}", and the helper of this computation is sent more than the verdicts '
                "on the lists: what it deals cannot be recomputed",
                advice='Take merge = "network", ties = "compare", and no metric that compares two '
                "scores of each sample; or leave the assurance out.",
            )

    @property
    def covert(self) -> bool:
        """Whether a server that cheats is noticed before a wrong number is released."""
        return self.assurance == COVERT

    @property
    def sort(self) -> str:
        """The name of the sort; of what `auto` chooses from, a covert study can have one only."""
        return ONLY_DEALING if self.covert and self.merge == AutoSort.name else self.merge

    @property
    def protocol(self) -> dict[str, str | int]:
        """The choices that count in this mode, as a study file lays them out."""
        own = OF_THE_SORT if self.mode == EXACT else ("mode", *OF_THE_GRID)
        return {name: getattr(self, name) for name in (*own, *(OF_COVERT if self.covert else ()))}

    def _refuse_of_other_modes(self) -> None:
        """An option without an effect is a mistake of somebody who expects one."""
        for name in OF_THE_GRID if self.mode == EXACT else OF_THE_SORT:
            if getattr(self, name) != _default(name):
                raise OptionRefused(
                    name,
                    f'has no meaning in a study of mode "{self.mode}"',
                    advice="Leave it out, or choose the other mode.",
                )

    @property
    def statistics(self) -> tuple[AnyStatistic, ...]:
        """The statistics, in the order in which they were asked for."""
        asked = [statistic(text) for text in self.metrics]
        study = at_cut_points(asked, self.direction)
        return tuple(one.in_study(study) if isinstance(one, Cutting) else one for one in asked)

    @property
    def pipeline(self) -> Pipeline[Any, Any]:
        """From what the statistics are computed, with this study's choices."""
        kinds = {one.pipeline for one in self.statistics}
        enough = [kind for kind in kinds if kinds <= {kind, *kind.feeds}]
        if len(enough) != 1:
            listing = ", ".join(f"{one.text}: {one.pipeline.name}" for one in self.statistics)
            raise OptionRefused(
                "metrics", f"need different uploads ({listing})", advice="Make a study for each."
            )
        return enough[0].of(self)

    def decided(self, sizes: Sequence[int]) -> Options:
        """The same with the sort that runs on lists of these sizes, where `merge` leaves it open.

        >>> Options().decided([1000] * 8).merge
        'shuffled'
        """
        merge = self.pipeline.merge(sizes)
        return self if merge is None else replace(self, merge=merge)

    @property
    def inputs(self) -> Inputs:
        """What the statistics together ask of the pipeline."""
        return frozenset().union(*(one.inputs for one in self.statistics))


def _names_of_folds() -> list[str]:
    return [name for name, one in statistics().items() if one.pipeline.folded]


def _refuse_repeated(texts: Sequence[str], asked: Sequence[AnyStatistic]) -> None:
    first: dict[AnyStatistic, str] = {}
    for text, one in zip(texts, asked, strict=True):
        if one in first:
            same = first[one]
            what = "names a metric twice" if same == text else f'means the same by "{same}"'
            raise OptionRefused("metrics", f'{what}: "{text}"', advice="Leave one of them out.")
        first[one] = text


def _refuse_other_mode(one: AnyStatistic, mode: str) -> None:
    if one.pipeline.mode == mode:
        return
    twins = [
        other.name
        for other in statistics().values()
        if other.pipeline.mode == mode and (other.twin == one.name or one.twin == other.name)
    ]
    instead = f"Ask for {' or '.join(twins)}, or choose" if twins else "Leave it out, or choose"
    raise OptionRefused(
        "metrics",
        f"asks for {one.text}, which is computed from the {one.pipeline.name} in the mode "
        f'"{one.pipeline.mode}", in a study of mode "{mode}"',
        advice=f'{instead} mode = "{one.pipeline.mode}".',
    )


def _default(option: str) -> object:
    return Options.__dataclass_fields__[option].default


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _one_of(option: str, value: object, allowed: Iterable[str]) -> None:
    known = list(allowed)
    if value not in known:
        listing = ", ".join(f'"{one}"' for one in known)
        raise OptionRefused(
            option,
            f'names "{value}"',
            advice=f"Choose from {listing}.{hint(str(value), known)}",
        )
