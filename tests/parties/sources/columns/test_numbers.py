"""Texts are numbers by one grammar: Python's, without underscores, without words, in ASCII."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.parties.sources.columns.fields import STEP, Fields
from ppaurora.parties.sources.columns.numbers import EMPTY, fault_of, is_number, numbers, unusable
from ppaurora.protocols.lists.encoding import code_named

ODD = [
    "",
    ".",
    "+",
    "e5",
    "1e",
    "1e+",
    "--1",
    "1.2.3",
    "1 2",
    "0x1",
    "1_0",
    "nan",
    "inf",
    "٣",
    "1e5.0",
]


def python_reads(text: str) -> bool:
    """What Python's `float` takes, less what the grammar leaves out."""
    try:
        value = float(text)
    except ValueError:
        return False
    return math.isfinite(value) and "_" not in text and text.isascii()


@given(st.lists(st.text("0123456789+-.eE", max_size=12), min_size=1, max_size=20))
def test_exactly_what_python_reads_in_this_alphabet_is_a_number(texts: list[str]) -> None:
    values, faults = numbers(Fields.of(texts))
    faulty = np.logical_or.reduce([np.zeros(len(texts), np.bool_), *faults.values()])
    assert (~faulty).tolist() == [python_reads(text) for text in texts]
    for text, value, bad in zip(texts, values.tolist(), faulty.tolist(), strict=True):
        assert bad or value == float(text)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_every_double_comes_back_as_it_was_written(wanted: list[float]) -> None:
    values, faults = numbers(Fields.of([repr(value) for value in wanted]))
    assert not faults
    assert values.tolist() == wanted


@pytest.mark.parametrize("text", ODD)
def test_what_is_no_number_is_found_alone_and_among_others(text: str) -> None:
    assert not is_number(text)
    assert fault_of(text) is not None
    values, faults = numbers(Fields.of(["0.5", text, "1e-3"]))
    (marked,) = faults.values()
    assert marked.tolist() == [False, True, False]
    assert values[[0, 2]].tolist() == [0.5, 1e-3]


def test_long_numbers_are_rounded_once_like_short_ones() -> None:
    texts = [
        "0." + "3" * 500,
        "0.1000000000000000055511151231257827021181583404541015625",
        "1" * 40,
    ]
    values, faults = numbers(Fields.of(texts))
    assert not faults
    assert values.tolist() == [float(text) for text in texts]


def test_what_is_too_small_is_zero_and_what_is_too_large_is_refused() -> None:
    values, faults = numbers(Fields.of(["1e-400", "1e400"]))
    assert values[0] == 0
    assert [kind.what for kind in faults] == ["a number too large for a double"]


def test_blanks_and_tabs_around_a_number_do_not_count() -> None:
    values, faults = numbers(Fields.of([" 1\t", "\t\t 2", "3" + " " * 500, " " * 500 + "4 "]))
    assert not faults
    assert values.tolist() == [1, 2, 3, 4]


def test_only_blanks_are_no_score() -> None:
    _, faults = numbers(Fields.of(["  ", "", "\t" * 90]))
    assert faults[EMPTY].all()


def test_faults_keep_their_rows_in_a_list_of_many_parts() -> None:
    texts = ["0.5"] * (2 * STEP + 10)
    texts[STEP + 3] = "x"
    values, faults = numbers(Fields.of(texts))
    (marked,) = faults.values()
    assert np.flatnonzero(marked).tolist() == [STEP + 3]
    assert (np.delete(values, STEP + 3) == 0.5).all()


def test_values_outside_the_code_are_told_apart() -> None:
    values = np.array([0.0, 1.0, np.nan, -np.inf, 1.5, -0.1])
    told = unusable(values, code_named("unit"))
    assert [np.flatnonzero(marked).tolist() for marked in told.values()] == [[2], [3], [4, 5]]
    nan, infinite, outside = (kind.what for kind in told)
    assert (nan, infinite) == ("NaN, which is no score,", "an infinite number")
    assert "between 0 and 1" in outside
    assert not unusable(np.array([0.0, -3e40, 1e-70]), code_named("real"))
    (kind,) = unusable(np.array([1e-300]), code_named("real"))
    assert "2^-255 to 2^256" in kind.what
    assert 'code = "real"' not in kind.advice


def test_fields_never_show_their_texts() -> None:
    assert "0.5" not in repr(Fields.of(["0.5"]))
