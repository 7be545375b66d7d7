"""Coverage of 95% intervals of calibration, in all and from hospital to hospital, by simulation.

Scores are chances of the labels: drawn risks of hospitals whose odds differ by a factor of their
own, and of slopes the chances that follow from binormal scores, each label drawn. All is drawn in
the clear, by plain formulas in floating point, which the quick tests hold against what is released.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import beta, norm

from ppaurora.protocols.lists.own_slope import BINS, own_slope
from ppaurora.protocols.lists.site_estimate import POINT_BITS, VARIANCE_BITS, log_ratio
from ppaurora.protocols.options import Options
from tests.protocols.statistics.test_many_coverages import RATES, Z, shift, summary
from tests.protocols.studies import Owner, Study, run

Doubles = NDArray[np.float64]
AREAS = (0.6, 0.7, 0.85, 0.95, 0.98)
"""Scores that say nothing have no slope."""
SITES, SITE_SIZES = (5, 20), (30, 100, 400)
SIZES = ((10, 10), (10, 90), (100, 100), (100, 900))
SITE_CLASSES = ((30, 70), (100, 300))
STEPS, MOST_STEP = 40, 1.0
LEAST_VARIANCE, MOST_VARIANCE = 2.0**-24, 8.0


def logit(f: Doubles) -> Doubles:
    return np.log(f) - np.log1p(-f)


def sigmoid(x: Doubles) -> Doubles:
    return np.exp(-np.logaddexp(0, -x))


# -- observed over expected ------------------------------------------------------------------------


def of_ratios(
    share: float, spread: float, k: int, n: int, count: int
) -> tuple[float, float, float, float]:
    """The interval of the mean, the prediction interval, hospitals' own limits; how often any."""
    rng = np.random.default_rng([11, round(1000 * share), round(100 * spread), k, n])
    risks = beta.ppf((np.arange(200) + 0.5) / 200, 4 * share, 4 * (1 - share))
    x = logit(np.clip(risks, 1e-9, 1 - 1e-9))

    def ratios(odds: Doubles) -> Doubles:
        """The true log of O/E of hospitals whose odds are off by these, on the logit scale."""
        return np.log(sigmoid(x + odds[:, None]).mean(axis=1) / sigmoid(x).mean())

    own = rng.normal(0, spread, count * k)
    places = rng.integers(0, len(x), (count * k, n))
    seen = (rng.random(places.shape) < sigmoid(x[places] + own[:, None])).sum(axis=1)
    expected = sigmoid(x)[places].sum(axis=1)
    fine = (seen > 0) & (seen < n)
    θ = np.where(fine, np.log(np.maximum(seen, 1) / expected), np.nan)
    v = np.where(fine, np.maximum((1 - seen / n) / np.maximum(seen, 1), LEAST_VARIANCE), np.nan)
    truth = ratios(own)
    of_own = float((np.abs(θ - truth) <= Z * np.sqrt(v))[fine].mean())
    θ, v = θ.reshape(count, k), v.reshape(count, k)
    enough = (~np.isnan(θ)).sum(axis=1) >= 5
    if not enough.any():
        return float("nan"), float("nan"), of_own, 0.0
    mean, inner, outer = summary(θ[enough], v[enough])
    μ = float(ratios(spread * norm.ppf((np.arange(1000) + 0.5) / 1000)).mean())
    another = ratios(rng.normal(0, spread, len(mean)))
    return (
        float((np.abs(mean - μ) <= inner).mean()),
        float((np.abs(mean - another) <= outer).mean()),
        of_own,
        float(enough.mean()),
    )


# -- slopes and intercepts -------------------------------------------------------------------------


def middles(f: Doubles) -> Doubles:
    """The middle of each score's bin."""
    return (np.minimum((f * BINS).astype(np.int64), BINS - 1) + 0.5) / BINS


