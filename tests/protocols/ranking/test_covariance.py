"""The covariance of AUROCs on shares and in the clear, by their bounds and their pairs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.protocols.lists.same_rows import same_rows
from ppaurora.protocols.ranking.covariance import (
    PooledModels,
    entries_of,
    holds_models,
    pairs_of,
)


def pooled(k: int, n: int, seed: int) -> PooledModels:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n).astype(np.uint64)
    keys = [2 * rng.integers(0, 5, n).astype(np.uint64) + labels for _ in range(k)]
    return PooledModels.of([same_rows(keys)], k)


def test_the_largest_sum_stays_below_a_word() -> None:
    """All positives above all negatives: each placement is 2·N, for a third of positives."""
    n = 2_496_765
    P = n // 3
    assert P * (2 * (n - P)) ** 2 < 1 << 63
    assert holds_models(n)
    assert not holds_models(n + 1)


@pytest.mark.parametrize("k", [2, 3, 16])
def test_pairs_and_entries_are_those_of_a_symmetric_matrix(k: int) -> None:
    assert len(pairs_of(k)) == k * (k - 1) // 2
    assert sorted(entries_of(k)) == sorted([*pairs_of(k), *((r, r) for r in range(k))])


def test_the_variance_of_a_difference_is_that_of_the_matrix() -> None:
    data = pooled(3, 30, 1)
    S = data.matrix()
    for r, s in pairs_of(3):
        gained = data.gained((r, s))
        assert gained is not None
        assert gained.variance == S[r][r] - 2 * S[r][s] + S[s][s]
        assert gained.difference == data.areas()[r] - data.areas()[s]


def test_uploads_of_several_owners_are_one_list() -> None:
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 20).astype(np.uint64)
    keys = [2 * rng.integers(0, 5, 20).astype(np.uint64) + labels for _ in range(3)]
    whole = PooledModels.of([same_rows(keys)], 3)
    parts = PooledModels.of(
        [same_rows([one[:7] for one in keys]), same_rows([one[7:] for one in keys])], 3
    )
    assert parts.matrix() == whole.matrix()
    assert all(0 <= area <= Fraction(1) for area in parts.areas())
