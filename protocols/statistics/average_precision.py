"""Average precision: the area under the precision-recall curve by steps.

[ppAURORA, Alg. 4], [Thesis, Eq. 4.10]: each step of the recall at the precision of its right end,

    average precision = 1/P · Σ_j U_j·(U_j - B_j)/j

Always correctly rounded, as far as `ppaurora.protocols.arithmetic.reciprocals` says. Nobody learns
anything. One hop, 4 a limb and 4 for every two decimals.

Over cells: of each bin, the highest first, let p and q be its positives and negatives, T0 and F0
those of the bins above, T1 = T0 + p and F1 = F0 + q. With three quotients a bin,

    A = T1/(T1 + F1),    B = (T0 + 1)/(T0 + 1 + F1),    C = F0/(T1 + F0),

    value = Σ p·A / P,    lower = Σ p·(A + B) / 2P,    upper = 1 - Σ p·C / P.

The value is that of the binned scores. The bounds hold for the scores themselves, whatever they are
within their bins, tied or not. A positive adds the precision at the end of its group of tied
scores. There, a of the bin's positives and b of its negatives have been counted, and it adds

    (T0 + a)/(T0 + a + F0 + b)    with a <= p, 0 <= b <= q.

- It is most with a = p and b = 0, which is T1/(T1 + F0) = 1 - C. All p positives add that much if
  they are tied above the negatives; so no smaller bound holds. Positives first but one by one would
  be less: the upper bound is of the best order with ties.
- The i-th positive from the top has a >= i, and adds at least f(i) = (T0 + i)/(T0 + i + F1). It
  does where the negatives come first and no positives are tied: the worst order. f is concave, so
  f(1) + ... + f(p) >= p·(f(1) + f(p))/2 = p·(B + A)/2, with equality for p <= 2. The sum itself
  takes harmonic numbers at secret places.

All quotients are rounded down to d + 8 decimals or more, and their sums are exact. So the bounds
hold as they are released; one is wider than it need be, by one unit of its last decimal, only if
the exact one has no more than d decimals or lies within 10^-(d+8) of such a number. The value can
be wrong, by one unit, only if the exact one lies within 10^-(d+8) below a rounding boundary.

For up to 2^31 - 1 samples and as many bins as a grid has; nobody learns anything. To 4 decimals it
takes 93 hops and 18 kB for each bin; up to 32 bins take 45 hops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    sums_of_products,
    undefined,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.quotients import Quotients
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.arithmetic.rounding import scaled_sum
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input
from ppaurora.protocols.ranking.binned import Binned, CellCounts, PooledBins, PooledCounts
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.ranking.rows import row_sums, row_sums_cost
from ppaurora.protocols.statistics.estimates import OneWideRatio, UnbinnedBounds
from ppaurora.protocols.statistics.precision_recall import PrecisionRecallArea
from ppaurora.protocols.statistics.statistic import NO_POSITIVES, Topic

GUARD_DECIMALS = 8


@dataclass(frozen=True, slots=True)
class AveragePrecisionOfCells(OneWideRatio[CellCounts, PooledCounts]):
    """The average precision from cells of one score each."""

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "average_precision"
    title: ClassVar[str] = "average precision, by steps"
    known_as: ClassVar[str] = "scikit-learn average_precision_score"
    weighted: ClassVar[bool] = True
    pipeline: ClassVar[type[Histogram]] = Histogram
    undefined: ClassVar[str] = NO_POSITIVES
    resampled: ClassVar[bool] = True

    def wide_ratio(self, party: Party, data: CellCounts, decimals: int) -> WideRatio:
        quotients = _quotients(decimals)
        words = quotients.rounded_down(party, data.TP, data.TP + data.FP)
        pairs = [(0, 1 + place) for place in range(len(words))]
        sums = row_sums(party, [data.positives, *words], pairs, data.rows)
        wide, rows = widen(party, concatenate([*sums, data.P])), data.rows
        split = [wide[start : start + rows] for start in range(0, len(wide), rows)]
        A, positives = quotients.joined(split[:-1]), split[-1]
        # a unit more for each quotient: then no exact value on a boundary is rounded down
        whole = positives * quotients.one
        return WideRatio(A + positives, whole, self.largest(data.n, decimals))

    def wide_ratio_cost(self, n: int, decimals: int, rows: int = 1) -> Cost:
        quotients = _quotients(decimals)
        sums = quotients.limbs
        return (
            quotients.cost(n * rows)
            + row_sums_cost(n, factors=sums + 1, pairs=sums, rows=rows)
            + widen.cost().of((sums + 1) * rows)
        )

    def scaled(self, data: PooledCounts, scale: int) -> int | None:
        return _by_steps(data, scale) if data.P else None

    def largest(self, n: int, decimals: int) -> int:
        return max(1, n * _quotients(decimals).one)

    def fits(self, n: int, decimals: int) -> bool:
        return n < Quotients.bound and OneWideRatio.fits(self, n, decimals)

    def label_digits(self, decimals: int) -> int:
        return decimals


@dataclass(frozen=True, slots=True)
class AveragePrecisionBounds(UnbinnedBounds):
    """Steps at the ends of the bins, and what scores within the bins can make of them."""

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "average_precision"
    title: ClassVar[str] = (
        "average precision of the binned scores, with certified bounds for the unbinned ones"
    )
    known_as: ClassVar[str] = "scikit-learn average_precision_score of the binned scores"
    undefined: ClassVar[str] = NO_POSITIVES

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        p, m, P = data.positives, data.bins, data.P
        T1, F1 = data.TP, data.FP
        T0, F0 = T1 - p, F1 - data.negatives
        quotients = _quotients(decimals)
        N = concatenate([T1, T0 + 1, F0])
        D = concatenate([T1 + F1, T0 + 1 + F1, T1 + F0])
        words = [
            word[start : start + m]
            for word in quotients.rounded_down(party, N, D)
            for start in (0, m, 2 * m)
        ]
        pairs = [(0, 1 + place) for place in range(len(words))]
        sums = sums_of_products(party, [p, *words], pairs)
        wide = widen(party, concatenate([*sums, P]))
        split = [wide[place : place + 1] for place in range(len(wide))]
        A, B, C = (quotients.joined(split[first:-1:3]) for first in range(3))
        positives = split[-1]
        # a unit more for each quotient: then no exact value on a boundary is rounded down
        numbers = [(A + positives) * 2, A + B, C * 2]
        return self.rounded(party, numbers, positives * (2 * quotients.one), data.n, decimals)

    def cost(self, n: int, decimals: int) -> Cost:
        quotients = _quotients(decimals)
        sums = 3 * quotients.limbs
        return (
            quotients.cost(3 * n)
            + sums_of_products.cost(factors=sums + 1, pairs=sums).of(n)
            + widen.cost().of(sums + 1)
            + self.rounded_cost(decimals)
        )

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        if not data.P:
            return [undefined(decimals)] * 3
        scale, fine, below, lost = 10**decimals, _quotients(decimals).one, 0, 0
        for s, t, i, j in data.steps:
            above, upto = i - s, j - t
            worst = fine * t // j + fine * (s + 1) // (s + 1 + upto)
            below += (t - s) * worst
            lost += (t - s) * (fine * above // (t + above)) if t else 0
        value = _by_steps(data, scale)
        return [value, scale * below // (2 * fine * data.P), scale * lost // (fine * data.P)]

    def largest(self, n: int, decimals: int) -> int:
        return 2 * n * _quotients(decimals).one

    def fits(self, n: int, decimals: int) -> bool:
        return n < Quotients.bound and UnbinnedBounds.fits(self, n, decimals)

    def label_digits(self, decimals: int) -> int:
        return decimals


@dataclass(frozen=True, slots=True)
class AveragePrecision(PrecisionRecallArea):
    """Average precision: the sum of precision over the steps of recall."""

    topic: ClassVar[Topic] = Topic.PRECISION
    name: ClassVar[str] = "average_precision"
    short: ClassVar[str] = "Average precision"
    title: ClassVar[str] = "average precision, by steps"
    known_as: ClassVar[str] = "scikit-learn average_precision_score"
    cells: ClassVar[type[AveragePrecisionOfCells]] = AveragePrecisionOfCells
    bounds: ClassVar[type[AveragePrecisionBounds]] = AveragePrecisionBounds
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})
    c: ClassVar[int] = 1

    def factors(self, party: Party, data: Ranked) -> tuple[Shared, Shared]:
        # S = U·(U - B), which is 0 but at a boundary
        return data.groups.U, data.groups.U - data.groups.B

    def scaled(self, data: Pooled, scale: int) -> int | None:
        return _by_steps(data, scale) if data.P else None


def _by_steps(data: Pooled | PooledCounts, scale: int) -> int:
    """round_half_up(scale · average precision) of data with positives."""
    return scaled_sum(lambda: (((t - s) * t, j) for s, t, _, j in data.steps), data.P, scale)


def _quotients(decimals: int) -> Quotients:
    return Quotients.to(decimals + GUARD_DECIMALS)
