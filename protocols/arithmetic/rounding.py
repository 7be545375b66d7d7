"""Exact rounding of plaintext numbers: half up, of fractions and of long sums; decimals in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import isqrt

SCALE_BITS = 256
FEW_FRACTIONS = 2000


def half_up(value: Fraction) -> int:
    """The nearest whole number, the upper one of two that are equally near.

    >>> half_up(Fraction(1, 2)), half_up(Fraction(5, 4))
    (1, 1)
    """
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def half_up_root(value: Fraction) -> int:
    """The whole number nearest to the square root, the upper one of two that are equally near.

    >>> half_up_root(Fraction(9, 4)), half_up_root(Fraction(2))
    (2, 1)
    """
    # floor(r + 1/2) = floor((floor(2·r) + 1) / 2)
    return (isqrt(4 * value.numerator // value.denominator) + 1) // 2


def scaled_sum(terms: Callable[[], Iterator[tuple[int, int]]], divisor: int, scale: int) -> int:
    """round_half_up(scale · Σ N/D / divisor) over the pairs (N, D) that `terms()` yields.

    The sum is bracketed to 2^-256; should the rounding depend on less, fractions decide.

    >>> scaled_sum(lambda: iter([(1, 3)] * 3), 2, 1)
    1
    """
    low = count = 0
    for N, D in terms():
        low += (N << SCALE_BITS) // D
        count += 1
    whole = divisor << SCALE_BITS
    least, most = (half_up(Fraction(scale * total, whole)) for total in (low, low + count))
    if least == most:
        return least
    return half_up(scale * sum((Fraction(N, D) for N, D in terms()), Fraction(0)) / divisor)


def exact_sum(terms: Iterable[tuple[int, int]]) -> Fraction:
    """Σ N/D over the pairs (N, D): exact for 2,000 of them, low by at most 2^-256 each for more.

    >>> exact_sum([(1, 2), (1, 3)])
    Fraction(5, 6)
    """
    pairs = list(terms)
    if len(pairs) <= FEW_FRACTIONS:
        return sum((Fraction(N, D) for N, D in pairs), Fraction(0))
    return Fraction(sum((N << SCALE_BITS) // D for N, D in pairs), 1 << SCALE_BITS)


MOST_PLACES = 36


def score_text(score: Fraction) -> str:
    """A score as it is shown: in full, or as its nearest double is written.

    >>> score_text(Fraction(1, 8)), score_text(Fraction(1, 3))
    ('0.125', '0.3333333333333333')
    """
    try:
        return decimal(score)
    except ValueError:
        return repr(float(score))


def decimal(value: Fraction) -> str:
    """A decimal fraction, written in full.

    >>> decimal(Fraction(19, 20)), decimal(Fraction(-3, 2)), decimal(Fraction(1))
    ('0.95', '-1.5', '1')
    """
    places = 0
    while (value * 10**places).denominator != 1:
        if places > MOST_PLACES:
            raise ValueError(f"{value} is no decimal fraction of at most {MOST_PLACES} places")
        places += 1
    whole, rest = divmod(abs(value.numerator) * 10**places // value.denominator, 10**places)
    return f"{'-' if value < 0 else ''}{whole}" + (f".{rest:0{places}d}" if places else "")
