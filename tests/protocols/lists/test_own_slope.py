"""An owner's calibration slope: against statsmodels, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from ppaurora.protocols.lists.own_slope import BINS, own_slope
from ppaurora.protocols.lists.scale import Doubles
from ppaurora.protocols.lists.site_estimate import POINT_BITS, VARIANCE_BITS
from ppaurora.protocols.statistics.calibration_slope import CalibrationSlope

DRAWN = 40


def drawn(rng: np.random.Generator) -> tuple[Doubles, np.ndarray, bool]:
    n, higher = int(rng.integers(60, 400)), bool(rng.integers(2))
    x = rng.normal(0, rng.uniform(0.5, 2), n)
    labels = (rng.random(n) < 1 / (1 + np.exp(-rng.normal() - rng.uniform(-1, 2) * x))).astype(int)
    scores = np.clip(1 / (1 + np.exp(-x)), 0, 1).round(int(rng.integers(1, 6)))
    return scores if higher else 1 - scores, labels, higher


def middles(scores: Doubles, higher: bool) -> Doubles:
    """The middle of each score's bin, or 1 less it, found by its edges one by one."""
    edges = np.arange(1, BINS) / BINS
    if higher:
        place = (scores[:, None] >= edges).sum(axis=1)
    else:
        place = BINS - 1 - (scores[:, None] > edges).sum(axis=1)
    return (2 * place + 1) / (2 * BINS)


@pytest.mark.parametrize("seed", range(3))
def test_slope_and_variance_are_those_of_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(DRAWN):
        scores, labels, higher = drawn(rng)
        f = middles(scores, higher)
        fit = sm.GLM(labels, sm.add_constant(np.log(f / (1 - f))), sm.families.Binomial()).fit(
            tol=1e-13
        )
        # statsmodels takes the information of the step before the last one
        x, shares = np.log(f / (1 - f)), fit.predict()
        weights = shares * (1 - shares)
        line = np.stack([np.ones_like(x), x])
        variance = np.linalg.inv(line * weights @ line.T)[1, 1]
        assert fit.bse[1] ** 2 == pytest.approx(variance, rel=1e-5)
        found = own_slope(scores, labels, higher)
        assert found is not None
        assert found.θ / 2**POINT_BITS == pytest.approx(fit.params[1], abs=1e-9)
        assert found.v / 2**VARIANCE_BITS == pytest.approx(variance, rel=1e-9)


def test_scores_of_0_and_1_count_as_half_a_bin_away() -> None:
    labels, edge = np.array([0, 1, 0, 1, 1, 0]), 1 / (2 * BINS)
    ends, inside = np.array([0, 0, 0.5, 0.5, 1, 1]), np.array([0, 0, 0.5, 0.5, 1, 1])
    inside[:2], inside[4:] = edge, 1 - edge
    for higher in (True, False):
        assert own_slope(ends, labels, higher) == own_slope(inside, labels, higher) is not None


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([], []),
        ([0.2, 0.4], [1, 1]),
        ([0.2, 0.4], [0, 0]),
        ([0.1, 0.2, 0.6, 0.7], [0, 0, 1, 1]),
        ([0.1, 0.2, 0.6, 0.7], [1, 1, 0, 0]),
        ([0.5] * 6, [0, 1] * 3),
        ([0.5, 0.5001, 0.5, 0.5002], [0, 1, 1, 0]),
    ],
    ids=["none", "positives", "negatives", "apart", "apart the other way", "tied", "one bin"],
)
def test_there_is_none_of_one_class_of_classes_apart_and_of_equal_scores(
    scores: list[float], labels: list[int]
) -> None:
    assert own_slope(np.array(scores, float), np.array(labels, int), True) is None


def test_a_slope_with_a_standard_error_above_the_root_of_eight_is_none() -> None:
    scores, labels = np.array([0.45, 0.45, 0.55, 0.55]), np.array([0, 1, 0, 1])
    assert own_slope(scores, labels, True) is None
    assert own_slope(np.tile(scores, 20), np.tile(labels, 20), True) is not None


def test_the_bins_are_the_usual_ones_of_the_calibration_slope() -> None:
    assert CalibrationSlope().bins == BINS
