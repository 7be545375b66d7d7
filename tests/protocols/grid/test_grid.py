"""Counting on the public grid: every score in the bin that fractions put it into.

A bin begins where a score is still called positive: at its lower end, or at its upper one where
lower scores are positive.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.encoding import encode
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
    keys = encode(np.array(x, float), y, code="unit", direction=direction)
    pipeline = Options(
        metrics=("auroc_bounds",), mode="grid", bins=bins, direction=direction
    ).pipeline
    upload = pipeline.upload([keys])
    assert upload.size == pipeline.words(len(of)) == 2 * bins
    assert upload.tolist() == counted(of, bins, direction)


def test_the_ends_of_the_grid_belong_to_its_first_and_last_bin():
    x = np.array([-0.0, 0.0, 5e-324, 1.0, np.nextafter(1, 0), 0.5, np.nextafter(0.5, 0)])
    upload = Grid(2).counts(x, np.ones(x.size, np.uint64))
    assert upload.tolist() == [3, 4, 0, 0]


@given(rows, st.sampled_from([2, 4, 64]), st.integers(1, 63), st.booleans())
def test_what_lies_above_a_cut_point_is_what_is_called_positive_there(of, bins, at, higher):
    grid = Grid(bins, "higher" if higher else "lower")
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
    assert Grid(8).cut(Fraction(threshold)) == above
