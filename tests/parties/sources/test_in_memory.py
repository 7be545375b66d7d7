"""Arrays from Python are checked like any other source, and their faults told by name and row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.in_memory import InMemory
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import read
from ppaurora.parties.study.study import Scores
from tests.parties.sources.writing import CANARY, refused, rows

MASKED = np.ma.array([0.0, 1.0], mask=[False, True])


def given(scores: Any, labels: Any) -> Labelled:
    return Labelled(np.asanyarray(scores), np.asanyarray(labels))


def test_numbers_and_truths_of_every_width_are_taken() -> None:
    assert rows(read(given([0.5, 1], [True, False]))) == [(0.5, 1), (1.0, 0)]
    sick = Scores(positive="sick")
    table = read(given(np.array([3, 2], np.int8), [1.0, 0.0]), scores=sick, range=("any",))
    assert rows(table) == [(3.0, 1), (2.0, 0)]
    assert len(read(given([], []))) == 0


@pytest.mark.parametrize(
    ("scores", "labels", "told"),
    [
        (
            [0.5, np.nan, np.inf],
            [1, 1, 1],
            'column "score": NaN, which is no score, in row 2; an infinite number in row 3',
        ),
        ([float(CANARY) + 1], [1], "between 0 and 1 in row 1"),
        ([0.5, 0.5], [1, 2], 'column "label": a label that is neither 1 nor 0 in row 2'),
        ([2**53 + 1], [1], "too large to be kept exactly"),
    ],
)
def test_every_fault_is_told_with_its_place(scores: Any, labels: Any, told: str) -> None:
    assert told in refused(given(scores, labels))


@pytest.mark.parametrize(
    ("scores", "labels", "told"),
    [
        ([0.1, 0.2, 0.3], [1, 0], "This list has 3 scores and 2 labels"),
        ([[0.1]], [1], "The scores of this list have 2 dimensions"),
        ([0.1], [[1]], "The labels of this list have 2 dimensions"),
        ([CANARY], [1], "The scores of this list are of type <U10"),
        ([0.5], ["yes"], "The labels of this list are of type <U3"),
        ([0.5, None], [1, 0], "The scores of this list are of type object"),
        (MASKED, [1, 0], "The scores of this list are masked in some rows"),
        ([0.5, 0.25], MASKED, "The labels of this list are masked in some rows"),
    ],
)
def test_what_can_be_no_list_is_refused_when_it_is_made(
    scores: Any, labels: Any, told: str
) -> None:
    with pytest.raises(DataError) as refusal:
        given(scores, labels)
    assert told in str(refusal.value)
    assert CANARY not in str(refusal.value)


def test_plain_python_lists_will_do() -> None:
    assert rows(read(Labelled([0.5, 1.0], [1, 0]))) == [(0.5, 1), (1.0, 0)]  # type: ignore[arg-type]


def test_labels_are_1_and_0_whatever_the_study_calls_them() -> None:
    told = refused(given([0.5], [2]), Scores(positive="sick", negative="well"))
    assert "Give 1 for the positive class and 0 for the other" in told
    assert "sick" not in told


def test_a_list_may_be_called_by_another_name() -> None:
    assert "list 2, column" in refused(InMemory(given([7.0], [1]), "list 2"))
