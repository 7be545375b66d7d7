"""What the metrics read off the sorted list: labels, TP, ties, and TP at the group boundaries.

[ppAURORA, Alg. 2 and 4, erratum 5], where the last boundary's values travel through M sequential
MUX steps; here by one scan in 2·log2 M hops. The sorted keys are descending, and within equal
scores the positives come first. A group is a run of equal scores; a boundary is its last place,
con = 1.

    TP_j  positives up to j             B_j  TP at the last boundary before j, 0 if there is none
    V_j = con_j·TP_j                    E_j  TP at the first boundary after j, P if there is none

Nobody learns anything. Hops: 1 for the labels, 1 for V, 2·log2 n for the scan (n doubled with E).
"""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import carry, multiply, to_arithmetic
from ppaurora.mpc.shares import Shared, concatenate, low_bits


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of the sorted list, the positives so far, and the numbers of both classes."""

    y: Shared
    TP: Shared
    P: Shared
    N: Shared


@dataclass(frozen=True, slots=True)
class Groups:
    """TP at the boundaries of the groups of tied scores; E and E_0 only where they were wanted."""

    V: Shared
    B: Shared
    PN: Shared
    E: Shared | None = None
    E_0: Shared | None = None


def labels(party: Party, keys: Shared) -> Labels:
    """The lowest bits of the sorted keys, as words."""
    y = to_arithmetic(party, low_bits(keys))
    TP = y.cumsum()
    P = TP[-1:]
    return Labels(y, TP, P, len(y) - P)


def groups(party: Party, of: Labels, con: Shared, *, both_ways: bool) -> Groups:
    """V, B and P·N; with `both_ways` E and E_0 too, from one scan of the list there and back.

    On the way back the first group finds P, carried over from the end of the way there, just as
    the last boundary's E wants it.
    """
    n = len(con)
    # V = con·TP and P·N, one hop
    product = multiply(party, concatenate([con, of.P]), concatenate([of.TP, of.N]))
    V, PN = product[:n], product[n:]
    if not both_ways:
        [there] = carry(party, con, [V])
        return Groups(V, _after_nothing(there), PN)
    [walk] = carry(party, concatenate([con, con[::-1]]), [concatenate([V, V[::-1]])])
    return Groups(V, _after_nothing(walk[:n]), PN, E=walk[n - 1 : 2 * n - 1][::-1], E_0=walk[-1:])


def _after_nothing(carried: Shared) -> Shared:
    """The value before each place: 0, then all but the last."""
    return concatenate([Shared.zeros(carried.role, 1), carried[:-1]])
