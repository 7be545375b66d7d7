"""Obuchowski's variance of the AUROC of clustered samples, before any division.

[Obuchowski]. Samples of one cluster, such as several images of a patient, are not independent,
and clusters are. Cluster c has m_c positives and l_c negatives. With the placements of
`ppaurora.protocols.ranking.covariance`, a of a positive and b of a negative, ties counted half,

    A_c = Σ a    B_c = Σ b    of a cluster's samples,    W = Σ A_c = Σ B_c,    AUROC = W / 2·P·N,

I10 clusters have positives, I01 negatives, and I are there in all. In her letters, with
V10_c = A_c/2N and V01_c = B_c/2P, the deviations from m_c·AUROC and l_c·AUROC are

    U_c = P·A_c - m_c·W,    T_c = N·B_c - l_c·W    over 2·P·N,

    Var = S10/P + S01/N + 2·S11/(P·N)
        = [f10·N²·ΣU² + f01·P²·ΣT² + 2·f·P·N·ΣU·T] / 4·(P·N)^4,    f = I/(I - 1), f10, f01 likewise,

which is 0/0 here, brought to one denominator, if and only if a class is in fewer than two clusters.
It lies between 0 and 1: f is at most f10 and f01, so that it is at least f times a square; and
ΣU² <= P²·(2PN)²/8, attained where half of the positives are in one cluster with all the pairs won.
Where every sample is a cluster of its own, f10 = P/(P - 1) and f01 = N/(N - 1), and no cluster has
both classes: the cross term is f·ΣU·T = 0, and the variance is DeLong's.

The sums over a cluster are differences of prefix sums at the rows where clusters end, which a scan
carries on (`ppaurora.protocols.ranking.weighted_rows` does the same); which rows these are stays
shared. ΣA_c² <= (2·P·N)² must stay below 2^63: up to 77,935 samples. Nobody learns anything. Two
hops and those of a scan for the sums, nine for the ratios.

`PooledClusters` has the same from plaintext, by its definition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    carry,
    carry_in_few_hops,
    is_negative,
    multiply,
    products,
    sums_of_products,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import Words
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.ranking.binned import between
from ppaurora.protocols.ranking.delong import Delong, Placed, largest_area_denominator
from ppaurora.protocols.ranking.ranked import Pooled, Ranked

FEW_CLUSTERS = "a class is in fewer than two clusters"
COLUMNS = 4
SUMS = ((0, 0), (0, 2), (2, 2), (1, 1), (1, 3), (3, 3), (0, 1), (0, 3), (2, 1), (2, 3))
"""A·A, A·m, m·m, B·B, B·l, l·l, A·B, A·l, m·B and m·l of the columns A, B, m and l."""
BESIDE = 6


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Of each cluster, at the row where it ends, A, B, m and l; 0 at all other rows."""

    A: Shared
    B: Shared
    m: Shared
    l: Shared  # noqa: E741


@dataclass(frozen=True, slots=True)
class ClusteredRows:
    """The sorted list; the sums of the clusters, in the order of their rows, and how many end."""

    first: Ranked
    sums: ClusterSums
    count: Shared

    @property
    def n(self) -> int:
        return self.first.n


def cluster_sums(
    party: Party, y: Shared, v: Shared, ends: Shared, *, few_hops: bool = False
) -> ClusterSums:
    """The sums from labels and placements in the order of clusters, and 1 where one ends."""
    a = multiply(party, y, v)
    j = np.arange(1, len(y) + 1)
    up_to = [a.cumsum(), (v - a).cumsum(), y.cumsum()]
    at_ends = products(party, [ends, *up_to], [(0, 1), (0, 2), (0, 3)])
    scan = carry_in_few_hops if few_hops else carry
    A, B, m, size = map(between, scan(party, ends, [*at_ends, ends * j]))
    return ClusterSums(A, B, m, size - m)


def cluster_sums_cost(n: int, *, few_hops: bool = False) -> Cost:
    """The cost of `cluster_sums` for n rows."""
    scan = carry_in_few_hops if few_hops else carry
    at_ends = multiply.cost().of(n) + products.cost(factors=4, pairs=3).of(n)
    return at_ends + scan.cost(columns=COLUMNS).of(n)


@dataclass(frozen=True, slots=True)
class ClusteredArea(Delong):
    """AUROC and Obuchowski's variance, 0/0 both if and only if a class is in too few clusters."""

    enough: WideShared = field(kw_only=True)

    def is_few(self, n: int) -> WideShared:
        """A number that is negative if and only if a class is in fewer than two clusters."""
        return self.enough


