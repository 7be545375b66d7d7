"""`auroc_se` of scores that were counted on a grid: the bins are the groups of tied scores.

See `ppaurora.protocols.statistics.auroc_se`: the same program on the pieces of the curve that
the histogram gives, exact for the binned scores, for any number of samples up to 2^31 - 1 that the
decimals allow. Nobody learns anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.statistics.auroc_se import StandardError


@dataclass(frozen=True, slots=True)
class BinnedStandardError(StandardError[Binned, PooledBins]):
    """The standard error from the histogram."""

    name: ClassVar[str] = "auroc_se_binned"
    twin: ClassVar[str] = "auroc_se"
    title: ClassVar[str] = "standard error of the AUROC of binned scores, by DeLong's method"
    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})
    wide: ClassVar[bool] = True

    def fits(self, n: int, decimals: int) -> bool:
        return self.arithmetic_fits(n, decimals)
