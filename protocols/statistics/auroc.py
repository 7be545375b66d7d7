"""Algorithm 2: the area under the ROC curve, ties counted half.

[ppAURORA, Alg. 2]: the chance that a positive scores above a negative. AUROC = N / D with

    N = Σ_j (1 - y_j)·(TP_j + B_j)       D = 2·P·N

where B_j is TP before j's group of tied scores: a negative in a group with g positives stands below
B_j positives and beside g, and since the positives come first in a group, TP_j = B_j + g.
Exact integers; nobody learns anything. One hop.

Over cells, with pos and neg of each and TP before it, the highest cell first,

    L = Σ neg·TP        T = Σ neg·pos        the pairs decided by the cells, and those within one.

Where a cell is one score (`AurocOfCells`), AUROC = (2·L + T) / 2PN exactly. Where it is a bin of
several (`AurocBounds`), the AUROC of the scores lies between L/PN and (L + T)/PN, whatever they are
within their bins, and the value is that of the binned scores, (2·L + T) / 2PN. It is rounded half
up; the lower bound is rounded down and the upper one up, so that both still hold. The bounds are
about 1/bins apart, and the value is far closer to the AUROC of scores that lie evenly within their
bins. Exact integers for up to 2^31 - 1 samples, divided in 256 bits; nobody learns anything. Two
hops and five for every two decimals, whatever the number of samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    inner_product,
    largest_denominator,
    multiply,
    sums_of_products,
    undefined,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.ratio import Ratio, WideRatio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.binned import Binned, CellCounts, PooledBins, PooledCounts
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.ranking.rows import row_sums, row_sums_cost
from ppaurora.protocols.release.class_counts import few_samples_warnings, pinned_warnings
from ppaurora.protocols.release.label_guessing import guessing_warnings
from ppaurora.protocols.statistics.estimates import (
    OneRatioOfRanks,
    OneWideRatio,
    UnbinnedBounds,
)
from ppaurora.protocols.statistics.statistic import NO_CLASS


def most_pairs(n: int) -> int:
    """The largest P·N of n samples.

    >>> most_pairs(5)
    6
    """
    return (n // 2) * ((n + 1) // 2)


@dataclass(frozen=True, slots=True)
class AurocOfCells(OneWideRatio[CellCounts, PooledCounts]):
    """The exact AUROC from cells of one score each."""

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "auroc"
    title: ClassVar[str] = "AUROC, ties counted half"
    known_as: ClassVar[str] = "scikit-learn roc_auc_score, pROC auc"
    weighted: ClassVar[bool] = True
    pipeline: ClassVar[type[Histogram]] = Histogram
    undefined: ClassVar[str] = NO_CLASS
    resampled: ClassVar[bool] = True

    def wide_ratio(self, party: Party, data: CellCounts, decimals: int) -> WideRatio:
        # 2L + T = Σ neg·(2·TP - pos), TP with the cell's own
        won, PN = side_by_side(
            party,
            [
                lambda own: row_sums(
                    own, [data.negatives, data.TP * 2 - data.positives], [(0, 1)], data.rows
                )[0],
                lambda own: multiply(own, data.P, data.N),
            ],
        )
        wide, rows = widen(party, concatenate([won, PN])), data.rows
        return WideRatio(wide[:rows], wide[rows:] * 2, self.largest(data.n, decimals))

    def wide_ratio_cost(self, n: int, decimals: int, rows: int = 1) -> Cost:
        won = row_sums_cost(n, factors=2, pairs=1, rows=rows)
        return (won | multiply.cost().of(rows)) + widen.cost().of(2 * rows)

    def largest(self, n: int, decimals: int) -> int:
        return max(1, 2 * most_pairs(n))

    def scaled(self, data: PooledCounts, scale: int) -> int | None:
        won, above = Fraction(0), 0
        for positives, negatives in zip(data.positives, data.negatives, strict=True):
            won += negatives * (above + Fraction(positives, 2))
            above += positives
        pairs = data.P * data.N
        return half_up(scale * won / pairs) if pairs else None

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return _warnings(self.text, sizes, decimals)


@dataclass(frozen=True, slots=True)
class AurocBounds(UnbinnedBounds):
    """mid, the lower bound, and how far the upper bound lies below 1."""

    listed: ClassVar[bool] = False
    name: ClassVar[str] = "auroc"
    title: ClassVar[str] = "AUROC of the binned scores, with certified bounds for the unbinned ones"
    known_as: ClassVar[str] = "scikit-learn roc_auc_score of the binned scores"
    undefined: ClassVar[str] = NO_CLASS

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        pos, neg = data.positives, data.negatives
        [L, T], [PN] = side_by_side(
            party,
            [
                lambda own: sums_of_products(own, [neg, data.TP - pos, pos], [(0, 1), (0, 2)]),
                lambda own: [multiply(own, data.P, data.N)],
            ],
        )
        wide = widen(party, concatenate([L, T, PN]))
        below, tied, pairs = (wide[place : place + 1] for place in range(3))
        numbers = [below * 2 + tied, below * 2, (pairs - below - tied) * 2]
        return self.rounded(party, numbers, pairs * 2, data.n, decimals)

    def largest(self, n: int, decimals: int) -> int:
        return 2 * most_pairs(n)

    def cost(self, n: int, decimals: int) -> Cost:
        sums = sums_of_products.cost(factors=3, pairs=2).of(n) | multiply.cost().of(1)
        return sums + widen.cost().of(3) + self.rounded_cost(decimals)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        scale, above, won, tied = 10**decimals, 0, 0, 0
        for positives, negatives in zip(data.positives, data.negatives, strict=True):
            won += negatives * above
            tied += negatives * positives
            above += positives
        pairs = data.P * data.N
        if not pairs:
            return [undefined(decimals)] * 3
        middle = half_up(scale * (won + Fraction(tied, 2)) / pairs)
        return [middle, scale * won // pairs, scale * (pairs - won - tied) // pairs]

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        pinned = pinned_warnings(self.text, sizes, decimals, ties=True)
        return (*pinned, *few_samples_warnings(self.text, sizes))


@dataclass(frozen=True, slots=True)
class Auroc(OneRatioOfRanks):
    """AUROC with ties."""

    name: ClassVar[str] = "auroc"
    short: ClassVar[str] = "AUROC"
    title: ClassVar[str] = "AUROC, ties counted half"
    known_as: ClassVar[str] = "scikit-learn roc_auc_score, pROC auc"
    cells: ClassVar[type[AurocOfCells]] = AurocOfCells
    bounds: ClassVar[type[AurocBounds]] = AurocBounds
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})
    undefined: ClassVar[str] = NO_CLASS

    def ratio(self, party: Party, data: Ranked) -> Ratio:
        labels, groups = data.labels, data.groups
        # N = Σ (1 - y)·(TP + B)
        N = inner_product(party, 1 - labels.y, labels.TP + groups.B)
        return Ratio(N, 2 * groups.PN, self.bound(data.n))

    def ratio_cost(self, n: int) -> Cost:
        return inner_product.cost().of(n)

    def bound(self, n: int) -> int:
        return 2 * most_pairs(n)

    def scaled(self, data: Pooled, scale: int) -> int | None:
        P, N = data.P, data.N
        if not P * N:
            return None
        # 2U = Σ over groups of FP_group · (2·TP before + TP_group)
        U2 = sum(((j - i) - (t - s)) * (s + t) for s, t, i, j in data.steps)
        return half_up(Fraction(scale * U2, 2 * P * N))

    def fits(self, n: int, decimals: int) -> bool:
        return self.bound(n) <= largest_denominator()

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return _warnings(self.text, sizes, decimals)


def _warnings(text: str, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
    guessing = guessing_warnings(text, sizes, decimals)
    return pinned_warnings(text, sizes, decimals, ties=True) + guessing
