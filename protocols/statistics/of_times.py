"""Base class of statistics of times to an event, on the public grid of times of their study.

What they release is that of times and events on the grid: samples of one cell have the same time,
and of these events come first, as in survival's Kaplan-Meier estimate and its concordance.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import MOST_BINS
from ppaurora.protocols.grid.time_grid import TimeGrid
from ppaurora.protocols.lists.scale import Resolution, Scale
from ppaurora.protocols.pipelines.times import Times
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.statistics.statistic import Statistic, Topic


@dataclass(frozen=True, slots=True)
class OfTimes(Statistic[Binned, PooledBins]):
    """The contract of such a statistic; `times` is the grid of its study."""

    topic: ClassVar[Topic] = Topic.SURVIVAL
    pipeline: ClassVar[type[Times]] = Times
    times: TimeGrid = field(default=TimeGrid((Fraction(1),)), kw_only=True)

    @abstractmethod
    def on_grid(self, times: TimeGrid, scale: Scale) -> Statistic[Any, Any]:
        """The statistic in a study with this grid of times and this scale of scores."""

    def warnings(self, sizes: tuple[int, ...], decimals: int) -> tuple[str, ...]:  # type: ignore[override]
        return few_samples_warnings(self.text, sizes)


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
