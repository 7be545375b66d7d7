"""Wide numbers are widened, multiplied and compared at their edges, through every limb."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, Shared, WideShared
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import (
    wide_is_negative,
    wide_multiply,
    wide_negative_times,
    wide_products,
    widen,
)
from ppaurora.mpc.primitives.wide_compare import Weighing, weighed_signs
from ppaurora.mpc.primitives.wide_multiply import WIDE_BLOCK
from ppaurora.mpc.shares import share
from ppaurora.mpc.wide_shares import reconstruct_wide, share_wide
from tests.mpc.cases import POWERS, TOP
from tests.mpc.wide_cases import WIDE_EDGES, WIDE_TOP

M = 2**256
number = st.one_of(st.sampled_from(WIDE_EDGES), st.integers(-WIDE_TOP, WIDE_TOP))


def opened(results: Sequence[Any]) -> list[list[int]]:
    """The opened values of one or several wide results."""
    p0, p1 = (at if isinstance(at, Sequence) else [at] for at in results[:2])
    return [reconstruct_wide(a.words, b.words) for a, b in zip(p0, p1, strict=True)]


def test_every_edge_is_widened_under_many_masks() -> None:
    x = [0, TOP, *POWERS, *(power - 1 for power in POWERS)] * 20
    assert opened(run_local(widen, share(x))) == [x]


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=20))
def test_signed_words_are_widened_by_a_shift(x: list[int]) -> None:
    at = run_local(lambda party, x: widen(party, x + 2**62) - 2**62, share(x))
    assert opened(at) == [[value % M for value in x]]


@given(st.lists(st.integers(0, TOP), min_size=1, max_size=20))
def test_the_way_back_from_wide_costs_nothing(x: list[int]) -> None:
    def program(party: Party, x: Shared) -> Shared:
        wide = widen(party, x)
        hops = party.hops
        low = wide.low()
        assert party.hops == hops
        return low

    assert open_locally(run_local(program, share(x))).tolist() == x


@given(st.lists(st.tuples(number, number, number), min_size=1, max_size=20))
def test_products_of_any_pairs(rows: list[tuple[int, int, int]]) -> None:
    x = [list(column) for column in zip(*rows, strict=True)]
    pairs = [(0, 1), (1, 2), (2, 2)]
    at = run_local(lambda party, *x: wide_products(party, x, pairs), *map(share_wide, x))
    assert opened(at) == [[a * b % M for a, b in zip(x[i], x[j], strict=True)] for i, j in pairs]


def test_every_edge_is_compared_under_many_masks() -> None:
    x = WIDE_EDGES * 4
    assert opened(run_local(wide_is_negative, share_wide(x))) == [[int(a < 0) for a in x]]


def test_the_bit_is_held_in_both_rings() -> None:
    x = [5, -5, 0, -WIDE_TOP]
    at = run_local(lambda party, x: wide_is_negative(party, x).low(), share_wide(x))
    assert open_locally(at).tolist() == [0, 1, 0, 1]


@given(st.lists(st.tuples(number, number), min_size=1, max_size=70))
def test_what_is_negative_is_chosen(rows: list[tuple[int, int]]) -> None:
    x, y = ([row[side] for row in rows] for side in (0, 1))
    assert opened(run_local(wide_negative_times, share_wide(x), share_wide(y))) == [
        [int(a < 0) for a in x],
        [b % M if a < 0 else 0 for a, b in rows],
    ]


@settings(max_examples=20)
@given(
    st.integers(1, 5),
    st.lists(st.lists(number, min_size=7, max_size=7), min_size=1, max_size=4),
    st.data(),
)
def test_weighed_sums_of_many_comparisons_with_one_value(
    count: int, rows: list[list[int]], data: st.DataObject
) -> None:
    """The first `count` numbers of a row are compared, the last two are the values."""
    weight = st.lists(st.integers(0, 200), min_size=count, max_size=count)
    weights = data.draw(st.lists(weight, min_size=1, max_size=2))
    pairs = [(row, value) for row in range(len(weights)) for value in (0, 1)]
    weighing = Weighing(count, 2, np.array(weights, np.uint64), pairs)
    chosen = [[*row[:count], *row[-2:]] for row in rows]
    columns = [list(column) for column in zip(*chosen, strict=True)]

    def program(party: Party, *vectors: WideShared) -> list[WideShared]:
        x = None if party.is_helper else np.stack([vector.words for vector in vectors], axis=1)
        [sums] = party.lockstep([weighed_signs(party, len(rows), x, weighing=weighing)])
        return [WideShared.from_words(party.role, words) for words in sums or []]

    expected = [
        [sum(w * (a < 0) for w, a in zip(weight, row, strict=False)) for row in chosen]
        for weight in weights
    ] + [
        [
            sum(w * (a < 0) for w, a in zip(weights[j], row, strict=False)) * row[count + v] % M
            for row in chosen
        ]
        for j, v in pairs
    ]
    assert opened(run_local(program, *map(share_wide, columns))) == expected


def test_more_than_a_block_is_compared_block_by_block() -> None:
    x = list(range(-5, WIDE_BLOCK))
    assert opened(run_local(wide_is_negative, share_wide(x))) == [[int(a < 0) for a in x]]


def test_a_wide_sign_costs_5_hops_and_at_most_350_bytes() -> None:
    cost = wide_is_negative.cost()
    assert cost.hops(10_000) == 5
    assert cost.payload(10_000) <= 350 * 10_000


def test_vectors_of_different_lengths_are_refused_by_all_roles() -> None:
    def program(party: Party, x: WideShared, y: WideShared) -> None:
        with pytest.raises(LocalProtocolError, match="different lengths"):
            wide_multiply(party, x, y)

    run_local(program, share_wide([1, 2]), share_wide([1]))
