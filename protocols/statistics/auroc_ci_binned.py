"""`auroc_ci` of scores that were counted on a grid: the bins are the groups of tied scores.

See `ppaurora.protocols.statistics.auroc_ci`: the same program on the pieces of the curve that
the histogram gives, exact for the binned scores, for any number of samples up to 2^31 - 1 that the
decimals allow. Nobody learns anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.area_limits import AreaLimits, PlainLimits
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.score_limits import ScoreLimits
from ppaurora.protocols.statistics.auroc_ci import DELONG, NEWCOMBE, ConfidenceInterval
from ppaurora.protocols.statistics.parameters import choice


@dataclass(frozen=True, slots=True)
class BinnedInterval(ConfidenceInterval[Binned, PooledBins]):
    """The interval from the histogram."""

    name: ClassVar[str] = "auroc_ci_binned"
    twin: ClassVar[str] = "auroc_ci"
    title: ClassVar[str] = (
        "AUROC of binned scores with its confidence interval, Newcombe's or by DeLong's method"
    )
    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})
    method: str = choice(
        "newcombe for the score interval, delong for limits by DeLong's error on the plain scale",
        NEWCOMBE,
        (NEWCOMBE, DELONG),
    )

    @property
    def limits(self) -> AreaLimits:
        tail = (1 - self.level) / 2
        return ScoreLimits(tail) if self.method == NEWCOMBE else PlainLimits(tail, wide=True)
