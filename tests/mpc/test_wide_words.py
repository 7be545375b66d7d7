"""Arithmetic mod 2^256 on limbs is that of Python's integers, carries and all."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.wide_words import (
    LIMBS,
    WIDE_BITS,
    minus,
    negative,
    plus,
    signs,
    times,
    to_integers,
    to_wide,
    total,
    weighted_sums,
    weighted_totals,
)
from ppaurora.mpc.words import Words
from tests.mpc.wide_cases import WIDE_EDGES

M = 1 << WIDE_BITS
limb = st.sampled_from([0, 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1])
of_edge_limbs = st.lists(limb, min_size=LIMBS, max_size=LIMBS).map(
    lambda limbs: sum(value << 64 * place for place, value in enumerate(limbs))
)
"""Numbers in which carries run through one limb, several, or all."""
number = st.one_of(of_edge_limbs, st.sampled_from(WIDE_EDGES), st.integers(-M, M))
pairs = st.lists(st.tuples(number, number), max_size=20)


@given(st.lists(number, max_size=20))
def test_integers_survive_the_way_to_limbs_and_back(values: list[int]) -> None:
    words = to_wide(values)
    assert words.shape == (LIMBS, len(values))
    assert to_integers(words) == [value % M for value in values]


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64, np.bool_])
def test_arrays_are_extended_by_their_sign(kind: type) -> None:
    if kind is np.bool_:
        values = np.array([False, True])
    else:
        info = np.iinfo(kind)
        values = np.array([info.min, 0, 1, info.max], kind)
    assert to_integers(to_wide(values)) == [int(value) % M for value in values]


def test_arrays_keep_their_axes_behind_the_limbs() -> None:
    values = np.arange(6, dtype=np.uint64).reshape(2, 3)
    assert to_wide(values).shape == (LIMBS, 2, 3)


@pytest.mark.parametrize("values", [0.5, [1, 0.5], np.array([0.5]), ["1"]])
def test_what_is_no_integer_is_refused(values: object) -> None:
    with pytest.raises(TypeError):
        to_wide(values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ours", "pythons"),
    [(plus, operator.add), (minus, operator.sub), (times, operator.mul)],
    ids=["plus", "minus", "times"],
)
@given(values=pairs)
def test_two_vectors_are_combined_as_integers_are(
    ours: Callable[[Words, Words], Words],
    pythons: Callable[[int, int], int],
    values: list[tuple[int, int]],
) -> None:
    a, b = ([pair[side] for pair in values] for side in (0, 1))
    together = ours(to_wide(a), to_wide(b))
    assert to_integers(together) == [pythons(x, y) % M for x, y in values]


@given(st.lists(number, min_size=1, max_size=20), number)
def test_one_number_goes_with_each_of_a_vector(values: list[int], one: int) -> None:
    words, single = to_wide(values), to_wide(one)
    assert to_integers(plus(words, single)) == [(value + one) % M for value in values]
    assert to_integers(minus(single, words)) == [(one - value) % M for value in values]
    assert to_integers(times(single, words)) == [(value * one) % M for value in values]


@given(st.lists(number, max_size=20))
def test_negation_signs_and_the_sum(values: list[int]) -> None:
    words = to_wide(values)
    assert to_integers(negative(words)) == [-value % M for value in values]
    assert signs(words).tolist() == [value % M >> 255 for value in values]
    assert to_integers(total(words)) == [sum(values) % M]


@given(st.lists(st.lists(number, min_size=3, max_size=3), min_size=1, max_size=9), st.data())
def test_weighted_sums_run_over_the_axis_before_the_last(
    rows: list[list[int]], data: st.DataObject
) -> None:
    count = len(rows)
    weight = st.lists(st.integers(0, (2**31 - 1) // count), min_size=count, max_size=count)
    weights = data.draw(st.lists(weight, min_size=1, max_size=3))
    values = np.stack([to_wide(row) for row in rows], axis=1)
    sums = weighted_sums(values, np.array(weights, np.uint64))
    assert sums.shape == (LIMBS, len(weights), 3)
    for place, row_of_weights in enumerate(weights):
        columns = zip(*rows, strict=True)
        assert to_integers(sums[:, place]) == [
            sum(w * value for w, value in zip(row_of_weights, column, strict=True)) % M
            for column in columns
        ]


def test_sums_of_the_largest_halves_do_not_overflow() -> None:
    words = to_wide([-1]).repeat(100_000, axis=1)
    assert to_integers(total(words)) == [-100_000 % M]


def test_operands_stay_as_they_were() -> None:
    a, b = to_wide([1, -1, 2**255]), to_wide([-1, 2**64 - 1, 2**255])
    before = a.copy(), b.copy()
    for result in (plus(a, b), minus(a, b), times(a, b), negative(a)):
        result[:] = 7
    np.testing.assert_array_equal(before, (a, b))


weight = st.one_of(
    st.sampled_from([-(2**63), -(2**48), -1, 0, 1, 2**16 - 1, 2**48, 2**63 - 1]),
    st.integers(-(2**63), 2**63 - 1),
)


@given(st.lists(st.tuples(number, weight, weight), max_size=20))
def test_weighted_totals_are_those_of_integers(rows: list[tuple[int, int, int]]) -> None:
    values = [value for value, *_ in rows]
    weights = [[row[1 + place] for row in rows] for place in range(2)]
    found = weighted_totals(to_wide(values), np.array(weights, np.int64).reshape(2, len(rows)))
    assert found.shape == (LIMBS, 2)
    assert to_integers(found) == [
        sum(map(operator.mul, values, own)) % M if rows else 0 for own in weights
    ]


@pytest.mark.parametrize("weight", [-(2**63), 2**63 - 1, -1])
def test_weighted_totals_of_the_most_numbers_are_exact(weight: int) -> None:
    n = (1 << 20) - 1
    values = np.full((LIMBS, n), 2**64 - 1, np.uint64)
    found = weighted_totals(values, np.full((1, n), weight, np.int64))
    assert to_integers(found) == [-n * weight % M]
    with pytest.raises(LocalProtocolError, match="have exact sums"):
        weighted_totals(np.zeros((LIMBS, n + 1), np.uint64), np.zeros((1, n + 1), np.int64))
