"""Keys are lossless and in order; what a scale does not hold is refused with its rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.protocols.errors import DataRefused
from ppaurora.protocols.lists.scale import Scale, decode, encode

CI = settings(derandomize=True, deadline=None, database=None, max_examples=300)
UNIT, ANY = (0, 1), ("any",)
RANGES = {"0 to 1": UNIT, "any": ANY, "-3 to 20": (-3, 20), "1 to 2": (1, 2)}
DOUBLES = {
    "0 to 1": st.floats(0, 1),
    "any": st.floats(allow_nan=False, allow_infinity=False).filter(
        lambda x: x == 0 or 2.0**-255 <= abs(x) < 2.0**256
    ),
    "-3 to 20": st.floats(-3, 20).filter(lambda x: x == 0 or abs(x) >= 2.0**-255),
    "1 to 2": st.floats(1, 2),
}


def keys(scores, labels=None, bounds=UNIT, direction="higher", resolution="full"):
    labels = [0] * len(scores) if labels is None else labels
    return encode(scores, labels, Scale.of(resolution, bounds, direction))


def refusal(scores, labels, bounds=UNIT, resolution="full"):
    with pytest.raises(DataRefused) as caught:
        encode(scores, labels, Scale.of(resolution, bounds))
    return caught.value


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("name", RANGES)
@given(data=st.data())
@CI
def test_order_and_value_survive(name, direction, data):
    a, b = (data.draw(DOUBLES[name]) for _ in range(2))
    labels = data.draw(st.tuples(st.integers(0, 1), st.integers(0, 1)))
    scale = Scale.of("full", RANGES[name], direction)
    first, second = (int(key) for key in encode([a, b], labels, scale))
    rank = (a, b) if direction == "higher" else (b, a)
    assert (first >> 1 < second >> 1) == (rank[0] < rank[1])
    assert (first >> 1 == second >> 1) == (a == b)
    assert max(first, second) <= scale.largest_key < 2**63
    scores, kept = decode(np.array([first, second], np.uint64), scale)
    assert scores.tolist() == [a, b]
    assert kept.tolist() == list(labels)


@pytest.mark.parametrize("bounds", [UNIT, ANY])
def test_doubles_that_differ_in_the_last_bit_are_different_scores(bounds):
    x = np.array([0.5, np.nextafter(0.5, 1), np.nextafter(0.5, 0)])
    assert len(set(keys(x, bounds=bounds).tolist())) == 3


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("bounds", [UNIT, ANY])
@pytest.mark.parametrize("resolution", ["full", "float32"])
def test_minus_zero_is_zero(bounds, direction, resolution):
    first, second = keys([0.0, -0.0], bounds=bounds, direction=direction, resolution=resolution)
    assert first == second


def test_the_ends_of_both_ranges_are_held():
    assert keys([0.0, 5e-324, 1.0]).size == 3
    largest = np.nextafter(2.0**256, 0)
    assert keys([2.0**-255, -(2.0**-255), largest, -largest, 0.0], bounds=ANY).size == 5


@pytest.mark.parametrize(
    ("bounds", "score", "what"),
    [
        (UNIT, np.nan, "missing or not a number"),
        (UNIT, np.inf, "infinite"),
        (UNIT, 1.0000000000000002, "not between 0 and 1"),
        (UNIT, -5e-324, "not between 0 and 1"),
        (ANY, np.nan, "missing or not a number"),
        (ANY, -np.inf, "infinite"),
        (ANY, 2.0**256, "neither 0 nor of a size from 2^-255 to 2^256"),
        (ANY, np.nextafter(2.0**-255, 0), "neither 0 nor of a size from 2^-255 to 2^256"),
    ],
)
def test_what_a_code_cannot_hold_is_refused_with_its_row(bounds, score, what):
    error = refusal([0.5, score, 0.25], [0, 1, 0], bounds)
    assert (error.column, error.row) == ("score", 2)
    assert error.faults[0].what == what
    assert f"a score is {what} in row 2" in str(error)


def test_all_kinds_of_faults_are_told_at_once_with_counts():
    scores = [np.nan] * 7 + [0.5, 2.0]
    error = refusal(scores, [0] * 7 + [3, 1])
    assert [(fault.count, fault.rows) for fault in error.faults] == [
        (7, (1, 2, 3, 4, 5)),
        (1, (9,)),
        (1, (8,)),
    ]
    assert (
        "missing or not a number in 7 rows, the first 1, 2, 3, 4, 5; a score is not between 0 and 1"
        in str(error)
    )


@pytest.mark.parametrize("label", [2, -1, 0.5, np.nan])
def test_labels_other_than_0_and_1_are_refused(label):
    error = refusal([0.1, 0.2, 0.3], [0, 1, label])
    assert (error.column, error.row) == ("label", 3)
    assert "a label is neither 0 nor 1 in row 3" in str(error)


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float32])
def test_the_label_is_the_lowest_bit(kind):
    words = keys([0.5, 0.5], np.array([0, 1], kind))
    assert (words & np.uint64(1)).tolist() == [0, 1]


def test_lists_of_unequal_length_are_refused():
    assert "2 scores and 3 labels" in str(refusal([0.1, 0.2], [0, 1, 0]))


@pytest.mark.parametrize("kind", [np.float32, np.int32, np.uint16])
def test_types_that_a_double_holds_exactly_are_taken(kind):
    assert (
        keys(np.array([0, 3], kind), bounds=ANY).tolist() == keys([0.0, 3.0], bounds=ANY).tolist()
    )


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.longdouble, object, str])
def test_types_that_a_double_may_not_hold_are_refused(kind):
    error = refusal(np.array([1, 2]).astype(kind), [0, 1], ANY)
    assert "the scores are of type" in str(error)
    assert "float64" in error.advice


def test_text_and_tables_are_refused():
    assert "the labels are of type" in str(refusal([0.5], ["1"]))
    assert "dimensions" in str(refusal([[0.5]], [0]))


def test_an_empty_list_is_a_list():
    assert keys([]).size == 0


def test_no_message_holds_a_score():
    assert "1.75" not in str(refusal([1.75], [0]))


def test_a_fault_far_down_in_a_long_list_is_told_with_its_row():
    scores, labels = np.full(200_000, 0.5), np.zeros(200_000)
    scores[199_998], scores[70_000], labels[199_999] = np.nan, 1.5, 2
    with pytest.raises(DataRefused) as caught:
        encode(scores, labels, Scale.of("full"))
    told = {(fault.what, fault.rows) for fault in caught.value.faults}
    assert told == {
        ("missing or not a number", (199_999,)),
        ("not between 0 and 1", (70_001,)),
        ("neither 0 nor 1", (200_000,)),
    }