def clustered(party: Party, data: ClusteredRows) -> ClusteredArea:
    """AUROC and its variance."""
    n, of, labels = data.n, data.sums, data.first.labels
    there, sums = side_by_side(
        party,
        [
            lambda own: [is_negative(own, concatenate([-of.m, -of.l]))],
            lambda own: sums_of_products(own, [of.A, of.B, of.m, of.l], list(SUMS)),
        ],
    )
    I10, I01 = there[0][:n].sum(), there[0][n:].sum()
    beside = [of.A.sum(), labels.P, labels.N, I10, I01, data.count]
    wide = widen(party, concatenate([*sums, *beside]))
    AA, Am, mm, BB, Bl, ll, AB, Al, mB, ml, W, P, N, c10, c01, c = (
        wide[place : place + 1] for place in range(len(SUMS) + BESIDE)
    )
    PP, NN, WW, PW, NW, PN, Q = wide_products(
        party,
        [P, N, W, c10 - 1, c01 - 1],
        [(0, 0), (1, 1), (2, 2), (0, 2), (1, 2), (0, 1), (3, 4)],
    )
    found = wide_products(
        party,
        [PP, AA, PW, Am, WW, mm, NN, BB, NW, Bl, ll, PN, AB, Al, mB, ml, Q, c - 1, c10, c01 - 1,
         c01, c10 - 1, c, W],
        [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9), (4, 10), (11, 12), (2, 13), (8, 14), (4, 15),
         (16, 17), (18, 19), (20, 21), (22, 16), (11, 11), (23, 16), (11, 16)],
    )  # fmt: skip
    UU = found[0] - found[1] * 2 + found[2]
    TT = found[3] - found[4] * 2 + found[5]
    UT = found[6] - found[7] - found[8] + found[9]
    all_Q, g10, g01, g, square, area, expanded = found[10:]
    NUU, PTT, PNUT, of10, of01, fourth = wide_products(
        party,
        [NN, UU, PP, TT, PN, UT, g10, c - 1, g01, square],
        [(0, 1), (2, 3), (4, 5), (6, 7), (8, 7), (9, 9)],
    )
    of_positives, of_negatives, of_both, whole = wide_products(
        party,
        [of10, NUU, of01, PTT, g, PNUT, fourth, all_Q],
        [(0, 1), (2, 3), (4, 5), (6, 7)],
    )
    return ClusteredArea(
        WideRatio(area, expanded * 2, largest_area_denominator(n)),
        WideRatio(
            of_positives + of_negatives + of_both * 2,
            whole * 4,
            largest_clustered_denominator(n),
        ),
        W,
        PN,
        enough=Q - 1,
    )


def largest_clustered_denominator(n: int) -> int:
    """4·(P·N)^4·(I10 - 1)·(I01 - 1)·(I - 1) of n samples is at most this."""
    most: int = n**11 // 256
    return max(1, most)


def holds_clusters(n: int) -> bool:
    """True if the sums over n samples stay below 2^63.

    >>> holds_clusters(77_935), holds_clusters(77_936)
    (True, False)
    """
    return n**4 < 4 << 63


def clustered_cost(n: int) -> Cost:
    """The cost of `clustered` for n samples."""
    sums = sums_of_products.cost(factors=COLUMNS, pairs=len(SUMS)).of(n)
    return (
        (is_negative.cost().of(2 * n) | sums)
        + widen.cost().of(len(SUMS) + BESIDE)
        + wide_products.cost(factors=5, pairs=7).of(1)
        + wide_products.cost(factors=24, pairs=17).of(1)
        + wide_products.cost(factors=10, pairs=6).of(1)
        + wide_products.cost(factors=8, pairs=4).of(1)
    )


@dataclass(frozen=True, slots=True, repr=False)
class PooledClusters:
    """The pooled list by itself; label, code and cluster of each row."""

    first: Pooled
    labels: NDArray[np.bool_]
    codes: Words
    clusters: NDArray[np.int64]

    def placed(self) -> Placed | None:
        """AUROC and variance, None where a class is in fewer than two clusters."""
        x, y = self.codes[self.labels], self.codes[~self.labels]
        P, N = len(x), len(y)
        I10, I01, I = (  # noqa: E741
            len(set(of.tolist()))
            for of in (self.clusters[self.labels], self.clusters[~self.labels], self.clusters)
        )
        if I10 < 2 or I01 < 2:
            return None
        positives, negatives = np.sort(x), np.sort(y)
        below = np.searchsorted(negatives, x, "left") + np.searchsorted(negatives, x, "right")
        up_to = np.searchsorted(positives, y, "left") + np.searchsorted(positives, y, "right")
        V10 = [Fraction(place, 2 * N) for place in below.tolist()]
        V01 = [Fraction(place, 2 * P) for place in (2 * P - up_to).tolist()]
        area = sum(V10, Fraction(0)) / P
        of10 = _deviations(V10, self.clusters[self.labels], area)
        of01 = _deviations(V01, self.clusters[~self.labels], area)
        S10 = Fraction(I10, (I10 - 1) * P) * sum(d * d for d in of10.values())
        S01 = Fraction(I01, (I01 - 1) * N) * sum(d * d for d in of01.values())
        both = sum((of10[c] * of01[c] for c in of10.keys() & of01.keys()), Fraction(0))
        S11 = Fraction(I, I - 1) * both
        return Placed(area, S10 / P + S01 / N + 2 * S11 / (P * N))


def _deviations(
    placements: Sequence[Fraction], clusters: NDArray[np.int64], area: Fraction
) -> dict[int, Fraction]:
    """For each cluster the sum of placement - area over its samples, in the clear."""
    found: dict[int, Fraction] = {}
    for placement, cluster in zip(placements, clusters.tolist(), strict=True):
        found[cluster] = found.get(cluster, Fraction(0)) + placement - area
    return found
