"""The largest Youden index over all thresholds: max (sensitivity + specificity - 1).

At the boundary j, with TP_j positives and FP_j = j - TP_j negatives at or above the score,

    TP_j·N - FP_j·P = n·TP_j - j·P

is P·N times the index. At all other places the number is made 0, which is the index of a threshold
above all scores: so the largest is never negative. A tournament finds it, and neither the threshold
nor its place is known to anybody. It is also the largest distance by which the scores' distribution
among the positives lies to the right of that among the negatives (Kolmogorov and Smirnov).

Exact and correctly rounded. Nobody learns anything. One hop, 4·log2 n hops for the tournament and
four for every two decimals.

In each round of the tournament the first half meets the second, and one that is left over goes on
by itself. Four hops a round, log2 n rounds, 81 bytes for each of the n - 1 comparisons; up to six
and 70 in a round of many.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_denominator, multiply, negative_part
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.estimates import OneRatioOfRanks
from ppaurora.protocols.statistics.statistic import NO_CLASS


def largest(party: Party, x: Shared) -> Shared:
    """max(x), a vector of one, for n >= 1 numbers whose differences are in (-2^63, 2^63)."""
    while len(x) > 1:
        half = len(x) // 2
        a, b = x[:half], x[half : 2 * half]
        # max(a, b) = a - min(a - b, 0)
        x = concatenate([a - negative_part(party, a - b), x[2 * half :]])
    return x


def largest_cost(n: int) -> Cost:
    """The cost of `largest` for n numbers."""
    spent = Cost()
    while n > 1:
        spent += negative_part.cost().of(n // 2)
        n -= n // 2
    return spent


@dataclass(frozen=True, slots=True)
class LargestYoudenIndex(OneRatioOfRanks):
    """The largest difference between the true and the false positive rate."""

    name: ClassVar[str] = "youden_max"
    short: ClassVar[str] = "Largest Youden index"
    title: ClassVar[str] = "largest Youden index of any threshold"
    known_as: ClassVar[str] = (
        'scikit-learn max(tpr - fpr) of roc_curve, pROC coords("best", best.method = "youden")'
    )
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.TIES})
    undefined: ClassVar[str] = NO_CLASS

    def ratio(self, party: Party, data: Ranked) -> Ratio:
        n = data.n
        con_P = multiply(party, data.con, data.labels.P.repeat(n))
        # con·(n·TP - j·P)
        N = largest(party, data.V * n - con_P * np.arange(1, n + 1))
        return Ratio(N, data.PN, self.bound(n))

    def ratio_cost(self, n: int) -> Cost:
        return multiply.cost().of(n) + largest_cost(n)

    def bound(self, n: int) -> int:
        return most_pairs(n)

    def scaled(self, data: Pooled, scale: int) -> int | None:
        P, N = data.P, data.N
        if not P * N:
            return None
        rates = ((Fraction(t, P), Fraction(j - t, N)) for _, t, _, j in data.steps)
        return half_up(scale * max(tpr - fpr for tpr, fpr in rates))

    def fits(self, n: int, decimals: int) -> bool:
        return self.bound(n) <= largest_denominator()
