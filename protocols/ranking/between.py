"""The area of the ROC curve between two rates, as a ratio of wide integers.

With A the area up to a rate as `ppaurora.protocols.ranking.partial` gives it, each over its own q,

    Y = C·(2·s·T0·q + p·C)

    2·P·N·s²·(A1 - A0) = s²·(Σ1 - Σ0) + Y1/q1 - Y0/q0,

brought to the denominator 2·P·N·s²·q0·q1, which is 0 if and only if a class is missing. Nobody
learns anything. Four hops.
"""

from __future__ import annotations

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_products, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.ranking.partial import UpTo

COLUMNS = 5


def between(party: Party, lower: UpTo, upper: UpTo, PN: Shared, *, s: int, bound: int) -> WideRatio:
    """A1 - A0; `bound` as `largest_between` gives it."""
    wide = widen(party, concatenate([lower.vector(), upper.vector(), PN]))
    numbers = [wide[place : place + 1] for place in range(2 * COLUMNS + 1)]
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


def between_cost() -> Cost:
    """The cost of `between`."""
    return (
        widen.cost().of(2 * COLUMNS + 1)
        + wide_products.cost(factors=8, pairs=5).of(1)
        + wide_products.cost(factors=7, pairs=4).of(1)
        + wide_products.cost(factors=4, pairs=2).of(1)
    )
