"""Rows find back to their numbers' places, whatever order they were in, and no order is shown."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives import row_order, row_orders
from ppaurora.mpc.shares import reconstruct, share
from tests.mpc.cases import EDGES


def in_row_order(numbers: list[int], *columns: list[int]) -> list[list[int]]:
    at = run_local(
        lambda party, numbers, *columns: row_order(party, numbers, columns),
        share(numbers),
        *map(share, columns),
    )
    return [reconstruct(a.words, b.words).tolist() for a, b in zip(at[0], at[1], strict=True)]


@settings(max_examples=50)
@given(st.permutations(range(30)), st.lists(st.sampled_from(EDGES), min_size=30, max_size=30))
def test_each_row_takes_the_place_of_its_number(numbers: list[int], column: list[int]) -> None:
    expected = [0] * 30
    for number, value in zip(numbers, column, strict=True):
        expected[number] = value % 2**64
    assert in_row_order(list(numbers), column, list(numbers)) == [expected, list(range(30))]


@pytest.mark.parametrize(
    "numbers", [[0, 1, 1], [1, 2, 3], [0, 1, 3], [0, 1, -1], [0, 1, 2**63], [0, 0, 0]]
)
def test_numbers_that_are_not_complete_end_the_session_at_both_proxies(numbers: list[int]) -> None:
    refused = []

    def program(party: Party, numbers: Shared, column: Shared) -> None:
        if party.is_helper:
            row_order(party, numbers, [column])
            return
        with pytest.raises(RemoteProtocolError, match="3 shared rows") as caught:
            row_order(party, numbers, [column])
        refused.append(str(caught.value))

    run_local(program, share(np.array(numbers, object)), share([5, 6, 7]))
    assert len(refused) == 2
    assert "number them anew" in refused[0]


def test_an_incomplete_numbering_ends_the_run_of_all() -> None:
    with pytest.raises(RemoteProtocolError, match="2 shared rows"):
        in_row_order([1, 1], [5, 6])


def assert_all_equally_often(
    possible: set[tuple[int, ...]], draws: int, numbers: list[int], lengths: list[int]
) -> None:
    """Chi-squared over the opened orders of so many runs; a false alarm in 10^6."""

    def program(party: Party, numbers: Shared) -> list[tuple[int, ...]]:
        seen: list[tuple[int, ...]] = []
        exchange = party.exchange

        def recorded(words: Any) -> Any:
            theirs = exchange(words)
            seen.append(tuple((words + theirs).tolist()))
            return theirs

        party.exchange = recorded  # type: ignore[method-assign]
        for _ in range(draws):
            row_orders(party, numbers, [numbers], lengths=lengths)
        return seen

    orders, others, helper = run_local(program, share(numbers))
    assert orders == others
    assert helper == []
    counts, mean, k, x = Counter(orders), draws / len(possible), len(possible) - 1, log(1e6)
    assert set(counts) == possible
    assert sum((count - mean) ** 2 / mean for count in counts.values()) < (
        k + 2 * sqrt(k * x) + 2 * x
    )


def test_the_opened_numbers_come_in_all_orders_equally_often() -> None:
    assert_all_equally_often(set(permutations(range(4))), 2000, [2, 0, 3, 1], [4])


def test_the_numbers_of_parts_come_in_all_orders_of_each_part() -> None:
    both = product(permutations(range(3)), permutations(range(2)))
    assert_all_equally_often({a + b for a, b in both}, 1200, [2, 0, 1, 1, 0], [3, 2])


def in_parts(
    numbers: list[list[int]], columns: list[list[int]]
) -> tuple[list[tuple[list[bool], list[int]]], list[bool]]:
    """At each proxy what is complete, with the rows; and what the helper takes to be complete."""
    lengths = [*map(len, numbers)]

    def program(party: Party, numbers: Shared, column: Shared) -> tuple[list[bool], Shared]:
        complete, [row] = row_orders(party, numbers, [column], lengths=lengths)
        return complete, row

    every_number = np.array([one for part in numbers for one in part], object)
    at = run_local(program, share(every_number), share([one for part in columns for one in part]))
    row = reconstruct(at[0][1].words, at[1][1].words).tolist()
    return [(one[0], row) for one in at[:2]], at[2][0]


def test_each_part_has_its_own_numbers() -> None:
    at, helper = in_parts([[2, 0, 1], [], [0], [1, 0]], [[5, 6, 7], [], [8], [9, 10]])
    assert at == [([True] * 4, [6, 7, 5, 8, 10, 9])] * 2
    assert helper == [True] * 4


@pytest.mark.parametrize("lie", [[0, 0, 1], [3, 0, 1], [1, 2, 3], [0, 1, 2**64 - 1]])
def test_a_part_without_all_its_numbers_is_known_to_the_proxies_and_no_other_suffers(
    lie: list[int],
) -> None:
    at, helper = in_parts([[1, 0], lie, [1, 0]], [[5, 6], [7, 8, 9], [10, 11]])
    for complete, rows in at:
        assert complete == [True, False, True]
        assert rows[:2] + rows[5:] == [6, 5, 11, 10]
        assert sorted(rows[2:5]) == [7, 8, 9]
    assert helper == [True] * 3


def test_numbers_of_another_part_do_not_complete_it() -> None:
    at, _ = in_parts([[2, 3], [0, 1]], [[5, 6], [7, 8]])
    assert [complete for complete, _ in at] == [[False, True]] * 2


def test_one_column_costs_3_hops_and_64_bytes_a_row() -> None:
    cost = row_order.cost(columns=1)
    assert (cost.hops(1000), cost.payload(1000)) == (3, 64_000)
