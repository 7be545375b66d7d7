"""Owners that solve the released numbers for what another owner has, as the ledger says.

On the logit scale the limits lie evenly around the mean, so the default releases three numbers, of
estimates and variances of all owners. By Newton's method with the pseudo-inverse,

- one owner of five finds estimates of the others that are far apart, and release the same;
- all owners but one find the last one's;
- with I², a fourth number, all owners but two find a few pairs, of which one is the other two's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t

from ppaurora.protocols.lists.site_estimate import SiteEstimate, to_words
from ppaurora.protocols.lists.within_site import SiteNumber
from ppaurora.protocols.pipelines.sites import PooledSites
from ppaurora.protocols.statistics.registry import statistic

Doubles: TypeAlias = NDArray[np.float64]
K = 5
INNER, OUTER = t.isf(0.025, K - 1), t.isf(0.025, K - 2)
NEAR, CLOSE_ENOUGH, STEPS = 1e-10, 1e-6, 25
DECIMALS, MOST_DECIMALS = 4, 8
SOLUTIONS = 6
MOVE, MOVES = 0.04, 8
SAMPLE, ALL = 3, 60


def numbers_of(θ: Doubles, v: Doubles) -> Doubles:
    """The mean, the half widths of both intervals, and I²."""
    w = 1 / v
    Q = float(w @ (θ - w @ θ / w.sum()) ** 2)
    between = max(0.0, (Q - K + 1) / (w.sum() - w @ w / w.sum()))
    w = 1 / (v + between)
    mean = w @ θ / w.sum()
    s2 = w @ (θ - mean) ** 2 / (K - 1) / w.sum()
    return np.array(
        [mean, INNER * s2**0.5, OUTER * (between + s2) ** 0.5, max(0.0, (Q - K + 1) / Q)]
    )


def area(θ: Doubles) -> Doubles:
    found: Doubles = 1 / (1 + np.exp(-θ))
    return found


def logit(p: Doubles) -> Doubles:
    found: Doubles = np.log(p / (1 - p))
    return found


def as_it_is(θ: Doubles) -> Doubles:
    return θ


@dataclass(frozen=True)
class Scale:
    """A summary, the owners' number, and the way from the released scale and back to it."""

    text: str
    number: SiteNumber
    there: Callable[[Doubles], Doubles]
    back: Callable[[Doubles], Doubles]


AREAS = Scale("auroc_sites", SiteNumber.AREA, logit, area)
SLOPES = Scale("calibration_slope_sites", SiteNumber.SLOPE, as_it_is, as_it_is)


def solved(
    of: Callable[[Doubles], Doubles], start: Doubles, wanted: Doubles
) -> tuple[Doubles, float]:
    """A solution near the start, and how far off it is."""
    x, step = start, 1e-6
    for _ in range(STEPS):
        off = of(x) - wanted
        if np.abs(off).max() < NEAR:
            break
        units = step * np.eye(len(x))
        slopes = np.array([(of(x + one) - of(x - one)) / (2 * step) for one in units]).T
        move = np.linalg.pinv(slopes) @ off
        x = x - move * min(1, 0.7 / np.abs(move).max())
    return x, float(np.abs(of(x) - wanted).max())


def released(
    θ: Doubles,
    v: Doubles,
    scale: Scale = AREAS,
    more: str = "",
    decimals: int = DECIMALS,
) -> tuple[str, ...]:
    """The numbers that the program releases of these estimates."""
    words = tuple(
        tuple(to_words(SiteEstimate.of(Decimal(x), Fraction(y))))
        for x, y in zip(θ.tolist(), v.tolist(), strict=True)
    )
    one = statistic(scale.text + more)
    data = PooledSites((2,) * K, (2,) * K, {scale.number: words})
    value = one.decode(list(one.plaintext_words(data, decimals)), decimals)
    [row] = value.rows  # type: ignore[attr-defined]
    return tuple(row)


def as_solved(row: tuple[str, ...], scale: Scale = AREAS) -> Doubles:
    """The mean and the half widths behind what is released."""
    mean, lower, upper, below, above = scale.there(np.array([float(cell) for cell in row[:5]]))
    return np.array([mean, (upper - lower) / 2, (above - below) / 2])


def drawn(rng: np.random.Generator) -> tuple[Doubles, Doubles]:
    """Hospitals whose areas differ by more than chance, about .77."""
    while True:
        θ, v = rng.normal(1.2, 0.45, K), rng.uniform(0.01, 0.08, K)
        if numbers_of(θ, v)[3] > 0:
            return θ, v


