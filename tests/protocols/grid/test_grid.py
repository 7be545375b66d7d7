"""Counting on the public grid: every score in the bin that fractions put it into.

A bin begins where a score is still called positive: at its lower end, or at its upper one where
lower scores are positive.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.protocols.grid.grid import Bins, Thresholds
from ppaurora.protocols.lists.scale import Scale, encode
from ppaurora.protocols.options import Options

scores = st.one_of(
    st.floats(0, 1),
    st.integers(0, 64).map(lambda k: k / 64),
    st.integers(1, 64).map(lambda k: float(np.nextafter(k / 64, 0))),
)
rows = st.lists(st.tuples(scores, st.integers(0, 1)), max_size=30)


def counted(of, bins, direction):
    """By fractions, one row after the other: the positives of each bin, then the negatives."""
    counts = [[0] * bins, [0] * bins]
    for score, label in of:
        if direction == "lower":
            place = next(k for k in range(bins) if Fraction(score) <= Fraction(k + 1, bins))
        else:
            place = next(k for k in range(bins) if Fraction(score) >= Fraction(bins - 1 - k, bins))
        counts[1 - label][place] += 1
    return counts[0] + counts[1]


@given(rows, st.sampled_from([2, 4, 64, 1024]), st.sampled_from(["higher", "lower"]))
def test_an_upload_counts_each_row_in_the_bin_that_fractions_give(of, bins, direction):
    x, y = [score for score, _ in of], np.array([label for _, label in of], int)
    keys = encode(np.array(x, float), y, Scale.of("full", (0, 1), direction))
    pipeline = Options(metrics=("auroc",), resolution=f"bins:{bins}", direction=direction).pipeline
    upload = pipeline.upload([keys])
    assert upload.size == pipeline.words(len(of)) == 2 * bins
    assert upload.tolist() == counted(of, bins, direction)


def test_the_ends_of_the_grid_belong_to_its_first_and_last_bin():
    x = np.array([-0.0, 0.0, 5e-324, 1.0, np.nextafter(1, 0), 0.5, np.nextafter(0.5, 0)])
    upload = Bins(2).counts(x, np.ones(x.size, np.uint64))
    assert upload.tolist() == [3, 4, 0, 0]


@given(rows, st.sampled_from([2, 4, 64]), st.integers(1, 63), st.booleans())
def test_what_lies_above_a_cut_point_is_what_is_called_positive_there(of, bins, at, higher):
    grid = Bins(bins, direction="higher" if higher else "lower")
    threshold = Fraction(at % (bins - 1) + 1, bins)
    x = np.array([score for score, _ in of], float)
    above = grid.cut(threshold)
    called = [score >= threshold if higher else score <= threshold for score in map(Fraction, x)]
    assert (grid.places(x) < above).tolist() == called


@pytest.mark.parametrize(
    ("threshold", "above"),
    [
        ("0", 8),
        ("1", 0),
        ("0.5", 4),
        ("0.125", 7),
        ("0.3", None),
        ("1.125", None),
        ("-0.125", None),
    ],
)
def test_a_threshold_lies_between_two_bins_or_not_on_the_grid(threshold, above):
    assert Bins(8).cut(Fraction(threshold)) == above


@given(rows, st.lists(st.fractions(0, 1), min_size=1, max_size=9, unique=True), st.booleans())
def test_cells_between_any_thresholds_hold_what_is_called_positive_there(of, thresholds, higher):
    grid = Thresholds(tuple(sorted(thresholds)), direction="higher" if higher else "lower")
    x = np.array([score for score, _ in of], float)
    for threshold in thresholds:
        # a score that is written as the threshold is the double nearest to it
        at = float(threshold)
        called = [score >= at if higher else score <= at for score in x.tolist()]
        assert (grid.places(x) < grid.cut(threshold)).tolist() == called


@pytest.mark.parametrize("direction", ["higher", "lower"])
@pytest.mark.parametrize("bins", [3, 10, 1000])
def test_edges_of_any_number_of_bins_are_the_nearest_doubles(bins, direction):
    grid = Bins(bins, Fraction(-1), Fraction(2), direction=direction)
    edges = [float(-1 + 3 * Fraction(k, bins)) for k in range(1, bins)]
    assert grid.edges().tolist() == edges
    beside = [np.nextafter(one, -9) for one in edges] + [np.nextafter(one, 9) for one in edges]
    x = np.array([*edges, *beside, -1.0, 2.0])
    higher = direction == "higher"
    below = [sum(one >= e if higher else one > e for e in edges) for one in x.tolist()]
    places = [bins - 1 - one for one in below] if higher else below
    assert grid.places(x).tolist() == places
