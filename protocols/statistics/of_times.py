"""Base class of statistics of times to an event, on the public grid of times of their study.

What they release is that of times and events on the grid: samples of one cell have the same time,
and of these events come first, as in survival's Kaplan-Meier estimate and its concordance.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self

from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import MOST_BINS
from ppaurora.protocols.grid.time_grid import TimeGrid
from ppaurora.protocols.lists.scale import Resolution, Scale
from ppaurora.protocols.pipelines.times import CountedTimes
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.statistics.statistic import Statistic, Topic


@dataclass(frozen=True, slots=True)
class OfTimes(Statistic[Binned, PooledBins]):
    """The contract of such a statistic; `times` is the grid of its study."""

    topic: ClassVar[Topic] = Topic.SURVIVAL
    pipeline: ClassVar[type[CountedTimes]] = CountedTimes
    times: TimeGrid = field(default=TimeGrid((Fraction(1),)), kw_only=True)

    @abstractmethod
    def on_grid(self, times: TimeGrid, scale: Scale, least: int) -> Statistic[Any, Any]:
        """The statistic in a study with this grid of times, scale of scores and least cell."""

    def warnings(self, sizes: tuple[int, ...], decimals: int) -> tuple[str, ...]:  # type: ignore[override]
        return few_samples_warnings(self.text, sizes)


AT = (
    "the times, ends of cells of the study's grid, with a slash between them; without them four, "
    "at the quarters of the grid"
)
QUARTERS = 4


@dataclass(frozen=True, slots=True)
class AtTimes(OfTimes):
    """The contract of such a statistic with a number for each of several times."""

    at: tuple[Fraction, ...] | None

    @property
    def ends(self) -> tuple[Fraction, ...]:
        """The times: those that are asked for, or the ends of the quarters of the grid."""
        if self.at is not None:
            return self.at
        edges, parts = self.times.edges, min(QUARTERS, len(self.times.edges))
        return tuple(edges[-(-len(edges) * k // parts) - 1] for k in range(1, parts + 1))

    def with_edges(self, text: str) -> Self:
        """The same statistic; times that are no ends of cells of its grid are refused."""
        others = [decimal(time) for time in self.ends if self.times.place(time) is None]
        if others:
            raise OptionRefused(
                "metrics",
                f"asks for {text}, and {' and '.join(others)} is no end of a cell of the study's "
                "grid of times",
                advice="Ask at ends of cells, or name these among the edges (times.edges).",
            )
        return self


def check_counted(text: str, scale: Scale) -> None:
    """Refuse scores that are not counted in cells, or in too many."""
    counted = scale.kind in (Resolution.BINS, Resolution.DECIMALS)
    if not counted or (scale.top >= MOST_BINS and scale.kind is Resolution.DECIMALS):
        raise OptionRefused(
            "metrics",
            f"asks for {text}, which counts samples by score and time, and the study's scores are "
            f"{scale.holds}: too many to count",
            advice='Take a resolution of bins, such as "bins:100", or of few decimals, such as '
            '"decimals:2" (owners that have more say --round); a million cells of scores and times '
            "may be counted.",
        )
