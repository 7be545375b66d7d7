"""Opened numbers in fixed point, and smooth functions of them in 64-bit integers.

The work is the same for every number. Both proxies know the number and multiply their shares by the
value, so that it must not depend on a machine's floating point; and an onlooker may time them, so
that no loop may end when nothing changes any more. A value is read from a table of Taylor
polynomials at the multiples of 1/16, made once, in decimals or in whole numbers of 192 bits, and
evaluated with as many whole multiplications for each number.

A number in units of 2^-62 is below 1 in absolute value, or 1. `FixedFunction` is right to 2^-57 as
the tests compare it with decimals. `scaled` cuts a wide number to the bits that are to be opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cache
from itertools import accumulate

import numpy as np

from ppaurora.mpc.kernels.polynomials import UNIT_BITS, Whole, polynomials, scaled_product
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.normal import density_and_tails

ONE = 1 << UNIT_BITS
PLACE_BITS = 51
"""Behind the point of an argument, whose absolute value is below 2^11."""
COVARIATE_BITS = 58
"""Behind the point of what an argument is a line in, whose absolute value is below 16."""
LINE_BITS = 40
"""Behind the point of the line's two numbers, whose absolute values are at most 50."""
STEP_BITS, TERMS, DIGITS = 4, 13, 60
SERIES_BITS = 192
LARGEST_RATIO = 16
"""a(x) is below 16 up to x = 12, and is tabulated as a share of it."""
SIGMOID_END, NORMAL_END = 43, 12

_UNDER_STEP = PLACE_BITS - STEP_BITS

Series = Callable[[Decimal], Sequence[Decimal]]


def in_line(x: Whole, intercept: int, slope: int) -> Whole:
    """intercept + slope·x in units of 2^-51, of numbers in units of 2^-40 and covariates."""
    along = scaled_product(x, np.full_like(x, slope << PLACE_BITS - LINE_BITS + 4))
    line: Whole = along + (intercept << PLACE_BITS - LINE_BITS)
    return line


@dataclass(frozen=True, slots=True)
class FixedFunction:
    """Taylor polynomials of f at 0, 1/16, 2/16 .. `end`, in units of 2^-62, a row for each."""

    coefficients: Whole
    end: int

    def __call__(self, place: Whole) -> Whole:
        """f(|place|), f(end) beyond the end."""
        size = np.minimum(np.abs(place), self.end << PLACE_BITS)
        row, beyond = (
            size >> _UNDER_STEP,
            (size & (1 << _UNDER_STEP) - 1) << (UNIT_BITS - _UNDER_STEP),
        )
        return polynomials(self.coefficients, row, beyond)


def _tabulated(series: Series, end: int) -> FixedFunction:
    """The function with these Taylor coefficients at each place."""
    rows = []
    with localcontext() as context:
        context.prec = DIGITS
        for step in range((end << STEP_BITS) + 1):
            terms = series(Decimal(step) / (1 << STEP_BITS))
            rows.append([round(c * ONE / (1 << STEP_BITS * k)) for k, c in enumerate(terms)])
    return FixedFunction(np.array(rows, np.int64), end)


@cache
def falling_sigmoid() -> FixedFunction:
    """1/(1 + e^x) for x >= 0: the Taylor series of s with s' = -s·(1 - s), at all places at once.

    In integers in units of 2^-`SERIES_BITS`, since a session waits for it.
    """
    places = range((SIGMOID_END << STEP_BITS) + 1)
    with localcontext() as context:
        context.prec = DIGITS
        unit, step = Decimal(1 << SERIES_BITS), (Decimal(1) / (1 << STEP_BITS)).exp()
        powers = accumulate(places[1:], lambda power, _: power * step, initial=Decimal(1))
        s = [np.array([int(unit / (1 + power)) for power in powers], object)]
    for k in range(TERMS - 1):
        square = sum(s[i] * s[k - i] for i in range(k + 1)) >> SERIES_BITS
        s.append((square - s[k]) // (k + 1))
    cut = [SERIES_BITS - UNIT_BITS + STEP_BITS * k for k in range(TERMS)]
    columns = [(own + (1 << bits - 1)) >> bits for own, bits in zip(s, cut, strict=True)]
    return FixedFunction(np.array(columns, np.int64).T.copy(), SIGMOID_END)


@cache
def normal_functions() -> tuple[FixedFunction, FixedFunction, FixedFunction]:
    """Φ(-x), a(x)/16 and a(x)·φ(x) for x >= 0, with a = φ/(Φ·(1 - Φ))."""
    tail, ratio, weight = (
        _tabulated(lambda x, which=which: _normal_series(x)[which], NORMAL_END)  # type: ignore[misc]
        for which in range(3)
    )
    return tail, ratio, weight


@cache
def _normal_series(x: Decimal) -> tuple[list[Decimal], list[Decimal], list[Decimal]]:
    """The series of the three `normal_functions`: φ' = -x·φ, Φ' = φ, then products and ratios."""
    density, below, above = density_and_tails(x, DIGITS)
    φ, tail = [density], [above]
    for k in range(TERMS - 1):
        φ.append(-(x * φ[k] + (φ[k - 1] if k else 0)) / (k + 1))
        tail.append(-φ[k] / (k + 1))
    head = [below, *(-one for one in tail[1:])]
    a: list[Decimal] = []
    both = _product(head, tail)
    for k in range(TERMS):
        known = sum((a[i] * both[k - i] for i in range(k)), Decimal(0))
        a.append((φ[k] - known) / both[0])
    return tail, [one / LARGEST_RATIO for one in a], _product(a, φ)


def _product(one: Sequence[Decimal], other: Sequence[Decimal]) -> list[Decimal]:
    return [sum((one[i] * other[k - i] for i in range(k + 1)), Decimal(0)) for k in range(len(one))]


def whole_covariates(x: Sequence[Decimal]) -> Whole:
    """Covariates in units of 2^-58."""
    with localcontext() as context:
        context.prec = DIGITS
        return np.array([round(one * (1 << COVARIATE_BITS)) for one in x], np.int64)


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
