"""The C of every gate and of every pass computes numpy's words, for every length."""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ppaurora.mpc import kernels
from ppaurora.mpc.bits import FOLDED_ROWS, columns
from ppaurora.mpc.gates import Gate, Wire, chain
from ppaurora.mpc.kernels import library
from ppaurora.mpc.kernels.library import LINE, at, room_for
from ppaurora.mpc.primitives.comparison import HALF_NEGATIVE, NEGATIVE, ZERO, Comparison
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import BLOCK, Halves, Words

LENGTHS = (1, 63, 64, 65, 511, 512, 577, 100_001, BLOCK)
NIBBLE_GATES = [NEGATIVE.leaf, ZERO.leaf]
JOINS = [
    NEGATIVE.join,
    ZERO.join,
    HALF_NEGATIVE.last,
]
SHAPES = ((1,), (7,), (8,), (4, 9), (4, 16, 3), (2, 4096))


def gate_name(gate: Gate) -> str:
    return str(gate.name)


each_join = pytest.mark.parametrize("gate", JOINS, ids=gate_name)
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
    for gate in JOINS:
        assert library.function(f"{gate.name}_evaluate") is not None
        assert library.function(f"{gate.name}_products") is not None
    for comparison in COMPARISONS:
        assert library.function(f"{comparison.join.name}_to_wires") is not None
    assert library.function(f"{NEGATIVE.join.name}_products_folded") is not None
    for gate in NIBBLE_GATES:
        assert library.function(f"{gate.name}_on_nibbles") is not None
        assert library.function(f"{gate.name}_products_of_nibbles") is not None
        assert library.function(f"{gate.name}_to_wires") is not None
    assert kernels.in_use() == "native kernels"


@pytest.mark.usefixtures("native")
@each_kind
@each_proxy
@each_join
def test_gates_have_numpys_values_whatever_the_shape_of_the_planes(
    gate: Gate, role: Role, words: Callable[..., Words]
) -> None:
    for shape in SHAPES:
        mine, theirs = random(2, gate.wires, *shape)
        dealt, own = words(gate.dealt, *shape), words(gate.wires, *shape)
        given = (gate, role, mine, theirs, dealt, own, random(*shape))
        values = kernels.evaluate(*given)
        assert np.array_equal(values, by_numpy(kernels.evaluate, *given))
        public = (gate, role, mine ^ theirs, None, dealt, own, given[-1])
        assert np.array_equal(values, kernels.evaluate(*public))


@pytest.mark.usefixtures("native")
@each_proxy
@each_join
def test_every_row_of_a_table_has_its_own_place(gate: Gate, role: Role) -> None:
    """Each row by itself: one is all ones, the others are zero; the last of all is the addend."""
    public = random(gate.wires, 9)
    for row in range(gate.dealt + gate.wires + 1):
        table = zeros(gate.dealt + gate.wires + 1, 9)
        table[row] = ones(9)
        given = (gate, role, public, None, table[: gate.dealt], table[gate.dealt : -1], table[-1])
        assert np.array_equal(kernels.evaluate(*given), by_numpy(kernels.evaluate, *given))


@pytest.mark.usefixtures("native")
@each_kind
@each_join
def test_gates_have_numpys_products_whatever_the_shape_of_the_planes(
    gate: Gate, words: Callable[..., Words]
) -> None:
    for shape in SHAPES:
        masks, others = words(gate.wires, *shape), random(gate.wires, *shape)
        products = kernels.products(gate, masks ^ others, others)
        assert np.array_equal(products, by_numpy(kernels.products, gate, masks))
        assert np.array_equal(products, kernels.products(gate, masks))


@pytest.mark.usefixtures("native")
@each_kind
@each_length
@pytest.mark.parametrize("gate", NIBBLE_GATES, ids=gate_name)
@pytest.mark.parametrize("bits", [63, 64])
def test_nibbles_have_numpys_values_and_products(
    gate: Gate, bits: int, length: int, words: Callable[..., Words]
) -> None:
    z, mask = words(length), np.uint64((1 << bits) - 1)
    dealt = words(gate.dealt, 16, columns(length))
    for role in (Role.P0, Role.P1):
        given = (gate, role, z, mask, dealt)
        values = kernels.evaluate_on_nibbles(*given)
        assert np.array_equal(values, by_numpy(kernels.evaluate_on_nibbles, *given))
    products = kernels.products_of_nibbles(gate, z, mask)
    assert np.array_equal(products, by_numpy(kernels.products_of_nibbles, gate, z, mask))


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("unit", [4, 16])
@pytest.mark.parametrize("shape", [(4, 1), (4, 9), (16, 8), (16, 1024)])
def test_a_transpose_moves_the_words_that_numpy_moves(shape: tuple[int, int], unit: int) -> None:
    rows = random(*shape)
    transposed = by_numpy(kernels.transpose, rows.copy(), unit)
    assert np.array_equal(transposed, kernels.transpose(rows, unit))


