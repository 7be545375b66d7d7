"""Rows move with their keys: all columns or none, whatever they hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import (
    compare_exchange,
    compare_exchange_columns,
    negative_part,
    negative_parts,
)
from ppaurora.mpc.shares import share
from tests.mpc.cases import EDGES, TOP

word = st.one_of(st.sampled_from(EDGES), st.integers(-TOP, TOP))
key = st.integers(-(2**62) + 1, 2**62 - 1)


@pytest.mark.usefixtures("each_arithmetic")
@settings(max_examples=50)
@given(st.integers(0, 4), st.lists(st.tuples(*[word] * 5), min_size=1, max_size=70))
def test_parts_of_any_number_of_columns(columns: int, rows: list[tuple[int, ...]]) -> None:
    x, *y = ([row[place] for row in rows] for place in range(columns + 1))
    at = run_local(lambda party, x, *y: negative_parts(party, x, y), *map(share, [x, *y]))
    got = [open_locally(list(parts)).tolist() for parts in zip(at[0], at[1], strict=True)]
    assert got == [
        [value if a < 0 else 0 for a, value in zip(x, column, strict=True)] for column in (x, *y)
    ]


@pytest.mark.usefixtures("each_arithmetic")
@settings(max_examples=50)
@given(st.lists(st.tuples(key, word, word, key, word, word), min_size=1, max_size=70))
def test_whole_rows_are_exchanged_and_equal_keys_stay(rows: list[tuple[int, ...]]) -> None:
    rows = [*rows, (5, 1, 2, 5, 3, 4)]
    columns = [[row[place] for row in rows] for place in range(6)]

    def program(party: Party, *vectors: Shared) -> list[Shared]:
        larger, smaller = compare_exchange_columns(party, vectors[:3], vectors[3:])
        return [*larger, *smaller]

    at = run_local(program, *map(share, columns))
    got = np.stack([open_locally(list(parts)) for parts in zip(at[0], at[1], strict=True)])
    expected = [row[3:] + row[:3] if row[0] < row[3] else row for row in rows]
    assert got.T.tolist() == [list(row) for row in expected]


@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize("n", [1, 57, 1000])
def test_a_column_costs_no_hop_and_24_bytes(columns: int, n: int) -> None:
    for with_columns, without in (
        (negative_parts, negative_part),
        (compare_exchange_columns, compare_exchange),
    ):
        cost, alone = with_columns.cost(columns=columns), without.cost()
        assert cost.hops(n) == alone.hops(n) == 4
        assert cost.payload(n) == alone.payload(n) + 24 * columns * n


def test_rows_of_different_widths_are_refused_by_all_roles() -> None:
    def program(party: Party, a: Shared, b: Shared) -> None:
        for one, other in (([a, b], [b]), ([], [])):
            with pytest.raises(LocalProtocolError, match="columns are exchanged"):
                compare_exchange_columns(party, one, other)

    run_local(program, share([1]), share([2]))
