"""Words of what one row adds to a sum, where no owner has all that the sum is made of.

Where scores and labels are at different owners (`ppaurora.protocols.pipelines.joined`), the owner
of a score shares with it what its row adds to each sum (`ppaurora.protocols.grid.sums`), of which
there are two numbers where it depends on the label: that of a negative and that of a positive.

    scores    f
    squares   f², and (1 - f)²
    logs      -ln(1 - f), and -ln f, f kept 2^-52 away from 0 and from 1
    excess    f² - f·(1 - f) + 1/8, and (1 - f)² - f·(1 - f) + 1/8
    spread    f·(1 - f)·(1 - 2·f)²

A number travels as three words of b bits each, the first one with what stands before the point, so
that 2^(63-b) rows can be added word by word (`RowWords`): 42 bits, of all words 120 behind the
point, where rows count once, and 36, of all 102 behind the point, where they count by weights. An
excess has two words, since its square has to fit in 256 bits.

Each number is rounded to the last bit, so a sum of n rows is wrong by at most n·2^-121, or by
2^-103 times all weights. Not even that is a sum of scores whose scores are 0 or at least 2^-68, a
sum of squares of scores that are 0 or at least 2^-8, of float32 at least 2^-37, or an excess of
whole multiples of 2^-39. With weights the first is 2^-50, and of float32 the second 2^-28.

Two numbers of one score need not fit together, nor need they fit its code: nobody checks that. Each
is within its bounds, though, so that a row adds no more to a sum, and no less, than some score
does. Where lower scores speak for the positive class, f = 1 - score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.sums import (
    LEAST_DISTANCE,
    MOST_EACH,
    ROOM,
    WORDS,
    Doubles,
    Sum,
    Unit,
)

BY_LABEL = frozenset({Sum.SQUARES, Sum.LOGS, Sum.EXCESS})
"""The sums to which a negative adds another number than a positive."""
BITS_ONCE, BITS_WEIGHTED = 42, 36
BEFORE_POINT = 6
"""Bits before the point of the largest number, a logarithm."""
LARGEST_TOTAL = 1 << 63
DIGITS = 44
"""Of a logarithm: 2^-120 is the 37th digit behind the point."""


@dataclass(frozen=True, slots=True)
class RowWords:
    """The words of each number, of so many bits, the highest first."""

    bits: int

    @classmethod
    def of(cls, largest: int) -> RowWords:
        """The words of rows that count at most so much each."""
        return cls(BITS_ONCE if largest == 1 else BITS_WEIGHTED)

    @staticmethod
    def count(which: Sum) -> int:
        """The number of words of this sum."""
        return WORDS - (which is Sum.EXCESS)

    def unit(self, which: Sum) -> Unit:
        """The unit in which the words of a sum stand for it."""
        return Unit(1 << self._behind_point(which), self.bits)

    def _behind_point(self, which: Sum) -> int:
        return self.count(which) * self.bits - BEFORE_POINT

    @property
    def most(self) -> int:
        """So many rows can be added, each as often as it counts."""
        return LARGEST_TOTAL >> self.bits

    def limits(self, which: Sum) -> list[int]:
        """The largest that each word of a number may be, the highest first."""
        rest = self.count(which) - 1
        highest = int(MOST_EACH[which] * (1 << self._behind_point(which) - rest * self.bits))
        return [highest, *[(1 << self.bits) - 1] * rest]

    def whole(self, which: Sum, scores: Doubles, higher: bool) -> list[list[int]]:
        """The numbers that rows add to a sum, in its unit: those of negatives, then of positives.

        One list where both are the same.
        """
        different, places = np.unique(scores, return_inverse=True)
        found = [
            _rounded(which, score, higher, self._behind_point(which))
            for score in different.tolist()
        ]
        by_label = [list(of) for of in zip(*found, strict=True)] or [[]] * kinds(which)
        return [[own[place] for place in places.tolist()] for own in by_label]

    def split(self, which: Sum, numbers: Sequence[int]) -> list[Words]:
        """The words of these numbers: the highest of each, then the next, ..."""
        low = (1 << self.bits) - 1
        count = self.count(which)
        shifts = range(self.bits * (count - 1), -1, -self.bits)
        return [
            np.array([one >> shift & (low if place else -1) for one in numbers], np.uint64)
            for place, shift in enumerate(shifts)
        ]


def kinds(which: Sum) -> int:
    """The number of numbers that a row shares for a sum: one, or one for each label."""
    return 1 + (which in BY_LABEL)


def _rounded(which: Sum, score: float, higher: bool, bits: int) -> list[int]:
    """The numbers that a row of this score adds, as multiples of 2^-bits."""
    if which is Sum.LOGS:
        clipped = min(max(Fraction(score), LEAST_DISTANCE), 1 - LEAST_DISTANCE)
        found = [_minus_ln(1 - clipped, bits), _minus_ln(clipped, bits)]
    else:
        M, D = score.as_integer_ratio()
        found = [_nearest(*one, bits) for one in _ratios(which, M, D, higher)]
    # what is lost of 1 - score is what is lost of the score for the other label
    return found if higher else found[::-1]


def _ratios(which: Sum, M: int, D: int, higher: bool) -> list[tuple[int, int]]:
    """The numbers that a row of the score M/D adds, as numerators and denominators."""
    R = D - M
    match which:
        case Sum.SCORES:
            return [(M if higher else R, D)]
        case Sum.SQUARES:
            return [(M * M, D * D), (R * R, D * D)]
        case Sum.EXCESS:
            room = int(1 / ROOM)
            expected = room * M * R - D * D
            return [(room * one * one - expected, room * D * D) for one in (M, R)]
        case _:
            return [(M * R * (R - M) ** 2, D**4)]


def _nearest(N: int, D: int, bits: int) -> int:
    return ((N << bits + 1) + D) // (2 * D)


def _minus_ln(x: Fraction, bits: int) -> int:
    with localcontext() as context:
        context.prec = DIGITS
        logarithm = (Decimal(x.numerator) / Decimal(x.denominator)).ln()
        return int((-logarithm * (1 << bits)).to_integral_value())
