"""`rocglm` of scores that were counted on a grid: the bins are the groups of tied scores.

See `ppaurora.protocols.statistics.rocglm`: the same program on the counts of the bins, exact for
the binned scores, with as many comparisons for each bin as the fit has points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.shares import Shared
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.statistics.rocglm import RocGlm


@dataclass(frozen=True, slots=True)
class BinnedRocGlm(RocGlm[Binned, PooledBins]):
    """The ROC-GLM of the histogram."""

    name: ClassVar[str] = "rocglm_binned"
    twin: ClassVar[str] = "rocglm"
    title: ClassVar[str] = "ROC-GLM: a binormal ROC curve fitted to that of binned scores"
    pipeline: ClassVar[type[Histogram]] = Histogram

    def placed(self, data: Binned) -> tuple[Shared, Shared]:
        return data.positives, data.FP - data.negatives

    def fits(self, n: int, decimals: int) -> bool:
        return self.arithmetic_fits(n, decimals)
