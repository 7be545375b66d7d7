"""The paper's merge: its rules, what it opens, and that it sorts.

What the paper's merge costs is what its shuffles cost one by one, and is told at once.
"""

import random

import numpy as np
import pytest

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import negative_parts, open_negative
from ppaurora.mpc.shares import share
from ppaurora.mpc.words import BLOCK
from ppaurora.protocols.sorting import delta
from ppaurora.protocols.sorting.delta import DeltaSort, Merging, largest_odd, shuffles_cost
from ppaurora.protocols.sorting.sort import Merge, merge_tree


def descending(rng, size):
    return np.sort(rng.integers(0, 60, size))[::-1]


def sort(lists, δ):
    return run_local(lambda party, *own: DeltaSort(δ).sorted(party, own), *map(share, lists))


def merging(a, b, δ):
    return Merging(Merge(0, a, b), None, None, δ)


@pytest.mark.parametrize("δ", [1, 3, 5, 9])
def test_lists_of_any_number_and_size_are_sorted(δ):
    rng = np.random.default_rng(δ)
    for sizes in ([1], [1, 1], [2, 1], [7, 7], [3, 12], [12, 3], [1, 9], [6, 5, 4, 0, 9], [8] * 4):
        lists = [descending(rng, size) for size in sizes]
        results = sort(lists, δ)
        expected = sorted(np.concatenate(lists).tolist(), reverse=True)
        assert open_locally(results).tolist() == expected


def test_nothing_to_sort():
    assert len(sort([[]], 1)[0]) == 0


def test_the_longer_list_is_the_first():
    one = merging(3, 5, 1)
    one.begin()
    assert (len(one.L1), len(one.L2)) == (5, 3)


def test_delta_is_lowered_to_the_largest_odd_length_of_the_second_list():
    assert [largest_odd(length) for length in range(1, 8)] == [1, 1, 3, 3, 5, 5, 7]
    one = merging(9, 4, 7)
    one.begin()
    assert one.to_move == 3


def test_one_element_left_sets_delta_to_one_for_good():
    one = merging(9, 3, 3)
    one.begin()
    one.move(one.L1)
    one.move(one.L2)
    one.move(one.L2)
    assert one.shuffles
    one.begin()
    assert (one.δ, one.to_move) == (1, 1)
    for _ in range(7):
        one.move(one.L1)
        assert one.shuffles
        one.begin()
        assert one.δ == 1


def test_a_cycle_stops_as_soon_as_one_element_is_left():
    one = merging(5, 5, 5)
    one.begin()
    one.move(one.L1)
    for _ in range(4):
        assert not one.shuffles
        one.move(one.L2)
    assert one.shuffles
    assert len(one.L2) == 1


def test_delta_one_costs_the_product_of_the_lengths(monkeypatch):
    batches = []

    def spy(party, x, columns):
        batches.append(len(x))
        return negative_parts(party, x, columns)

    monkeypatch.setattr(delta, "negative_parts", spy)
    rng = np.random.default_rng(1)
    sort([descending(rng, 20), descending(rng, 20)], 1)
    # 20 + 2·(19 + ... + 1) compare-exchanges, seen at three parties
    assert sum(batches) == 3 * 20 * 20


def test_delta_one_opens_nothing_and_larger_ones_do(monkeypatch):
    opened = []

    def spy(party, x):
        opened.append(len(x))
        return open_negative(party, x)

    monkeypatch.setattr(delta, "open_negative", spy)
    rng = np.random.default_rng(2)
    lists = [descending(rng, 15), descending(rng, 12)]
    sort(lists, 1)
    assert not opened
    sort(lists, 3)
    assert opened


def one_by_one(sizes, columns=0):
    """The cost of every shuffle of a merge with δ = 1, as the merge itself goes."""
    spent = Cost()
    for level in merge_tree(sizes).levels:
        active = [Merging(merge, None, None, 1) for merge in level]
        while active:
            for one in active:
                one.begin()
            pairs = sum(one.overlap for one in active)
            spent += negative_parts.cost(columns=columns).of(pairs)
            for one in active:
                one.move(one.L1)
            active = [one for one in active if not one.done]
    return spent


@pytest.mark.parametrize("first", range(1, 13))
def test_two_short_lists_cost_what_their_shuffles_cost(first):
    for second in range(13):
        assert DeltaSort(1).cost([first, second]) == one_by_one([first, second])


@pytest.mark.parametrize("columns", range(4))
def test_lists_of_any_number_and_size_cost_what_their_shuffles_cost(columns):
    rng = random.Random(columns)
    for _ in range(20):
        most = rng.choice((2, 20, 200))
        sizes = [rng.randrange(most) for _ in range(rng.randrange(9))]
        assert DeltaSort(1).cost(sizes, columns=columns) == one_by_one(sizes, columns), sizes


@pytest.mark.parametrize("sizes", [[4100, 4095], [2100, 2080, 2075, 2060], [9000, 1]])
def test_lists_that_fill_all_rows_of_a_block_cost_what_their_shuffles_cost(sizes):
    assert DeltaSort(1).cost(sizes) == one_by_one(sizes)


@pytest.mark.parametrize(
    ("sizes", "columns"), [([BLOCK + 3] * 2, 0), ([BLOCK] * 2, 1), ([BLOCK - 1] * 6, 3)]
)
def test_the_shuffles_of_lists_longer_than_a_block_are_added_up(sizes, columns):
    """Of equal lists, those longer by an element take two shuffles more, the first two."""
    merges, cost = len(sizes) // 2, negative_parts.cost(columns=columns)
    longer, shorter = (
        shuffles_cost([Merge(0, n, n)] * merges, columns) for n in (sizes[0], sizes[0] - 1)
    )
    apart = cost.of(merges * sizes[0]) + cost.of(merges * (sizes[0] - 1))
    assert longer == shorter + apart


RECORDED = [
    ([50_000, 50_000], 1, 0, Cost(399_996, 202_028_425_696)),
    ([12_500] * 8, 1, 2, Cost(699_988, 563_546_695_168)),
    ([100_000, 70_001, 3], 5, 1, Cost(192_004, 146_713_149_363)),
    ([300_000, 140_000], 1, 1, Cost(1_759_996, 4_400_179_451_456)),
    ([200_000, 1, 1, 77_777], 25, 0, Cost(88_888, 50_270_115_457)),
]
"""Sizes, δ, columns, and what the shuffles cost one by one, which takes minutes for all of them."""


@pytest.mark.parametrize(("sizes", "δ", "columns", "spent"), RECORDED)
def test_long_lists_cost_what_was_recorded(sizes, δ, columns, spent):
    assert DeltaSort(δ).cost(sizes, columns=columns) == spent


def test_what_no_computer_could_merge_has_a_cost_too():
    n = 1 << 40
    assert DeltaSort(1).cost([n, n]).hops == 4 * (2 * n - 1)
