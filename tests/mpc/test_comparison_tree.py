"""Trees of comparisons: every value has its place, and layers say less or equal of any nibbles."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.comparison_tree import NOWHERE, Layer, Tree, join, places
from ppaurora.mpc.primitives.comparison import HALF_NEGATIVE, MANY, NEGATIVE, ZERO, Comparison
from ppaurora.mpc.primitives.wide_compare import TREE

TREES = {
    "64": NEGATIVE.tree,
    "64 of many": NEGATIVE.of(MANY).tree,
    "32": HALF_NEGATIVE.tree,
    "32 of many": HALF_NEGATIVE.of(2 * MANY).tree,
    "256": TREE,
    "equal": ZERO.tree,
}
each_tree = pytest.mark.parametrize("tree", TREES.values(), ids=TREES)


@each_tree
def test_a_tree_joins_all_nibbles_of_each_number(tree: Tree) -> None:
    nibbles = {1: 64 if tree is TREE else 16, 2: 8}[tree.numbers]
    for layer in tree.layers:
        assert nibbles == layer.arity * layer.groups
        nibbles = layer.groups
    assert nibbles == 1


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
def test_layers_in_their_places_say_less_or_equal_of_any_nibbles(tree: Tree) -> None:
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
            # the most significant nibble is the last
            first, second = (tuple(part[own][::-1].tolist()) for part in (x, y))
            if tree.less:
                assert less == (first < second)
            else:
                assert equal == (first == second)


def by_definition(layer: Layer, values: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A layer's values from its wires and addends, where `places` puts the values before it."""
    wires, addends = [0] * layer.wires, [0] * max(layer.addends, 1)
    for value, place in zip(values, places(layer, layer.numbers).tolist(), strict=True):
        for bit, to in zip(value, place, strict=True):
            if to >= 0 and (layer.less or to == place[0]):
                wires[to] = bit
            elif to > NOWHERE and layer.less:
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
    ("comparison", "words"), [(NEGATIVE, MANY), (HALF_NEGATIVE, 2 * MANY)], ids=["64", "32"]
)
def test_so_many_numbers_are_joined_by_pairs(comparison: Comparison, words: int) -> None:
    fewer = words - comparison.lanes
    assert comparison.of(fewer) is comparison
    assert comparison.of(words).exchanges == comparison.exchanges + 1
    n = 64 * 64
    assert comparison.of(words).gate_words(n) < comparison.gate_words(n)
    assert ZERO.of(words) is ZERO
