"""Natural logarithms of public numbers in fixed point, the same on every machine."""

from __future__ import annotations

SPARE_BITS = 64
"""Computed beyond those asked for, so that many may be added up."""


def log_ratio(a: int, b: int, bits: int) -> int:
    """2^bits·ln(a/b) for a > b > 0, rounded up by at most four units a term of the series.

    2·(x + x³/3 + x⁵/5 + ...) with x = (a - b)/(a + b).

    >>> f"{log_ratio(2, 1, 60) / 2**60:.12f}"
    '0.693147180560'
    """
    square, divisor = (a - b) ** 2, (a + b) ** 2
    term, odd, total = (2 * (a - b) << bits) // (a + b), 1, 4
    while term:
        total += term // odd + 4
        term = term * square // divisor
        odd += 2
    return total


def logarithms(n: int, bits: int) -> list[int]:
    """2^bits·ln(j) for j = 1 .. n < 2^31, rounded down, or to one more.

    >>> [one / 2**40 for one in logarithms(2, 40)]
    [0.0, 0.6931471805592082]
    """
    found, total = [0], 0
    for j in range(2, n + 1):
        total += log_ratio(j, j - 1, bits + SPARE_BITS)
        found.append(total >> SPARE_BITS)
    return found
