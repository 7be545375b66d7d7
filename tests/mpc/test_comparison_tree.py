"""Trees of comparisons: every value has its place, and layers say less or equal of any digits."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest

from ppaurora.mpc.comparison_tree import MOST_BITS, NOWHERE, Digits, Layer, Tree, join, places
from ppaurora.mpc.primitives.comparison import (
    ARITIES_TRIED,
    HALF_NEGATIVE,
    HOP_BITS,
    NEGATIVE,
    ZERO,
    Comparison,
    best_tree,
)
from ppaurora.mpc.primitives.low_half import BORROW
from ppaurora.mpc.primitives.wide_compare import TREE

LENGTHS = (1, 10_000, 100_000, 1_000_000, 10_000_000)
TREES = {
    f"{'less' if tree.less else 'equal'} of {tree.bits}: {tree.arities}": tree
    for tree in (
        *(
            comparison.of(n).tree
            for comparison in (NEGATIVE, HALF_NEGATIVE, BORROW, ZERO)
            for n in LENGTHS
        ),
        best_tree(1, 62),
        best_tree(1, 1),
        TREE,
    )
}
each_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES)


@each_tree
def test_a_tree_joins_all_digits_of_each_number(tree: Tree) -> None:
    count = sum(digits.count for digits in tree.digits)
    for layer in tree.layers:
        assert count == layer.arity * layer.groups
        count = layer.groups
    assert count == 1


@each_tree
def test_digits_are_all_bits_once_and_as_even_as_they_can_be(tree: Tree) -> None:
    apart = 64 // tree.numbers
    for word, digits in enumerate(tree.digits):
        compared = [bit for ends in digits.ranges for bit in range(*ends)]
        lowest = range(min(64, tree.bits - 64 * word))
        assert compared == [
            apart * number + bit for number in range(tree.numbers) for bit in lowest
        ]
        widths = {high - low for low, high in digits.ranges.tolist()}
        assert max(widths) - min(widths) <= 1


def test_wider_digits_than_there_are_gates_for_are_refused() -> None:
    assert Digits(64, 16, 1, less=True).dealt == 16 * 15
    with pytest.raises(ValueError, match="64 bits in 15 digits of at most 4"):
        Digits(64, 15, 1, less=True)


@each_tree
def test_every_value_has_one_place_and_every_place_one_value(tree: Tree) -> None:
    for layer in tree.layers:
        found = places(layer, layer.numbers)
        assert found.dtype == places(None, layer.numbers).dtype == np.int64
        assert len(found) == layer.numbers * layer.groups * layer.arity
        asked = found if layer.less else found[:, :1]
        wires = asked[asked >= 0].tolist()
        assert sorted(wires) == list(range(layer.wires))
        kept = asked[(asked < 0) & (asked > NOWHERE)].tolist()
        assert sorted(kept, reverse=True) == [-1 - row for row in range(layer.addends)]


@each_tree
def test_only_the_equality_of_lowest_groups_goes_nowhere(tree: Tree) -> None:
    for layer in tree.layers:
        nowhere = np.flatnonzero(places(layer, layer.numbers)[:, 0] == NOWHERE)
        apart = layer.arity * layer.groups
        expected = [number * apart for number in range(layer.numbers)] if layer.less else []
        assert nowhere.tolist() == expected


@each_tree
def test_layers_in_their_places_say_less_or_equal_of_any_digits(tree: Tree) -> None:
    """On plain bits, by the definition of a layer: what goes to a wire is read from its place."""
    rng = np.random.default_rng(20)
    per = tree.layers[0].arity * tree.layers[0].groups
    in_all = per * tree.numbers
    for _ in range(300):
        x, y = (rng.integers(0, 16, in_all) for _ in range(2))
        alike = rng.random(in_all) < rng.choice([0.5, 0.9, 1.0])
        y[alike] = x[alike]
        values = [(int(a == b), int(a < b)) for a, b in zip(x, y, strict=True)]
        for layer in tree.layers:
            values = by_definition(layer, values)
        for number, (equal, less) in enumerate(values):
            own = slice(number * per, (number + 1) * per)
            # the most significant digit is the last
            first, second = (tuple(part[own][::-1].tolist()) for part in (x, y))
            if tree.less:
                assert less == (first < second)
            else:
                assert equal == (first == second)


def by_definition(layer: Layer, values: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A layer's values from its wires and addends, where `places` puts the values before it."""
    wires, addends = [0] * layer.wires, [0] * max(layer.addends, 1)
    for value, place in zip(values, places(layer, layer.numbers).tolist(), strict=True):
        for bit, to in list(zip(value, place, strict=True))[: 2 if layer.less else 1]:
            if to >= 0:
                wires[to] = bit
            elif to > NOWHERE:
                addends[-1 - to] = bit
    joined, row, k = [], 0, layer.arity
    for group, gate in enumerate(layer.gates):
        own = wires[row : (row := row + gate.wires)]
        equal = own[-1] * int(all(own[: k - 1])) if layer.equal(group) else 0
        less = 0
        if layer.less:
            less, product = addends[group], 1
            for i in range(k - 1):
                product *= own[i]
                less ^= product * own[k - 1 + i]
        joined.append((equal, less))
    return joined


