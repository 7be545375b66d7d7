"""The C of every gate and of every pass computes numpy's words, for every length."""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from collections.abc import Callable
from dataclasses import astuple
from itertools import product, zip_longest
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ppaurora.mpc import kernels
from ppaurora.mpc.bits import columns
from ppaurora.mpc.comparison_tree import ARITIES, Digits, Layer
from ppaurora.mpc.kernels import LayerInput, library
from ppaurora.mpc.kernels.library import LINE, at, room_for
from ppaurora.mpc.primitives import wide_compare
from ppaurora.mpc.primitives.comparison import (
    HALF_NEGATIVE,
    NEGATIVE,
    ZERO,
    Comparison,
    best_tree,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import BLOCK, Halves, Words

LENGTHS = (1, 63, 64, 65, 511, 512, 577, 100_001, BLOCK)
COMPARISONS = {
    "64": NEGATIVE,
    "64 of more": NEGATIVE.of(100_000),
    "64 of many": NEGATIVE.of(1_000_000),
    "32": HALF_NEGATIVE,
    "32 of many": HALF_NEGATIVE.of(1_000_000),
    "equal": ZERO,
    "equal of many": ZERO.of(1_000_000),
    "one bit": Comparison(best_tree(1, 1)),
    "equal, one bit": Comparison(best_tree(1, 1, less=False)),
}


each_proxy = pytest.mark.parametrize("role", [Role.P0, Role.P1])
each_length = pytest.mark.parametrize("length", LENGTHS)


def random(*shape: int) -> Words:
    return np.random.default_rng(shape).integers(0, 2**64, shape, np.uint64)


def zeros(*shape: int) -> Words:
    return np.zeros(shape, np.uint64)


def ones(*shape: int) -> Words:
    return np.full(shape, 2**64 - 1, np.uint64)


def single_bits(*shape: int) -> Words:
    """Words of one bit each, so that a plane taken for another one is seen."""
    return np.uint64(1) << random(*shape) % np.uint64(64)


each_kind = pytest.mark.parametrize("words", [random, zeros, ones, single_bits])


def by_numpy(computed, *arguments) -> Words:
    with library.without_library():
        assert not library.native()
        return np.array(computed(*arguments))


@pytest.mark.usefixtures("native")
def test_the_library_has_every_gate_that_has_a_name() -> None:
    for name in product(ARITIES.values(), ("less", "equal")):
        assert library.function(f"join_layer_of_{'_'.join(name)}") is not None
        assert library.function(f"products_of_layer_of_{'_'.join(name)}") is not None
    for digits in ("less_of_digits", "equality_of_digits", "products_of_digits"):
        assert library.function(digits) is not None
    assert kernels.in_use() == "native kernels"


@pytest.mark.usefixtures("native")
@each_kind
@each_length
@pytest.mark.parametrize(("bits", "count", "numbers"), [(63, 16, 1), (64, 17, 1), (13, 4, 4)])
def test_digits_have_numpys_values_and_products(
    bits: int, count: int, numbers: int, length: int, words: Callable[..., Words]
) -> None:
    digits, z = Digits(bits, count, numbers, less=True), words(length)
    dealt = words(digits.dealt, columns(length))
    for role in (Role.P0, Role.P1):
        given = (digits, role, z, dealt)
        values = kernels.values_of_digits(*given)
        assert values.shape == (numbers * count, 2, columns(length))
        assert np.array_equal(values, by_numpy(kernels.values_of_digits, *given))
    products = kernels.products_of_digits(digits, z)
    assert np.array_equal(products, by_numpy(kernels.products_of_digits, digits, z))


each_comparison = pytest.mark.parametrize("comparison", COMPARISONS.values(), ids=COMPARISONS)
LAYERS = [
    (layer, then)
    for tree in [*(comparison.tree for comparison in COMPARISONS.values()), wide_compare.TREE]
    for layer, then in zip_longest(tree.layers, tree.layers[1:])
]
each_layer = pytest.mark.parametrize(
    ("layer", "then"), LAYERS, ids=lambda layer: str(layer and tuple(astuple(layer)))
)
PLANES = (1, 9, 16, 511, 513, 1030)


def assert_are_numpys(computed: Callable[..., LayerInput], *given: object) -> LayerInput:
    found = computed(*given)
    with library.without_library():
        of_numpy = computed(*given)
    assert np.array_equal(found.wires, of_numpy.wires)
    assert np.array_equal(found.addends, of_numpy.addends)
    return found


@pytest.mark.usefixtures("native")
@each_comparison
@each_proxy
def test_digits_become_the_masked_wires_that_numpy_makes(
    comparison: Comparison, role: Role
) -> None:
    tree, kind = comparison.tree, f"u{8 // comparison.lanes}"
    first = tree.layers[0]
    for length in LENGTHS:
        m = columns(length)
        mine, theirs, z = random(3, length)
        dealt, masks = random(tree.dealt[0], m), random(first.wires, m)
        given = (tree, role, z, dealt, masks, (mine, theirs))
        found = assert_are_numpys(kernels.digits_to_wires, *given)
        assert np.array_equal(z.view(kind), mine.view(kind) + theirs.view(kind))
        assert found.wires.shape == (first.wires, m)
        assert len(found.addends) == first.addends


@pytest.mark.usefixtures("native")
@each_proxy
def test_digits_of_wide_numbers_become_the_wires_that_numpy_makes(role: Role) -> None:
    tree = wide_compare.TREE
    for length in (1, 100, 1000):
        m = columns(length)
        z, dealt = random(4, length), random(tree.dealt[0], m)
        masks = random(tree.layers[0].wires, m)
        assert_are_numpys(kernels.digits_to_wires, tree, role, z, dealt, masks)
        products = kernels.products_of_all_digits(tree, z)
        assert products.shape == dealt.shape
        assert np.array_equal(products, by_numpy(kernels.products_of_all_digits, tree, z))


@pytest.mark.usefixtures("native")
@each_comparison
def test_products_of_shared_words_are_those_of_the_words(comparison: Comparison) -> None:
    tree = comparison.tree
    for length in LENGTHS:
        words, other = random(2, length)
        kind, sums = f"u{8 // comparison.lanes}", np.empty_like(words)
        share = (words.view(kind) - other.view(kind)).view(np.uint64)
        shared = (tree, sums, (share, other))
        for found in (
            kernels.products_of_all_digits(*shared),
            by_numpy(kernels.products_of_all_digits, *shared),
        ):
            assert np.array_equal(found, kernels.products_of_all_digits(tree, words))
            assert np.array_equal(sums, words)


@pytest.mark.usefixtures("native")
@each_layer
@each_proxy
def test_groups_become_the_masked_wires_that_numpy_makes(
    layer: Layer, then: Layer | None, role: Role
) -> None:
    for m in PLANES:
        wires, theirs, masks = random(3, layer.wires, m)
        given = kernels.LayerInput(wires, random(layer.addends, m))
        dealt, next_masks = random(layer.dealt, m), random(then.wires if then else 0, m)
        assert_are_numpys(
            kernels.join_layer, layer, role, given, theirs, dealt, masks, then, next_masks
        )


@pytest.mark.usefixtures("native")
@each_layer
@each_proxy
def test_every_row_of_a_table_has_its_own_place(
    layer: Layer, then: Layer | None, role: Role
) -> None:
    """Each row by itself: one is all ones, the others are zero."""
    wires, theirs = random(2, layer.wires, 9)
    next_masks = random(then.wires if then else 0, 9)
    for row in range(layer.dealt + layer.wires + layer.addends):
        table = zeros(layer.dealt + layer.wires + layer.addends, 9)
        table[row] = ones(9)
        dealt, masks, addends = np.split(table, [layer.dealt, layer.dealt + layer.wires])
        given = LayerInput(wires, addends)
        assert_are_numpys(
            kernels.join_layer, layer, role, given, theirs, dealt, masks, then, next_masks
        )


@pytest.mark.usefixtures("native")
@each_kind
@each_layer
def test_products_of_a_layer_are_numpys(
    layer: Layer, then: Layer | None, words: Callable[..., Words]
) -> None:
    for m in PLANES:
        masks, others = words(layer.wires, m), random(layer.wires, m)
        given = (layer, masks ^ others, others)
        products = kernels.products_of_layer(*given)
        assert np.array_equal(products, by_numpy(kernels.products_of_layer, *given))


@pytest.mark.usefixtures("native")
@each_length
def test_opened_bits_and_what_they_choose_are_numpys(length: int) -> None:
    plane, (z, y, bit, product) = random(columns(length)), random(4, length)
    e = kernels.bits_and_signs(plane, z)
    assert np.array_equal(e, by_numpy(kernels.bits_and_signs, plane, z))
    assert set(e.tolist()) <= {0, 1}
    choice = kernels.Choice(kernels.OpenedBits(plane[None], z, length), z, bit, product)
    assert np.array_equal(choice.words(y), by_numpy(choice.words, y))
    assert np.array_equal(choice.words(y[::-1]), by_numpy(choice.words, y[::-1]))
    part = slice(length // 3, length // 2)
    assert np.array_equal(choice.words(y[part], part.start), choice.words(y)[part])


@pytest.mark.usefixtures("native")
@each_length
@pytest.mark.parametrize("odd", [0, 1])
def test_what_comparisons_of_halves_choose_of_words_is_numpys(length: int, odd: int) -> None:
    n = 2 * length - odd
    z, y, bit, product = random(4, n)
    e = kernels.OpenedBits(random(2, columns(length)), random(length), n)
    choice = kernels.Choice(e, z, bit, product)
    chosen = choice.words(y)
    assert np.array_equal(chosen, by_numpy(choice.words, y))
    every = e.numbers().astype(np.uint64)
    assert np.array_equal(chosen, np.where(every, y - (bit * z - product), bit * z - product))
    part = slice(n // 3, n // 2)
    assert np.array_equal(choice.words(y[part], part.start), chosen[part])


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("step", [2, -1])
def test_what_is_copied_for_the_library_is_there_until_it_has_returned(
    monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Of words that do not lie side by side it reads a copy, which nobody else keeps."""
    copies: list[weakref.ref[Words]] = []

    def copied(words: Words) -> Words:
        copies.append(weakref.ref(copy := words.copy()))
        return copy

    def called(*_: object) -> None:
        there.extend(copy() is not None for copy in copies)

    there: list[bool] = []
    y = random(2000)[::step]
    choice = choice_of(y.size)
    monkeypatch.setattr("ppaurora.mpc.kernels.gates.contiguous", copied)
    monkeypatch.setattr("ppaurora.mpc.kernels.gates.function", lambda *_: called)
    choice.words(y)
    assert there == [True] * 3


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("apart", [False, True], ids=["in place", "apart"])
@pytest.mark.parametrize(
    ("rows", "d"), [(1, 3), (1, 9), (5, 4), (3, 64), (2, 1000), (40, 1), (7, 1717)]
)
def test_positions_are_exchanged_as_numpy_does_it(rows: int, d: int, apart: bool) -> None:
    def exchanged(words: Words) -> Words:
        out = np.zeros_like(words) if apart else words
        sides = [side for one in (words, out) for side in by_side(one.reshape(rows, 2, d))]
        y = random(rows * d)
        kernels.add_difference(*sides[:2], y)
        assert np.array_equal(y - random(rows * d), (sides[0] - sides[1]).reshape(-1))
        choice_of(y.size).exchange(0, *sides)
        # some elements of a block, and positions of which no two lie side by side
        choice_of(99).exchange(96, words[:2], words[2:4], out[:2], out[2:4])
        choice_of(y.size).exchange(0, words[::2], words[1::2], out[::2], out[1::2])
        choice_of(99).exchange(96, words[:3:2], words[1:4:2], out[:3:2], out[1:4:2])
        return out

    words = random(2 * rows * d)
    assert np.array_equal(exchanged(words.copy()), by_numpy(exchanged, words.copy()))


def by_side(pairs: Words) -> tuple[Words, Words]:
    return pairs[:, 0], pairs[:, 1]


def choice_of(length: int) -> kernels.Choice:
    z, bit, product = random(3, length)
    e = kernels.OpenedBits(random(1, columns(length)), z, length)
    return kernels.Choice(e, z, bit, product)


@pytest.mark.usefixtures("native")
def test_positions_that_must_not_change_do_not() -> None:
    words = random(8)
    words.flags.writeable = False
    upper, lower = words[:4], words[4:]
    with pytest.raises(ValueError, match="read-only"):
        choice_of(4).exchange(0, upper, lower, upper, lower)
    with pytest.raises(ValueError, match="read-only"):
        kernels.add_difference(random(4), random(4), words[:4])


@pytest.mark.parametrize("shape", [(0, 4), (1,), (15, 16, 3), (2, 16, 1024)])
def test_room_for_an_array_begins_with_a_line_of_the_cache(shape: tuple[int, ...]) -> None:
    room = room_for(shape)
    assert room.shape == shape
    assert room.flags.c_contiguous
    assert room.flags.writeable
    assert at(room) % (LINE * 8) == 0 or room.size == 0


@pytest.mark.usefixtures("native")
def test_planes_that_do_not_lie_in_one_piece_are_read_as_they_stand() -> None:
    layer = NEGATIVE.tree.layers[-1]
    wires, theirs, dealt, masks, addends = (
        random(9, rows).T for rows in (layer.wires, layer.wires, layer.dealt, layer.wires, 1)
    )
    given = (LayerInput(wires, addends), theirs, dealt, masks, None, masks[:0])
    assert_are_numpys(kernels.join_layer, layer, Role.P0, *given)


def test_a_library_that_cannot_be_loaded_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_native.so").write_text("for another machine")
    spec = SimpleNamespace(origin=str(tmp_path / "_native.so"))
    monkeypatch.setattr(library, "find_spec", lambda name: spec)
    assert library._loaded.__wrapped__() is None


def test_a_library_of_other_sources_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    library._loaded.cache_clear()
    loaded = library._loaded()
    monkeypatch.setattr(library, "source_digest", lambda: 1)
    if loaded is None:
        pytest.skip("no library in this installation")
    assert library._loaded.__wrapped__() is None


@pytest.mark.parametrize(
    ("wanted", "said"), [("numpy", "numpy\n"), ("both", "PPAURORA_KERNELS is 'both'")]
)
def test_the_environment_says_what_computes(wanted: str, said: str) -> None:
    program = "from ppaurora.mpc.kernels import in_use; print(in_use())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, library.VARIABLE: wanted},
        capture_output=True,
        text=True,
        check=False,
    )
    assert said in done.stdout + done.stderr


@pytest.mark.usefixtures("native")
@each_length
def test_bits_of_halves_are_numpys(length: int) -> None:
    words = (length + 1) // 2
    planes, z = random(2, columns(words)), random(words)
    for signed in (z, None):
        e = kernels.OpenedBits(planes, signed, length)
        assert e.numbers().dtype == np.uint32
        assert np.array_equal(e.numbers(), by_numpy(e.numbers))
        expected = [
            int(planes[k % 2, k // 2 % planes.shape[1]]) >> k // 2 // planes.shape[1] & 1
            ^ (0 if signed is None else int(signed.view(np.uint32)[k]) >> 31)
            for k in range(length)
        ]
        assert e.numbers().tolist() == expected


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("apart", [False, True], ids=["in place", "apart"])
@pytest.mark.parametrize(("rows", "d"), [(1, 3), (1, 9), (5, 4), (3, 64), (40, 1), (7, 1717)])
def test_positions_of_halves_are_exchanged_as_numpy_does_it(rows: int, d: int, apart: bool) -> None:
    n = rows * d
    words = (n + 1) // 2
    e = kernels.OpenedBits(random(2, columns(words)), random(words), n)
    choice = kernels.Choice(e, *random(3, words).view(np.uint32)[:, :n])

    def exchanged(numbers: Halves) -> Halves:
        out = np.zeros_like(numbers) if apart else numbers
        sides = [side for one in (numbers, out) for side in by_side(one.reshape(rows, 2, d))]
        before = random(n).view(np.uint32)[:n]
        kernels.add_difference(*sides[:2], y := before.copy())
        assert np.array_equal(y - before, (sides[0] - sides[1]).reshape(-1))
        choice.exchange(0, *sides)
        choice.exchange(1, numbers[:2], numbers[2:4], out[:2], out[2:4])
        choice.exchange(0, numbers[::2], numbers[1::2], out[::2], out[1::2])
        return out

    numbers = random(n).view(np.uint32)
    assert np.array_equal(exchanged(numbers.copy()), by_numpy(exchanged, numbers.copy()))
