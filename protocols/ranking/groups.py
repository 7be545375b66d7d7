"""The groups of tied scores: what each place knows of the boundaries before and after it.

[ppAURORA, Alg. 2 and 4, erratum 5]: there the last boundary's values travel through M sequential
MUX steps; here by one scan. A group is a run of equal scores; a boundary is its last place,
con = 1.

    V_j = con_j·TP_j                    B_j  TP at the last boundary before j, 0 if there is none
                                        J_j  the place of that boundary, 0 if there is none
                                        E_j  TP at the first boundary after j, P if there is none

Nobody learns anything. V is found with the ties. Hops: 2·log2 n for the scan (n doubled with E) or,
in few hops, a third of them for three times the bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.cost import Primitive, Spent
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import carry, carry_in_few_hops
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.ranking.ties import Boundaries


@dataclass(frozen=True, slots=True)
class Groups:
    """con, V, B and P·N; J, and E with E_0, only where they were asked for."""

    con: Shared
    V: Shared
    B: Shared
    PN: Shared
    positions: Shared | None = None
    next: Shared | None = None
    first: Shared | None = None

    @property
    def J(self) -> Shared:
        return _asked_for(self.positions)

    @property
    def E(self) -> Shared:
        return _asked_for(self.next)

    @property
    def E_0(self) -> Shared:
        """TP at the first boundary of all."""
        return _asked_for(self.first)


def _asked_for(column: Shared | None) -> Shared:
    if column is None:
        raise LocalProtocolError("a statistic uses a column of the scan that it did not ask for")
    return column


def groups(
    party: Party,
    found: Boundaries,
    *,
    both_ways: bool = False,
    positions: bool = False,
    few_hops: bool = False,
) -> Groups:
    """con, V, B and P·N; with `positions` J too, with `both_ways` E and E_0.

    E comes from the same scan, of the list there and back: on the way back the first group finds P,
    carried over from the end of the way there, which is what E is after the last boundary.
    """
    con, V, PN = found.con, found.V, found.PN
    n = len(con)
    columns = [V, con * np.arange(1, n + 1)] if positions else [V]
    if both_ways:
        columns = [concatenate([column, column[::-1]]) for column in columns]
    flags = concatenate([con, con[::-1]]) if both_ways else con
    walk, *walked = _scan(few_hops)(party, flags, columns)
    B = _after_nothing(walk[:n])
    J = _after_nothing(walked[0][:n]) if positions else None
    if not both_ways:
        return Groups(con, V, B, PN, J)
    return Groups(con, V, B, PN, J, next=walk[n - 1 : 2 * n - 1][::-1], first=walk[-1:])


def _after_nothing(carried: Shared) -> Shared:
    """The value before each place: 0, then all but the last."""
    return concatenate([Shared.zeros(carried.role, 1), carried[:-1]])


def groups_cost(
    n: int, *, both_ways: bool = False, positions: bool = False, few_hops: bool = False
) -> Spent:
    """The cost of `groups` for n samples."""
    return _scan(few_hops).cost(columns=1 + positions).of(2 * n if both_ways else n)


def _scan(
    few_hops: bool,
) -> Primitive[[Party, Shared, Sequence[Shared]], list[Shared]]:
    return carry_in_few_hops if few_hops else carry
