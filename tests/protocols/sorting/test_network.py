"""Batcher's merge for any two lengths, and the tree above it."""

from itertools import product

import numpy as np
import pytest

from ppaurora.mpc.bits import columns
from ppaurora.mpc.kernels.gates import Choice, OpenedBits
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.shares import share
from ppaurora.mpc.words import blocks
from ppaurora.protocols.sorting.network import (
    NetworkSort,
    add_differences,
    exchange,
    merge_layers,
    network,
)
from ppaurora.protocols.sorting.sort import merge_tree

LENGTHS = [*range(18), 31, 32, 33]


def run_plainly(words, layers):
    for layer in layers:
        every = slice(0, len(comparators(layer)))
        x = added(words, layer, every)
        exchange(words, layer, every, moving(np.minimum(x.view(np.int64), 0).view(np.uint64)))
    return words


def added(words, layer, part):
    """The differences of these comparators, added to zeros."""
    out = np.zeros(part.stop - part.start, words.dtype)
    add_differences(words, layer, part, out)
    return out


def moving(t):
    """A choice that is t: with e = 0 and λ = 0 it is 0 - λ·r."""
    zeros = np.zeros(t.size, np.uint64)
    e = OpenedBits(zeros[None, : columns(t.size)], zeros, t.size)
    return Choice(e, zeros, zeros, -t)


def comparators(layer):
    """The pairs of a layer, read off its segments one by one."""
    return [
        (
            segment.start + 2 * segment.d * row + c,
            segment.start + 2 * segment.d * row + c + segment.d,
        )
        for segment in layer
        for row in range(segment.rows)
        for c in range(segment.run)
    ]


def zeros_and_ones(a, b):
    """A row for each two sorted lists of so many zeros and ones, the one behind the other."""
    ones, others = np.array([*product(range(a + 1), range(b + 1))]).T[:, :, None]
    return np.hstack([np.arange(a) < ones, np.arange(b) < others]).astype(np.uint64)


@pytest.mark.parametrize("a", LENGTHS)
def test_all_lengths_merge_by_the_zero_one_principle(a):
    for b in LENGTHS:
        layers, words = merge_layers(0, a, b), zeros_and_ones(a, b)
        merged = words.copy()
        for upper, lower in (pair for layer in layers for pair in comparators(layer)):
            x, y = merged[:, upper].copy(), merged[:, lower].copy()
            merged[:, upper], merged[:, lower] = np.maximum(x, y), np.minimum(x, y)
        assert np.array_equal(merged, -np.sort(-words.astype(int), axis=1))


@pytest.mark.parametrize("a", LENGTHS)
def test_what_runs_exchanges_the_pairs_of_the_plan(a):
    """Whole lists of one kind, of both, with ties between them, and without any."""
    rng = np.random.default_rng(a)
    for b in LENGTHS:
        layers = merge_layers(0, a, b)
        for most in (1, 2, 9, 1 << 62):
            lists = [np.sort(rng.integers(0, most, n, np.uint64))[::-1] for n in (a, b)]
            words = np.concatenate(lists)
            assert np.array_equal(run_plainly(words.copy(), layers), np.sort(words)[::-1])


@pytest.mark.parametrize(("a", "b"), [(5, 9), (1, 16), (100, 100), (37, 200), (200, 37)])
def test_a_layer_touches_every_place_once_and_stays_inside(a, b):
    for layer in merge_layers(3, a, b):
        places = [place for pair in comparators(layer) for place in pair]
        assert len(places) == len(set(places))
        assert min(places) >= 3
        assert max(places) < 3 + a + b


def test_slices_and_pairs_say_the_same():
    words = np.random.default_rng(1).integers(0, 99, 237).astype(np.uint64)
    for layer in merge_layers(0, 200, 37):
        upper, lower = np.array(comparators(layer)).T
        expected = np.sort(words[upper] - words[lower])
        every = slice(0, len(upper))
        assert np.array_equal(np.sort(added(words, layer, every)), expected)


@pytest.mark.parametrize(("a", "b"), [(200, 37), (64, 64), (100, 300), (5, 700)])
@pytest.mark.parametrize("size", [1, 7, 16, 33, 100])
def test_a_layer_in_parts_is_the_whole_layer(a, b, size):
    rng = np.random.default_rng(a + size)
    words = rng.integers(0, 1 << 62, a + b).astype(np.uint64)
    for layer in merge_layers(0, a, b):
        every = slice(0, len(comparators(layer)))
        moved = rng.integers(0, 1 << 62, every.stop).astype(np.uint64)
        parts = list(blocks(every.stop, size))
        found = [added(words, layer, part) for part in parts]
        assert np.array_equal(np.concatenate(found), added(words, layer, every))
        apart = words.copy()
        for part in parts:
            exchange(apart, layer, part, moving(moved[part]))
        exchange(words, layer, every, moving(moved))
        assert np.array_equal(apart, words)


def test_lists_of_any_number_and_size_are_sorted():
    rng = np.random.default_rng(2)
    for count in range(9):
        sizes = rng.integers(0, 40, count).tolist()
        lists = [np.sort(rng.integers(0, 50, size))[::-1] for size in sizes]
        plan = network(sizes)
        words = np.concatenate([np.empty(0), *(lists[leaf] for leaf in plan.order)])
        sorted_words = run_plainly(words.astype(np.uint64), plan.layers)
        assert sorted_words.tolist() == sorted(words, reverse=True)


def test_the_private_sort_sorts():
    rng = np.random.default_rng(3)
    lists = [np.sort(rng.integers(0, 2**63, size))[::-1] for size in (40, 1, 0, 7)]
    results = run_local(lambda party, *own: NetworkSort().sorted(party, own), *map(share, lists))
    assert open_locally(results).tolist() == sorted(np.concatenate(lists).tolist(), reverse=True)
    assert len(results[2]) == 48


def test_eight_lists_of_a_thousand_take_36_layers():
    plan = network([1000] * 8)
    assert len(plan.layers) == 36
    assert plan.comparators < 135_000


def test_a_merge_does_not_wait_for_others_of_its_level():
    sizes = [1, 1, 100, 1000, 1000]
    level_by_level = sum(
        max(len(merge_layers(0, merge.a, merge.b)) for merge in level)
        for level in merge_tree(sizes).levels
    )
    assert len(network(sizes).layers) < level_by_level


@pytest.mark.parametrize("count", range(1, 20))
def test_the_tree_is_as_flat_as_can_be_and_small_lists_come_first(count):
    sizes = list(range(1, count + 1))
    tree = merge_tree(sizes)
    assert len(tree.levels) == (count - 1).bit_length()
    assert sorted(tree.order) == list(range(count))
    if len(tree.levels) > 1:
        first = sum(merge.a + merge.b for merge in tree.levels[0])
        assert first == sum(range(1, 2 * len(tree.levels[0]) + 1))


def test_empty_lists_take_no_part():
    assert merge_tree([0, 0]).order == ()
    assert merge_tree([0, 4, 0]).order == (1,)
