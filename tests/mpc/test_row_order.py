"""Rows find back to their numbers' places, whatever order they were in, and no order is shown."""

from __future__ import annotations

from collections import Counter
from math import factorial, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives import row_order
from ppaurora.mpc.sharing import reconstruct, share
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


def test_the_opened_numbers_come_in_all_orders_equally_often() -> None:
    """Chi-squared over the 24 orders of 4 rows in 2000 runs; a false alarm in 10^6."""
    draws, k, x = 2000, factorial(4) - 1, log(1e6)
    numbers = [2, 0, 3, 1]

    def program(party: Party, numbers: Shared, column: Shared) -> list[tuple[int, ...]]:
        seen: list[tuple[int, ...]] = []
        exchange = party.exchange

        def recorded(words: Any) -> Any:
            theirs = exchange(words)
            seen.append(tuple((words + theirs).tolist()))
            return theirs

        party.exchange = recorded  # type: ignore[method-assign]
        for _ in range(draws):
            row_order(party, numbers, [column])
        return seen

    orders, others, helper = run_local(program, share(numbers), share([5, 6, 7, 8]))
    assert orders == others
    assert helper == []
    counts = Counter(orders)
    mean = draws / factorial(4)
    assert len(counts) == factorial(4)
    assert sum((count - mean) ** 2 / mean for count in counts.values()) < (
        k + 2 * sqrt(k * x) + 2 * x
    )


def test_one_column_costs_3_hops_and_64_bytes_a_row() -> None:
    cost = row_order.cost(columns=1)
    assert (cost.hops(1000), cost.payload(1000)) == (3, 64_000)
