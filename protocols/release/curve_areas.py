"""Areas under the precision-recall curve that a receiver makes of all its points.

A point is (j, t): j samples have a score at or above a threshold, t of them are positive. There is
one for each group of tied scores, the last one is (n, P). Between two points the precision follows
the straight line of the ROC curve [Thesis, Thm 4.1]: j grows in proportion to t, so that with
h = (j2 - j1)/(t2 - t1)

    ∫ t/(j1 + h·(t - t1)) dt  =  (t2 - t1)/h - (j1 - h·t1)/h²·ln(j2/j1),

which is [Thesis, Eq. 4.9] without its singularity [Thesis, erratum 3]: h is always above 0. All
areas are divided by P. They are computed to 50 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from itertools import groupby, pairwise
from statistics import mean, median

Point = tuple[int, int]
DIGITS = 50


def interpolated(points: Sequence[Point], choose: Callable[[list[Fraction]], Fraction]) -> Decimal:
    """The area through one chosen precision at each recall, from the first recall reached on.

    [Thesis, section 4.3, "Interpolation Estimators"]: `choose` is `max`, `mean` or `median` of all
    precisions that one recall has.

    >>> round(interpolated([(1, 1), (2, 1), (3, 2)], max), 9)
    Decimal('0.387326536')
    """
    chosen = [
        (t / choose([Fraction(t, j) for j, _ in same]), t)
        for t, same in groupby(points, key=lambda point: point[1])
        if t
    ]
    return _area(chosen)


def interpolated_mean(points: Sequence[Point]) -> Decimal:
    """The area through the mean precision at each recall."""
    return interpolated(points, mean)


def interpolated_median(points: Sequence[Point]) -> Decimal:
    """The area through the median precision at each recall."""
    return interpolated(points, median)


def hull(points: Sequence[Point]) -> Decimal:
    """The area under the achievable curve: through the convex hull of the ROC curve, from 0 on.

    [Thesis, section 4.3] after Davis and Goadrich. It is too high, because it chooses the best
    thresholds on the data that it judges [Thesis, section 4.4].

    >>> hull([(1, 1), (2, 2), (3, 2)])
    Decimal('1')
    """
    kept: list[Point] = [(0, 0)]
    for j, t in points:
        # as long as the last point kept lies on or below the line to this one
        while len(kept) > 1 and _turn(kept[-2], kept[-1], (j, t)) >= 0:
            kept.pop()
        kept.append((j, t))
    return _area([(Fraction(j), t) for j, t in kept])


def rounded(area: Decimal, decimals: int) -> str:
    """The decimal text, rounded half up.

    >>> rounded(Decimal(0), 8), rounded(Decimal("0.125"), 2)
    ('0.00000000', '0.13')
    """
    with localcontext() as context:
        context.prec = DIGITS
        # never with an exponent, as `str` writes a zero of seven or more decimals
        return f"{area.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"


def _turn(a: Point, b: Point, c: Point) -> int:
    """Above 0 if b lies below the line from a to c, where t is drawn over j - t, or over j."""
    return (c[1] - a[1]) * (b[0] - a[0]) - (b[1] - a[1]) * (c[0] - a[0])


def _area(ends: Sequence[tuple[Fraction, int]]) -> Decimal:
    """The sum of the pieces between the ends (j, t), divided by the last t."""
    with localcontext() as context:
        context.prec = DIGITS
        pieces = (_piece(*a, *b) for a, b in pairwise(ends) if b[1] > a[1])
        return sum(pieces, Decimal(0)) / ends[-1][1]


def _piece(j1: Fraction, t1: int, j2: Fraction, t2: int) -> Decimal:
    h = (j2 - j1) / (t2 - t1)
    above_line = j1 - h * t1
    level = _decimal((t2 - t1) / h)
    if not above_line:
        return level
    return level - _decimal(above_line / h**2) * _decimal(j2 / j1).ln()


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / value.denominator
