"""Parts of the ROC curve up to secret places: areas and corners, before any division.

The straight piece that a group of tied scores adds to the curve runs from (F0, T0) to (F1, T1), the
negatives and positives before and with the group, with q = F1 - F0 and p = T1 - T0. At all other
places of the list the piece is empty, adds nothing, and crosses nothing.

For u = r/s below 1 exactly one group has s·F0 <= r·N < s·F1: the curve crosses u there. With
C = r·N - s·F0 of that group (marked *), and Σ the sum over the groups with s·F1 <= r·N,

    2·P·N·(area up to u) = Σ q·(T0 + T1) + 2·T0*·C/s + p*·C²/(s²·q*).

[tpAUC, Eq. 5-8]. The area beside the curve, along the true positive rate, is the same of the list
read backwards with the classes exchanged. Nobody learns anything. Five hops.

`between` is the area between two rates, as a ratio of wide integers. With A the area up to a rate,
each over its own q,

    Y = C·(2·s·T0·q + p·C)

    2·P·N·s²·(A1 - A0) = s²·(Σ1 - Σ0) + Y1/q1 - Y0/q0,

brought to the denominator 2·P·N·s²·q0·q1, which is 0 if and only if a class is missing. Nobody
learns anything. Four hops.

`vertices` are the last corners up to a rate. The groups that end at a false positive rate of
u = r/s or less are those with s·F1 <= r·N. Together they have

    F = Σ q,    T = Σ p

negatives and positives: the corner with the largest T among those up to u, which is (0, 0) if no
group ends before. Along the true positive rate the classes are exchanged and the list is read
backwards. Nobody learns anything. Five hops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, multiply, sums_of_products, wide_products, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.ranking.curve import Pieces
from ppaurora.protocols.ranking.rows import row_sums, row_sums_cost, spread, summed


@dataclass(frozen=True, slots=True)
class UpTo:
    """The area up to u: Σ q·(T0 + T1) of the groups before, and the group in which u is crossed."""

    before: Shared
    T0: Shared
    p: Shared
    q: Shared
    C: Shared
    F0: Shared

    def vector(self) -> Shared:
        """All five of which an area is made, one behind the other."""
        return concatenate([self.before, self.T0, self.p, self.q, self.C])

    @classmethod
    def whole(cls, before: Shared) -> UpTo:
        """An area with no group crossed."""
        none, one = (Shared.public(before.role, [value] * len(before)) for value in (0, 1))
        return cls(before, none, none, one, none, none)


@dataclass(frozen=True, slots=True)
class Areas:
    """The areas up to each u, and the one up to 1, which is 2·P·N·AUROC."""

    parts: Sequence[UpTo]
    whole: UpTo


def areas(party: Party, pieces: Pieces, ends: Sequence[Fraction], s: int) -> Areas:
    """The areas up to each of the ends, multiples of 1/s below 1 and not below 0."""
    F0, F1, T0, T1, p, q = pieces.F0, pieces.F1, pieces.T0, pieces.T1, pieces.p, pieces.q
    limits = [pieces.N * int(end * s) for end in ends]
    # [s·F > r·N] for F1 and F0 of each end, and q·(T0 + T1)
    flags, [trapezoid] = side_by_side(
        party,
        [
            lambda own: exceeded(own, [F1, F0], limits, s),
            lambda own: [multiply(own, q, T0 + T1)],
        ],
    )
    before = [1 - after for after in flags[0::2]]
    # F1 is beyond u where F0 is: the difference is 1 in the group that crosses u
    crossing = [after - already for after, already in zip(flags[0::2], flags[1::2], strict=True)]
    columns, count = [trapezoid, F0, T0, p, q], len(ends)
    pairs = []
    for place in range(len(columns), len(columns) + count):
        pairs += [(place, 0), *((place + count, column) for column in (1, 2, 3, 4))]
    sums = row_sums(party, [*columns, *before, *crossing], pairs, pieces.rows)
    parts = []
    for place, limit in enumerate(limits):
        full, at_F0, at_T0, of_p, of_q = sums[5 * place : 5 * place + 5]
        parts.append(UpTo(full, at_T0, of_p, of_q, limit - at_F0 * s, at_F0))
    return Areas(parts, UpTo.whole(summed(trapezoid, pieces.rows)))


def exceeded(
    party: Party, rates: Sequence[Shared], limits: Sequence[Shared], s: int
) -> list[Shared]:
    """[s·F > limit] at all places, for each limit and each F."""
    n = len(rates[0])
    margins = [spread(limit, n // len(limit)) - F * s for limit in limits for F in rates]
    beyond = is_negative(party, concatenate(margins))
    return [beyond[place * n : (place + 1) * n] for place in range(len(margins))]


def areas_cost(n: int, *, ends: int, rows: int = 1) -> Cost:
    """The cost of `areas` for curves of n samples."""
    flags = is_negative.cost().of(2 * ends * n * rows) | multiply.cost().of(n * rows)
    return flags + row_sums_cost(n, factors=5 + 2 * ends, pairs=5 * ends, rows=rows)


def areas_fits(n: int, s: int) -> bool:
    """True if s·F and the sums stay below 2^63."""
    return max(s * n, n * n // 2) < 1 << 63


COLUMNS = 5


def between(party: Party, lower: UpTo, upper: UpTo, PN: Shared, *, s: int, bound: int) -> WideRatio:
    """The area between two rates as a fraction: that up to the upper less that up to the lower.

    `bound` is the most that its denominator can be (`largest_between`).
    """
    wide, rows = widen(party, concatenate([lower.vector(), upper.vector(), PN])), len(PN)
    numbers = [wide[place * rows : (place + 1) * rows] for place in range(2 * COLUMNS + 1)]
    before0, T0, p0, q0, C0 = numbers[:COLUMNS]
    before1, T1, p1, q1, C1 = numbers[COLUMNS : 2 * COLUMNS]
    pairs = numbers[-1]
    Tq0, pC0, Tq1, pC1, qq = wide_products(
        party, [T0, q0, p0, C0, T1, q1, p1, C1], [(0, 1), (2, 3), (4, 5), (6, 7), (1, 5)]
    )
    Z0, Z1 = Tq0 * (2 * s) + pC0, Tq1 * (2 * s) + pC1
    Y0, Y1, full, denominator = wide_products(
        party, [C0, Z0, C1, Z1, qq, before1 - before0, pairs], [(0, 1), (2, 3), (4, 5), (4, 6)]
    )
    first, second = wide_products(party, [q1, Y0, q0, Y1], [(0, 1), (2, 3)])
    return WideRatio(full * s**2 + second - first, denominator * (2 * s**2), bound)


def largest_between(n: int, s: int, *, crossed: int) -> int:
    """2·P·N·s² times one q, or two, of n samples is at most this."""
    most: int = n ** (2 + crossed) // 2 * s**2
    return max(1, most)


def between_cost(rows: int = 1) -> Cost:
    """The cost of `between` for so many curves."""
    return (
        widen.cost().of((2 * COLUMNS + 1) * rows)
        + wide_products.cost(factors=8, pairs=5).of(rows)
        + wide_products.cost(factors=7, pairs=4).of(rows)
        + wide_products.cost(factors=4, pairs=2).of(rows)
    )


@dataclass(frozen=True, slots=True)
class Vertices:
    """The corners for each end: the negatives and the positives up to there."""

    F: Shared
    T: Shared


def vertices(party: Party, pieces: Pieces, ends: Sequence[Fraction], s: int) -> Vertices:
    """The last corner up to each of the ends, multiples of 1/s from 0 to 1."""
    beyond = exceeded(party, [pieces.F1], [pieces.N * int(end * s) for end in ends], s)
    places = range(len(ends))
    pairs = [(column, 2 + place) for column in (0, 1) for place in places]
    sums = sums_of_products(party, [pieces.q, pieces.p, *(1 - flags for flags in beyond)], pairs)
    return Vertices(concatenate(sums[: len(ends)]), concatenate(sums[len(ends) :]))


def vertices_cost(n: int, *, ends: int) -> Cost:
    """The cost of `vertices` for n samples."""
    compared = is_negative.cost().of(ends * n)
    return compared + sums_of_products.cost(factors=2 + ends, pairs=2 * ends).of(n)


def vertices_fits(n: int, s: int) -> bool:
    """True if s·F stays below 2^63."""
    return s * n < 1 << 63
