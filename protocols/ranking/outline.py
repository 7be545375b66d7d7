"""The outline of the ROC curve in the clear, and the area under any part of it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from ppaurora.protocols.ranking.curve import PooledCurve

Point = tuple[int, int]


def along_false_positives(data: PooledCurve) -> list[Point]:
    """The corners (negatives, positives) of the curve, from (0, 0) to (N, P)."""
    return [(0, 0), *((j - t, t) for _, t, _, j in data.steps)]


def along_true_positives(data: PooledCurve) -> list[Point]:
    """The corners (P - positives, N - negatives), from (0, 0) to (P, N)."""
    return [(data.P - t, data.N - f) for f, t in reversed(along_false_positives(data))]


def area_within(points: Sequence[Point], lower: Fraction, upper: Fraction) -> Fraction:
    """The share of the whole square that lies under the curve between two shares of its width."""
    width, height = points[-1]
    low, high = lower * width, upper * width
    doubled, clipped = 0, Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(points):
        if low <= x0 and x1 <= high:
            doubled += (x1 - x0) * (y0 + y1)
        elif low < x1 and x0 < high:
            left, right = max(low, Fraction(x0)), min(high, Fraction(x1))
            slope = Fraction(y1 - y0, x1 - x0)
            middle = y0 + slope * ((left + right) / 2 - x0)
            clipped += (right - left) * middle
    return (Fraction(doubled, 2) + clipped) / (width * height)


def area_above(points: Sequence[Point], upper: Fraction, least: Fraction) -> Fraction:
    """The share of the square under the curve, up to a share of its width, above one of its height.

    Where the curve has risen above `least` it stays there.
    """
    width, height = points[-1]
    high, floor = upper * width, least * height
    doubled, columns, clipped = 0, 0, Fraction(0)
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 == x1 or y1 <= floor or x0 >= high:
            continue
        if y0 >= floor and x1 <= high:
            doubled += (x1 - x0) * (y0 + y1)
            columns += x1 - x0
            continue
        slope = Fraction(y1 - y0, x1 - x0)
        left = x0 if y0 >= floor else x0 + (floor - y0) / slope
        right = min(high, Fraction(x1))
        if left < right:
            middle = y0 + slope * ((left + right) / 2 - x0)
            clipped += (right - left) * (middle - floor)
    return (Fraction(doubled, 2) - floor * columns + clipped) / (width * height)
