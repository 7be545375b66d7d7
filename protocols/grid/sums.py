"""Sums that an owner computes of its scores: exact, as integers in units of 2^-134.

    scores    Σ f between the cut points of the study
    squares   Σ (y - f)² = Σ f² - 2·Σ_(y=1) f + P
    logs      -Σ (y·ln f + (1 - y)·ln(1 - f)), f kept 2^-52 away from 0 and from 1
    excess    Σ ((y - f)² - f·(1 - f) + 1/8), by how much squared errors exceed the expected ones
    spread    Σ f·(1 - f)·(1 - 2·f)² = Σ f - 5·Σ f² + 8·Σ f³ - 4·Σ f⁴, their variance

A double is M·2^e with a whole M below 2^53, so sums of powers of f are whole numbers for each e:
nothing is rounded before the whole sum is, once, to 2^-134, and to 2^-80 an excess, whose square
has to fit in 256 bits. Not even then is a sum of scores whose scores are 0 or at least 2^-82, a sum
of squares whose scores are 0 or at least 2^-15, or an excess or a spread whose scores are whole
multiples of 2^-34. A sum of logarithms is the logarithm of one product, which is cut off to 320
bits after every 64 factors, and taken to 60 digits: with the rounding its error is below 2^-134 for
up to 2^31 samples.

A sum travels as three words, high·2^-26 + middle·2^-80 + low·2^-134, of which 511 uploads can be
added.

Where lower scores speak for the positive class, f = 1 - score: a loss or an excess is then that of
the score for the other label, the spread is the same, and no rounding of 1 - score comes in.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import Words

HIGH_BITS, LOW_BITS, WORDS = 26, 54, 3
BITS = HIGH_BITS + (WORDS - 1) * LOW_BITS
SCALE = 1 << BITS
MOST_UPLOADS = (1 << 63 - LOW_BITS) - 1
"""The most low words whose sum stays below 2^63."""
MANTISSA_BITS = 53
LEAST_DISTANCE = Fraction(1, 1 << 52)
LIMB_BITS = 27
"""A mantissa is multiplied in two limbs."""
LOW_LIMB = (1 << LIMB_BITS) - 1
EXCESS_BITS = 80
"""Behind the point of an excess."""
ROOM = Fraction(1, 8)
"""By so much more than that the excess of one sample is never below 0."""
BLOCK = 1 << 20
"""The most numbers below 2^32 whose sum stays below 2^53, which a double represents."""
FACTORS, PRODUCT_BITS, DIGITS = 64, 320, 60

Doubles: TypeAlias = "NDArray[np.float64]"
Numbers: TypeAlias = "NDArray[np.int64]"


@dataclass(frozen=True, slots=True)
class Unit:
    """Units of 1/`scale` in which words stand for a sum, each 2^`apart` of the word behind it."""

    scale: int = SCALE
    apart: int = LOW_BITS


OF_OWNERS = Unit()
"""The unit of the words that owners upload."""


class Sum(StrEnum):
    """A sum that a statistic may ask for beside the counts."""

    SCORES = "scores"
    """The sum of the scores between the cut points of the study."""
    SQUARES = "squares"
    """The sum of the squared errors."""
    LOGS = "logs"
    """The sum of the logarithmic losses."""
    EXCESS = "excess"
    """By how much the squared errors exceed those that the scores make expect, and `ROOM` each."""
    SPREAD = "spread"
    """The variance of this, had the scores been right."""


MOST_EACH = {
    Sum.SCORES: Fraction(1),
    Sum.SQUARES: Fraction(1),
    Sum.LOGS: Fraction(37),
    Sum.EXCESS: 1 + ROOM,
    Sum.SPREAD: Fraction(1, 16),
}
"""No sample adds more than this to a sum."""


def sums_of(
    which: Sum, scores: Doubles, labels: Words, parts: Numbers, count: int, higher: bool
) -> list[Fraction]:
    """The sums of one list: of the scores in each of `count` parts, or the one of a loss.

    `parts` says in which part each row is, `higher` which scores speak for the positive class.
    """
    return [_rounded(which, one) for one in _whole(which, scores, labels, parts, count, higher)]


def sums_of_repeated(
    which: Sum,
    scores: Doubles,
    labels: Words,
    times: Words | Numbers,
    parts: Numbers,
    count: int,
    higher: bool,
) -> list[Fraction]:
    """The same of rows that count so many `times` each, as cells or weighted samples do.

    The sums are linear in the rows, so those of the rows whose number has a bit of 2^k, each once,
    count 2^k times.

    >>> scores, labels, times = np.array([0.5, 0.5]), np.array([1, 0]), np.array([3, 5])
    >>> sums_of_repeated(Sum.SQUARES, scores, labels, times, np.array([0, 0]), 1, True)
    [Fraction(2, 1)]
    """
    totals = [Fraction(0)] * (count if which is Sum.SCORES else 1)
    for bit in range(int(times.max(initial=0)).bit_length()):
        rows = np.flatnonzero(times & times.dtype.type(1 << bit))
        found = _whole(which, scores[rows], labels[rows], parts[rows], count, higher)
        totals = [total + (1 << bit) * one for total, one in zip(totals, found, strict=True)]
    return [_rounded(which, total) for total in totals]


def _rounded(which: Sum, total: Fraction) -> Fraction:
    """A sum as it is shared: of an excess fewer bits, since its square has to fit."""
    if which is not Sum.EXCESS:
        return total
    return Fraction(round(total * (1 << EXCESS_BITS)), 1 << EXCESS_BITS)


def _whole(
    which: Sum, scores: Doubles, labels: Words, parts: Numbers, count: int, higher: bool
) -> list[Fraction]:
    """The sums of one list before any is rounded."""
    # a loss of 1 - score is that of the score for the other label
    y = (labels == 1) == higher
    if which is Sum.SCORES:
        found = score_sums(scores, parts, count)
        if higher:
            return found
        sizes = np.bincount(parts, minlength=count).tolist()
        return [size - one for size, one in zip(sizes, found, strict=True)]
    if which is Sum.LOGS:
        return [log_loss_sum(scores, y)]
    if which is Sum.SPREAD:
        f, f2, f3, f4 = power_sums(scores, 4)
        return [f - 5 * f2 + 8 * f3 - 4 * f4]
    f, f2 = power_sums(scores, 2)
    [positives] = power_sums(scores[y], 1)
    squares = f2 - 2 * positives + int(y.sum())
    if which is Sum.SQUARES:
        return [squares]
    return [squares - f + f2 + ROOM * len(scores)]


def score_sums(scores: Doubles, parts: Numbers, count: int) -> list[Fraction]:
    """Σ f of the rows in each of `count` parts, exactly.

    >>> score_sums(np.array([0.1, 0.25, 0.5]), np.array([1, 0, 0]), 2)[0]
    Fraction(3, 4)
    """
    M, exponents, kinds = _as_whole(scores)
    totals = _added(M, parts * len(kinds) + exponents, count * len(kinds))
    return [
        _with_exponents(totals[part * len(kinds) : (part + 1) * len(kinds)], kinds)
        for part in range(count)
    ]


def power_sums(scores: Doubles, most: int) -> list[Fraction]:
    """Σ f, Σ f², up to the power `most`, exactly.

    >>> power_sums(np.array([0.5, 0.25]), 2)
    [Fraction(3, 4), Fraction(5, 16)]
    """
    M, exponents, kinds = _as_whole(scores)
    mantissa = [M & LOW_LIMB, M >> LIMB_BITS]
    power, found = mantissa, []
    for k in range(1, most + 1):
        if k > 1:
            power = _times(power, mantissa)
        totals = [0] * len(kinds)
        for place, limb in enumerate(power):
            added = _added(limb, exponents, len(kinds))
            totals = [
                total + (one << place * LIMB_BITS) for total, one in zip(totals, added, strict=True)
            ]
        found.append(_with_exponents(totals, [k * e for e in kinds]))
    return found


def _times(a: Sequence[Numbers], b: Sequence[Numbers]) -> list[Numbers]:
    """The product of numbers in limbs of 27 bits, of which b has two."""
    products = [np.zeros_like(b[0]) for _ in range(len(a) + 2)]
    for place, limb in enumerate(a):
        for beside, other in enumerate(b):
            products[place + beside] += limb * other
    for place in range(len(a) + 1):
        products[place + 1] += products[place] >> LIMB_BITS
        products[place] &= LOW_LIMB
    return products


def log_loss_sum(scores: Doubles, y: NDArray[np.bool_]) -> Fraction:
    """-Σ ln f of the rows in y and -Σ ln(1 - f) of the others, to 2^-160."""
    least = float(LEAST_DISTANCE)
    M, exponents, kinds = _as_whole(np.clip(scores, least, 1 - least))
    product, halvings = 1, 0
    for kind, e in enumerate(kinds):
        for wanted in (True, False):
            rows = M[(exponents == kind) & (y == wanted)].tolist()
            # f = M·2^e and 1 - f = (2^-e - M)·2^e
            factors = rows if wanted else [(1 << -e) - row for row in rows]
            halvings -= e * len(factors)
            for start in range(0, len(factors), FACTORS):
                product *= math.prod(factors[start : start + FACTORS])
                more = max(0, product.bit_length() - PRODUCT_BITS)
                product >>= more
                halvings -= more
    with localcontext() as context:
        context.prec = DIGITS
        # halvings may be 2^37, of which 48 digits are left behind the point
        return Fraction(_ln_2() * halvings - Decimal(product).ln())


@cache
def _ln_2() -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(2).ln()


def _as_whole(x: Doubles) -> tuple[Numbers, Numbers, list[int]]:
    """Doubles as M·2^e: M, for each row which of the exponents that occur is its e, and these."""
    fractions, exponents = np.frexp(x)
    M = np.ldexp(fractions, MANTISSA_BITS).astype(np.int64)
    kinds, places = np.unique(exponents.astype(np.int64), return_inverse=True)
    return M, places.astype(np.int64).reshape(-1), [e - MANTISSA_BITS for e in kinds.tolist()]


def _added(numbers: Numbers, groups: Numbers, count: int) -> list[int]:
    """The sum of the numbers of each group; they are at least 0."""
    halves = (0, 32) if int(numbers.max(initial=0)) >> 32 else (0,)
    totals = [0] * count
    for start in range(0, len(numbers), BLOCK):
        rows = slice(start, start + BLOCK)
        for shift in halves:
            half = numbers[rows] >> shift & 0xFFFFFFFF
            added = np.bincount(groups[rows], half, count).astype(np.int64).tolist()
            totals = [total + (one << shift) for total, one in zip(totals, added, strict=True)]
    return totals


def _with_exponents(totals: Sequence[int], exponents: Sequence[int]) -> Fraction:
    """Σ total·2^e, of exponents below 0."""
    if not totals:
        return Fraction(0)
    least = min(exponents)
    whole = sum(total << e - least for total, e in zip(totals, exponents, strict=True))
    return Fraction(whole, 1 << -least)


def to_words(sums: Iterable[Fraction]) -> list[int]:
    """The high words of all sums, then the middle ones, then the low ones.

    >>> to_words([Fraction(3, 2), Fraction(1, 1 << 134)])
    [100663296, 0, 0, 0, 0, 1]
    """
    scaled = [round(total * SCALE) for total in sums]
    low = (1 << LOW_BITS) - 1
    return [
        *(total >> 2 * LOW_BITS for total in scaled),
        *(total >> LOW_BITS & low for total in scaled),
        *(total & low for total in scaled),
    ]


def limits(which: Sum, count: int, size: int) -> list[int]:
    """The most that each word of `count` sums over `size` samples can be, high words first."""
    most, low = int(MOST_EACH[which] * (size << HIGH_BITS)), (1 << LOW_BITS) - 1
    return [most] * count + [low] * (WORDS - 1) * count


def real(words: Sequence[int]) -> list[Fraction]:
    """The sums behind words in the clear."""
    count = len(words) // WORDS
    return [
        Fraction((high << 2 * LOW_BITS) + (middle << LOW_BITS) + low, SCALE)
        for high, middle, low in zip(
            words[:count], words[count : 2 * count], words[2 * count :], strict=True
        )
    ]


def together(words: Sequence[WideShared], unit: Unit = OF_OWNERS) -> WideShared:
    """The sums behind their wide words, as multiples of 1/`unit.scale`."""
    total = words[0]
    for word in words[1:]:
        total = total * (1 << unit.apart) + word
    return total


def joined(party: Party, *words: Shared, unit: Unit = OF_OWNERS) -> WideShared:
    """The sums in this unit, or of owners in 2^-80 without the low words. One hop."""
    wide, count = widen(party, concatenate(words)), len(words[0])
    return together([wide[k * count : (k + 1) * count] for k in range(len(words))], unit)


def joined_cost(count: int, words: int = WORDS) -> Cost:
    """The cost of `joined` for so many sums."""
    return widen.cost().of(words * count)
