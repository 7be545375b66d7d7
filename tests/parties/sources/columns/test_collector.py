"""A note where scores were cut to 15 digits, and none where they were not."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.parties.sources.columns.collector import truncation_note

SCORES = np.random.default_rng(7).random(3000)


def cut(digits: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([float(f"{score:.{digits}g}") for score in SCORES.tolist()])


def test_scores_cut_to_15_digits_are_noted_with_the_remedy() -> None:
    told = truncation_note("list.csv", cut(15))
    assert "list.csv: nearly all scores have at most 15 significant digits" in told
    assert "17 digits" in told
    assert "Parquet" in told


@pytest.mark.parametrize(
    "scores",
    [SCORES, cut(16), cut(13), cut(2), SCORES.astype(np.float32).astype(np.float64), cut(15)[:19]],
)
def test_other_scores_are_not(scores: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    assert truncation_note("list.csv", scores) == ""


def test_a_long_list_is_looked_at_in_evenly_spaced_places() -> None:
    assert truncation_note("list", np.tile(cut(15), 40))
    assert not truncation_note("list", np.tile(np.concatenate([cut(15), SCORES]), 20))
