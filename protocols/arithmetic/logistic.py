"""The logistic function of shared signed numbers: 1/(1 + e^-η), to released decimals.

With η cut off at ±32 and t = e^-|η|,

    1/(1 + t) where η >= 0, t/(1 + t) where it is below.

How exact: beyond 32 the result is within 2·10^-14 of 0 or of 1, and is released as that. |η| is
rounded to a unit of the exponential, whose error t has, so that the result before it is rounded is
within 2·10^-13 of the exact one (`ppaurora.protocols.arithmetic.exponential`). Nobody learns
anything. 18 hops and five for every two decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_divide, wide_multiply, wide_negative_times
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.exponential import Exponential

FARTHEST_BITS = 5
"""log2 of 32."""
EXPONENTIAL = Exponential.fitting(Fraction(1 << FARTHEST_BITS), 13)
"""t of |η|/32."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """The function of numbers in units of 2^-bits, to at most eight decimals."""

    bits: int
    decimals: int

    def of(self, party: Party, η: WideShared) -> Shared:
        """The rounded values, of numbers below 2^(255 - bits)."""
        count, C = len(η), 1 << FARTHEST_BITS + self.bits
        ends = concatenate_wide([η, -η + C, η + C])
        signs, beyond = wide_negative_times(party, ends, ends)
        below, above_C, below_C = (
            beyond[place * count : (place + 1) * count] for place in range(3)
        )
        # |min(max(η, -C), C)|
        size = η + above_C - below_C - (below - below_C) * 2
        one, drop = EXPONENTIAL.one, FARTHEST_BITS + self.bits - EXPONENTIAL.bits
        t = EXPONENTIAL.of(party, size.scaled_down(drop).low())
        turned = wide_multiply(party, signs[:count], t - one)
        return wide_divide(
            party,
            turned + one,
            t + one,
            digits=self.decimals,
            bound=2 * one,
        )

    def cost(self, count: int) -> Cost:
        """The cost of `of` for so many numbers."""
        division = wide_divide.cost(digits=self.decimals, bound=2 * EXPONENTIAL.one)
        return (
            wide_negative_times.cost().of(3 * count)
            + EXPONENTIAL.cost(count)
            + wide_multiply.cost().of(count)
            + division.of(count)
        )
