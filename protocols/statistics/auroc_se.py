"""The standard error of the AUROC by DeLong's method.

[ROC-GLM, Eq. 2-3, erratum 1]: the root of `ppaurora.protocols.ranking.delong`'s variance, ties
counted half, correctly rounded. Nobody learns anything. Five hops and five for every two decimals.

A perfect separation of the classes has the standard error 0: the sample says nothing about how far
its AUROC may be from the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_root_denominator, wide_root
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.rounding import half_up_root
from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.curve import CurveClear, CurveData
from ppaurora.protocols.ranking.delong import (
    FEW,
    delong,
    delong_cost,
    delong_fits,
    largest_variance_denominator,
    placed,
)
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.estimates import OneNumber


class StandardError(OneNumber[CurveData, CurveClear]):
    """The root of DeLong's variance, of a sorted list or a histogram."""

    __slots__ = ()

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "auroc_se"
    short: ClassVar[str] = "Standard error of the AUROC"
    reference: ClassVar[str] = "DeLong, DeLong and Clarke-Pearson, Biometrics 1988"
    title: ClassVar[str] = "standard error of the AUROC, by DeLong's method"
    known_as: ClassVar[str] = "pROC sqrt(var(roc))"
    undefined: ClassVar[str] = FEW
    wide: ClassVar[bool] = False
    """True if the curve's sums are taken in 256 bits."""

    def private(self, party: Party, data: CurveData, decimals: int) -> Shared:
        variance = delong(party, data).variance
        return wide_root(party, variance.N, variance.D, digits=decimals, bound=variance.bound)

    def cost(self, n: int, decimals: int) -> Cost:
        root = wide_root.cost(digits=decimals, bound=largest_variance_denominator(n)).of(1)
        return delong_cost(n, wide=self.wide) + root

    def scaled(self, data: CurveClear, scale: int) -> int | None:
        found = placed(data)
        return None if found is None else half_up_root(found.variance * Fraction(scale) ** 2)

    def fits(self, n: int, decimals: int) -> bool:
        rooted = largest_variance_denominator(n) <= largest_root_denominator(decimals)
        return rooted and (self.wide or delong_fits(n))

    def leaks(self, decimals: int) -> str:
        return (
            "the released decimals, which with an AUROC and the number of samples tell the smaller "
            f"class count roughly, and whether the metric is undefined: {self.undefined}"
        )

    def label_digits(self, decimals: int) -> int:
        # DeLong's error is another number for nearly every set of labels
        return decimals

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        if sum(sizes) < 2:
            return ()
        return (
            f"{self.text}: with an AUROC and the number of samples it tells the smaller class "
            "count to a few percent",
        )


@dataclass(frozen=True, slots=True)
class StandardErrorOfCells(StandardError[Binned, PooledBins]):
    """The standard error from cells, for any number of samples."""

    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})
    wide: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class AurocStandardError(StandardError[Ranked, Pooled]):
    """The standard error from the sorted list."""

    listed: ClassVar[bool] = True
    cells: ClassVar[type[StandardErrorOfCells]] = StandardErrorOfCells
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
