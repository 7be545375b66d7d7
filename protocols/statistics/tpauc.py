"""The two-way partial area under the ROC curve: where both rates are good enough.

[tpAUC, Eq. 19-24, erratum 3]: the area under the curve, right of no false positive rate above
u = `max_fpr` and above the true positive rate b = `min_tpr`,

    area up to u + area beside the curve above b - AUROC + b·(1 - u)    if ROC(u) >= b, else 0.

The condition is needed: without it the formula gives positive values for curves that miss the
region. Whether it holds stays secret. With u = r1/s1 and b = r2/s2, the group of tied scores that
crosses u (F0, T0, p, q, C as in `ppaurora.protocols.ranking.partial`) and the one that crosses b,
read backwards with the classes exchanged (marked '),

    Z = 2·s·T0·q + p·C      Y = C·Z      and ROC(u) >= b  if and only if
                                         s2·(s1·T0·q + p·C) >= r2·s1·P·q.

Exact and correctly rounded. Nobody learns anything. Fifteen hops and five for every two decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    wide_negative_times,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.histogram import PAIRS, Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.binned import CellCounts, PooledCounts
from ppaurora.protocols.ranking.curve import CurveClear, CurveData
from ppaurora.protocols.ranking.outline import along_false_positives, area_above
from ppaurora.protocols.ranking.partial import areas, areas_cost, areas_fits
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.estimates import OneWideRatio
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.statistic import NO_CLASS

WIDENED = 13


@dataclass(frozen=True, slots=True)
class AreaOfBothRates(OneWideRatio[CurveData, CurveClear]):
    """The area where the true positive rate is high and the false positive rate is low."""

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "tpauc"
    short: ClassVar[str] = "Two-way partial AUROC"
    reference: ClassVar[str] = "Yang, Lu, Lyu and Hu, Statistical Methods in Medical Research 2019"
    title: ClassVar[str] = "two-way partial area under the ROC curve"
    known_as: ClassVar[str] = "R tpAUC, by trapezoids"
    undefined: ClassVar[str] = NO_CLASS
    min_tpr: Fraction = number("the least true positive rate", closed=False)
    max_fpr: Fraction = number("the largest false positive rate", closed=False)

    def wide_ratio(self, party: Party, data: CurveData, decimals: int) -> WideRatio:
        u, b = self.max_fpr, self.min_tpr
        s1, s2 = u.denominator, b.denominator
        below, beside = side_by_side(
            party,
            [
                lambda own: areas(own, data.pieces, [u], s1),
                lambda own: areas(own, data.pieces.backwards(), [1 - b], s2),
            ],
        )
        narrow = [below.parts[0].vector(), beside.parts[0].vector(), below.whole.before]
        wide = widen(party, concatenate([*narrow, data.P, data.PN]))
        rows = len(wide) // WIDENED
        numbers = [wide[place * rows : (place + 1) * rows] for place in range(WIDENED)]
        before1, T1, p1, q1, C1, before2, T2, p2, q2, C2, won, P, pairs = numbers
        Tq1, pC1, Tq2, pC2, qq, Pq = wide_products(
            party,
            [T1, q1, p1, C1, T2, q2, p2, C2, P],
            [(0, 1), (2, 3), (4, 5), (6, 7), (1, 5), (8, 1)],
        )
        # b·(1 - u)·2·P·N, like the sums multiplied by s1·s2
        corner = pairs * (2 * int(b * s2) * int((1 - u) * s1))
        sums = (before1 + before2 - won) * (s1 * s2) + corner
        Y1, Y2, full, denominator = wide_products(
            party,
            [C1, Tq1 * (2 * s1) + pC1, C2, Tq2 * (2 * s2) + pC2, qq, sums, pairs],
            [(0, 1), (2, 3), (4, 5), (4, 6)],
        )
        first, second = wide_products(party, [q2, Y1, q1, Y2], [(0, 1), (2, 3)])
        N = full * (s1 * s2) + first * s2**2 + second * s1**2
        # negative if and only if ROC(u) < b
        above = (Tq1 * s1 + pC1) * s2 - Pq * (int(b * s2) * s1)
        _, missed = wide_negative_times(party, above, N)
        D = denominator * (2 * s1**2 * s2**2)
        return WideRatio(N - missed, D, self.largest(data.n, decimals))

    def largest(self, n: int, decimals: int) -> int:
        """2·P·N·q·q'·(s1·s2)² of n samples is at most this: q·q' is at most P·N."""
        scale = self.max_fpr.denominator * self.min_tpr.denominator
        return max(1, n**4 // 8 * scale**2)

    def wide_ratio_cost(self, n: int, decimals: int, rows: int = 1) -> Cost:
        one = areas_cost(n, ends=1, rows=rows)
        return (
            (one | one)
            + widen.cost().of(WIDENED * rows)
            + wide_products.cost(factors=9, pairs=6).of(rows)
            + wide_products.cost(factors=7, pairs=4).of(rows)
            + wide_products.cost(factors=4, pairs=2).of(rows)
            + wide_negative_times.cost().of(rows)
        )

    def scaled(self, data: CurveClear, scale: int) -> int | None:
        if not data.P * data.N:
            return None
        return half_up(scale * area_above(along_false_positives(data), self.max_fpr, self.min_tpr))

    def fits(self, n: int, decimals: int) -> bool:
        s = max(self.max_fpr.denominator, self.min_tpr.denominator)
        return areas_fits(n, s) and OneWideRatio.fits(self, n, decimals)

    def readings(self) -> frozenset[str]:
        return frozenset({self.text})


@dataclass(frozen=True, slots=True)
class TwoWayPartialAreaOfCells(AreaOfBothRates[CellCounts, PooledCounts]):
    """The two-way partial area from cells."""

    weighted: ClassVar[bool] = True
    resampled: ClassVar[bool] = True
    pipeline: ClassVar[type[Histogram]] = Histogram
    inputs: ClassVar[Inputs] = frozenset({PAIRS})


@dataclass(frozen=True, slots=True)
class TwoWayPartialArea(AreaOfBothRates[Ranked, Pooled]):
    """The two-way partial area from the sorted list."""

    listed: ClassVar[bool] = True
    cells: ClassVar[type[TwoWayPartialAreaOfCells]] = TwoWayPartialAreaOfCells
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
