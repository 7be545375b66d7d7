"""Decoding of released words: one number, one interval, one bit."""

from __future__ import annotations

import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.primitives import undefined
from ppaurora.protocols.statistics.registry import AnyStatistic, statistic

NUMBER, INTERVAL, BIT = "auroc", "auroc_ci", "auroc_above"
BOUNDS = "auroc of bins"
NONE = undefined(2)


def program(text: str) -> AnyStatistic:
    """The statistic of this text, of bins where it says so."""
    name, of_bins, _ = text.partition(" of bins")
    return statistic(name).over_cells(certain=False) if of_bins else statistic(name)


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        (NUMBER, [82], "0.82"),
        (NUMBER, [NONE], "undefined: a class is missing"),
        (INTERVAL, [82, 70, 100], "0.82 (0.70 to 1.00)"),
        (INTERVAL, [NONE] * 3, "undefined: a class is missing"),
        (BIT, [0], "not rejected"),
        (BIT, [1], "rejected"),
        (BIT, [2], "undefined: a class has fewer than two samples"),
        # the upper bound is released as what is missing to 1
        (BOUNDS, [82, 70, 5], "0.82 (0.70 to 0.95)"),
    ],
)
def test_words_have_their_texts(text: str, words: list[int], shown: str) -> None:
    assert str(program(text).decode(words, 2)) == shown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (NUMBER, [101]),
        (INTERVAL, [82, 70, NONE]),
        (INTERVAL, [82, 101, 100]),
        (BIT, [3]),
        (BOUNDS, [NONE, 70, 5]),
    ],
)
def test_words_that_no_computation_yields_are_refused(text: str, words: list[int]) -> None:
    with pytest.raises(RemoteProtocolError, match="do not make a result"):
        program(text).decode(words, 2)


@pytest.mark.parametrize("text", [NUMBER, INTERVAL, BIT, BOUNDS])
def test_no_samples_have_no_value(text: str) -> None:
    assert str(program(text).value_without_samples()) == "undefined: there are no samples"
