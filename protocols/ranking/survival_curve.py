"""The Kaplan-Meier estimate on a public grid of times, shared, with 96 bits behind the point.

[Kaplan and Meier, JASA 53:457-481, 1958]. With r_j samples followed up to the j-th cell of times
and d_j events in it,

    S_k = Π_(j <= k) (1 - d_j/r_j),      V_k = Σ_(j <= k) d_j/(r_j·(r_j - d_j)),

V that of Greenwood's variance S²·V. r_j is the difference of n, which is public, and of cumulative
counts, which take no message. Each 1/r_j is found by long division, rounded down, and with
d/(r·(r - d)) = 1/(r - d) - 1/r V is a sum of such numbers. Factors 1 - d_j/r_j are then never too
low, and are multiplied in a logarithmic number of levels, each product being one or two units too
high. A cell with nobody left has no event, and the factor 1.

How exact: S is too high by less than (n + 2·K)·2^-96 in K cells, and n·V by less than 3·n·K·2^-96,
never too low. Where everybody left has the event V means nothing. A product of 2^192 is cut off
without a message, which fails with a chance of 2^-64 (`WideShared.scaled_down`).

Nobody learns anything. 121 hops for the divisions, and one for each doubling of K.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_divide_to_wide, wide_products, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide

POINT = 96
BASE, DIGITS = 16, 24
"""16^24 = 2^96: a digit of a few dozen quotients is found by fifteen comparisons."""
UNDEFINED_SUM = 1 + Fraction(1, BASE)
"""1/0, as the division has it."""


@dataclass(frozen=True, slots=True)
class SurvivalCurve:
    """At the end of each cell up to the horizon S; of each cell 1/r; both in units of 2^-96.

    `V` is at the end of each cell, where it was asked for. `left` are the samples followed into
    each cell, and behind the horizon.
    """

    S: WideShared
    inverse: WideShared
    V: WideShared | None
    left: Shared


def left_of(events: Shared, censored: Shared, n: int) -> Shared:
    """The number followed into each cell of times."""
    gone = (events + censored).cumsum()[: len(events) - 1]
    return concatenate([Shared.public(events.role, [n]), n - gone])


def survival_curve(
    party: Party, events: Shared, censored: Shared, n: int, *, greenwood: bool
) -> SurvivalCurve:
    """The curve from the counts of all cells of times, of which the last is behind the horizon."""
    K = len(events) - 1
    left = left_of(events, censored, n)
    r, d = left[:K], events[:K]
    wide = widen(party, concatenate([r, r - d] if greenwood else [r, d]))
    r_wide, other = wide[:K], wide[K:]
    d_wide = r_wide - other if greenwood else other
    denominators = concatenate_wide([r_wide, other]) if greenwood else r_wide
    # 1/r - 2^-97 rounded half up is 1/r rounded down
    inverses = wide_divide_to_wide(
        party,
        -denominators + (2 << POINT),
        denominators * (2 << POINT),
        digits=DIGITS,
        bound=max(1, n) * (2 << POINT),
        base=BASE,
    )
    inverse = inverses[:K]
    [falls] = wide_products(party, [d_wide, inverse], [(0, 1)])
    S = _products_up_to(party, -falls + (1 << POINT))
    V = None
    if greenwood:
        terms = inverses[K:] - inverse
        V = concatenate_wide([terms[: k + 1].sum() + (k + 1) for k in range(K)])
    return SurvivalCurve(S, inverse, V, left)


def _products_up_to(party: Party, factors: WideShared) -> WideShared:
    """The products of the first 1, 2, ... of these numbers, which are at most 1."""
    x, step = factors, 1
    while step < len(x):
        [product] = wide_products(party, [x[step:], x[:-step]], [(0, 1)])
        x = concatenate_wide([x[:step], product.scaled_down(POINT) + 1])
        step *= 2
    return x


def survival_curve_cost(times: int, *, greenwood: bool) -> Cost:
    """The cost of `survival_curve` for so many cells of times."""
    K = times - 1
    divided = 2 * K if greenwood else K
    spent = widen.cost().of(2 * K)
    spent += wide_divide_to_wide.cost(digits=DIGITS, base=BASE).of(divided)
    spent += wide_products.cost(factors=2, pairs=1).of(K)
    step = 1
    while step < K:
        spent += wide_products.cost(factors=2, pairs=1).of(K - step)
        step *= 2
    return spent


@dataclass(frozen=True, slots=True)
class PooledSurvival:
    """The same in the clear, exactly: S and V at the end of each cell, and who is left."""

    S: tuple[Fraction, ...]
    V: tuple[Fraction, ...]
    left: tuple[int, ...]


def pooled_curve(events: Sequence[int], censored: Sequence[int]) -> PooledSurvival:
    """The curve of counts in the clear, one cell after the other."""
    left, S, V = [sum(events) + sum(censored)], [Fraction(1)], [Fraction(0)]
    for d, c in zip(events[:-1], censored[:-1], strict=True):
        r = left[-1]
        left.append(r - d - c)
        S.append(S[-1] * (Fraction(r - d, r) if r else 1))
        if r == d:
            V.append(V[-1] + (UNDEFINED_SUM - Fraction(1, r) if r else 0))
        else:
            V.append(V[-1] + Fraction(d, r * (r - d)))
    return PooledSurvival(tuple(S[1:]), tuple(V[1:]), tuple(left))