def elsewhere(θ: Doubles, v: Doubles, whose: int) -> tuple[Doubles, Doubles]:
    """Estimates that owner 0 cannot tell from these, with that of another as far off as found."""
    there = np.r_[θ[1:], np.log(v[1:])]

    def of(x: Doubles) -> Doubles:
        return numbers_of(np.r_[θ[0], x[: K - 1]], np.r_[v[0], np.exp(x[K - 1 :])])[:3]

    free, wanted, farthest = [x for x in range(2 * K - 2) if x != whose], of(there), there
    for step in (MOVE, -MOVE):
        found = there
        for _ in range(MOVES):
            moved = found.copy()
            moved[whose] += step

            def of_free(x: Doubles, moved: Doubles = moved) -> Doubles:
                whole = moved.copy()
                whole[free] = x
                return of(whole)

            x, off = solved(of_free, found[free], wanted)
            moved[free] = x
            # variances within a factor of three of the true ones
            if off > NEAR or np.abs(moved - there)[K - 1 :].max() > np.log(3):
                break
            found = moved
        farthest = max(farthest, found, key=lambda one: abs(one[whose] - there[whose]))
    return np.r_[θ[0], farthest[: K - 1]], np.r_[v[0], np.exp(farthest[K - 1 :])]


def alone(count: int, seed: int, scale: Scale = AREAS) -> list[float]:
    """By how much each other's number may be elsewhere, in so many studies."""
    rng, distances = np.random.default_rng(seed), []
    for _ in range(count):
        θ, v = drawn(rng)
        row = released(θ, v, scale)
        for whose in range(K - 1):
            other = elsewhere(θ, v, whose)
            assert (other[0][0], other[1][0]) == (θ[0], v[0])
            assert released(*other, scale) == row
            apart = np.abs(scale.back(other[0]) - scale.back(θ))
            distances.append(float(apart[1 + whose]))
    return distances


def all_but_one(count: int, seed: int, scale: Scale = AREAS) -> float:
    """The largest error of the last one's number as the others find it."""
    rng, most = np.random.default_rng(seed), 0.0
    for _ in range(count):
        θ, v = drawn(rng)
        wanted = as_solved(released(θ, v, scale), scale)

        def of(x: Doubles, θ: Doubles = θ, v: Doubles = v) -> Doubles:
            return numbers_of(np.r_[θ[:-1], x[0]], np.r_[v[:-1], np.exp(x[1])])[:3]

        tries = [solved(of, np.array([start, -3.3]), wanted) for start in np.linspace(-1, 3, 9)]
        best, _ = min(tries, key=lambda one: one[1])
        most = max(most, float(np.abs(scale.back(best[:1]) - scale.back(θ[-1:])).max()))
    return most


def all_but_two(count: int, seed: int) -> list[float]:
    """The error of the other two's AUROCs in the best of few solutions, study by study, with I²."""
    rng, errors = np.random.default_rng(seed), []
    for _ in range(count):
        θ, v = drawn(rng)
        row = released(θ, v, AREAS, ":heterogeneity=true", MOST_DECIMALS)
        wanted = np.r_[as_solved(row), float(row[6])]

        def of(x: Doubles, θ: Doubles = θ, v: Doubles = v) -> Doubles:
            return numbers_of(np.r_[θ[:-2], x[:2]], np.r_[v[:-2], np.exp(x[2:])])

        starts = np.linspace(0, 2.4, 5)
        tries = [
            solved(of, np.array([first, second, -3.5, -3.5]), wanted)
            for first in starts
            for second in starts
            if first != second
        ]
        found = {
            tuple(np.sort(area(x[:2])).round(3).tolist()) for x, off in tries if off < CLOSE_ENOUGH
        }
        assert len(found) <= SOLUTIONS
        true = np.sort(area(θ[-2:]))
        errors.append(min(float(np.abs(np.array(pair) - true).max()) for pair in found))
    return errors


def test_one_owner_of_five_finds_the_area_of_nobody() -> None:
    assert min(alone(SAMPLE, 1)) > 0.01


def test_all_owners_but_one_find_the_last_ones_area_as_the_ledger_says() -> None:
    assert all_but_one(SAMPLE, 1) < 0.005


def test_of_slopes_one_owner_finds_nobodys_and_all_but_one_the_last_ones() -> None:
    assert min(alone(SAMPLE, 5, SLOPES)) > 0.05
    assert all_but_one(SAMPLE, 5, SLOPES) < 0.005


def test_with_i2_all_owners_but_two_find_the_areas_of_the_others_as_the_ledger_says() -> None:
    assert np.median(all_but_two(SAMPLE, 1)) < 0.005


@pytest.mark.soak
def test_sixty_studies_are_solved_for_nobody_by_one_owner_of_five() -> None:
    distances = alone(ALL, 2)
    assert min(distances) > 0.01
    assert np.median(distances) > 0.05


@pytest.mark.soak
def test_slopes_of_sixty_studies_are_solved_by_all_but_one_and_by_nobody_alone() -> None:
    distances = alone(ALL, 6, SLOPES)
    assert min(distances) > 0.05
    assert np.median(distances) > 0.2
    assert all_but_one(ALL, 7, SLOPES) < 0.005


@pytest.mark.soak
def test_sixty_studies_are_solved_by_those_whom_the_ledger_names() -> None:
    assert all_but_one(ALL, 3) < 0.005
    assert np.quantile(all_but_two(ALL, 4), 0.8) < 0.005
