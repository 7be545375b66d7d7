"""The doubles nearest to decimals such as 0.25 or -17.125, many of them at once and without Python.

    decimal = [ "+" | "-" ] ( digits [ mark [ digits ] ] | mark digits )

Of the grammar of `numbers.py` this is what has no exponent. The digits become a whole number m
below 10^19, eight at a time, and the value is m / 10^k, rounded once. Whatever is longer or is no
such decimal, and what lies too near the middle of two doubles, is left to be read by itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.sources.columns.fields import WORD_BYTES, Fields

__all__ = ["decimals"]

MOST_DIGITS = 19
TENS = np.array([10**k for k in range(MOST_DIGITS + 1)], np.uint64)
POWERS = TENS.astype(np.float64)
ZEROS = np.uint64(0x3030303030303030)
ABOVE_NINE = np.uint64(0x7676767676767676)
ONES = np.uint64(0x0101010101010101)
TOPS = np.uint64(0x8080808080808080)
EXACT = np.uint64(2**53)
SPLIT = 2.0**27 + 1
DOUBT = 2.0**-88

Doubles = NDArray[np.float64]
Mask = NDArray[np.bool_]


def decimals(fields: Fields, mark: str) -> tuple[Doubles, Mask]:
    """The value of each row, and which rows were read; `mark` stands before the decimals."""
    first = fields.buffer[fields.start]
    negative = first == ord("-")
    signed = negative | (first == ord("+"))
    if signed.any():
        fields = Fields(fields.buffer, fields.start + signed, fields.end)
    m, k, read = _digits(fields, mark)
    values, sure = _quotients(m, k)
    return np.where(negative, -values, values), read & sure


def _digits(fields: Fields, mark: str) -> tuple[Words, NDArray[np.int64], Mask]:
    """m and k of each decimal m / 10^k, and which rows are one of few digits; m is 0 in others."""
    lengths, head = fields.lengths, fields.words_at(fields.start)
    before = np.minimum(_place(head, mark), lengths)
    # behind the mark; -1 where there is none
    k = lengths - before - 1
    read = (before <= WORD_BYTES) & (k <= MOST_DIGITS) & (lengths > (k >= 0))
    before = np.minimum(before, WORD_BYTES)
    k = np.minimum(np.maximum(k, 0), MOST_DIGITS)
    whole, good = _eight(head, before, first=True)
    read &= good & (whole < TENS[MOST_DIGITS - k])
    m = whole * TENS[k]
    for part in range(-(-int(k.max(initial=0)) // WORD_BYTES)):
        count = np.minimum(np.maximum(k - WORD_BYTES * part, 0), WORD_BYTES)
        # a word that would begin before the buffer is not read
        start = fields.end - WORD_BYTES * (part + 1)
        value, good = _eight(fields.words_at(np.maximum(start, 0)), count, first=False)
        read &= good & ((start >= 0) | (count == 0))
        m += value * TENS[WORD_BYTES * part]
    return m * read, k, read


def _place(words: Words, mark: str) -> NDArray[np.int64]:
    """Which byte of each word is the first that is the mark; a large number where none is."""
    # a byte of x is 0 where the mark is, and the lowest of the bits that stay tells of the first
    x = words ^ (ONES * np.uint64(ord(mark)))
    found = (x - ONES) & ~x & TOPS
    lowest = found & (~found + np.uint64(1))
    exponent = (lowest.astype(np.float64).view(np.int64) >> 52) - 1023
    return np.where(found == 0, np.int64(1 << 32), exponent >> 3)


def _eight(words: Words, count: NDArray[np.int64], *, first: bool) -> tuple[Words, Mask]:
    """The whole number in the first or last `count` bytes of each word, and whether it is one."""
    unused = (8 * (WORD_BYTES - count)).astype(np.uint64)
    d = words ^ ZEROS
    d = (d if first else d >> unused) << unused
    good = ((d + ABOVE_NINE) | d) & TOPS == 0
    # two, four and eight digits at a time: 10·a + b, 100·a + b, 10000·a + b
    d = (d * np.uint64(10 << 8 | 1)) >> np.uint64(8) & np.uint64(0x00FF00FF00FF00FF)
    d = (d * np.uint64(100 << 16 | 1)) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
    d = (d * np.uint64(10000 << 32 | 1)) >> np.uint64(32)
    return d, good


def _quotients(m: Words, k: NDArray[np.int64]) -> tuple[Doubles, Mask]:
    """m / 10^k as the nearest double, and where it is sure to be the nearest.

    A division of two exact doubles rounds once. A larger m is its nearest double h and a rest:
    h / 10^k leaves a remainder that is a double too, and (remainder + rest) / 10^k is known to
    2^-90 of the value. Added to h / 10^k it gives the nearest double, unless so little more or less
    would give another one.
    """
    p = POWERS[k]
    if (m <= EXACT).all():
        return m.astype(np.float64) / p, np.ones(len(m), np.bool_)
    h = m.astype(np.float64)
    rest = (m - h.astype(np.uint64)).view(np.int64).astype(np.float64)
    q = h / p
    remainder = (h - q * p) - _product_error(q, p)
    more = (remainder + rest) / p
    doubt = DOUBT * q
    values = q + more
    return values, (q + (more - doubt) == values) & (q + (more + doubt) == values)


def _product_error(a: Doubles, b: Doubles) -> Doubles:
    """a·b - fl(a·b), exactly [Dekker]."""
    a_high, b_high = SPLIT * a, SPLIT * b
    a_high, b_high = a_high - (a_high - a), b_high - (b_high - b)
    a_low, b_low = a - a_high, b - b_high
    error: Doubles = a_low * b_low - (((a * b - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return error
