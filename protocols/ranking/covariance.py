"""Several classifiers on the same samples: DeLong's covariance of their AUROCs.

[ROC-GLM, Eq. 2-3, erratum 1]; DeLong, DeLong and Clarke-Pearson (1988), with pROC's paired
`roc.test`. A sample's placement in a sorted list, ties counted half, is

    v = 2·N - F - (j - TP)   of a positive,      v = TP + B   of a negative

at its place j: twice the samples of the other class that it is right about, with those tied once.
In a group of ties the positives come first, so j - TP is FP before the group of a positive, and TP
is TP behind the group of a negative. With v_r in the order of the rows for each model r,

    U_r = Σ v_r over the positives = Σ v_r over the negatives
    A_rs = Σ v_r·v_s over the positives         B_rs = Σ v_r·v_s over the negatives
    Q = (P - 1)·(N - 1)

give the AUROCs θ_r = U_r / 2·P·N and their covariance S = S10/P + S01/N,

    S_rs = c_rs / 4·(P·N)²·Q,    c_rs = (N - 1)·(P·A_rs - U_r·U_s) + (P - 1)·(N·B_rs - U_r·U_s).

So c of a difference of two models is c_rr - 2·c_rs + c_ss, in whole numbers. Every A_rs and B_rs is
at most 4·P·N² <= 16·n³/27, which must stay below 2^63. Where a class has fewer than two samples all
c are 0: of one sample P·A_rs is U_r·U_s.

Nobody learns anything. A hop for the placements; five for the covariance, whatever the number of
models: every vector of placements is opened once for all products with others.

`PooledModels` computes the same from plaintext, for simulations and tests: means, variances and
covariances of placements, which are counted by searching among the other class's scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    multiply,
    products,
    sums_of_products,
    wide_multiply,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.mpc.words import Words
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.ranking.delong import (
    Delong,
    largest_area_denominator,
    largest_variance_denominator,
)
from ppaurora.protocols.ranking.ranked import Groups, Pooled, Ranked
from ppaurora.protocols.ranking.ties import Labels

TIMES = 2
"""A difference of two AUROCs lies between -1 and 1, an AUROC between 0 and 1."""
Pair = tuple[int, int]


def pairs_of(models: int) -> list[Pair]:
    """The pairs of different models, each once.

    >>> pairs_of(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return [*combinations(range(models), 2)]


def entries_of(models: int) -> list[Pair]:
    """The entries of a symmetric matrix on its diagonal and above, row by row.

    >>> entries_of(2)
    [(0, 0), (0, 1), (1, 1)]
    """
    return [*combinations_with_replacement(range(models), 2)]


@dataclass(frozen=True, slots=True)
class Covariance:
    """U and c of all models, c by `entries_of`; P·N; U, P·N and (P·N)² expanded by Q."""

    n: int
    U: WideShared
    c: WideShared
    PN: WideShared
    UQ: WideShared
    PNQ: WideShared
    square_q: WideShared

    @property
    def models(self) -> int:
        """The number of models."""
        return len(self.U)

    def entries(self, pairs: Sequence[Pair]) -> WideShared:
        """c_rs of each of these pairs."""
        places = {pair: place for place, pair in enumerate(entries_of(self.models))}
        return self.c[np.array([places[min(pair), max(pair)] for pair in pairs])]

    @property
    def each(self) -> Delong:
        """Every AUROC with its variance, one behind the other."""
        diagonal = self.entries([(r, r) for r in range(self.models)])
        return self._delong(self.U, self.UQ, diagonal, 1)

    def differences(self, pairs: Sequence[Pair]) -> Delong:
        """The differences Δ of these pairs, the area being (1 + Δ)/2, and the variances of Δ."""
        first, second = (np.array(side) for side in zip(*pairs, strict=True))
        won, expanded = (
            numbers[first] - numbers[second] + whole.repeat(len(pairs)) * TIMES
            for numbers, whole in ((self.U, self.PN), (self.UQ, self.PNQ))
        )
        c = (
            self.entries([(r, r) for r, _ in pairs])
            - self.entries(pairs) * 2
            + self.entries([(s, s) for _, s in pairs])
        )
        return self._delong(won, expanded, c, TIMES)

    def _delong(self, won: WideShared, expanded: WideShared, c: WideShared, k: int) -> Delong:
        m = len(won)
        return Delong(
            WideRatio(expanded, self.PNQ.repeat(m) * (2 * k), k * largest_area_denominator(self.n)),
            WideRatio(c, self.square_q.repeat(m) * 4, largest_variance_denominator(self.n)),
            won,
            self.PN,
        )


@dataclass(frozen=True, slots=True)
class RankedModels:
    """The sorted list of the first scores, and the covariance of all models' AUROCs."""

    first: Ranked
    covariance: Covariance

    @property
    def n(self) -> int:
        return self.covariance.n


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


def covariance(party: Party, first: Ranked, y: Shared, v: Sequence[Shared]) -> Covariance:
    """The covariance of the AUROCs from labels and placements, all in one order of the rows."""
    k, n, entries = len(v), len(y), entries_of(len(v))
    # w = y·v, the placements of the positives
    w = products(party, [y, *v], [(0, 1 + r) for r in range(k)])
    of_positives = [(k + r, s) for r, s in entries]
    A_and_all = sums_of_products(party, [*v, *w], [*of_positives, *entries])
    A = concatenate(A_and_all[: len(entries)])
    B = concatenate(A_and_all[len(entries) :]) - A
    U = concatenate(one.sum() for one in w)
    return _expanded(party, (A, B, U), first, n, entries)


def _expanded(
    party: Party,
    sums: tuple[Shared, Shared, Shared],
    first: Ranked,
    n: int,
    entries: Sequence[Pair],
) -> Covariance:
    A, B, U = sums
    m, k = len(entries), len(U)
    wide = widen(party, concatenate([A, B, U, first.PN, first.P, first.N]))
    a, b, u = wide[:m], wide[m : 2 * m], wide[2 * m : 2 * m + k]
    PN, P, N = (wide[place : place + 1] for place in range(2 * m + k, 2 * m + k + 3))
    rows, columns = (u[np.array(side)] for side in zip(*entries, strict=True))
    # (P - 1)·(N - 1) = P·N - n + 1
    Q = PN - (n - 1)
    found = wide_multiply(
        party,
        concatenate_wide([P.repeat(m), N.repeat(m), rows, u, PN, PN]),
        concatenate_wide([a, b, columns, Q.repeat(k), Q, PN]),
    )
    PA, NB, UU, UQ = found[:m], found[m : 2 * m], found[2 * m : 3 * m], found[3 * m : 3 * m + k]
    PNQ, square = found[3 * m + k : 3 * m + k + 1], found[3 * m + k + 1 :]
    last = wide_multiply(
        party,
        concatenate_wide([(N - 1).repeat(m), (P - 1).repeat(m), square]),
        concatenate_wide([PA - UU, NB - UU, Q]),
    )
    return Covariance(n, u, last[:m] + last[m : 2 * m], PN, UQ, PNQ, last[2 * m :])


def covariance_cost(n: int, models: int) -> Cost:
    """The cost of `covariance` for n samples."""
    k, m = models, len(entries_of(models))
    placed = products.cost(factors=k + 1, pairs=k).of(n)
    sums = sums_of_products.cost(factors=2 * k, pairs=2 * m).of(n)
    wide = widen.cost().of(2 * m + k + 3)
    first = wide_multiply.cost().of(3 * m + k + 2)
    return placed + sums + wide + first + wide_multiply.cost().of(2 * m + 1)


def squared_gain(party: Party, found: Delong) -> tuple[WideShared, WideShared]:
    """4·W²·Q, and 2·W·Q, which has the sign of W, of differences U_r - U_s = W. One hop.

    The squared test statistic Δ²/Var is W²·Q over the numerator of the variance. Where a class has
    fewer than two samples, W, or Q with that numerator, is 0.
    """
    twice = (found.won - found.pairs.repeat(len(found.won)) * TIMES) * 2
    expanded = found.area.N * 2 - found.area.D
    return wide_multiply(party, twice, expanded), expanded


def largest_squared_gain(n: int) -> int:
    """4·W²·Q of n samples is at most this."""
    return TIMES**2 * largest_variance_denominator(n)


def holds_models(n: int) -> bool:
    """True if the sums over n samples stay below 2^63.

    >>> holds_models(2_496_765), holds_models(2_496_766)
    (True, False)
    """
    return 16 * n**3 < 27 << 63


@dataclass(frozen=True, slots=True)
class Gained:
    """The first AUROC less the second one, and the variance of this difference."""

    difference: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True, repr=False)
