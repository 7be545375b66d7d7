"""How large numbers may be for the primitives: public bounds, known without computing anything."""

from __future__ import annotations

from ppaurora.mpc.wide_words import WIDE_BITS

ONE = 1 << 62
"""The largest threshold of biased bits: that of a bit which is certainly 1."""
LARGEST_TABLE = 1 << 22
"""Entries of a table: its one-hot vector is then one frame of 32 MiB."""


def largest_denominator(base: int = 10) -> int:
    """The largest D for which no difference in the long division reaches 2^63.

    >>> largest_denominator()
    439208192231179800
    """
    return (2**63 - 1) // (2 * base + 1)


def largest_divisor(digits: int, base: int = 10) -> int:
    """The largest D for which neither N nor a difference of `whole_quotient` reaches 2^63.

    >>> largest_divisor(15) >= 4 * 576
    True
    """
    one: int = base**digits
    return (2**63 - 1) // (one + 1)


def largest_wide_denominator(base: int = 10) -> int:
    """The largest D for which no difference of the long division reaches 2^255.

    >>> largest_wide_denominator(10) > 2**250
    True
    """
    return ((1 << WIDE_BITS - 1) - 1) // (2 * base + 1)


def largest_root_denominator(digits: int, base: int = 10) -> int:
    """The largest D for which no difference of the digits reaches 2^255.

    Before the last digit s <= base^(digits - 1), so that R <= (2s + 1)·D; it is multiplied by
    4·base², and what is subtracted is not larger.

    >>> largest_root_denominator(14) > 2**199
    True
    """
    return ((1 << WIDE_BITS - 1) - 1) // largest_factor_of_root(digits, base, base)


def largest_factor_of_root(digits: int, base: int, last_radix: int) -> int:
    """By how much more than D the largest difference of a root is, of the last step."""
    largest_root: int = base**digits // last_radix
    return 4 * last_radix**2 * (2 * largest_root + 1)
