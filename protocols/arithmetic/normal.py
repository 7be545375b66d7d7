"""The normal law and its quantiles in decimals, the same on every machine.

Servers that multiply their shares by different factors compute nonsense, so what they multiply by
must not depend on a machine's floating point. `decimal` rounds every operation correctly, which is
why the last steps are taken there.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, getcontext, localcontext
from fractions import Fraction
from functools import cache
from statistics import NormalDist

from ppaurora.protocols.arithmetic.rounding import half_up

SMALL_DIGITS = 60
SPARE_DIGITS = 40
"""Computed beyond those asked for: 17 are lost where the tail is 10^-17."""


@cache
def scaled_quantile(tail: Fraction, digits: int) -> int:
    """round(10^digits · z), where a normal variable exceeds z with probability `tail` <= 1/2.

    Newton's method on Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/(3·5) + ...), begun at the nearest double.

    >>> scaled_quantile(Fraction(1, 40), 12)
    1959963984540
    """
    if not 0 < tail <= Fraction(1, 2):
        raise ValueError(f"a tail of {tail}, not above 0 and at most 1/2")
    with localcontext() as context:
        context.prec = digits + SPARE_DIGITS
        smallest = Decimal(10) ** -(digits + 2)
        missing = Decimal(1) / 2 - Decimal(tail.numerator) / tail.denominator
        z = Decimal(-NormalDist().inv_cdf(float(tail)))
        step = Decimal(1)
        while abs(step) > smallest:
            density = _density(z)
            step = (missing - density * _odd_series(z)) / density
            z += step
        return int((z * 10**digits).to_integral_value(ROUND_HALF_UP))


@cache
def scaled_square(tail: Fraction, digits: int) -> int:
    """round(10^digits · z²) of the same z.

    >>> scaled_square(Fraction(1, 40), 6)
    3841459
    """
    z = scaled_quantile(tail, 2 * digits)
    return half_up(Fraction(z * z, 10 ** (3 * digits)))


@cache
def precise_square(tail: Fraction, digits: int) -> tuple[int, int]:
    """T = 10^k and round(T·z²) with so many digits behind the first one that is not 0, or more.

    >>> precise_square(Fraction(1, 40), 6)
    (1000000, 3841459)
    """
    z = scaled_quantile(tail, 2 * SMALL_DIGITS)
    places = digits + max(0, 4 * SMALL_DIGITS - len(str(z * z)) + 1)
    return 10**places, scaled_square(tail, places)


def density_and_tails(x: Decimal, digits: int) -> tuple[Decimal, Decimal, Decimal]:
    """φ(x), Φ(x) and Φ(-x), each to so many digits or more for |x| <= 12.

    >>> [f"{one:.9f}" for one in density_and_tails(Decimal(1), 20)]
    ['0.241970725', '0.841344746', '0.158655254']
    """
    with localcontext() as context:
        context.prec = digits + SPARE_DIGITS
        density = _density(x)
        half = Decimal(1) / 2
        beside = density * _odd_series(x)
        return density, half + beside, half - beside


def _density(x: Decimal) -> Decimal:
    """φ(x) = exp(-x²/2) / sqrt(2π)."""
    return (-x * x / 2).exp() / _root_of_two_pi(getcontext().prec)


def _odd_series(x: Decimal) -> Decimal:
    """x + x³/3 + x⁵/(3·5) + ..., until nothing changes."""
    total, term, odd = Decimal(0), x, 1
    while total + term != total:
        total += term
        odd += 2
        term = term * x * x / odd
    return total


@cache
def _root_of_two_pi(precision: int) -> Decimal:
    with localcontext() as context:
        context.prec = precision
        return (2 * pi()).sqrt()


def pi() -> Decimal:
    """Machin's formula: π = 16·arctan(1/5) - 4·arctan(1/239)."""
    return 16 * _arctan_of_inverse(5) - 4 * _arctan_of_inverse(239)


def _arctan_of_inverse(x: int) -> Decimal:
    """1/x - 1/(3·x³) + 1/(5·x⁵) - ..., until nothing changes."""
    total, power, odd = Decimal(0), Decimal(1) / x, 1
    while total + power / odd != total:
        total += power / odd
        power /= -x * x
        odd += 2
    return total
