"""Every sort moves whole rows: columns go where their key goes, in the hops of the keys alone."""

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import narrowed, share
from ppaurora.protocols.sorting import SORTS
from ppaurora.protocols.sorting.auto import AutoSort
from ppaurora.protocols.sorting.delta import DeltaSort
from ppaurora.protocols.sorting.network import NetworkSort
from ppaurora.protocols.sorting.shuffled import ShuffledSort
from ppaurora.protocols.sorting.sort import anew

COLUMNS = 2
EVERY = [NetworkSort(), DeltaSort(1), DeltaSort(3), DeltaSort(7), ShuffledSort(), AutoSort()]
every = pytest.mark.parametrize("sort", EVERY, ids=str)
SIZES = ([1], [0, 0], [2, 1], [7, 7], [3, 12], [1, 9], [6, 5, 4, 0, 9], [8] * 4)


def drawn(rng, sizes, most):
    """Lists of rows, each sorted by its keys; a row's columns tell its number and its key."""
    lists, start = [], 0
    for size in sizes:
        keys = np.sort(rng.integers(0, most, size))[::-1]
        lists.append([keys, np.arange(start, start + size), -3 * keys])
        start += size
    return lists


def run(sort, lists, *, narrow=False):
    """The sorted rows as Python numbers, and the hops and bytes that it took."""

    def program(party, *columns):
        if narrow:
            columns = [*map(narrowed, columns)]
        rows = [columns[k : k + 1 + COLUMNS] for k in range(0, len(columns), 1 + COLUMNS)]
        found = sort.sorted_rows(party, rows)
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        return found, party.hops, sent

    at = run_local(program, *(share(column) for rows in lists for column in rows))
    p0, p1 = ([column.words for column in one[0]] for one in at[:2])
    signed = np.int32 if narrow else np.int64
    found = [(p0[k] + p1[k]).view(signed).tolist() for k in range(1 + COLUMNS)]
    return list(zip(*found, strict=True)), max(one[1] for one in at), sum(one[2] for one in at)


def test_every_sort_is_tried():
    assert {type(sort) for sort in EVERY} == set(SORTS.values())


@every
@pytest.mark.parametrize("narrow", [False, True], ids=["64 bits", "32 bits"])
def test_rows_stay_together_and_none_is_lost_or_made(sort, narrow):
    if narrow and not sort.narrows:
        assert isinstance(sort, DeltaSort)
        return
    rng = np.random.default_rng(3)
    for sizes in SIZES:
        # few keys, so that many rows are tied
        for most in (4, 1 << 29 if narrow else 1 << 60):
            lists = drawn(rng, sizes, most)
            found, _, _ = run(sort, lists, narrow=narrow)
            given = [row for rows in lists for row in zip(*rows, strict=True)]
            assert [row[0] for row in found] == sorted((row[0] for row in given), reverse=True)
            assert set(found) == set(given)
            assert len(found) == len(given)


@pytest.mark.parametrize("sort", [one for one in EVERY if one.cost_is_exact], ids=str)
def test_columns_cost_24_bytes_a_pair_and_no_hop(sort):
    sizes = [9, 4, 13]
    _, hops, payload = run(sort, drawn(np.random.default_rng(1), sizes, 50))
    told, alone = sort.cost(sizes, columns=COLUMNS), sort.cost(sizes)
    assert (told.hops, told.payload) == (hops, payload)
    assert told.hops == alone.hops
    pairs = (told.payload - alone.payload) / (24 * COLUMNS)
    assert pairs == int(pairs) > 0


@pytest.mark.parametrize("columns", [0, COLUMNS])
def test_rows_of_32_bits_cost_what_is_predicted_about_half(columns):
    sizes = [129, 64, 300]
    sort = NetworkSort()

    def program(party, *own):
        rows = [
            [*map(narrowed, own[k : k + 1 + columns])]
            for k in range(0, 3 * (1 + columns), 1 + columns)
        ]
        sort.sorted_rows(party, rows)
        return party.hops, sum(link.counters.bytes_sent for link in party.links.values())

    lists = [row[: 1 + columns] for row in drawn(np.random.default_rng(2), sizes, 1 << 29)]
    at = run_local(program, *(share(column) for rows in lists for column in rows))
    told, wide = (sort.cost(sizes, columns=columns, narrow=narrow) for narrow in (True, False))
    assert (told.hops, told.payload) == (max(h for h, _ in at), sum(sent for _, sent in at))
    assert told.hops == wide.hops
    assert told.payload < wide.payload * 0.51


@every
@pytest.mark.parametrize("rows", [0, 1, 2, 9, 30])
def test_rows_in_any_order_are_sorted_at_the_cost_of_as_many_lists(sort, rows):
    rng = np.random.default_rng(rows)
    keys = rng.integers(-2, 8, rows)
    columns = [keys, np.arange(rows)]

    def program(party, *own):
        found = sort.sorted_anew(party, own)
        return found, party.hops, sum(link.counters.bytes_sent for link in party.links.values())

    at = run_local(program, *(share(column.astype(np.uint64)) for column in columns))
    p0, p1 = ([column.words for column in one[0]] for one in at[:2])
    found = [(p0[k] + p1[k]).view(np.int64).tolist() for k in range(2)]
    assert found[0] == sorted(keys.tolist(), reverse=True)
    assert sorted(found[1]) == list(range(rows))
    assert [keys[place] for place in found[1]] == found[0]
    if sort.cost_is_exact:
        told = sort.cost(anew(rows), columns=1)
        spent = max(one[1] for one in at), sum(one[2] for one in at)
        assert (told.hops, told.payload) == spent
