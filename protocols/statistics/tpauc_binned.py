"""`tpauc` of scores that were counted on a grid: the bins are the groups of tied scores.

See `ppaurora.protocols.statistics.tpauc`: the same program on the pieces of the curve that
the histogram gives, exact for the binned scores, for any number of samples up to 2^31 - 1 that the
decimals allow. Nobody learns anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.statistics.tpauc import AreaOfBothRates


@dataclass(frozen=True, slots=True)
class BinnedTwoWayPartialArea(AreaOfBothRates[Binned, PooledBins]):
    """The two-way partial area from the histogram."""

    name: ClassVar[str] = "tpauc_binned"
    twin: ClassVar[str] = "tpauc"
    title: ClassVar[str] = "two-way partial area under the ROC curve of binned scores"
    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})

    def fits(self, n: int, decimals: int) -> bool:
        return self.arithmetic_fits(n)
