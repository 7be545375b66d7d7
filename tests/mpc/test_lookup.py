"""A table is read at secret places: any length, any integers, several tables at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.link import Limits
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives import lookup
from ppaurora.mpc.primitives.lookup import LARGEST_TABLE, address_bits
from ppaurora.mpc.shares import reconstruct, share


def looked_up(x: Sequence[int], *tables: Any, limits: Limits | None = None) -> list[list[int]]:
    at = run_local(lambda party, x: lookup(party, x, tables), share(x), limits=limits)
    return [reconstruct(a.words, b.words).tolist() for a, b in zip(at[0], at[1], strict=True)]


@pytest.mark.parametrize("entries", [1, 2, 3, 8, 9, 37, 64, 1000])
def test_every_place_of_a_table_is_read(entries: int) -> None:
    table = [(7 * place * place + 1) % 2**64 for place in range(entries)]
    assert looked_up(range(entries), table) == [table]


@given(
    st.lists(st.integers(-(2**63), 2**64 - 1), min_size=1, max_size=40),
    st.data(),
)
def test_tables_hold_any_integers(table: list[int], data: st.DataObject) -> None:
    x = data.draw(st.lists(st.integers(0, len(table) - 1), min_size=1, max_size=20))
    assert looked_up(x, np.array(table, object)) == [[table[place] % 2**64 for place in x]]


@settings(max_examples=20)
@given(st.lists(st.integers(0, 99), min_size=1, max_size=30), st.integers(1, 5))
def test_several_tables_are_read_over_one_opening(x: list[int], count: int) -> None:
    tables = [[place**power for place in range(100)] for power in range(count)]
    assert looked_up(x, *tables) == [[table[place] for place in x] for table in tables]

    def program(party: Party, x: Shared) -> tuple[int, int]:
        lookup(party, x, tables)
        return party.hops, sum(link.counters.bytes_sent for link in party.links.values())

    at = run_local(program, share(x))
    assert max(hops for hops, _ in at) == 1
    assert sum(sent for _, sent in at) == (8 * 128 + 16) * len(x)


@pytest.mark.parametrize("entries", [1 << 17, (1 << 20) - 5])
def test_a_large_table_is_read_in_pieces(entries: int) -> None:
    table = np.random.default_rng(entries).integers(0, 2**64, entries, np.uint64)
    x = [0, entries - 1, entries // 3]
    assert looked_up(x, table) == [table[x].tolist()]


def test_the_helper_waits_for_whoever_reads_slowly() -> None:
    """Some 16 MB are dealt through a window of one."""
    table = np.arange(1 << 12)
    x = list(range(0, 4000, 8))
    assert looked_up(x, table, limits=Limits(window=1 << 20)) == [x]


def test_the_largest_table_makes_one_frame_of_an_element() -> None:
    assert address_bits(LARGEST_TABLE) == 22
    assert lookup.cost(bits=22).payload(1) == 8 * 2**22 + 16


def test_a_larger_table_is_refused_at_every_role_before_anything_is_sent() -> None:
    table = np.broadcast_to(np.int64(1), LARGEST_TABLE + 1)

    def program(party: Party, x: Shared) -> int:
        with pytest.raises(BoundExceeded, match=str(LARGEST_TABLE)):
            lookup(party, x, [table])
        return sum(link.counters.bytes_sent for link in party.links.values())

    assert run_local(program, share([1])) == [0, 0, 0]


@pytest.mark.parametrize("tables", [[], [[]], [[1, 2], [1, 2, 3]]])
def test_tables_that_are_none_empty_or_of_several_lengths_are_refused(tables: list[Any]) -> None:
    with pytest.raises(ValueError, match="entries are not of one length"):
        looked_up([0], *tables)
