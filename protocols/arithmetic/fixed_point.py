"""Sums of fractions with public denominators as fixed-point numbers in Z_2^256: one hop.

With F bits behind the point and whole numbers S_j >= 0 below,

    X = Σ_j S_j·floor(2^F/j),    2^F·Σ S_j/j - Σ S_j < X <= 2^F·Σ S_j/j.

A weight floor(2^F/j) is taken in limbs of g bits, so that a limb's sum stays below 2^63 and is
found without a message; only these few sums are widened. Nobody learns anything.

Where `ppaurora.protocols.arithmetic.reciprocals` finds a whole part at once, this is for what one
computes with further.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import Words

MOST_LIMBS = 24


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """The weights floor(2^F/j) for j = 1 .. n, in limbs of g bits and a highest one of fewer."""

    n: int
    F: int
    g: int

    @classmethod
    def fitting(cls, n: int, most: int, bits: int) -> FixedPoint | None:
        """Weights with `bits` fractional bits; None where the sums do not stay below 2^63.

        `most` is at least n, and at least every Σ S_j.
        """
        g = ((1 << 62) // most).bit_length() - 1
        return cls(n, bits, g) if g >= 1 and bits <= g * MOST_LIMBS else None

    @property
    def limbs(self) -> int:
        return -(-self.F // self.g)

    def weights(self) -> Iterator[Words]:
        """The limbs of all weights, the highest first."""
        j = np.arange(1, self.n + 1, dtype=np.uint64)
        rest, width = np.ones(self.n, np.uint64), self.F - self.g * (self.limbs - 1)
        for _ in range(self.limbs):
            weight, rest = np.divmod(rest << np.uint64(width), j)
            width = self.g
            yield weight

    def sums(self, party: Party, columns: Sequence[Shared]) -> list[WideShared]:
        """X of each column of numbers S_j."""
        limbs = [(S * weight).sum() for weight in self.weights() for S in columns]
        wide = widen(party, concatenate(limbs))
        totals = [WideShared.zeros(party.role, 1) for _ in columns]
        for place in range(len(limbs)):
            column = place % len(columns)
            totals[column] = totals[column] * (1 << self.g) + wide[place : place + 1]
        return totals

    def cost(self, *, columns: int) -> Cost:
        """The cost of `sums`, whatever the number of samples."""
        return widen.cost().of(self.limbs * columns)
