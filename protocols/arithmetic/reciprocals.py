"""Sums of fractions with public denominators: Σ S_j/j by fixed point, with its error.

The products S_j are exact; only 1/j is rounded, to two limbs of f and g bits, both downwards:

    c1_j = floor(2^f / j),    c2_j = floor(2^g · frac(2^f / j)),    c1 + c2/2^g <= 2^f / j,
    A = Σ S_j·c1_j + floor(Σ S_j·c2_j / 2^g).

With Σ S_j <= c·P^2 (c = 1 for the step sum, 2 for the trapezoid) A falls short of 2^f·Σ S_j/j by
less than c·P·n/2^g + 1 <= k·P with k = ceil(c·n/2^g) + 1. Adding k·P, what is divided exceeds the
true ratio by more than 0 and at most

    error = k / (c·2^f).

So a true value half-way between two decimals, or exact, is released correctly; one that lies less
than `error` below half-way may be rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_denominator, truncate
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words

ONE_HUNDREDTH = 100


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

    @classmethod
    def of(cls, n: int, c: int) -> FixedPoint:
        """The fixed point of a size that was found to be held."""
        fixed = cls.fitting(n, c)
        if fixed is None:
            raise LocalProtocolError(f"no fixed point for {n} samples")
        return fixed

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
        """2^f·Σ S_j/j, at most k·P too small. 4 hops."""
        c1, c2 = self.reciprocals()
        return (S * c1).sum() + truncate(party, (S * c2).sum(), self.g)


def sum_cost() -> Spent:
    """The cost of `FixedPoint.sum`, whatever the number of samples."""
    return truncate.cost().of(1)


def fixed_point_holds(n: int, decimals: int, c: int) -> bool:
    """Whether the error of the reciprocals is at most a hundredth of the last decimal."""
    fixed = FixedPoint.fitting(n, c)
    return fixed is not None and fixed.error * ONE_HUNDREDTH * 10**decimals <= 1
