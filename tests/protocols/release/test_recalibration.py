"""The line of recalibration against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from ppaurora.protocols.release.recalibration import line

LOGITS = np.log((np.arange(64) + 0.5) / (63.5 - np.arange(64)))


def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Positives and samples of 64 groups, of scores up to three times too sure or unsure."""
    true = rng.normal(rng.uniform(-4, 1), rng.uniform(0.5, 2), n)
    labels = rng.random(n) < 1 / (1 + np.exp(-true))
    scores = 1 / (1 + np.exp(-(rng.normal() + true * rng.uniform(0.3, 3))))
    groups = np.minimum((scores * 64).astype(int), 63)
    return np.bincount(groups, labels, 64).astype(int), np.bincount(groups, minlength=64)


def test_it_is_the_logistic_regression_of_statsmodels() -> None:
    rng = np.random.default_rng(3)
    for _ in range(15):
        positives, samples = drawn(rng, int(rng.choice([1000, 2000, 20_000])))
        found = line(LOGITS.tolist(), positives.tolist(), samples.tolist())
        assert found is not None
        there = samples > 0
        endog = np.c_[positives, samples - positives][there]
        exog = np.c_[np.ones(64), LOGITS][there]
        expected = sm.GLM(endog, exog, family=sm.families.Binomial()).fit(tol=1e-14).params
        assert (found.intercept, found.slope) == pytest.approx(tuple(expected), abs=1e-9)


def test_scores_that_are_far_too_sure_have_a_line_as_well() -> None:
    """From (0, 1) the scoring leaves the data in a third of such trials."""
    rng = np.random.default_rng(2)
    found = [line(LOGITS.tolist(), *(one.tolist() for one in drawn(rng, 2000))) for _ in range(60)]
    assert found.count(None) <= 1


@pytest.mark.parametrize(
    ("positives", "samples"),
    [
        ([0, 0, 0], [5, 5, 5]),
        ([5, 5, 5], [5, 5, 5]),
        ([0, 3, 5], [5, 5, 5]),
        ([0, 2, 0], [0, 5, 0]),
        ([0, 0, 5], [5, 0, 5]),
    ],
)
def test_without_overlap_of_the_classes_there_is_no_line(
    positives: list[int], samples: list[int]
) -> None:
    assert line([-1.0, 0.0, 1.0], positives, samples) is None
