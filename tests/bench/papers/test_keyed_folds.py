"""Random folds are over-optimistic where patients are in several hospitals; keyed ones are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from ppaurora.bench.papers.duplicates import (
    DUPLICATES,
    Data,
    Whole,
    World,
    cross_validated,
    gathered,
)

KEY = bytes(range(32))


def with_and_without(rng: np.random.Generator, records: int, duplicates: int) -> tuple[Data, Data]:
    once = gathered(World.drawn(rng), rng, records)
    return once, once.with_duplicates(duplicates, rng)


def by_memory(data: Data, folds: Whole) -> float:
    """Whoever lies nearest tells the outcome, then the ten nearest: duplicates are recognised."""
    found = []
    for fold in np.unique(folds):
        held = folds == fold
        model: Any = KNeighborsClassifier(10, weights="distance")
        model.fit(data.x[~held], data.y[~held])
        found.append(roc_auc_score(data.y[held], model.predict_proba(data.x[held])[:, 1]))
    return float(np.mean(found))


def boosted(data: Data, folds: Whole) -> float:
    """The mean AUROC over folds of the paper's model."""
    judged = cross_validated(data, folds)
    return float(np.mean([roc_auc_score(data.y[one.rows], one.validation[0]) for one in judged]))


def test_folds_have_the_properties_that_they_are_named_for() -> None:
    rng = np.random.default_rng(2)
    _, data = with_and_without(rng, 1000, 400)
    folds = data.folds_by_key(KEY)
    of_patient: dict[int, int] = {}
    for patient, fold in zip(data.patient.tolist(), folds.tolist(), strict=True):
        assert of_patient.setdefault(patient, fold) == fold
    assert np.bincount(folds, minlength=5).min() > 200
    drawn = data.folds_at_random(rng)
    apart = drawn[1000:] != drawn[data.patient[1000:]]
    assert np.mean(apart) == pytest.approx(0.8, abs=0.07)


def test_random_folds_are_over_optimistic_and_keyed_folds_are_not() -> None:
    rng = np.random.default_rng(3)
    once, data = with_and_without(rng, 1500, 500)
    plain = by_memory(once, once.folds_at_random(rng))
    assert by_memory(data, data.folds_at_random(rng)) > plain + 0.04
    # slightly below is no fault: a duplicate beside its original teaches nothing new
    assert plain - 0.05 < by_memory(data, data.folds_by_key(KEY)) < plain + 0.02


@pytest.mark.soak
def test_so_they_are_with_the_papers_model_and_sizes() -> None:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(10):
        once, data = with_and_without(rng, 10_000, DUPLICATES)
        ways = (once.folds_at_random(rng), data.folds_at_random(rng), data.folds_by_key(KEY))
        found.append(
            [boosted(lists, folds) for lists, folds in zip((once, data, data), ways, strict=True)]
        )
    plain, by_chance, keyed = np.array(found).T
    print(np.mean(found, axis=0), (by_chance - plain).min(), np.abs(keyed - plain).max())
    assert np.all(by_chance > plain + 0.01)
    assert abs(np.mean(keyed - plain)) < 0.004