COMPARISONS = [NEGATIVE, HALF_NEGATIVE, ZERO]
each_comparison = pytest.mark.parametrize("comparison", COMPARISONS, ids=["64", "32", "equal"])
PLANES = (1, 9, 16, 511, 513, 1030)


@pytest.mark.usefixtures("native")
@each_comparison
@each_proxy
def test_nibbles_become_the_masked_wires_that_numpy_makes(
    comparison: Comparison, role: Role
) -> None:
    def of_both(*given: Words) -> tuple[Words, Words, Words]:
        mine, theirs, dealt, masks = given
        z, mask, lanes = np.empty_like(mine), comparison.mask, comparison.lanes
        wires, addend = kernels.nibbles_to_wires(
            comparison.leaf, role, mine, theirs, z, mask, dealt, masks, lanes
        )
        assert (addend is not None) == comparison.less
        return z, wires, wires if addend is None else addend

    for length in LENGTHS:
        m = columns(length)
        mine, theirs = random(2, length)
        dealt = random(comparison.leaf.dealt, 16, m)
        masks = random(*comparison.opened()[0].shape(length))
        z, *found = of_both(mine, theirs, dealt, masks)
        kind = f"u{8 // comparison.lanes}"
        assert np.array_equal(z.view(kind), mine.view(kind) + theirs.view(kind))
        with library.without_library():
            of_numpy = of_both(mine, theirs, dealt, masks)
        assert all(map(np.array_equal, (z, *found), of_numpy))


@pytest.mark.usefixtures("native")
@each_comparison
def test_products_of_shared_words_are_those_of_the_words(comparison: Comparison) -> None:
    for length in LENGTHS:
        words, other = random(2, length)
        kind, sums = f"u{8 // comparison.lanes}", np.empty_like(words)
        share = (words.view(kind) - other.view(kind)).view(np.uint64)
        gate, mask = comparison.leaf, comparison.mask
        shared = (gate, share, other, sums, mask, comparison.lanes)
        for found in (
            kernels.sum_and_products_of_nibbles(*shared),
            by_numpy(kernels.sum_and_products_of_nibbles, *shared),
        ):
            assert np.array_equal(found, kernels.products_of_nibbles(gate, words, mask))
            assert np.array_equal(sums, words)


@pytest.mark.usefixtures("native")
@each_comparison
@each_proxy
def test_groups_become_the_masked_wires_that_numpy_makes(
    comparison: Comparison, role: Role
) -> None:
    join, lanes = comparison.join, comparison.lanes
    for m in PLANES:
        of_groups, of_dealt = comparison.opened()[0], comparison.dealt()[1]
        mine, theirs, masks = random(3, of_groups.rows, m)
        dealt, last = random(of_dealt.rows, m), random(comparison.last.wires, lanes, m)
        addend = random(4, m) if comparison.less else None
        given = (join, role, mine, theirs, dealt, masks, addend, last)
        found = kernels.join_to_wires(*given)
        with library.without_library():
            of_numpy = kernels.join_to_wires(*given)
        for one, other in zip(found, of_numpy, strict=True):
            assert (one is None) == (other is None) == (one is not found[0] and addend is None)
            assert one is None or (one.shape == other.shape and np.array_equal(one, other))


@pytest.mark.usefixtures("native")
@each_kind
@pytest.mark.parametrize("numbers", [1, 2])
def test_folded_products_are_numpys(numbers: int, words: Callable[..., Words]) -> None:
    gate, rows = NEGATIVE.join, 24 + FOLDED_ROWS[numbers]
    for m in PLANES:
        masks, others = words(rows, m), random(rows, m)
        given = (gate, masks ^ others, others, numbers)
        assert np.array_equal(
            kernels.folded_products(*given), by_numpy(kernels.folded_products, *given)
        )


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
    gate = NEGATIVE.join
    mine, theirs, dealt, own, [addend] = (
        random(planes, 9, 4).transpose(0, 2, 1) for planes in (7, 7, gate.dealt, 7, 1)
    )
    given = (gate, Role.P0, mine, theirs, dealt, own, addend)
    assert np.array_equal(kernels.evaluate(*given), by_numpy(kernels.evaluate, *given))


@pytest.mark.usefixtures("native")
def test_a_gate_without_a_name_is_computed_by_numpy() -> None:
    gate = Gate(2, [chain([0], 1), Wire(0)])
    assert gate.name is None
    masks = random(2, 5)
    assert np.array_equal(kernels.products(gate, masks), [masks[0] & masks[1]])


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
