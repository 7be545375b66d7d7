"""Two classifiers on the same samples: placements row by row, and DeLong's sums of differences.

[ROC-GLM, Eq. 2-3, erratum 1], with pROC's paired `roc.test`. A sample's placement in a sorted list,
ties counted half, is

    v = 2·N - F - (j - TP)   of a positive,      v = TP + B   of a negative

at its place j: twice the samples of the other class that it is right about, with those tied once.
In a group of ties the positives come first, so j - TP is FP before the group of a positive, and TP
is TP behind the group of a negative. With d = v(1) - v(2), in the order of the rows,

    W = Σ d over the positives = Σ d over the negatives     A2 = Σ d², of the positives
                                                            B2 = Σ d², of the negatives

give the difference of the two AUROCs, W / 2·P·N, and its variance by the formula of
`ppaurora.protocols.ranking.delong`. A2 <= 4·P·N² <= 16·n³/27 must stay below 2^63.
Nobody learns anything. A hop for the placements; five for the ratios.

`PooledPairs` computes the same from plaintext, for simulations and tests: the mean and the variance
of the differences of placements, which are counted by searching among the other class's scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, square, sums_of_products, wide_multiply
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import Words
from ppaurora.protocols.ranking.delong import (
    Delong,
    largest_variance_denominator,
    ratios,
    ratios_cost,
)
from ppaurora.protocols.ranking.ranked import Groups, Pooled, Ranked
from ppaurora.protocols.ranking.ties import Labels

TIMES = 2
"""W lies between -2·P·N and 2·P·N."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The sorted list of the first scores; y and d of each row, in the order of the rows."""

    first: Ranked
    y: Shared
    d: Shared

    @property
    def n(self) -> int:
        return len(self.y)


def placements(party: Party, labels: Labels, groups: Groups) -> Shared:
    """v at each place of a sorted list, from its groups with their ends."""
    n = len(labels.y)
    j = np.arange(1, n + 1)
    a = labels.N.repeat(n) * 2 - groups.F - (j - labels.TP)
    b = labels.TP + groups.B
    # v = y·a + (1 - y)·b
    return b + multiply(party, labels.y, a - b)


def placements_cost(n: int) -> Cost:
    """The cost of `placements` for n samples."""
    return multiply.cost().of(n)


def paired_delong(party: Party, data: Paired) -> Delong:
    """The difference Δ of the AUROCs, its `area` being (1 + Δ)/2, and Δ's variance."""
    squares = square(party, data.d)
    A2, W = sums_of_products(party, [data.y, squares, data.d], [(0, 1), (0, 2)])
    # B2 = Σ d² - A2
    B2 = squares.sum() - A2
    return ratios(party, (A2, B2, W), data.first, k=TIMES)


def squared_gain(party: Party, found: Delong) -> tuple[WideShared, WideShared]:
    """4·W²·Q, and 2·W·Q, which has the sign of W. One hop.

    The squared test statistic Δ²/Var is W²·Q over the numerator of the variance. Where a class has
    fewer than two samples, W, or Q with that numerator, is 0.
    """
    twice = (found.won - found.pairs * TIMES) * 2
    expanded = found.area.N * 2 - found.area.D
    return wide_multiply(party, twice, expanded), expanded


def largest_squared_gain(n: int) -> int:
    """4·W²·Q of n samples is at most this."""
    return TIMES**2 * largest_variance_denominator(n)


def paired_delong_cost(n: int) -> Cost:
    """The cost of `paired_delong` for n samples."""
    sums = square.cost().of(n) + sums_of_products.cost(factors=3, pairs=2).of(n)
    return sums + ratios_cost()


def holds_paired(n: int) -> bool:
    """True if the sums over n samples stay below 2^63.

    >>> holds_paired(2_496_765), holds_paired(2_496_766)
    (True, False)
    """
    return 16 * n**3 < 27 << 63


@dataclass(frozen=True, slots=True)
class Gained:
    """The first AUROC less the second one, and the variance of this difference."""

    difference: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True, repr=False)
class PooledPairs:
    """The list of the first scores by itself; labels and both codes of each row."""

    first: Pooled
    labels: NDArray[np.bool_]
    codes: tuple[Words, Words]

    @classmethod
    def of(cls, uploads: Sequence[Words]) -> PooledPairs:
        """All uploads together, as `ppaurora.protocols.lists.paired` lays them out."""
        columns = [upload.reshape(3, -1) for upload in uploads]
        first = [keys for keys, _, _ in columns]
        second = []
        for _, keys, numbers in columns:
            placed = np.empty_like(keys)
            placed[numbers.astype(np.intp)] = keys
            second.append(placed)
        empty = np.empty(0, np.uint64)
        rows = np.concatenate([empty, *first]), np.concatenate([empty, *second])
        one = np.uint64(1)
        return cls(Pooled.of(first), (rows[0] & one) == 1, (rows[0] >> one, rows[1] >> one))

    def gained(self) -> Gained | None:
        """The difference and its variance, None where a class has fewer than two samples."""
        P, N = int(self.labels.sum()), int((~self.labels).sum())
        if P < 2 or N < 2:
            return None
        (a1, b1), (a2, b2) = (self._placed(codes) for codes in self.codes)
        of_positives, of_negatives = (a1 - a2).tolist(), (b1 - b2).tolist()
        return Gained(
            Fraction(sum(of_positives), 2 * P * N),
            _variance(of_positives) / (4 * N * N * P) + _variance(of_negatives) / (4 * P * P * N),
        )

    def _placed(self, codes: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Twice how many of the other class each sample is right about, ties once."""
        positives, negatives = np.sort(codes[self.labels]), np.sort(codes[~self.labels])
        x, y = codes[self.labels], codes[~self.labels]
        below = np.searchsorted(negatives, x, "left") + np.searchsorted(negatives, x, "right")
        up_to = np.searchsorted(positives, y, "left") + np.searchsorted(positives, y, "right")
        return below, 2 * x.size - up_to


def _variance(values: Sequence[int]) -> Fraction:
    """The sample variance."""
    squares = sum(value * value for value in values)
    return (squares - Fraction(sum(values) ** 2, len(values))) / (len(values) - 1)
