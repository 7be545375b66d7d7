"""e to the power of minus a shared number, in fixed point with a proved error.

A whole number x stands for c = rate·x/2^bits. Its binary digits are cut in three, x = h + m + l,
the first two with about `address` bits each, so that

    e^(-c) = e^(-rate·h/2^bits) · e^(-rate·m/2^bits) · (1 - v)·e^O(v²),    v = rate·l/2^bits.

The first two factors are read from public tables at secret places, the third is linear in l. With

    2^bits >= rate·10^digits/4     rate²·10^digits <= 2^(4·address - 1)     2^guard >= 3·10^digits

the logarithm of the result is within 4·10^-digits of -c for every c that x is nearest to:

    2·10^-digits    half a unit of x,
    1·10^-digits    v²/2, as v < rate/2^(2·address - 1),
    1/2·10^-digits  three roundings to 2^-(guard + 1) each, of the tables and of the slope;

what is left covers the products of these errors. Nobody learns anything. 12 hops.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import lookup, truncate, wide_multiply, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import Words

LOW_BITS = 40
"""A number of the first table is two words, of which the lower one has so many bits."""
SPARE_BITS = 64
"""Computed beyond those of a table: 20 of them cover the steps from its first entry to its last."""
LOG2_E = Fraction(1443, 1000)
"""Not less than log2(e)."""


@dataclass(frozen=True, slots=True)
class Exponential:
    """e^(-rate·x/2^bits) for 0 <= x <= 2^bits; positive for x < 2^(bits + 1) too."""

    rate: Fraction
    bits: int
    address: int
    guard: int

    @classmethod
    def fitting(cls, rate: Fraction, digits: int, step: int = 1) -> Exponential:
        """The least that keeps the error of `digits`, with `bits` a multiple of `step`."""
        scale = 10**digits
        bits = address = step
        while 4 << bits < rate * scale:
            bits += step
        address = 1
        while 1 << 4 * address - 1 < rate**2 * scale:
            address += 1
        return cls(rate, bits, address, (3 * scale).bit_length())

    @property
    def rest(self) -> int:
        """The bits of l."""
        return self.bits - 2 * self.address + 1

    @property
    def scales(self) -> tuple[int, int, int]:
        """The bits behind the point of the three factors; the first may be as small as e^-rate."""
        return self.guard + ceil(self.rate * LOG2_E), self.guard, self.guard + self.rest

    @property
    def one(self) -> int:
        """The integer that represents 1; the result is at most this."""
        return 1 << sum(self.scales)

    @property
    def slope(self) -> int:
        """The decrease of the third factor for each unit of l."""
        return round(self.rate * (1 << self.scales[2]) / (1 << self.bits))

    def of(self, party: Party, x: Shared) -> WideShared:
        """one·e^(-rate·x/2^bits)."""
        n = len(x)
        h = truncate(party, x, self.rest + self.address)
        after = x - h * (1 << self.rest + self.address)
        m = truncate(party, after, self.rest)
        read = lookup(party, concatenate([h, m]), _tables(self))
        high, low, second = read[0][:n], read[1][:n], read[2][n:]
        wide = widen(party, concatenate([high, low, second, after - m * (1 << self.rest)]))
        high_of, low_of, second_of, left = (wide[k * n : (k + 1) * n] for k in range(4))
        first = high_of * (1 << LOW_BITS) + low_of
        # 1 - v
        third = -left * self.slope + (1 << self.scales[2])
        return wide_multiply(party, wide_multiply(party, first, second_of), third)

    def cost(self, n: int) -> Cost:
        """The cost of `of` for n numbers."""
        upper = truncate.cost(bits=self.rest + self.address).of(n)
        lower, product = truncate.cost(bits=self.rest).of(n), wide_multiply.cost().of(n)
        read = lookup.cost(bits=self.address).of(2 * n)
        return upper + lower + read + widen.cost().of(4 * n) + product + product


@lru_cache(maxsize=8)
def _tables(of: Exponential) -> tuple[Words, Words, Words]:
    """Three tables: high and low words of the first factor by h, and the second factor by m.

    The first factor is high·2^`LOW_BITS` + low, in units of 2^-`scales[0]`.
    """
    entries = 1 << of.address
    first = powers(of.rate * 2 / entries, entries, of.scales[0])
    second = powers(of.rate * 2 / entries**2, entries, of.scales[1])
    high, low = zip(*(divmod(value, 1 << LOW_BITS) for value in first), strict=True)
    return (
        np.array(high, np.uint64),
        np.array(low, np.uint64),
        np.array(second, np.uint64),
    )


def powers(step: Fraction, count: int, scale: int) -> list[int]:
    """round(2^scale·e^(-step·i)) for i = 0, 1, ..., and at least 1: the same on every machine.

    >>> powers(Fraction(1, 2), 4, 10)
    [1024, 621, 377, 228]
    """
    bits = scale + SPARE_BITS
    with localcontext() as context:
        context.prec = bits // 3 + 10
        ratio = int((-Decimal(step.numerator) / step.denominator).exp() * (1 << bits))
    half = 1 << SPARE_BITS - 1
    found, value = [], 1 << bits
    for _ in range(count):
        found.append(max(1, value + half >> SPARE_BITS))
        value = value * ratio >> bits
    return found
