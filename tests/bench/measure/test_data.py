"""Synthetic studies and the values that the pooled data have."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score

from ppaurora.bench.errors import LayoutRefused
from ppaurora.bench.measure.data import Sample, exact, rounded, sizes_of, synthetic


def pooled(samples: list[Sample]) -> tuple[np.ndarray, np.ndarray]:
    return (
        np.concatenate([sample.scores for sample in samples]),
        np.concatenate([sample.labels for sample in samples]),
    )


@pytest.mark.parametrize("ties", [True, False])
def test_exact_values_are_those_of_scikit_learn(ties: bool) -> None:
    samples = synthetic((30, 1, 500), ties=ties)
    scores, labels = pooled(samples)
    precision, recall, _ = precision_recall_curve(labels, scores)
    assert float(exact("auroc", samples)) == pytest.approx(roc_auc_score(labels, scores))
    assert exact("average_precision", samples) == pytest.approx(
        average_precision_score(labels, scores)
    )
    assert exact("aupr", samples) == pytest.approx(auc(recall, precision))


def test_the_auroc_is_an_exact_fraction() -> None:
    sample = Sample(np.array([0.9, 0.5, 0.5, 0.1]), np.array([1, 1, 0, 0]))
    assert exact("auroc", [sample]) == Fraction(7, 8)


def test_a_missing_class_has_no_value() -> None:
    negatives = [Sample(np.array([0.1, 0.2]), np.array([0, 0]))]
    assert exact("auroc", negatives) is None
    assert exact("aupr", negatives) is None


def test_scores_with_ties_have_ties_and_others_have_none() -> None:
    for ties in (True, False):
        scores, _ = pooled(synthetic((3000,), ties=ties))
        assert (len(np.unique(scores)) < 3000) is ties


def test_a_seed_names_its_data() -> None:
    one, same, other = (pooled(synthetic((50,), seed=seed))[0] for seed in (7, 7, 8))
    assert (one == same).all()
    assert (one != other).any()


def test_layouts_are_written_as_in_the_paper() -> None:
    assert sizes_of("3x64") == (64, 64, 64)
    assert sum(sizes_of("8xUNB")) == 2000
    for wrong in ("8", "x64", "3x", "3x0", "7xUNB", "axb"):
        with pytest.raises(LayoutRefused):
            sizes_of(wrong)


def test_halves_are_rounded_up() -> None:
    assert rounded(Fraction(5, 8), 2) == "0.63"
    assert rounded(Fraction(1), 4) == "1.0000"
    assert rounded(0.99996, 4) == "1.0000"
