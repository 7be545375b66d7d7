"""A wide number on its way to being opened with so many bits behind the point and no more."""

from __future__ import annotations

from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared

OFFSET_BITS = 192


def scaled(x: WideShared, bits: int) -> WideShared:
    """floor(x / 2^bits) or one more, for |x| < 2^192; no message."""
    positive = x + (1 << OFFSET_BITS)
    return positive.scaled_down(bits) - (1 << OFFSET_BITS - bits)


def rounded_down(x: WideShared, bits: int) -> Shared:
    """The same where words hold the result."""
    return scaled(x, bits).low()


def signed(word: int) -> int:
    """The number from -2^63 to below 2^63 that an opened word stands for.

    >>> signed(2**64 - 3), signed(3)
    (-3, 3)
    """
    return word - (1 << 64) if word >> 63 else word
