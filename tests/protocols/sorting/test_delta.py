"""The paper's merge: its rules, what it opens, and that it sorts."""

import numpy as np
import pytest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import negative_parts, open_negative
from ppaurora.mpc.shares import share
from ppaurora.protocols.sorting import delta
from ppaurora.protocols.sorting.delta import DeltaSort, Merging, largest_odd
from ppaurora.protocols.sorting.tree import Merge


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
