"""Random folds are over-optimistic where patients are in several hospitals; keyed ones are not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from tests.bench.papers.hospitals import (
    Learn,
    Rows,
    covariance,
    covariate_folds,
    cross_validated,
    hospitals,
    keyed_folds,
    random_folds,
    without_duplicates,
)

KEY = bytes(range(32))


def memory(x, y):  # type: ignore[no-untyped-def]
    """Whoever lies nearest tells the outcome, then the ten nearest: duplicates are recognised."""
    model = KNeighborsClassifier(10, weights="distance").fit(x, y)
    return lambda further: model.predict_proba(further)[:, 1]


def boosted(x, y):  # type: ignore[no-untyped-def]
    """The paper's model: 200 trees of depth 3, learning rate 0.6."""
    model = HistGradientBoostingClassifier(
        max_iter=200, max_depth=3, learning_rate=0.6, early_stopping=False, random_state=0
    ).fit(x, y)
    return lambda further: model.predict_proba(further)[:, 1]


def compared(rows: Rows, learn: Learn, rng: np.random.Generator) -> tuple[float, float, float]:
    """The mean AUROC without duplicates, by random folds, and by keyed folds."""
    once = without_duplicates(rows)
    return (
        cross_validated(once, random_folds(once, rng), learn, roc_auc_score),
        cross_validated(rows, random_folds(rows, rng), learn, roc_auc_score),
        cross_validated(rows, keyed_folds(rows, KEY), learn, roc_auc_score),
    )


def test_rows_are_drawn_as_the_paper_says() -> None:
    rng = np.random.default_rng(1)
    eigenvalues = np.arange(1, 11) / 2
    found = covariance(rng, eigenvalues.tolist())
    assert np.allclose(np.linalg.eigvalsh(found[:9, :9]), eigenvalues[:9])
    assert np.allclose(found[9], [0] * 9 + [5])
    rows = hospitals(rng, records=4000, duplicates=800)
    assert (len(rows), len(without_duplicates(rows))) == (4800, 4000)
    # no record twice in one hospital, and the paper's share of positives
    assert len(set(zip(rows.patient.tolist(), rows.hospital.tolist(), strict=True))) == 4800
    assert np.mean(rows.y[:4000]) == pytest.approx(0.47, abs=0.04)


def test_folds_have_the_properties_that_they_are_named_for() -> None:
    rng = np.random.default_rng(2)
    rows = hospitals(rng, records=1000, duplicates=400)
    for folds in (keyed_folds(rows, KEY), covariate_folds(rows, 9)):
        of_patient = {}
        for patient, fold in zip(rows.patient.tolist(), folds.tolist(), strict=True):
            assert of_patient.setdefault(patient, fold) == fold
        assert np.bincount(folds, minlength=5).min() > 200
    drawn = random_folds(rows, rng)
    apart = drawn[1000:] != drawn[rows.patient[1000:]]
    assert np.mean(apart) == pytest.approx(0.8, abs=0.07)
    for place in range(5):
        sizes = np.bincount(drawn[rows.hospital == place], minlength=5)
        assert sizes.max() - sizes.min() <= 1


def test_random_folds_are_over_optimistic_and_keyed_folds_are_not() -> None:
    rng = np.random.default_rng(3)
    plain, by_chance, keyed = compared(hospitals(rng, records=1500, duplicates=500), memory, rng)
    assert by_chance > plain + 0.04
    # slightly below is no fault: a duplicate beside its original teaches nothing new
    assert plain - 0.05 < keyed < plain + 0.02


@pytest.mark.soak
def test_so_they_are_with_the_papers_model_and_sizes() -> None:
    rng = np.random.default_rng(4)
    # threads that wait for each other on busy cores take many times as long as one
    with threadpool_limits(1):
        found = np.array([compared(hospitals(rng), boosted, rng) for _ in range(10)])
    plain, by_chance, keyed = found.T
    assert np.all(by_chance > plain + 0.01)
    assert abs(np.mean(keyed - plain)) < 0.004
