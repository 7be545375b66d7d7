"""The area under the precision-recall curve, in two ways that are never confused.

[ppAURORA, Alg. 4, errata 1 and 2]: steps along the recall TP/P, and the precision at place j is
TP_j / j with public j, so that no vector is divided. With V, B, E, E_0 as in `ranking`,

    average_precision   x = 1/P  · Σ_j V_j·(TP_j - B_j)/j             the step sum
    aupr                x = 1/2P · (E_0 + Σ_j V_j·(E_j - B_j)/j)      the trapezoid from (0, 1)

The products S_j are exact; only 1/j is rounded, to two limbs of f and g bits, both downwards:

    c1_j = floor(2^f / j),    c2_j = floor(2^g · frac(2^f / j)),    c1 + c2/2^g <= 2^f / j,
    A = Σ S_j·c1_j + floor(Σ S_j·c2_j / 2^g).

With Σ S_j <= c·P^2 (c = 1 for the step sum, 2 for the trapezoid) A falls short of 2^f·Σ S_j/j by
less than c·P·n/2^g + 1 <= k·P with k = ceil(c·n/2^g) + 1. Adding k·P, what is divided exceeds the
true ratio by more than 0 and at most

    error = k / (c·2^f).

So a true value half-way between two decimals, or exact, is released correctly; one that lies less
than `error` below half-way may be rounded up. Nobody learns anything. Hops: 1 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_denominator, multiply, truncate
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.ranking.labels import Groups, Labels


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """How the reciprocals of 1 .. n are held: f and g bits, and the correction of k·P."""

    n: int
    c: int
    f: int
    g: int
    k: int

    @classmethod
    def fitting(cls, n: int, c: int) -> FixedPoint | None:
        """As many bits as the arithmetic holds: Σ S·c2 < 2^63, and D + k·P fits the division."""
        g = min(((1 << 63) // (c * n * n)).bit_length() - 1, 62)
        if g < 1:
            return None
        k = -(-c * n >> g) + 1
        # (c·2^f + k)·n <= largest_denominator
        room = (largest_denominator() // n - k) // c
        return cls(n, c, room.bit_length() - 1, g, k) if room >= 1 else None

    @property
    def error(self) -> Fraction:
        """What is divided lies above the true ratio, by this at most."""
        return Fraction(self.k, self.c << self.f)

    @property
    def bound(self) -> int:
        """The largest numerator or denominator."""
        return ((self.c << self.f) + self.k) * self.n

    def reciprocals(self) -> tuple[Words, Words]:
        """c1_j and c2_j for j = 1 .. n."""
        j = np.arange(1, self.n + 1, dtype=np.uint64)
        c1, rest = np.divmod(np.uint64(1 << self.f), j)
        return c1, (rest << np.uint64(self.g)) // j

    def sum(self, party: Party, S: Shared) -> Shared:
        """2^f·Σ S_j/j, at most k·P too small."""
        c1, c2 = self.reciprocals()
        return (S * c1).sum() + truncate(party, (S * c2).sum(), self.g)


def _fixed_point(n: int, c: int) -> FixedPoint:
    fixed = FixedPoint.fitting(n, c)
    if fixed is None:
        raise LocalProtocolError(f"no fixed point for {n} samples")
    return fixed


def average_precision(party: Party, labels: Labels, groups: Groups) -> Ratio:
    """The step sum, each step at the precision of its right end."""
    fixed = _fixed_point(len(labels.y), c=1)
    S = multiply(party, groups.V, labels.TP - groups.B)
    N = fixed.sum(party, S) + fixed.k * labels.P
    return Ratio(N, labels.P * (1 << fixed.f), fixed.bound)


def aupr(party: Party, labels: Labels, groups: Groups) -> Ratio:
    """The trapezoid [ppAURORA, Alg. 4]; the curve begins at recall 0 with precision 1."""
    if groups.E is None or groups.E_0 is None:
        raise LocalProtocolError("the trapezoid needs the scan both ways")
    fixed = _fixed_point(len(labels.y), c=2)
    S = multiply(party, groups.V, groups.E - groups.B)
    N = groups.E_0 * (1 << fixed.f) + fixed.sum(party, S) + fixed.k * labels.P
    return Ratio(N, labels.P * (2 << fixed.f), fixed.bound)