def test_pairs_take_fewer_bits_than_fours() -> None:
    def bits(*gates: tuple[int, int]) -> int:
        return sum(count * cost(arity) for arity, count in gates)

    def cost(arity: int) -> int:
        gate = join(arity, less=True, equal=True)
        return 2 * gate.wires + gate.dealt

    assert (bits((4, 1)), bits((2, 3))) == (36, 24)


@pytest.mark.parametrize(
    ("comparison", "told"),
    [
        (NEGATIVE, {(4, 5): 388, (2, 3, 4): 319, (2, 2, 2, 3): 304}),
        (HALF_NEGATIVE, {(3, 3): 157, (2, 2, 3): 143}),
        (ZERO, {(4, 5): 303, (2, 3, 4): 255, (2, 2, 2, 3): 251}),
    ],
    ids=["64", "32", "equal"],
)
def test_more_numbers_are_joined_in_more_layers_of_fewer_bits(
    comparison: Comparison, told: dict[tuple[int, ...], int]
) -> None:
    found = {}
    for n in (1 << place for place in range(30)):
        tree = comparison.of(n).tree
        found[tree.arities] = tree.bits_sent
        words = 64 * 64
        assert tree.words(words) * 64 == tree.bits_sent * tree.numbers * words
        # no other is as good
        for arities in (each for each in ARITIES_TRIED if tree.bits <= MOST_BITS * prod(each)):
            other = Tree(arities, tree.bits, tree.numbers, tree.less)
            hops = len(arities) - len(tree.arities)
            assert n * (other.bits_sent - tree.bits_sent) + hops * HOP_BITS >= 0
    assert found == told


def test_no_tree_of_as_many_layers_takes_fewer_bits_but_one_by_a_fiftieth() -> None:
    """Of all trees that join two to five; [x = 0] of many takes 251 bits by threes, not 255."""
    for bits, numbers, less in ((63, 1, True), (31, 2, True), (64, 1, False)):
        for layers in (2, 3):
            trees = (
                Tree(arities, bits, numbers, less)
                for arities in product(range(2, 6), repeat=layers)
                if bits <= MOST_BITS * prod(arities) and prod(arities) <= bits
            )
            fewest = min(tree.bits_sent for tree in trees)
            tried = (
                Tree(arities, bits, numbers, less)
                for arities in ARITIES_TRIED
                if len(arities) == layers and bits <= MOST_BITS * prod(arities)
            )
            best = min(tree.bits_sent for tree in tried)
            assert best == (255 if (less, layers) == (False, 3) else fewest)
            assert best <= 1.02 * fewest
