"""DeLong's variance of the AUROC, before any division.

[ROC-GLM, Eq. 2-3, erratum 1]. The placement of a positive is a = 2·negatives below + negatives
tied, that of a negative b = 2·positives above + positives tied: ties count half, as in pROC. With

    W = Σ (b - P) = Σ (a - N)      A2 = Σ (a - N)²      B2 = Σ (b - P)²      Q = (P - 1)·(N - 1)

over the negatives and the positives,

    AUROC = (W + P·N) / 2·P·N
    Var   = [(N - 1)·(P·A2 - W²) + (P - 1)·(N·B2 - W²)] / 4·(P·N)²·Q.

All members of a group of tied scores are placed alike, so the sums run over the groups, whose piece
of the ROC curve runs from (F0, T0) to (F1, T1), with p = T1 - T0 positives and q = F1 - F0
negatives:

    a - N = N - F1 - F0      b - P = T1 + T0 - P.

Where A2 <= P·N² <= 4·n³/27 stays below 2^63, only the few numbers behind the sums are widened to
256 bits; for a histogram the four factors of A2 and B2 are. Nobody learns anything. Four hops.

Several scores of the same samples have a covariance as well: see
`ppaurora.protocols.ranking.covariance`.

`placed` computes the same from plaintext by the placements themselves: the variance of the
positives' placements by P, plus that of the negatives' by N.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    inner_product,
    products,
    sums_of_weighted_squares,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import Words
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.ranking.curve import Curve, PooledCurve

FEW = "a class has fewer than two samples"

Sums = tuple[Shared, Shared, Shared]
"""A2, B2 and W."""
Numbers = TypeVar("Numbers", Shared, Words)
WideSums = tuple[WideShared, WideShared, list[WideShared]]
"""A2, B2, and beside them W + P·N, P·N, P and N."""


@dataclass(frozen=True, slots=True)
class Delong:
    """AUROC and its variance as ratios, 0/0 both if and only if a class has fewer than two samples.

    `area` is expanded by Q for that. `won` is W + P·N, twice the pairs in which the positive scores
    higher, and `pairs` is P·N. For sums W that lie between -k·P·N and k·P·N, `area` is
    (W + k·P·N) / 2·k·P·N and `won` W + k·P·N. Of several AUROCs or differences `area`, `variance`
    and `won` have an entry for each, `pairs` has one. `samples` is P + N, of a curve whose sums are
    wide.
    """

    area: WideRatio
    variance: WideRatio
    won: WideShared
    pairs: WideShared
    samples: WideShared | None = None

    def is_few(self, n: int) -> WideShared:
        """A number that is negative if and only if a class has fewer than two of the n samples.

        One sample in a class makes n - 1 pairs, two make 2·(n - 2), which is n or more from four
        samples on; with fewer samples there are never n pairs. Where the number of samples is
        shared, and n only the most that there may be, it is

            (n + 1)·P·N - n·(P + N) - 4 = n·((P - 1)·(N - 1) - 1) + P·N - 4,

        which is 0 or more if both classes have two, -n·N - 4 without positives, and N - n - 4 with
        one of them.
        """
        if self.samples is None:
            return self.pairs - n
        return self.pairs * (n + 1) - self.samples * n - 4


def delong_fits(n: int) -> bool:
    """True if the sums over n samples stay below 2^63.

    >>> delong_fits(3_963_368), delong_fits(3_963_369)
    (True, False)
    """
    return 4 * n**3 < 27 << 63


def largest_area_denominator(n: int) -> int:
    """2·P·N·Q of n samples is at most this: P·N and Q are at most n²/4."""
    return max(1, n**4 // 8)


def largest_variance_denominator(n: int) -> int:
    """4·(P·N)²·Q of n samples is at most this."""
    return max(1, n**6 // 16)


def delong(party: Party, data: Curve) -> Delong:
    """AUROC and its variance of a curve."""
    if data.wide:
        return _of_wide_sums(party, _wide_sums(party, data), data.n, wide=True)
    return ratios(party, placed_sums(party, data), data)


def ratios(party: Party, sums: Sums, data: Curve) -> Delong:
    """The ratios of the sums A2, B2 < 2^63 and W."""
    A2, B2, W = sums
    a2, b2, *beside = _apart(widen(party, concatenate([A2, B2, *_beside(W, data)])))
    return _of_wide_sums(party, (a2, b2, beside), data.n)


def _of_wide_sums(party: Party, sums: WideSums, n: int, *, wide: bool = False) -> Delong:
    a2, b2, (won, pairs, P, N) = sums
    w = won - pairs
    # (P - 1)·(N - 1); how many samples there are may be shared
    Q = pairs - P - N + 1
    PA2, NB2, W2, area, expanded, square = wide_products(
        party, [P, a2, N, b2, w, won, Q, pairs], [(0, 1), (2, 3), (4, 4), (5, 6), (7, 6), (7, 7)]
    )
    of_positives, of_negatives, quarter = wide_products(
        party, [N - 1, PA2 - W2, P - 1, NB2 - W2, square, Q], [(0, 1), (2, 3), (4, 5)]
    )
    return Delong(
        WideRatio(area, expanded * 2, largest_area_denominator(n)),
        WideRatio(of_positives + of_negatives, quarter * 4, largest_variance_denominator(n)),
        won,
        pairs,
        P + N if wide else None,
    )


def placed_sums(party: Party, data: Curve) -> Sums:
    """A2, B2 and W, which stay below 2^63. One hop."""
    pieces, P, N = data.pieces, data.P, data.N
    corners = pieces.F0, pieces.F1, pieces.T0, pieces.T1

    def read(part: slice) -> list[Words]:
        F0, F1, T0, T1 = (one.words[part] for one in corners)
        return _sizes_and_places(F0, F1, T0, T1, P.words, N.words)

    (A2, _), (B2, W) = sums_of_weighted_squares(party, len(pieces.F0), read, pairs=2)
    return A2, B2, W


def _wide_sums(party: Party, data: Curve) -> WideSums:
    pieces, n = data.pieces, len(data.pieces.F0)
    P, N = data.P.repeat(n), data.N.repeat(n)
    p, q, a, b = _sizes_and_places(pieces.F0, pieces.F1, pieces.T0, pieces.T1, P, N)
    a_squared, b_squared = products(party, [a, b], [(0, 0), (1, 1)])
    wide, W = side_by_side(
        party,
        [
            lambda own: widen(own, concatenate([p, q, a_squared, b_squared])),
            lambda own: inner_product(own, q, b),
        ],
    )
    assert isinstance(wide, WideShared)
    assert isinstance(W, Shared)
    beside = concatenate(_beside(W, data))
    factors = [wide[place * n : (place + 1) * n] for place in range(4)]
    squares, others = side_by_side(
        party,
        [
            lambda own: wide_products(own, factors, [(0, 2), (1, 3)]),
            lambda own: _apart(widen(own, beside)),
        ],
    )
    return squares[0].sum(), squares[1].sum(), others


def _sizes_and_places(
    F0: Numbers, F1: Numbers, T0: Numbers, T1: Numbers, P: Numbers, N: Numbers
) -> list[Numbers]:
    """p and q, a - N and b - P of each piece."""
    return [T1 - T0, F1 - F0, N - F1 - F0, T1 + T0 - P]


def _beside(W: Shared, data: Curve) -> list[Shared]:
    return [W + data.PN, data.PN, data.P, data.N]


def _apart(wide: WideShared) -> list[WideShared]:
    return [wide[place : place + 1] for place in range(len(wide))]


def placed_sums_cost(n: int) -> Cost:
    """The cost of `placed_sums` for n groups."""
    return sums_of_weighted_squares.cost(pairs=2).of(n)


def delong_cost(n: int, *, wide: bool = False) -> Cost:
    """The cost of `delong` for n groups."""
    if wide:
        placed = products.cost(factors=2, pairs=2).of(n)
        squares = wide_products.cost(factors=4, pairs=2).of(n)
        sums = (widen.cost().of(4 * n) | inner_product.cost().of(n)) + (
            squares | widen.cost().of(4)
        )
        return placed + sums + _of_wide_sums_cost()
    return placed_sums_cost(n) + ratios_cost()


def ratios_cost() -> Cost:
    """The cost of `ratios`."""
    return widen.cost().of(6) + _of_wide_sums_cost()


def _of_wide_sums_cost() -> Cost:
    first, second = wide_products.cost(factors=8, pairs=6), wide_products.cost(factors=6, pairs=3)
    return first.of(1) + second.of(1)


@dataclass(frozen=True, slots=True)
class Placed:
    """AUROC and its variance."""

    area: Fraction
    variance: Fraction


def area(data: PooledCurve) -> Fraction:
    """The AUROC of the pooled list, in which both classes are."""
    won = sum(((j - i) - (t - s)) * (s + t) for s, t, i, j in data.steps)
    return Fraction(won, 2 * data.P * data.N)


def placed(data: PooledCurve) -> Placed | None:
    """AUROC and variance of the pooled list, None where a class has fewer than two samples."""
    P, N = data.P, data.N
    if P < 2 or N < 2:
        return None
    # twice the share of the negatives below, and of the positives above, with how often it occurs
    of_positives = [(2 * N - (j - t) - (i - s), t - s) for s, t, i, j in data.steps]
    of_negatives = [(s + t, (j - i) - (t - s)) for s, t, i, j in data.steps]
    total = sum(place * count for place, count in of_positives)
    return Placed(
        Fraction(total, 2 * P * N),
        _variance(of_positives, P) / (4 * N * N) / P + _variance(of_negatives, N) / (4 * P * P) / N,
    )


def _variance(places: Sequence[tuple[int, int]], size: int) -> Fraction:
    """The sample variance of the places, each so often."""
    total = sum(place * count for place, count in places)
    squares = sum(place * place * count for place, count in places)
    return (squares - Fraction(total * total, size)) / (size - 1)
