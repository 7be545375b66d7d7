"""What a study asks for: statistics, decimals, and which of the interchangeable protocols run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.encoding import CODES
from ppaurora.protocols.pipelines.pipeline import Inputs, Pipeline
from ppaurora.protocols.ranking.ties import WAYS
from ppaurora.protocols.sorting import SORTS
from ppaurora.protocols.sorting.sort import USUAL, Conditions
from ppaurora.protocols.statistics.parameters import hint
from ppaurora.protocols.statistics.registry import AnyStatistic, statistic

MOST_DECIMALS = 15


@dataclass(frozen=True, slots=True)
class Options:
    """The choices that all parties must share; checked when made.

    - `metrics`: the statistics, `name` or `name:key=value,...`, in the order of the results.
    - `decimals`: how many are released, correctly rounded (half up).
    - `merge`: the sort: `network` opens nothing; `shuffled` opens comparisons of elements that
      nobody can tell apart, in few hops; `delta` is the paper's merge with the odd parameter
      `delta`, which opens comparisons for `delta` > 1 (see the ledger); `auto` is `network` or
      `shuffled`, by the sizes and the conditions.
    - `ties`: `compare` leaks nothing; `helper` shows the helper the number of ties plus dummies.
    - `code`: how scores are encoded, `unit` for [0, 1] or `real`.
    - `conditions`: the network between the servers, for `auto`; of a session, not of a study.

    >>> Options(("auroc", "aupr"), decimals=6).statistics[1].title
    'area under the precision-recall curve, by trapezoids'
    """

    metrics: tuple[str, ...] = ("auroc",)
    decimals: int = 4
    merge: str = "auto"
    delta: int = 1
    ties: str = "compare"
    code: str = "unit"
    conditions: Conditions = USUAL

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", tuple(self.metrics))
        if not self.metrics:
            raise OptionRefused("metrics", "is empty", advice="Ask for at least one metric.")
        _refuse_repeated(self.metrics, self.statistics)
        if not _whole(self.decimals) or not 1 <= self.decimals <= MOST_DECIMALS:
            raise OptionRefused("decimals", f"must be a whole number from 1 to {MOST_DECIMALS}")
        _one_of("merge", self.merge, SORTS)
        _one_of("ties", self.ties, WAYS)
        _one_of("code", self.code, CODES)
        if not _whole(self.delta):
            raise OptionRefused("delta", "must be an odd whole number, 1 or more")
        _ = self.pipeline

    @property
    def statistics(self) -> tuple[AnyStatistic, ...]:
        """The statistics, in the order in which they were asked for."""
        return tuple(statistic(text) for text in self.metrics)

    @property
    def pipeline(self) -> Pipeline[Any, Any]:
        """From what the statistics are computed, with this study's choices."""
        kinds = {one.pipeline for one in self.statistics}
        if len(kinds) != 1:
            listing = ", ".join(f"{one.text}: {one.pipeline.name}" for one in self.statistics)
            raise OptionRefused(
                "metrics", f"need different uploads ({listing})", advice="Make a study for each."
            )
        return kinds.pop().of(self)

    def decided(self, sizes: Sequence[int]) -> Options:
        """The same with the sort that runs on lists of these sizes, where `merge` leaves it open.

        >>> Options(merge="auto").decided([1000] * 8).merge
        'shuffled'
        """
        sort = SORTS[self.merge].of(self.delta).chosen(sizes, self.conditions)
        return replace(self, merge=sort.name)

    @property
    def inputs(self) -> Inputs:
        """What the statistics together ask of the pipeline."""
        return frozenset().union(*(one.inputs for one in self.statistics))


def _refuse_repeated(texts: Sequence[str], asked: Sequence[AnyStatistic]) -> None:
    first: dict[AnyStatistic, str] = {}
    for text, one in zip(texts, asked, strict=True):
        if one in first:
            same = first[one]
            what = "names a metric twice" if same == text else f'means the same by "{same}"'
            raise OptionRefused("metrics", f'{what}: "{text}"', advice="Leave one of them out.")
        first[one] = text


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
