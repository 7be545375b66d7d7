"""Codes are lossless and order-preserving; what they cannot hold is refused with its rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.protocols.errors import DataRefused, OptionRefused
from ppaurora.protocols.lists.encoding import CODES, decode, encode

YES_NO = {"positive": 1, "negative": 0}
CI = settings(derandomize=True, deadline=None, database=None, max_examples=300)
IN_RANGE = {
    "unit": st.floats(0, 1),
    "real": st.floats(allow_nan=False, allow_infinity=False).filter(
        lambda x: x == 0 or 2.0**-255 <= abs(x) < 2.0**256
    ),
}


def keys(scores, labels=None, code="unit", direction="higher"):
    labels = [0] * len(scores) if labels is None else labels
    return encode(scores, labels, code=code, direction=direction, **YES_NO)


def refusal(scores, labels, code="unit", **labelled):
    with pytest.raises(DataRefused) as caught:
        encode(scores, labels, code=code, direction="higher", **(labelled or YES_NO))
    return caught.value


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("code", sorted(CODES))
@given(data=st.data())
@CI
def test_order_and_value_survive(code, direction, data):
    a, b = (data.draw(IN_RANGE[code]) for _ in range(2))
    labels = data.draw(st.tuples(st.integers(0, 1), st.integers(0, 1)))
    first, second = (int(key) for key in keys([a, b], labels, code, direction))
    rank = (a, b) if direction == "higher" else (b, a)
    assert (first >> 1 < second >> 1) == (rank[0] < rank[1])
    assert (first >> 1 == second >> 1) == (a == b)
    assert max(first, second) <= CODES[code].largest_key < 2**63
    scores, kept = decode(np.array([first, second], np.uint64), code=code, direction=direction)
    assert scores.tolist() == [a, b]
    assert kept.tolist() == list(labels)


@pytest.mark.parametrize("code", sorted(CODES))
def test_doubles_that_differ_in_the_last_bit_are_different_scores(code):
    x = np.array([0.5, np.nextafter(0.5, 1), np.nextafter(0.5, 0)])
    assert len(set(keys(x, code=code).tolist())) == 3


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("code", sorted(CODES))
def test_minus_zero_is_zero(code, direction):
    first, second = keys([0.0, -0.0], code=code, direction=direction)
    assert first == second


def test_the_ends_of_both_ranges_are_held():
    assert keys([0.0, 5e-324, 1.0]).size == 3
    largest = np.nextafter(2.0**256, 0)
    assert keys([2.0**-255, -(2.0**-255), largest, -largest, 0.0], code="real").size == 5


@pytest.mark.parametrize(
    ("code", "score", "what"),
    [
        ("unit", np.nan, "missing or not a number"),
        ("unit", np.inf, "infinite"),
        ("unit", 1.0000000000000002, "not a score between 0 and 1"),
        ("unit", -5e-324, "not a score between 0 and 1"),
        ("real", np.nan, "missing or not a number"),
        ("real", -np.inf, "infinite"),
        ("real", 2.0**256, "not a score of 0, or of a size from 2^-255 to 2^256"),
        ("real", np.nextafter(2.0**-255, 0), "not a score of 0, or of a size from 2^-255 to 2^256"),
    ],
)
def test_what_a_code_cannot_hold_is_refused_with_its_row(code, score, what):
    error = refusal([0.5, score, 0.25], [0, 1, 0], code)
    assert (error.column, error.row) == ("score", 2)
    assert error.faults[0].what == what
    assert "data row 2" in str(error)


def test_all_kinds_of_faults_are_told_at_once_with_counts():
    scores = [np.nan] * 7 + [0.5, 2.0]
    error = refusal(scores, [0] * 7 + [3, 1])
    assert [(fault.count, fault.rows) for fault in error.faults] == [
        (7, (1, 2, 3, 4, 5)),
        (1, (9,)),
        (1, (8,)),
    ]
    assert "7 scores are missing or not a number (data rows 1, 2, 3, 4, 5, ...)" in str(error)


def test_labels_other_than_the_two_stated_are_refused():
    error = refusal([0.1, 0.2, 0.3], [0, 1, 2])
    assert (error.column, error.row) == ("label", 3)
    error = refusal([0.1, 0.2], ["ill", "I11"], positive="ill", negative="well")
    assert (error.column, error.row) == ("label", 2)


def test_labels_are_what_the_caller_says():
    words = encode(
        [0.5, 0.5],
        ["well", " ill "],
        code="unit",
        direction="higher",
        positive="ill",
        negative="well",
    )
    assert (words & np.uint64(1)).tolist() == [0, 1]
    as_numbers = encode(
        [0.5, 0.5], [0.0, 1.0], code="unit", direction="higher", positive="0", negative="1"
    )
    assert (as_numbers & np.uint64(1)).tolist() == [1, 0]


def test_nothing_is_guessed():
    with pytest.raises(OptionRefused):
        encode([0.5], [1], code="unit", direction="up", **YES_NO)
    with pytest.raises(OptionRefused):
        encode([0.5], [1], code="float", direction="higher", **YES_NO)
    with pytest.raises(OptionRefused):
        encode([0.5], [1], code="unit", direction="higher", positive=1, negative="1")


def test_lists_of_unequal_length_are_refused():
    assert "2 scores and 3 labels" in str(refusal([0.1, 0.2], [0, 1, 0]))


def test_integers_too_fine_for_a_double_are_refused():
    error = refusal(np.array([2**53, 2**53 + 1]), [0, 1], "real")
    assert (error.row, error.faults[0].what) == (2, "finer than a double holds")


def test_text_and_tables_are_refused():
    assert "type" in str(refusal(["0.5"], [0]))
    assert "dimensions" in str(refusal([[0.5]], [0]))


def test_an_empty_list_is_a_list():
    assert keys([]).size == 0


def test_no_message_holds_a_score():
    assert "1.75" not in str(refusal([1.75], [0]))
