"""Areas of all points, against integrals of the thesis's interpolation in recall and precision."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, groupby, pairwise
from statistics import mean, median

import numpy as np
import pytest
from scipy.integrate import quad

from ppaurora.protocols.release.curve_areas import (
    Point,
    hull,
    interpolated,
    interpolated_mean,
    interpolated_median,
    rounded,
)

TABLE_4_1 = [1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
POINTS = list(enumerate(accumulate(TABLE_4_1), 1))


def drawn(seed: int) -> list[Point]:
    """The points of a random list with random ties."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 60))
    labels = np.r_[1, rng.random(n - 1) < rng.choice([0.1, 0.5, 0.9])].astype(int)
    points = list(enumerate(rng.permutation(labels).cumsum().tolist(), 1))
    kept = rng.random(n) < rng.choice([0.3, 1.0])
    return [point for point, keep in zip(points, kept, strict=True) if keep or point[0] == n]


def between(r1: float, p1: float, r2: float, p2: float) -> float:
    """[Thesis, Thm 4.1], integrated over the recall."""
    A, B = (1 - p2) * r2 / (p2 * (r2 - r1)), (1 - p1) * r1 / p1
    a, b = 1 + A - B / (r2 - r1), B - A * r1 + B * r1 / (r2 - r1)
    return float(quad(lambda r: r / (a * r + b), r1, r2, epsabs=1e-13)[0])


def by_integrals(points: list[Point], choose: Callable[[list[Fraction]], Fraction]) -> float:
    P = points[-1][1]
    chosen = [
        (t / P, float(choose([Fraction(t, j) for j, _ in same])))
        for t, same in groupby(points, key=lambda point: point[1])
        if t
    ]
    return sum(between(*one, *other) for one, other in pairwise(chosen))


@pytest.mark.parametrize(
    ("choose", "value"), [(max, "0.402030"), (mean, "0.333334"), (median, "0.320083")]
)
def test_the_table_of_the_thesis_has_its_interpolated_areas(
    choose: Callable[[list[Fraction]], Fraction], value: str
) -> None:
    assert rounded(interpolated(POINTS, choose), 6) == value


def test_mean_and_median_are_what_they_are_called() -> None:
    assert interpolated_mean(POINTS) == interpolated(POINTS, mean)
    assert interpolated_median(POINTS) == interpolated(POINTS, median)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("choose", [max, mean, median])
def test_interpolated_areas_are_the_integrals_of_the_theorem(
    seed: int, choose: Callable[[list[Fraction]], Fraction]
) -> None:
    points = drawn(seed)
    expected = by_integrals(points, choose)
    assert float(interpolated(points, choose)) == pytest.approx(expected, abs=1e-10)


def least_samples(points: list[Point], t: float) -> float:
    """The fewest samples by which t positives are reached, along any line between two points."""
    best = float("inf")
    for j1, t1 in points:
        for j2, t2 in points:
            if t1 < t <= t2:
                best = min(best, j1 + (j2 - j1) * (t - t1) / (t2 - t1))
    return best


@pytest.mark.parametrize("seed", range(4))
def test_the_hull_is_the_best_of_all_lines_between_two_points(seed: int) -> None:
    points = [(0, 0), *drawn(seed)]
    P = points[-1][1]
    steps = np.unique([t for _, t in points])
    area = sum(
        quad(lambda t: t / least_samples(points, t), low, high, epsabs=1e-9)[0]
        for low, high in pairwise(steps)
    )
    assert float(hull(points[1:])) == pytest.approx(area / P, abs=1e-7)


def test_the_hull_is_above_every_other_area_and_at_most_1() -> None:
    for seed in range(20):
        points = drawn(seed)
        assert interpolated(points, max) <= hull(points) <= 1
    assert rounded(hull(POINTS), 4) == "0.6435"


def test_one_recall_has_no_interpolated_area() -> None:
    assert interpolated([(4, 3), (9, 3)], max) == 0


def test_areas_are_rounded_half_up() -> None:
    assert [rounded(Decimal(text), 2) for text in ("0.125", "0.1249999999999999999999", "1")] == [
        "0.13",
        "0.12",
        "1.00",
    ]
