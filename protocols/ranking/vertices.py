"""The last corner of the ROC curve up to a rate, read at a place that stays secret.

With the pieces of `ppaurora.protocols.ranking.partial`, the groups that end at a false positive
rate of u = r/s or less are those with s·F1 <= r·N. Together they have

    F = Σ q,    T = Σ p

negatives and positives: the corner with the largest T among those up to u, which is (0, 0) if no
group ends before. Along the true positive rate the classes are exchanged and the list is read
backwards. Nobody learns anything. Six hops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, products, sums_of_products
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.ranking.partial import exceeded
from ppaurora.protocols.ranking.pieces import Pieces


@dataclass(frozen=True, slots=True)
class Vertices:
    """The corners for each end: the negatives and the positives up to there."""

    F: Shared
    T: Shared


def vertices(party: Party, pieces: Pieces, ends: Sequence[Fraction], s: int) -> Vertices:
    """The last corner up to each of the ends, multiples of 1/s from 0 to 1."""
    con, F0, F1, T0, T1 = pieces.con, pieces.F0, pieces.F1, pieces.T0, pieces.T1
    beyond = exceeded(party, [F1], [pieces.N * int(end * s) for end in ends], s)
    q, p = products(party, [con, F1 - F0, T1 - T0], [(0, 1), (0, 2)])
    places = range(len(ends))
    pairs = [(column, 2 + place) for column in (0, 1) for place in places]
    sums = sums_of_products(party, [q, p, *(1 - flags for flags in beyond)], pairs)
    return Vertices(concatenate(sums[: len(ends)]), concatenate(sums[len(ends) :]))


def vertices_cost(n: int, *, ends: int) -> Cost:
    """The cost of `vertices` for n samples."""
    compared = is_negative.cost().of(ends * n)
    steps = products.cost(factors=3, pairs=2).of(n)
    return compared + steps + sums_of_products.cost(factors=2 + ends, pairs=2 * ends).of(n)


def holds_vertices(n: int, s: int) -> bool:
    """Whether s·F stays below 2^63."""
    return s * n < 1 << 63
