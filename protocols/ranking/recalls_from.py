"""The area under the precision-recall curve over the recalls from r on, before any division.

c = r·P with r = r'/s is where the recall r lies among the positives. With F bits behind the point
(`ppaurora.protocols.arithmetic.fixed_point`), T0 = B positives before a group of tied scores and
T1 = U with it, precision U_j/j at the boundary j:

- the steps [Thesis, Eq. 4.10] go at the precision of their right end, so that of a group what lies
  beyond c counts: Σ_j U_j·(max(s·T1, s·c) - max(s·T0, s·c))/j;
- the trapezoids [ppAURORA, Alg. 4, erratum 1] are cut where a group has T0 <= c < T1. With that
  group's q = T1 - T0 and C = c - T0, and p0 and p1 the precisions before and with it, it counts

      (q - C)·((q - C)·p0 + (q + C)·p1)/q,

  and every group beyond it q·(p0 + p1), twice its area. Before the first boundary p0 is 1.

Nobody learns anything. Two hops for steps and four more for r > 0; three for trapezoids and seven
more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_negative,
    multiply,
    negative_part,
    products,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.fixed_point import FixedPoint
from ppaurora.protocols.ranking.ranked import Ranked


@dataclass(frozen=True, slots=True)
class Beyond:
    """An area times 2^F·P and times public factors; and the q that it was multiplied by, if any."""

    X: WideShared
    q: WideShared | None = None


def steps_beyond(party: Party, data: Ranked, r: Fraction, point: FixedPoint) -> Beyond:
    """2^F·s·P times the area of the steps: too low by less than s·n² units."""
    # both are the same but at a boundary, so that nothing is inside elsewhere
    U, B, n = data.groups.U, data.groups.B, data.n
    inside = U - B
    if r:
        # of an end x, -min(c - x, 0) lies beyond c
        c = (data.labels.P * r.numerator).repeat(n)
        beyond = negative_part(party, concatenate([c - U * r.denominator, c - B * r.denominator]))
        inside = beyond[n:] - beyond[:n]
    [X] = point.sums(party, [multiply(party, U, inside)])
    return Beyond(X)


def steps_beyond_cost(n: int, r: Fraction, point: FixedPoint) -> Cost:
    """The cost of `steps_beyond` for n samples."""
    beyond = negative_part.cost().of(2 * n) if r else Cost()
    return beyond + multiply.cost().of(n) + point.cost(columns=1)


def trapezoids_beyond(party: Party, data: Ranked, r: Fraction, point: FixedPoint) -> Beyond:
    """2^F·2·P times the area of the trapezoids, and times s²·q for r > 0.

    Too low by less than 4·n² units, times s²·q for r > 0.
    """
    if not r:
        S = multiply(party, data.groups.V, data.groups.E - data.groups.B)
        [X] = point.sums(party, [S])
        return Beyond(X + widen(party, data.groups.E_0) * (1 << point.F))
    return _cut_trapezoids(party, data, r, point)


def _cut_trapezoids(party: Party, data: Ranked, r: Fraction, point: FixedPoint) -> Beyond:
    groups, TP, n, s = data.groups, data.labels.TP, data.n, r.denominator
    con, V, B, E = groups.con, groups.V, groups.B, groups.E
    c = data.labels.P * r.numerator
    all_c = c.repeat(n)
    margins = [*(all_c - column * s for column in (TP, B, E)), c - groups.E_0 * s]
    flags = is_negative(party, concatenate(margins))
    with_it, before_it, after_it = (flags[part * n : (part + 1) * n] for part in range(3))
    first = flags[3 * n :]
    # of a boundary: its own group is cut, the next one is
    own, following = with_it - before_it, after_it - with_it
    left, right, p1, p0, mark = products(
        party,
        [TP - B, before_it, E - TP, with_it, V, own, following, con],
        [(0, 1), (2, 3), (4, 5), (4, 6), (7, 5)],
    )
    S, at_T0, at_T1 = products(party, [V, left + right, mark, B, TP], [(0, 1), (2, 3), (2, 4)])
    full, X1, X0 = point.sums(party, [S, p1, p0])
    T0, T1 = at_T0.sum(), at_T1.sum()
    wide = widen(party, concatenate([T1 - T0, c - T0 * s, first]))
    q, C, none_before = (wide[place : place + 1] for place in range(3))
    outer, inner = q * s - C, q * s + C
    of_full, of_p0, of_p1 = wide_products(
        party,
        [q, full, outer, X0 + none_before * (1 << point.F), inner, X1],
        [(0, 1), (2, 3), (4, 5)],
    )
    [cut] = wide_products(party, [outer, of_p0 + of_p1], [(0, 1)])
    return Beyond(of_full * s**2 + cut, q)


def trapezoids_beyond_cost(n: int, r: Fraction, point: FixedPoint) -> Cost:
    """The cost of `trapezoids_beyond` for n samples."""
    if not r:
        return multiply.cost().of(n) + point.cost(columns=1) + widen.cost().of(1)
    return (
        is_negative.cost().of(3 * n + 1)
        + products.cost(factors=8, pairs=5).of(n)
        + products.cost(factors=5, pairs=3).of(n)
        + point.cost(columns=3)
        + widen.cost().of(3)
        + wide_products.cost(factors=6, pairs=3).of(1)
        + wide_products.cost(factors=2, pairs=1).of(1)
    )
