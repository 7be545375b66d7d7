"""The chi-square of several AUROCs: its p-value, and the test itself from released numbers.

With L the differences of all models to the first one, the test that all AUROCs θ are equal is

    χ² = (L·θ)ᵀ·(L·S·Lᵀ)⁻¹·(L·θ),    with k - 1 degrees of freedom,

which is the same for all L of that rank. `bounded_chi_square` takes it from θ and S that were
rounded, each within half a unit u of its last decimal: then L·θ is wrong by at most u, and an entry
of L·S·Lᵀ by at most 2·u. With m = k - 1, the rounded matrix A and x = A⁻¹·L·θ, an error E has
|E| <= 2·m·u, and with r = 2·m·u·|A⁻¹| < 1

    |χ² - xᵀ·L·θ| <= (2·m·u·|x|² + 2·√m·u·|x| + m·u²·|A⁻¹|) / (1 - r),

where |A⁻¹| is the Frobenius norm. All in fractions; where r is 1 or more, a matrix without an
inverse is among those that are so rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt

from ppaurora.protocols.arithmetic.normal import density_and_tails
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.release.values import decimal_text, p_text

DECIMALS = 3
TENS = 4
"""A chi-square of 10^4 or more is told as that."""
LARGEST: int = 10 ** (TENS + DECIMALS)
AT_LEAST = f"at least {10**TENS}"
CERTAINLY_SMALL = Decimal(100)
"""Beyond it p is below 0.0001 for up to 30 degrees of freedom."""
DIGITS, ROOT_BITS = 30, 256

Matrix = Sequence[Sequence[Fraction]]


def chi_square_text(word: int) -> str:
    """A chi-square in units of its last decimal.

    >>> chi_square_text(3841), chi_square_text(LARGEST)
    ('3.841', 'at least 10000')
    """
    return AT_LEAST if word == LARGEST else decimal_text(word, DECIMALS)


def chi_square_p(text: str, df: int) -> str:
    """The p-value of a chi-square that is written as a number or as "at least 10000".

    With an even number of degrees of freedom it is e^(-x/2)·Σ (x/2)^i/i! over i < df/2; with an odd
    one 2·Φ(-√x) + 2·φ(√x)·Σ √x^(2i-1)/(1·3···(2i-1)) over i <= (df-1)/2.

    >>> chi_square_p("3.841", 1), chi_square_p("5.991", 2), chi_square_p("7.815", 3)
    ('0.05001', '0.05001', '0.04999')
    """
    x = Decimal(text.split()[-1])
    if x > CERTAINLY_SMALL:
        return p_text(Decimal(0))
    with localcontext() as context:
        context.prec = DIGITS
        if df % 2 == 0:
            term, total = Decimal(1), Decimal(0)
            for i in range(df // 2):
                total += term
                term = term * x / 2 / (i + 1)
            return p_text((-x / 2).exp() * total)
        root = x.sqrt()
        density, _, tail = density_and_tails(root, DIGITS)
        term, total = root, Decimal(0)
        for i in range(1, (df - 1) // 2 + 1):
            total += term
            term = term * x / (2 * i + 1)
        return p_text(2 * tail + 2 * density * total)


@dataclass(frozen=True, slots=True)
class Bounded:
    """A chi-square, and how far the one of the numbers before their rounding may be from it."""

    value: Fraction
    error: Fraction

    def text(self) -> str | None:
        """The value with as many decimals as are certain, at most three; None if not even one."""
        low, high = max(self.value - self.error, Fraction(0)), self.value + self.error
        if low >= 10**TENS:
            return AT_LEAST
        for decimals in range(DECIMALS, -1, -1):
            word = half_up(low * 10**decimals)
            if word == half_up(high * 10**decimals):
                return decimal_text(word, decimals) if decimals else str(word)
        return None


def contrasts(areas: Sequence[Fraction], matrix: Matrix) -> tuple[list[Fraction], Matrix]:
    """L·θ and L·S·Lᵀ, for the differences to the first model."""
    others = range(1, len(areas))
    gains = [areas[r] - areas[0] for r in others]
    spread = [
        [matrix[r][s] - matrix[r][0] - matrix[0][s] + matrix[0][0] for s in others] for r in others
    ]
    return gains, spread


def chi_square(areas: Sequence[Fraction], matrix: Matrix) -> Fraction | None:
    """The chi-square of exact numbers, None where the matrix of differences has no inverse."""
    gains, spread = contrasts(areas, matrix)
    inverse = inverted(spread)
    if inverse is None:
        return None
    solved = [_dot(row, gains) for row in inverse]
    return _dot(solved, gains)


def bounded_chi_square(areas: Sequence[Fraction], matrix: Matrix, unit: Fraction) -> Bounded | None:
    """The chi-square of numbers that are rounded to this unit.

    None where they may be those of a matrix without an inverse.
    """
    gains, spread = contrasts(areas, matrix)
    inverse = inverted(spread)
    if inverse is None:
        return None
    m, x = len(gains), [_dot(row, gains) for row in inverse]
    norm = _root_above(sum((one * one for row in inverse for one in row), Fraction(0)))
    length = _root_above(_dot(x, x))
    r = 2 * m * unit * norm
    if r >= 1:
        return None
    error = 2 * m * unit * length**2 + 2 * _root_above(Fraction(m)) * unit * length
    return Bounded(_dot(x, gains), (error + m * unit**2 * norm) / (1 - r))


def inverted(matrix: Matrix) -> list[list[Fraction]] | None:
    """The inverse by Gauss and Jordan's elimination, None if there is none."""
    m = len(matrix)
    rows = [[*row, *(Fraction(place == at) for at in range(m))] for place, row in enumerate(matrix)]
    for column in range(m):
        pivot = next((place for place in range(column, m) if rows[place][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column][column]
        rows[column] = [one / head for one in rows[column]]
        for place in range(m):
            factor = rows[place][column]
            if place != column and factor:
                rows[place] = [
                    one - factor * other
                    for one, other in zip(rows[place], rows[column], strict=True)
                ]
    return [row[m:] for row in rows]


def _dot(first: Sequence[Fraction], second: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(first, second, strict=True)), Fraction(0))


def _root_above(square: Fraction) -> Fraction:
    """A number that is a little more than the root."""
    scaled = -(-(square.numerator << ROOT_BITS) // square.denominator)
    return Fraction(isqrt(scaled) + 1, 1 << ROOT_BITS // 2)
