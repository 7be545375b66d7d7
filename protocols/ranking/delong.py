"""DeLong's variance of the AUROC, before any division.

[ROC-GLM, Eq. 2-3, erratum 1]. The placement of a positive is a = 2·negatives below + negatives
tied, that of a negative b = 2·positives above + positives tied: ties count half, as in pROC. With

    W = Σ (b - P) = Σ (a - N)      A2 = Σ (a - N)²      B2 = Σ (b - P)²      Q = (P - 1)·(N - 1)

over the negatives and the positives,

    AUROC = (W + P·N) / 2·P·N
    Var   = [(N - 1)·(P·A2 - W²) + (P - 1)·(N·B2 - W²)] / 4·(P·N)²·Q.

All members of a group of tied scores are placed alike, so the sums run over the boundaries j, where
the group has p = TP - B positives and q = (j - J) - p negatives:

    a - N = N - (j - TP) - (J - B)      b - P = TP + B - P.

A2 <= P·N² <= 4·n³/27 must stay below 2^63; the few numbers behind the sums are widened to 256 bits.
Nobody learns anything. Five hops.

`ratios` needs the sums only: with those of the differences of two placements it gives the variance
of the difference of two AUROCs, see `ppaurora.protocols.ranking.paired`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import products, sums_of_products, wide_products, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.ranking.labels import Labels
from ppaurora.protocols.ranking.ranked import Ranked

FEW = "a class has fewer than two samples"


@dataclass(frozen=True, slots=True)
class Delong:
    """AUROC and its variance as ratios, 0/0 both if and only if a class has fewer than two samples.

    `area` is expanded by Q for that. `won` is W + P·N, twice the pairs in which the positive scores
    higher, and `pairs` is P·N. For sums W that lie between -k·P·N and k·P·N, `area` is
    (W + k·P·N) / 2·k·P·N and `won` W + k·P·N.
    """

    area: WideRatio
    variance: WideRatio
    won: WideShared
    pairs: WideShared

    def is_few(self, n: int) -> WideShared:
        """A number that is negative if and only if a class has fewer than two of the n samples.

        One sample in a class makes n - 1 pairs, two make 2·(n - 2), which is n or more from four
        samples on; with fewer samples there are never n pairs.
        """
        return self.pairs - n


def holds_delong(n: int) -> bool:
    """Whether the sums over n samples stay below 2^63.

    >>> holds_delong(3_963_368), holds_delong(3_963_369)
    (True, False)
    """
    return 4 * n**3 < 27 << 63


def largest_area_denominator(n: int) -> int:
    """2·P·N·Q of n samples is at most this: P·N and Q are at most n²/4."""
    return max(1, n**4 // 8)


def largest_variance_denominator(n: int) -> int:
    """4·(P·N)²·Q of n samples is at most this."""
    return max(1, n**6 // 16)


def delong(party: Party, data: Ranked) -> Delong:
    """AUROC and its variance of the sorted list with its groups and positions."""
    A2, B2, W = _sums(party, data)
    return ratios(party, A2, B2, W, data.labels, data.groups.PN)


def ratios(
    party: Party, A2: Shared, B2: Shared, W: Shared, labels: Labels, PN: Shared, *, k: int = 1
) -> Delong:
    """The ratios of the sums A2, B2 < 2^63 and W, which lies between -k·P·N and k·P·N."""
    n = len(labels.y)
    wide = widen(party, concatenate([A2, B2, W + PN * k, PN, labels.P, labels.N]))
    a2, b2, won, pairs, P, N = (wide[place : place + 1] for place in range(len(wide)))
    w = won - pairs * k
    # (P - 1)·(N - 1) = P·N - n + 1
    Q = pairs - (n - 1)
    PA2, NB2, W2, area, expanded, square = wide_products(
        party, [P, a2, N, b2, w, won, Q, pairs], [(0, 1), (2, 3), (4, 4), (5, 6), (7, 6), (7, 7)]
    )
    of_positives, of_negatives, quarter = wide_products(
        party, [N - 1, PA2 - W2, P - 1, NB2 - W2, square, Q], [(0, 1), (2, 3), (4, 5)]
    )
    return Delong(
        WideRatio(area, expanded * (2 * k), k * largest_area_denominator(n)),
        WideRatio(of_positives + of_negatives, quarter * 4, largest_variance_denominator(n)),
        won,
        pairs,
    )


def _sums(party: Party, data: Ranked) -> list[Shared]:
    """A2, B2 and W."""
    labels, groups, n = data.labels, data.groups, data.n
    TP, B, J, j = labels.TP, groups.B, groups.J, np.arange(1, n + 1)
    a = labels.N.repeat(n) - (j - TP) - (J - B)
    b = TP + B - labels.P.repeat(n)
    p, before, a_squared, b_squared = products(
        party, [groups.con, TP - B, J, a, b], [(0, 1), (0, 2), (3, 3), (4, 4)]
    )
    # q = con·(j - J) - p
    q = groups.con * j - before - p
    return sums_of_products(party, [p, q, a_squared, b_squared, b], [(0, 2), (1, 3), (1, 4)])


def delong_cost(n: int) -> Spent:
    """The cost of `delong` for n samples."""
    sums = products.cost(factors=5, pairs=4).of(n) + sums_of_products.cost(factors=5, pairs=3).of(n)
    return sums + ratios_cost()


def ratios_cost() -> Spent:
    """The cost of `ratios`."""
    first, second = wide_products.cost(factors=8, pairs=6), wide_products.cost(factors=6, pairs=3)
    return widen.cost().of(6) + first.of(1) + second.of(1)
