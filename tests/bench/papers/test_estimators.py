"""The eight estimators in doubles are the exact ones of the system, and of an integral."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from ppaurora.bench.papers import estimators
from ppaurora.bench.papers.experiments.thesis_estimators import same_as_released
from ppaurora.bench.papers.laws import THESIS
from ppaurora.protocols.release import curve_areas


def test_areas_of_the_order_are_the_exact_ones() -> None:
    generator = np.random.default_rng(1)
    compared = 0
    for _ in range(120):
        y = (generator.random(int(generator.integers(4, 60))) < 0.4).astype(np.int64)
        if 2 <= y.sum() < y.size:
            points = [(j, int(t)) for j, t in enumerate(np.cumsum(y), start=1)]
            found = estimators.of_labels(y)
            exact = {
                estimators.MAX: curve_areas.interpolated(points, max),
                estimators.MEAN: curve_areas.interpolated_mean(points),
                estimators.MEDIAN: curve_areas.interpolated_median(points),
                estimators.HULL: curve_areas.hull(points),
            }
            for name, area in exact.items():
                assert found[name] == pytest.approx(float(area), abs=1e-10), name
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("law", THESIS)
def test_three_parties_release_the_same_estimates(law: str) -> None:
    assert same_as_released(*THESIS[law].drawn(np.random.default_rng(2), 6, 24))


def test_the_binormal_area_is_that_of_an_integral() -> None:
    scores, labels = THESIS["bibeta"].drawn(np.random.default_rng(3), 40, 160)
    x, y = scores[labels == 0], scores[labels == 1]

    def precision(t: float) -> float:
        c = y.mean() + y.std() * norm.isf(t)
        wrong = norm.sf(c, x.mean(), x.std())
        return float(0.2 * t / (0.2 * t + 0.8 * wrong))

    expected = quad(precision, 0, 1, limit=400)[0]
    assert estimators.binormal(scores, labels) == pytest.approx(expected, abs=2e-5)
