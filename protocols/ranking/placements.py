"""DeLong's variance of the AUROC in the clear, by the placements themselves.

[ROC-GLM, Eq. 2-3, erratum 1]: the variance of the positives' placements by P, and that of the
negatives' by N. No sum is centred and nothing is brought to one denominator beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.protocols.ranking.curve import PooledCurve


@dataclass(frozen=True, slots=True)
class Placed:
    """AUROC and its variance."""

    area: Fraction
    variance: Fraction


def area(data: PooledCurve) -> Fraction:
    """The AUROC of the pooled list, in which both classes are."""
    won = sum(((j - i) - (t - s)) * (s + t) for s, t, i, j in data.steps)
    return Fraction(won, 2 * data.P * data.N)


def placed(data: PooledCurve) -> Placed | None:
    """AUROC and variance of the pooled list, None where a class has fewer than two samples."""
    P, N = data.P, data.N
    if P < 2 or N < 2:
        return None
    # twice the share of the negatives below, and of the positives above, with how often it occurs
    of_positives = [(2 * N - (j - t) - (i - s), t - s) for s, t, i, j in data.steps]
    of_negatives = [(s + t, (j - i) - (t - s)) for s, t, i, j in data.steps]
    total = sum(place * count for place, count in of_positives)
    return Placed(
        Fraction(total, 2 * P * N),
        _variance(of_positives, P) / (4 * N * N) / P + _variance(of_negatives, N) / (4 * P * P) / N,
    )


def _variance(places: Sequence[tuple[int, int]], size: int) -> Fraction:
    """The sample variance of the places, each so often."""
    total = sum(place * count for place, count in places)
    squares = sum(place * place * count for place, count in places)
    return (squares - Fraction(total * total, size)) / (size - 1)