class PooledModels:
    """The list of the first scores by itself; labels and all codes of each row."""

    first: Pooled
    labels: NDArray[np.bool_]
    codes: tuple[Words, ...]

    @classmethod
    def of(cls, uploads: Sequence[Words], models: int) -> PooledModels:
        """All uploads together, as `ppaurora.protocols.lists.same_rows` lays them out."""
        first, rows = joined(uploads, models)
        one_bit = np.uint64(1)
        return cls(
            Pooled.of(first), (rows[0] & one_bit) == 1, tuple(keys >> one_bit for keys in rows)
        )

    @property
    def enough(self) -> bool:
        """True if each class has two samples or more."""
        P = int(self.labels.sum())
        return 2 <= P <= len(self.labels) - 2

    def areas(self) -> list[Fraction]:
        """The AUROCs of all models."""
        P, N = int(self.labels.sum()), int((~self.labels).sum())
        return [Fraction(int(self._placed(codes)[0].sum()), 2 * P * N) for codes in self.codes]

    def matrix(self) -> list[list[Fraction]]:
        """The covariance matrix of the AUROCs, where each class has two samples or more."""
        P, N = int(self.labels.sum()), int((~self.labels).sum())
        placed = [self._placed(codes) for codes in self.codes]
        of_positives = [one.tolist() for one, _ in placed]
        of_negatives = [one.tolist() for _, one in placed]
        return [
            [
                _covariance(of_positives[r], of_positives[s]) / (4 * N * N * P)
                + _covariance(of_negatives[r], of_negatives[s]) / (4 * P * P * N)
                for s in range(len(placed))
            ]
            for r in range(len(placed))
        ]

    def gained(self, pair: Pair = (0, 1)) -> Gained | None:
        """A difference and its variance, None where a class has fewer than two samples."""
        if not self.enough:
            return None
        P, N = int(self.labels.sum()), int((~self.labels).sum())
        (a1, b1), (a2, b2) = (self._placed(self.codes[place]) for place in pair)
        of_positives, of_negatives = (a1 - a2).tolist(), (b1 - b2).tolist()
        return Gained(
            Fraction(sum(of_positives), 2 * P * N),
            _covariance(of_positives, of_positives) / (4 * N * N * P)
            + _covariance(of_negatives, of_negatives) / (4 * P * P * N),
        )

    def _placed(self, codes: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Twice how many of the other class each sample is right about, ties once."""
        positives, negatives = np.sort(codes[self.labels]), np.sort(codes[~self.labels])
        x, y = codes[self.labels], codes[~self.labels]
        below = np.searchsorted(negatives, x, "left") + np.searchsorted(negatives, x, "right")
        up_to = np.searchsorted(positives, y, "left") + np.searchsorted(positives, y, "right")
        return below, 2 * x.size - up_to


def joined(uploads: Sequence[Words], lists: int) -> tuple[list[Words], list[Words]]:
    """The first lists of uploads of so many lists, and the keys of all rows for each list."""
    columns = [upload.reshape(2 * lists - 1, -1) for upload in uploads]
    first = [one[0] for one in columns]
    rows = [first]
    for place in range(1, lists):
        placed = []
        for one in columns:
            keys, numbers = one[2 * place - 1], one[2 * place]
            placed.append(np.empty_like(keys))
            placed[-1][numbers.astype(np.intp)] = keys
        rows.append(placed)
    return first, [np.concatenate([np.empty(0, np.uint64), *parts]) for parts in rows]


def _covariance(first: Sequence[int], second: Sequence[int]) -> Fraction:
    """The sample covariance."""
    products = sum(x * y for x, y in zip(first, second, strict=True))
    mean = Fraction(sum(first) * sum(second), len(first))
    return (products - mean) / (len(first) - 1)
