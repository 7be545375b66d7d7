"""Guessing a label from a released AUROC and all other rows, as it is known to succeed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ppaurora.bench.papers.experiments.thesis_guessing import guesses
from ppaurora.protocols.release.label_guessing import (
    WAYS,
    Candidates,
    guessed,
    guessing_warnings,
    released_auroc,
    success,
)


def normal(n: int, generator: np.random.Generator, digits: int = 15) -> Callable[[], tuple]:
    """Draws n rows, half of them positives whose scores are higher by a standard deviation."""
    labels = np.repeat([1, 0], [n // 2, n - n // 2])
    return lambda: (np.round(generator.normal(size=n) + labels, digits), labels)


def rate(n: int, decimals: int, *, way: str = "closest", trials: int = 1000) -> float:
    generator = np.random.default_rng(n * 100 + decimals)
    return float(np.mean(guesses(n, decimals, way, trials, generator)))


@pytest.mark.parametrize("digits", [15, 1])
def test_the_candidates_are_the_aurocs_of_every_place_and_label(digits: int) -> None:
    generator = np.random.default_rng(digits)
    scores, labels = normal(12, generator, digits)()
    known = np.sort(scores[1:])
    places = np.unique([known[0] - 1, known[-1] + 1, *known, *(known[1:] + known[:-1]) / 2])
    found = Candidates.of(scores[1:], labels[1:])
    for label, twice, pairs in (
        (1, found.as_positive, found.positive_pairs),
        (0, found.as_negative, found.negative_pairs),
    ):
        expected = [roc_auc_score([label, *labels[1:]], [place, *scores[1:]]) for place in places]
        np.testing.assert_allclose(np.sort(twice / (2 * pairs)), np.sort(expected), atol=1e-12)


def test_the_released_number_is_that_of_a_study() -> None:
    generator = np.random.default_rng(3)
    for _ in range(50):
        scores, labels = normal(20, generator, 1)()
        assert released_auroc(scores, labels, 6) == round(roc_auc_score(labels, scores) * 10**6)
    assert released_auroc(np.array([0.1, 0.2]), np.array([1, 1]), 4) is None


def test_thirty_rows_are_guessed_by_more_decimals_more_often() -> None:
    """Standard errors of a thousand trials are at most 0.016."""
    assert 0.50 < rate(30, 2) < 0.68
    assert 0.87 < rate(30, 3) < 0.97
    assert rate(30, 4) > 0.985
    assert rate(30, 6) > 0.99


def test_three_hundred_rows_are_safer() -> None:
    assert 0.50 < rate(300, 4) < 0.63
    assert rate(300, 6, trials=200) > 0.97


def test_counting_what_fits_is_the_better_guess_where_many_candidates_do() -> None:
    assert rate(300, 4, way="fitting", trials=2000) > rate(300, 4, trials=2000)


def test_a_single_positive_is_known_by_the_number_that_would_be_missing() -> None:
    scores, labels = np.array([0.9, 0.4, 0.3, 0.2]), np.array([1, 0, 0, 0])
    assert guessed(scores, labels, 0, 4, "closest")
    assert guessed(scores, 1 - labels, 0, 4, "closest")


def test_where_no_number_is_released_a_coin_decides() -> None:
    scores, labels = np.array([0.9, 0.4, 0.3]), np.array([1, 1, 1])
    assert guessed(scores, labels, 0, 4, "closest") is None
    generator = np.random.default_rng(1)
    assert success(lambda: (scores, labels), 4, trials=10, generator=generator) == 0.5


@pytest.mark.parametrize(("n", "decimals"), [(31, 3), (100, 4), (316, 5)])
def test_the_warning_says_what_trials_show(n: int, decimals: int) -> None:
    [warned] = guessing_warnings("auroc", (n - 5, 5), decimals)
    assert "at least 8 of 10" in warned
    assert f"of {n} samples" in warned
    assert max(rate(n, decimals, way=way, trials=300) for way in WAYS) > 0.75
    assert guessing_warnings("auroc", (n,), decimals - 1) == ()
    assert rate(n + 1, decimals - 1, way="fitting", trials=300) < 0.8


def test_one_sample_or_none_is_not_warned_about() -> None:
    assert guessing_warnings("auroc", (1,), 4) == guessing_warnings("auroc", (), 4) == ()
