"""`pauc` of scores that were counted on a grid: the bins are the groups of tied scores.

See `ppaurora.protocols.statistics.pauc`: the same program on the pieces of the curve that
the histogram gives, exact for the binned scores, for any number of samples up to 2^31 - 1 that the
decimals allow. Nobody learns anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.statistics.pauc import AreaWithin


@dataclass(frozen=True, slots=True)
class BinnedPartialArea(AreaWithin[Binned, PooledBins]):
    """The partial area from the histogram."""

    name: ClassVar[str] = "pauc_binned"
    twin: ClassVar[str] = "pauc"
    title: ClassVar[str] = "partial area under the ROC curve of binned scores"
    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})

    def fits(self, n: int, decimals: int) -> bool:
        return self.arithmetic_fits(n)
