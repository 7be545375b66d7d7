"""The two-way partial area as the trimmed Mann-Whitney statistic: the share of certain pairs.

[tpAUC, Eq. 14, erratum 2]: with u = `max_fpr` and b = `min_tpr`, the share of all pairs of a
positive X and a negative Y for which

    X > Y,    X <= X_(k),  k = ⌊(1 - b)·P⌋,    Y >= Y_(l),  l = ⌊(1 - u)·N⌋,

where X_(1) <= X_(2) <= ... are the positives in order, ⌊x⌋ is the largest integer smaller than x,
and an index below 1 means -∞. Ties are not won, as printed.

The order statistics are read at places that stay secret. A group of tied scores with T1 positives
and F0 negatives, as in `ppaurora.protocols.ranking.partial`, has its positives at or below X_(k) if
and only if T1 > P - k, and its negatives at or above Y_(l) if and only if F0 <= N - l. Since
P - k = ⌊b·P⌋ + 1 and N - l = ⌊u·N⌋ + 1 with the usual ⌊⌋, these are

    T1 - 1 > b·P    and    F0 - 1 <= u·N.

With A the positives of all groups for which the first does not hold, a negative that is counted has
max(T0 - A, 0) counted positives above it, and T0 > A if and only if T0 - 1 > b·P.

Exact and correctly rounded. Nobody learns anything. Eight hops and four for every
two decimals.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    inner_product,
    is_negative,
    largest_denominator,
    multiply,
    products,
)
from ppaurora.mpc.shares import concatenate
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.estimates import OneRatioOfRanks
from ppaurora.protocols.statistics.parameters import number
from ppaurora.protocols.statistics.statistic import NO_CLASS


@dataclass(frozen=True, slots=True)
class TrimmedTwoWayPartialArea(OneRatioOfRanks):
    """The share of pairs won between the two order statistics."""

    name: ClassVar[str] = "tpauc_trimmed"
    title: ClassVar[str] = (
        "two-way partial area under the ROC curve, by the trimmed Mann-Whitney statistic"
    )
    known_as: ClassVar[str] = "R tpAUC tproc.est, with the floor and the ties as printed"
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.POSITIONS})
    undefined: ClassVar[str] = NO_CLASS
    min_tpr: Fraction = number("the least true positive rate", closed=False)
    max_fpr: Fraction = number("the largest false positive rate", closed=False)

    def ratio(self, party: Party, data: Ranked) -> Ratio:
        n, pieces, PN = data.n, data.pieces, data.groups.PN
        F0, T0, T1 = pieces.F0, pieces.T0, pieces.T1
        u, b = self.max_fpr, self.min_tpr
        most_F = (data.labels.N * u.numerator).repeat(n)
        most_T = (data.labels.P * b.numerator).repeat(n)
        margins = [
            most_T - (T1 - 1) * b.denominator,
            most_T - (T0 - 1) * b.denominator,
            most_F - (F0 - 1) * u.denominator,
        ]
        flags = is_negative(party, concatenate(margins))
        kept, won, beyond = flags[:n], flags[n : 2 * n], flags[2 * n :]
        counted, trimmed = products(party, [won, 1 - beyond, pieces.p, 1 - kept], [(0, 1), (2, 3)])
        negatives = multiply(party, pieces.q, counted)
        above, A = inner_product(party, negatives, T0), trimmed.sum()
        return Ratio(above - multiply(party, A, negatives.sum()), PN, self.bound(n))

    def ratio_cost(self, n: int) -> Cost:
        return (
            is_negative.cost().of(3 * n)
            + products.cost(factors=4, pairs=2).of(n)
            + multiply.cost().of(n)
            + inner_product.cost().of(n)
            + multiply.cost().of(1)
        )

    def bound(self, n: int) -> int:
        return most_pairs(n)

    def scaled(self, data: Pooled, scale: int) -> int | None:
        P, N = data.P, data.N
        if not P * N:
            return None
        groups = range(len(data.steps))
        # the groups' numbers, the lowest scores first, in place of scores
        sizes = [(t - s, (j - i) - (t - s)) for s, t, i, j in reversed(data.steps)]
        X = [group for group in groups for _ in range(sizes[group][0])]
        Y = [group for group in groups for _ in range(sizes[group][1])]
        k, m = (ceil((1 - self.min_tpr) * P) - 1, ceil((1 - self.max_fpr) * N) - 1)
        most = X[k - 1] if k >= 1 else -1
        least = Y[m - 1] if m >= 1 else -1
        first = bisect_left(Y, least)
        won = sum(max(0, bisect_left(Y, x) - first) for x in X if x <= most)
        return half_up(Fraction(scale * won, P * N))

    def fits(self, n: int, decimals: int) -> bool:
        s = max(self.min_tpr.denominator, self.max_fpr.denominator)
        return s * (n + 1) < 1 << 63 and self.bound(n) <= largest_denominator()

    def readings(self) -> frozenset[str]:
        return frozenset({self.text})
