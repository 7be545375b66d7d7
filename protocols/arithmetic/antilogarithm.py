"""e to the power of shared signed numbers, up to a public largest value, to released decimals.

With x at most ln M and t = e^-(ln M - x), which is cut off at e^-32,

    e^x = M·t,    M = 10^tens.

How exact: ln M - x is rounded to a unit of the exponential, whose error t has, so that before it is
rounded the result is within 10^-12 of itself (`ppaurora.protocols.arithmetic.exponential`), and one
below M·e^-32 within 2·10^-14·M. Nobody learns anything. 17 hops and five for every two decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_divide, wide_negative_times
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.logistic import EXPONENTIAL, FARTHEST_BITS

DIGITS = 60


@dataclass(frozen=True, slots=True)
class Antilogarithm:
    """The function of numbers in units of 2^-bits, at most 10^tens, to so many decimals."""

    bits: int
    tens: int
    decimals: int

    def of(self, party: Party, x: WideShared) -> Shared:
        """The rounded values, of numbers below 2^(255 - bits)."""
        count, C = len(x), 1 << FARTHEST_BITS + self.bits
        below = -x + _scaled_logarithm(self.tens, self.bits)
        ends = concatenate_wide([below, -below + C])
        _, beyond = wide_negative_times(party, ends, ends)
        # min(max(below, 0), C)
        size = below - beyond[:count] + beyond[count:]
        t = EXPONENTIAL.of(
            party, size.scaled_down(FARTHEST_BITS + self.bits - EXPONENTIAL.bits).low()
        )
        one = EXPONENTIAL.one
        whole = WideShared.public(party.role, [one] * count)
        return wide_divide(party, t, whole, digits=self.decimals + self.tens, bound=one)

    def cost(self, count: int) -> Cost:
        """The cost of `of` for so many numbers."""
        digits = self.decimals + self.tens
        division = wide_divide.cost(digits=digits, bound=EXPONENTIAL.one).of(count)
        return wide_negative_times.cost().of(2 * count) + EXPONENTIAL.cost(count) + division


@cache
def _scaled_logarithm(tens: int, bits: int) -> int:
    """round(2^bits·ln 10^tens)."""
    with localcontext() as context:
        context.prec = DIGITS
        return int((tens * Decimal(10).ln() * (1 << bits)).to_integral_value())
