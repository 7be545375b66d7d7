"""Parts of the area under the ROC curve, before any division.

The straight piece that a group of tied scores adds to the curve runs from (F0, T0) to (F1, T1), the
negatives and positives before and with the group, at the boundary j of the sorted list

    T0 = B      T1 = TP      F0 = J - B      F1 = j - TP      q = F1 - F0      p = T1 - T0.

For u = r/s below 1 exactly one group has s·F0 <= r·N < s·F1: the curve crosses u there. With
C = r·N - s·F0 of that group (marked *), and Σ the sum over the groups with s·F1 <= r·N,

    2·P·N·(area up to u) = Σ q·(T0 + T1) + 2·T0*·C/s + p*·C²/(s²·q*).

[tpAUC, Eq. 5-8]. The area beside the curve, along the true positive rate, is the same of the list
read backwards with the classes exchanged. Nobody learns anything. Six hops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, products, sums_of_products
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.ranking.pieces import Pieces


@dataclass(frozen=True, slots=True)
class UpTo:
    """The area up to u: Σ q·(T0 + T1) of the groups before, and the group in which u is crossed."""

    before: Shared
    T0: Shared
    p: Shared
    q: Shared
    C: Shared

    def vector(self) -> Shared:
        """All five, one behind the other."""
        return concatenate([self.before, self.T0, self.p, self.q, self.C])

    @classmethod
    def whole(cls, before: Shared) -> UpTo:
        """An area with no group crossed."""
        none, one = (Shared.public(before.role, [value]) for value in (0, 1))
        return cls(before, none, none, one, none)


@dataclass(frozen=True, slots=True)
class Areas:
    """The areas up to each u, and the one up to 1, which is 2·P·N·AUROC."""

    parts: Sequence[UpTo]
    whole: UpTo


def areas(party: Party, pieces: Pieces, ends: Sequence[Fraction], s: int) -> Areas:
    """The areas up to each of the ends, multiples of 1/s below 1 and not below 0."""
    con, F0, F1, T0, T1 = pieces.con, pieces.F0, pieces.F1, pieces.T0, pieces.T1
    limits = [pieces.N * int(end * s) for end in ends]
    flags = exceeded(party, [F1, F0], limits, s)
    p, q = T1 - T0, F1 - F0
    # con·[s·F > r·N] for F1 and F0 of each end, and q·(T0 + T1)
    marked = [(0, 3 + place) for place in range(len(flags))]
    trapezoid, *ended = products(party, [con, q, T0 + T1, *flags], [(1, 2), *marked])
    # F1 is beyond u where F0 is: the difference is 1 in the group that crosses u
    before = [con - after for after in ended[0::2]]
    crossing = [after - already for after, already in zip(ended[0::2], ended[1::2], strict=True)]
    count = len(ends)
    pairs = [(0, 1)]
    for place in range(6, 6 + count):
        pairs += [(place, 1), *((place + count, column) for column in (2, 3, 4, 5))]
    columns = [con, trapezoid, F0, T0, p, q]
    whole, *sums = sums_of_products(party, [*columns, *before, *crossing], pairs)
    parts = []
    for place, limit in enumerate(limits):
        full, at_F0, at_T0, of_p, of_q = sums[5 * place : 5 * place + 5]
        parts.append(UpTo(full, at_T0, of_p, of_q, limit - at_F0 * s))
    return Areas(parts, UpTo.whole(whole))


def exceeded(
    party: Party, rates: Sequence[Shared], limits: Sequence[Shared], s: int
) -> list[Shared]:
    """[s·F > limit] at all places, for each limit and each F."""
    n = len(rates[0])
    margins = [limit.repeat(n) - F * s for limit in limits for F in rates]
    beyond = is_negative(party, concatenate(margins))
    return [beyond[place * n : (place + 1) * n] for place in range(len(margins))]


def areas_cost(n: int, *, ends: int) -> Cost:
    """The cost of `areas` for n samples."""
    return (
        is_negative.cost().of(2 * ends * n)
        + products.cost(factors=3 + 2 * ends, pairs=1 + 2 * ends).of(n)
        + sums_of_products.cost(factors=6 + 2 * ends, pairs=1 + 5 * ends).of(n)
    )


def holds_areas(n: int, s: int) -> bool:
    """Whether s·F and the sums stay below 2^63."""
    return max(s * n, n * n // 2) < 1 << 63
