"""Quantiles of Student's t with whole degrees of freedom, the same on every machine.

With cos² = ν/(ν + t²), P(|T| <= t) has ν/2 terms [Abramowitz and Stegun, 26.7.3 and 26.7.4]:

    ν even    sin·(1 + 1/2·cos² + (1·3)/(2·4)·cos⁴ + ... up to cos^(ν-2))
    ν odd     2/π·(arctan(t/√ν) + sin·cos·(1 + 2/3·cos² + (2·4)/(3·5)·cos⁴ + ... up to cos^(ν-3)))

As in `ppaurora.protocols.arithmetic.normal`, every step is taken in decimals.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import cache

from ppaurora.protocols.arithmetic.normal import SPARE_DIGITS, pi, scaled_quantile

FEWEST_DIGITS = 12
HALVINGS = 4
"""An arctangent's argument is below 1/16 when its series is summed."""


@cache
def scaled_student(df: int, tail: Fraction, digits: int) -> int:
    """round(10^digits · t), where T with `df` degrees of freedom exceeds t with this probability.

    Newton's method on a tail that is convex, begun at the normal quantile, which is less: so it
    comes nearer from the same side in every step.

    >>> scaled_student(3, Fraction(1, 40), 12)
    3182446305284
    """
    if df < 1:
        raise ValueError(f"{df} degrees of freedom, fewer than 1")
    spare = max(digits, FEWEST_DIGITS)
    with localcontext() as context:
        context.prec = spare + 2 * SPARE_DIGITS
        smallest = Decimal(10) ** -(spare + 2)
        wanted = Decimal(tail.numerator) / tail.denominator
        t = Decimal(scaled_quantile(tail, spare)) / 10**spare
        step, π, steepness = Decimal(1), pi(), _steepness(df)
        while abs(step) > smallest:
            above, density = _tail_and_density(df, t, π, steepness)
            step = (above - wanted) / density
            t += step
        return int((t * 10**digits).to_integral_value(ROUND_HALF_UP))


def _steepness(df: int) -> Decimal:
    """K in dP/d arctan = K·cos^(ν-1): 1 for two degrees of freedom, 2/π for one."""
    value, start = (Decimal(1), 2) if df % 2 == 0 else (2 / pi(), 1)
    for ν in range(start, df, 2):
        value = value * (ν + 1) / ν
    return value


def _tail_and_density(df: int, t: Decimal, π: Decimal, steepness: Decimal) -> tuple[Decimal, ...]:
    square = df / (df + t * t)
    cos = square.sqrt()
    sin = t / (df + t * t).sqrt()
    odd = df % 2
    total, term = Decimal(0), Decimal(1)
    for place in range(1, (df - odd) // 2 + 1):
        total += term
        even = 2 * place
        term = term * square * (Decimal(even) / (even + 1) if odd else Decimal(even - 1) / even)
    inside = 2 / π * (_arctan(t / Decimal(df).sqrt()) + sin * cos * total) if odd else sin * total
    density = steepness * cos ** (df + 1) / (2 * Decimal(df).sqrt())
    return (1 - inside) / 2, density


def _arctan(x: Decimal) -> Decimal:
    """arctan x = 2·arctan(x / (1 + √(1 + x²))), a few times, then its series."""
    for _ in range(HALVINGS):
        x = x / (1 + (1 + x * x).sqrt())
    total, power, odd = Decimal(0), x, 1
    while total + power / odd != total:
        total += power / odd
        power *= -x * x
        odd += 2
    return total * (1 << HALVINGS)
