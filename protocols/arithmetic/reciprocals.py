"""Exact whole parts of sums of fractions with public denominators: floor(2·10^d·Σ S_j/j).

The decimals are folded into public weights, so that nothing is rounded before the one division:

    2·10^d / j = w0_j + w1_j/2^g + ... + wL_j/2^(g·L) + a rest below 2^(-g·L),    w1 .. wL < 2^g.

With T_l = Σ_j S_j·wl_j, exact integers, the chain

    X_L = T_L + c·P²,    X_(l-1) = floor(X_l / 2^g) + T_(l-1),    the result X_0

is the whole part of 2Y = 2·10^d·Σ S_j/j, raised by at most c·P²/2^(g·L): what the rests leave out
is below Σ S_j/2^(g·L), and Σ S_j <= c·P² (c = 1 for the step sum, 2 for the trapezoid). So X_0 is
floor(2Y) unless 2Y lies closer than c·P²/2^(g·L) below a whole number.

How sure that is. 2Y has a denominator that divides lcm(1 .. n), so where c·n²·lcm(1 .. n) is at
most 2^(g·L) it cannot happen, and the result is proved exact: up to n = 124 for the trapezoid and
n = 126 for the step sum. Beyond, X_0 can be wrong only for a value within 2^-64 of the last
released decimal from a rounding boundary: L is chosen so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import truncate
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words

LEAST_LIMBS, MOST_LIMBS = 4, 12
CERTAINTY_BITS = 64


@dataclass(frozen=True, slots=True)
class Reciprocals:
    """The weights 2·10^d/j for j = 1 .. n: `limbs` limbs of g bits behind the whole part."""

    n: int
    c: int
    decimals: int
    g: int
    limbs: int

    @classmethod
    def fitting(cls, n: int, c: int, decimals: int) -> Reciprocals | None:
        """The widest limbs that fit the arithmetic, and enough of them; None where none fit.

        A sum of a limb and what is carried into it stay below 2^63: c·n²·2^(g+1) <= 2^63.
        """
        g = ((1 << 62) // (c * n * n)).bit_length() - 1
        if g < 1:
            return None
        # a boundary is hit within c·P²/2^(g·L) of 2Y, which is P/2^(g·L+1) of the last decimal
        limbs = max(LEAST_LIMBS, -(-(CERTAINTY_BITS + (n - 1).bit_length()) // g))
        return cls(n, c, decimals, g, limbs) if limbs <= MOST_LIMBS else None

    @property
    def gap(self) -> Fraction:
        """The distance below an integer that 2Y must keep to be exact; 0 where that is proved."""
        gap = Fraction(self.c * self.n * self.n, 1 << self.g * self.limbs)
        proved = self.n <= 1 << 10 and gap * lcm(*range(1, self.n + 1)) <= 1
        return Fraction(0) if proved else gap

    def weights(self) -> Iterator[Words]:
        """w0, w1, ..., wL, one after the other."""
        j = np.arange(1, self.n + 1, dtype=np.uint64)
        weight, rest = np.divmod(np.uint64(2 * 10**self.decimals), j)
        yield weight
        for _ in range(self.limbs):
            rest <<= np.uint64(self.g)
            weight, rest = np.divmod(rest, j)
            yield weight

    def whole_sum(self, party: Party, S: Shared, square: Shared) -> Shared:
        """floor(2·10^d·Σ S_j/j), where `square` is P². 4 hops a limb."""
        sums = [(S * weight).sum() for weight in self.weights()]
        X = sums.pop() + square * self.c
        while sums:
            X = truncate(party, X, self.g) + sums.pop()
        return X

    def cost(self) -> Cost:
        """The cost of `whole_sum`, whatever the number of samples."""
        one = truncate.cost(bits=self.g).of(1)
        return Cost(self.limbs * one.hops, self.limbs * one.payload)