def regressed(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """Intercept, slope and the variance of the slope; nan without a maximum. A row each."""
    a, b = np.zeros(len(x)), np.zeros(len(x))
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            p = sigmoid(a[:, None] + b[:, None] * x)
            w, off = p * (1 - p), y - p
            g0, g1 = off.sum(axis=1), (off * x).sum(axis=1)
            i0, i1, i2 = w.sum(axis=1), (w * x).sum(axis=1), (w * x * x).sum(axis=1)
            determinant = i0 * i2 - i1 * i1
            step_a, step_b = (i2 * g0 - i1 * g1) / determinant, (i0 * g1 - i1 * g0) / determinant
            a += np.clip(step_a, -MOST_STEP, MOST_STEP)
            b += np.clip(step_b, -MOST_STEP, MOST_STEP)
        there = (np.abs(step_a) < 1e-8) & (np.abs(step_b) < 1e-8) & (np.abs(b) < 50)
        return tuple(np.where(there, one, np.nan) for one in (a, b, i0 / determinant))  # type: ignore[return-value]


def offset(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """The intercept beside a slope of 1 and its variance; nan of a single class. A row each."""
    a, information = np.zeros(len(x)), np.ones(len(x))
    for _ in range(STEPS):
        p = sigmoid(a[:, None] + x)
        information = np.maximum((p * (1 - p)).sum(axis=1), 1e-300)
        a += np.clip((y - p).sum(axis=1) / information, -MOST_STEP, MOST_STEP)
    both = (y.sum(axis=1) > 0) & (y.sum(axis=1) < y.shape[1])
    return np.where(both, a, np.nan), np.where(both, 1 / information, np.nan)


def drawn_chances(
    rng: np.random.Generator, area: float, classes: tuple[int, int], slopes: Doubles
) -> tuple[Doubles, Doubles]:
    """Logits of scores whose true slopes are these, in bins, and labels; a row for each slope."""
    P, N = classes
    y = (rng.random((len(slopes), P + N)) < P / (P + N)).astype(float)
    d = shift(area)
    z = rng.normal(0, 1, y.shape) + d * y
    true = d * z - d * d / 2 + np.log(P / N)
    return logit(middles(sigmoid(true / slopes[:, None]))), y


def of_slopes(
    area: float, spread: float, k: int, classes: tuple[int, int], count: int
) -> tuple[float, float, float, float]:
    """The interval of the mean slope, the prediction interval, own limits; how often any."""
    rng = np.random.default_rng([12, round(1000 * area), round(100 * spread), k, *classes])
    true = rng.normal(1, spread, count * k)
    _, θ, v = regressed(*drawn_chances(rng, area, classes, true))
    fine = ~np.isnan(v) & (v <= MOST_VARIANCE)
    θ, v = np.where(fine, θ, np.nan), np.where(fine, np.maximum(v, LEAST_VARIANCE), np.nan)
    own = float((np.abs(θ - true) <= Z * np.sqrt(v))[fine].mean())
    θ, v = θ.reshape(count, k), v.reshape(count, k)
    enough = (~np.isnan(θ)).sum(axis=1) >= 5
    mean, inner, outer = summary(θ[enough], v[enough])
    another = rng.normal(1, spread, len(mean))
    return (
        float((np.abs(mean - 1) <= inner).mean()),
        float((np.abs(mean - another) <= outer).mean()),
        own,
        float(enough.mean()),
    )


def of_errors(area: float, classes: tuple[int, int], count: int) -> tuple[float, float]:
    """Slope, and intercept in the large, within 1.96 standard errors of what is true."""
    rng = np.random.default_rng([13, round(1000 * area), *classes])
    x, y = drawn_chances(rng, area, classes, np.ones(count))
    _, b, v = regressed(x, y)
    a, w = offset(x, y)
    slopes, intercepts = ~np.isnan(v), ~np.isnan(w)
    return (
        float((np.abs(b - 1) <= Z * np.sqrt(v))[slopes].mean()),
        float((np.abs(a) <= Z * np.sqrt(w))[intercepts].mean()),
    )


# -- the tables ------------------------------------------------------------------------------------


def cells(numbers: list[float]) -> str:
    return " | ".join(f"{one:.3f}" for one in numbers)


def table_of_ratios(count: int) -> Iterator[str]:
    for n in SITE_SIZES[1:]:
        own = [of_ratios(share, 0.4, 5, n, count)[2] for share in RATES]
        yield f"| `site_values:of=ratio` | {n} | {cells(own)} |"
    for spread in (0.0, 0.4):
        for k in SITES:
            for n in SITE_SIZES:
                found = [of_ratios(share, spread, k, n, count) for share in RATES]
                for name, place in (("mean", 0), ("prediction", 1)):
                    numbers = cells([one[place] for one in found])
                    kind = f"{k} x {n}, spread {spread:g}"
                    yield f"| `observed_expected_sites`, {name} | {kind} | {numbers} |"


def table_of_slopes(count: int) -> Iterator[str]:
    for classes in SIZES:
        found = [of_errors(area, classes, count) for area in AREAS]
        for name, place in (("calibration_slope", 0), ("calibration_in_the_large", 1)):
            numbers = cells([one[place] for one in found])
            yield f"| `{name}` | {classes[0]} + {classes[1]} | {numbers} |"
    for classes in SITE_CLASSES:
        own = [of_slopes(area, 0.2, 5, classes, count)[2] for area in AREAS]
        yield f"| `site_values:of=slope` | {classes[0]} + {classes[1]} | {cells(own)} |"
    for spread in (0.0, 0.2):
        for k in SITES:
            for classes in SITE_CLASSES:
                both = [of_slopes(area, spread, k, classes, count) for area in AREAS]
                for name, place in (("mean", 0), ("prediction", 1)):
                    numbers = cells([one[place] for one in both])
                    kind = f"{k} x {classes[0]} + {classes[1]}, spread {spread:g}"
                    yield f"| `calibration_slope_sites`, {name} | {kind} | {numbers} |"


# -- the tests -------------------------------------------------------------------------------------


def test_simulated_slopes_of_hospitals_are_those_that_their_owners_share() -> None:
    rng = np.random.default_rng(1)
    x, y = drawn_chances(rng, 0.8, (20, 30), np.full(4, 1.2))
    _, slopes, variances = regressed(x, y)
    for row in range(4):
        shared = own_slope(sigmoid(x[row]), y[row].astype(np.int64), True)
        assert shared is not None
        assert shared.θ / 2**POINT_BITS == pytest.approx(slopes[row], rel=1e-8)
        assert shared.v / 2**VARIANCE_BITS == pytest.approx(variances[row], rel=1e-8)


def test_a_separated_hospital_has_no_slope_in_the_simulation_either() -> None:
    x = np.array([[-1.0, -0.5, 0.5, 1.0]])
    assert np.isnan(regressed(x, np.array([[0.0, 0, 1, 1]]))[1])
    assert np.isnan(offset(x, np.ones((1, 4)))[0])


def test_simulated_errors_are_the_released_ones() -> None:
    x, y = drawn_chances(np.random.default_rng(2), 0.75, (40, 60), np.ones(1))
    _, [b], [v] = regressed(x, y)
    [a], [w] = offset(x, y)
    metrics = ("calibration_slope:bins=1024", "calibration_in_the_large:bins=1024")
    owner = Owner(sigmoid(x[0]).tolist(), y[0].astype(int).tolist())
    slope, large = run(Study((owner,), Options(metrics=metrics))).results.values()
    assert f"slope {b:.4f}" in slope
    assert f"slope_se {v**0.5:.4f}" in slope
    assert f"intercept {a:.4f}" in large
    assert f"intercept_se {w**0.5:.4f}" in large


def test_simulated_ratios_have_the_variances_that_owners_share() -> None:
    shared = log_ratio(30, 100, Fraction(25))
    assert shared is not None
    assert shared.θ / 2**POINT_BITS == pytest.approx(float(np.log(30 / 25)))
    assert shared.v / 2**VARIANCE_BITS == pytest.approx((1 - 0.3) / 30)


def test_intervals_of_calibration_hold_the_truth_about_as_often_as_they_say() -> None:
    """Four standard errors of so few draws."""
    assert min(of_ratios(0.3, 0.6, 10, 400, 200)[:3]) > 0.86
    assert min(of_slopes(0.8, 0.1, 10, (60, 100), 100)[:3]) > 0.84
    assert min(of_errors(0.75, (100, 200), 300)) > 0.90


@pytest.mark.soak
@pytest.mark.parametrize("lines", [table_of_ratios, table_of_slopes])
def test_the_coverage_of_every_interval_of_calibration(
    lines: Callable[[int], Iterator[str]],
) -> None:
    for line in lines(400):
        print(line, flush=True)
