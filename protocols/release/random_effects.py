"""The random-effects summary of estimates in the clear, to many digits.

`ppaurora.protocols.ranking.random_effects` has the formulas and their authors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

from ppaurora.protocols.arithmetic.student import scaled_student

DIGITS = 60
QUANTILE_DIGITS = 40


@dataclass(frozen=True, slots=True)
class PooledSummary:
    """μ, the limits of its interval, those of the prediction interval; τ² and I²."""

    limits: tuple[Decimal, Decimal, Decimal, Decimal, Decimal]
    between: Decimal
    inconsistency: Decimal


def pooled_summary(
    estimates: Sequence[Decimal], variances: Sequence[Decimal], tail: Fraction
) -> PooledSummary:
    """The summary of three sites or more, each limit exceeded with this probability.

    >>> same = pooled_summary([Decimal(1)] * 5, [Decimal(2)] * 5, Fraction(1, 40))
    >>> str(same.limits[0]), same.between == same.inconsistency == 0
    ('1', True)
    """
    k = len(estimates)
    with localcontext() as context:
        context.prec = DIGITS
        w = [1 / v for v in variances]
        mean = _weighted(w, estimates) / _total(w)
        Q = _weighted(w, [(θ - mean) ** 2 for θ in estimates])
        excess = max(Decimal(0), Q - (k - 1))
        between = excess / (_total(w) - _weighted(w, w) / _total(w))
        w = [1 / (v + between) for v in variances]
        mean = _weighted(w, estimates) / _total(w)
        square = _weighted(w, [(θ - mean) ** 2 for θ in estimates]) / ((k - 1) * _total(w))
        inner = _student(k - 1, tail) * square.sqrt()
        outer = _student(k - 2, tail) * (between + square).sqrt()
        return PooledSummary(
            (mean, mean - inner, mean + inner, mean - outer, mean + outer),
            between,
            excess / Q if Q else Decimal(0),
        )


def _weighted(weights: Sequence[Decimal], numbers: Sequence[Decimal]) -> Decimal:
    return _total([w * own for w, own in zip(weights, numbers, strict=True)])


def _total(numbers: Sequence[Decimal]) -> Decimal:
    return sum(numbers, Decimal(0))


def _student(df: int, tail: Fraction) -> Decimal:
    return Decimal(scaled_student(df, tail, QUANTILE_DIGITS)).scaleb(-QUANTILE_DIGITS)


def logistic(η: Decimal) -> Decimal:
    """1/(1 + e^-η); 0 to 60 digits and more below -1000.

    >>> logistic(Decimal(0))
    Decimal('0.5')
    """
    with localcontext() as context:
        context.prec = DIGITS
        return 1 / (1 + (-max(η, Decimal(-1000))).exp())


def antilogarithm(x: Decimal, most: int) -> Decimal:
    """e^x, or the most that is released if it is more.

    >>> antilogarithm(Decimal(0), 100), antilogarithm(Decimal(5), 100)
    (Decimal('1'), Decimal('100'))
    """
    with localcontext() as context:
        context.prec = DIGITS
        return min(max(Decimal(-1000), min(x, Decimal(most))).exp(), Decimal(most))
