"""Trees of counts agree with themselves; without noise the curve keeps its bound."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ppaurora.bench.papers import fed_curve
from ppaurora.bench.papers.experiments.fedcurve_error import area, of_histogram, trapezoids
from ppaurora.bench.papers.laws import THESIS


@pytest.mark.parametrize("quantiles", [8, 32])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_without_noise_the_area_error_is_within_the_bound(quantiles: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    scores, labels = THESIS["bibeta"].drawn(generator, 150, 350)
    positives, negatives = scores[labels == 1], scores[labels == 0]
    fpr, tpr = fed_curve.roc(positives, negatives, quantiles, 0.0, generator)
    found = fed_curve.area_error(fpr, tpr, positives, negatives)
    # leaves of a quarter of a quantile's width add their own
    assert 0 < found < fed_curve.bound(quantiles)


def test_noisy_counts_agree_from_level_to_level() -> None:
    levels = fed_curve.tree(np.random.default_rng(1).random(500), 5, 8.0, np.random.default_rng(2))
    for upper, lower in pairwise(levels):
        np.testing.assert_allclose(upper, lower.reshape(-1, 2).sum(axis=1))


def test_agreeing_counts_are_those_of_least_squares() -> None:
    noisy = [np.array(one, float) for one in ([7, 1], [2, 3, 4, 0])]
    # of each leaf the counts it is in, and the least squares of all of them
    design = np.array([[1, 1, 0, 0], [0, 0, 1, 1], *np.eye(4)])
    leaves = np.linalg.lstsq(design, np.concatenate(noisy), rcond=None)[0]
    np.testing.assert_allclose(fed_curve.agreeing(noisy)[-1], leaves)


def test_noise_has_the_law_of_the_system() -> None:
    drawn = fed_curve.geometric(2.0, 200_000, np.random.default_rng(3))
    q = np.exp(-1 / 2)
    for value in (0, 1, -3):
        expected = (1 - q) / (1 + q) * q ** abs(value)
        assert (drawn == value).mean() == pytest.approx(expected, abs=4e-3)


def test_areas_are_those_of_scikit_learn_and_of_fine_parts() -> None:
    generator = np.random.default_rng(4)
    scores, labels = THESIS["bibeta"].drawn(generator, 60, 90)
    scores = scores.round(2)
    positives, negatives = scores[labels == 1], scores[labels == 0]
    assert area(positives, negatives) == pytest.approx(roc_auc_score(labels, scores))
    fpr, tpr = of_histogram(positives, negatives, 1000, 0.0, generator)
    assert trapezoids(fpr, tpr) == pytest.approx(area(positives, negatives), abs=1e-9)
