"""Fractions written as decimals, in full and never rounded."""

from __future__ import annotations

from fractions import Fraction

MOST_PLACES = 36


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
