"""Estimates of resampled lists are those of the exact functions on lists with repeated rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.bench.papers.laws import THESIS
from ppaurora.bench.papers.resampling import bootstrapped, estimates, of_folds
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.curve_areas import interpolated_median

RELEASED = Options(
    metrics=("average_precision", "aupr_lower_trapezoid"), decimals=12, range=("any",)
)


@pytest.mark.parametrize("name", THESIS)
def test_weights_count_like_repeated_rows(name: str) -> None:
    generator = np.random.default_rng(1)
    scores, labels = THESIS[name].drawn(generator, 9, 31)
    order = np.argsort(-scores)
    scores, labels = scores[order], labels[order]
    resampled = np.concatenate(
        [*bootstrapped(labels, 8, generator), of_folds(labels, 4, generator)]
    )
    for weights, found in zip(resampled, estimates(resampled, labels), strict=True):
        study = SimulatedStudy(RELEASED, scores.repeat(weights), labels.repeat(weights))
        exact = [Fraction(words[0], 10**12) for words in study.plaintext_words()]
        exact.append(Fraction(interpolated_median([(j, t) for _, t, _, j in study.pooled().steps])))
        np.testing.assert_allclose(found, np.array(exact, float), atol=1e-11)


def test_a_bootstrap_keeps_both_class_counts() -> None:
    labels = np.array([1, 0, 0, 1, 0])
    [weights] = bootstrapped(labels, 50, np.random.default_rng(2))
    assert weights.shape == (50, 5)
    assert set((weights @ labels).tolist()) == {2}
    assert set(weights.sum(axis=1).tolist()) == {5}
    assert len({tuple(row) for row in weights.tolist()}) > 10


def test_folds_share_out_both_classes_evenly() -> None:
    labels = np.repeat([1, 0], [7, 23])
    folds = of_folds(labels, 5, np.random.default_rng(3))
    assert folds.sum(axis=0).tolist() == [1] * 30
    assert sorted((folds @ labels).tolist()) == [1, 1, 1, 2, 2]
    assert sorted((folds @ (1 - labels)).tolist()) == [4, 4, 5, 5, 5]
