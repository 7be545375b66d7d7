"""Synthetic studies."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.bench.errors import LayoutRefused
from ppaurora.bench.measure.data import Sample, sizes_of, synthetic


def pooled(samples: list[Sample]) -> tuple[np.ndarray, np.ndarray]:
    return (
        np.concatenate([sample.scores for sample in samples]),
        np.concatenate([sample.labels for sample in samples]),
    )


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
