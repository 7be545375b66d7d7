"""Labels are the study's two words, or numbers of the same value; nothing else is a class."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.sources.columns.classes import Classes
from ppaurora.parties.sources.columns.fields import Fields
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.errors import OptionRefused

LONG = "a label of more than thirty-two letters"


def classes(texts: list[str], positive: str = "1", negative: str = "0") -> list[int]:
    return Classes(Scores(positive=positive, negative=negative)).of_texts(Fields.of(texts)).tolist()


def test_numbers_of_the_same_value_are_the_same_label() -> None:
    assert classes(["1", "0", "1.0", "+1", "00", "-0", "1e0", " 1 "]) == [1, 0, 1, 1, 0, 0, 1, 1]


def test_nothing_else_is_a_class() -> None:
    assert set(classes(["", "2", "10", "01x", "true", "one", "1_0", "0x1", "1" * 40])) == {2}


def test_words_match_letter_by_letter() -> None:
    words = ["yes", "Yes", "no", "no.", "yes yes", LONG]
    assert classes(words, "yes", "no") == [1, 2, 0, 2, 2, 2]
    assert classes([LONG, LONG + "x", "no"], LONG, "no") == [1, 2, 0]
    assert classes(['"a"', "ä", "a"], '"a"', "ä") == [1, 0, 2]


def test_labels_of_a_typed_column_match_as_numbers_or_truths() -> None:
    usual = Classes(Scores())
    assert usual.of_numbers(np.array([1.0, 0.0, -0.0, 2.0, np.nan])).tolist() == [1, 0, 0, 2, 2]
    assert usual.of_truths(np.array([True, False])).tolist() == [1, 0]
    words = Classes(Scores(positive="TRUE", negative="false"))
    assert words.of_truths(np.array([True, False])).tolist() == [1, 0]
    other = Classes(Scores(positive="sick", negative="well"))
    assert other.of_truths(np.array([True])).tolist() == [2]
    assert other.hint(other.unknown) == "; such labels here: true"


def test_a_label_is_not_taken_for_a_longer_one_that_begins_alike() -> None:
    begin = "0" * 31 + "1"
    assert classes([begin + "5", begin, begin + "x", begin + ".0"]) == [2, 1, 2, 1]
    assert classes(["a" * 33, "a" * 32, "a" * 31], "a" * 32, "a" * 33) == [0, 1, 2]


@pytest.mark.parametrize(("positive", "negative"), [("1", "1"), ("1", "1.0"), (" a", "a ")])
def test_two_labels_that_are_one_are_refused(positive: str, negative: str) -> None:
    with pytest.raises((ConfigurationError, OptionRefused), match=r"the same|two different words"):
        Classes(Scores(positive=positive, negative=negative))
