"""The library computes numpy's words, for every gate that is compiled and for every length."""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from ppaurora.mpc import kernels
from ppaurora.mpc.bits import columns
from ppaurora.mpc.gates import Gate, Wire, chain
from ppaurora.mpc.kernels import library
from ppaurora.mpc.kernels.arrays import LINE, at, room_for
from ppaurora.mpc.kernels.gate_source import compares_nibbles
from ppaurora.mpc.kernels.source import FILE, gate_name
from ppaurora.mpc.primitives.kernels import GATES, written
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import BLOCK, Words

LENGTHS = (1, 63, 64, 65, 511, 512, 577, 100_001, BLOCK)
NIBBLE_GATES = [gate for gate in GATES if compares_nibbles(gate)]
each_gate = pytest.mark.parametrize("gate", GATES, ids=gate_name)
each_proxy = pytest.mark.parametrize("role", [Role.P0, Role.P1])
each_length = pytest.mark.parametrize("length", LENGTHS)


def random(*shape: int) -> Words:
    return np.random.default_rng(shape).integers(0, 2**64, shape, np.uint64)


def by_numpy(computed, *arguments) -> Words:
    with library.without_library():
        assert not library.native()
        return np.array(computed(*arguments))


def test_the_c_source_is_that_of_the_gates_in_use() -> None:
    same = FILE.read_text(encoding="utf-8") == written()
    assert same, "make it again: python -m ppaurora.mpc.primitives.kernels"


@pytest.mark.usefixtures("native")
def test_the_library_has_every_gate_that_is_compiled() -> None:
    for gate in GATES:
        assert library.function(f"{gate_name(gate)}_evaluate") is not None
        assert library.function(f"{gate_name(gate)}_products") is not None
    assert len(NIBBLE_GATES) == 2
    assert kernels.in_use() == "native kernels"


@pytest.mark.usefixtures("native")
@each_proxy
@each_gate
def test_gates_have_numpys_values_whatever_the_shape_of_the_planes(gate: Gate, role: Role) -> None:
    for shape in ((1,), (7,), (8,), (4, 9), (4, 16, 3)):
        public, dealt = random(gate.wires, *shape), random(gate.dealt, *shape)
        own = None if gate.dealt == len(gate.table) else random(gate.wires, *shape)
        values = kernels.evaluate(gate, role, public, dealt, own)
        assert np.array_equal(values, by_numpy(kernels.evaluate, gate, role, public, dealt, own))


@pytest.mark.usefixtures("native")
@each_gate
def test_gates_have_numpys_products_whatever_the_shape_of_the_planes(gate: Gate) -> None:
    for shape in ((1,), (7,), (8,), (4, 9), (4, 16, 3)):
        masks = random(gate.wires, *shape)
        products = kernels.products(gate, masks)
        assert np.array_equal(products, by_numpy(kernels.products, gate, masks))


@pytest.mark.usefixtures("native")
@each_length
@pytest.mark.parametrize("gate", NIBBLE_GATES, ids=gate_name)
@pytest.mark.parametrize("bits", [63, 64])
def test_nibbles_have_numpys_values_and_products(gate: Gate, bits: int, length: int) -> None:
    words, mask = random(length), np.uint64((1 << bits) - 1)
    dealt = random(gate.dealt, 16, columns(length))
    for role in (Role.P0, Role.P1):
        given = (gate, role, words, mask, dealt)
        values = kernels.evaluate_on_nibbles(*given)
        assert np.array_equal(values, by_numpy(kernels.evaluate_on_nibbles, *given))
    products = kernels.products_of_nibbles(gate, words, mask)
    assert np.array_equal(products, by_numpy(kernels.products_of_nibbles, gate, words, mask))


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("unit", [4, 16])
@pytest.mark.parametrize("shape", [(4, 1), (4, 9), (16, 8), (16, 1024)])
def test_a_turn_moves_the_words_that_numpy_moves(shape: tuple[int, int], unit: int) -> None:
    rows = random(*shape)
    assert np.array_equal(by_numpy(kernels.turn, rows.copy(), unit), kernels.turn(rows, unit))


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize(("first", "last"), [(0, 7), (0, None), (3, 6)])
@pytest.mark.parametrize(("groups", "m"), [(1, 1), (4, 9), (4, 16), (1, 1000)])
def test_values_become_the_masked_wires_that_numpy_makes(
    groups: int, m: int, first: int, last: int | None
) -> None:
    values, masks = random(4 * groups, m), random(8, groups, m)

    def arranged() -> Words:
        out = np.zeros_like(masks)
        kernels.arrange(values.copy(), masks, out, first, last)
        return out

    found = arranged()
    assert np.array_equal(found, by_numpy(arranged))
    wires = [*range(first, first + 3), *([] if last is None else [last])]
    assert np.flatnonzero(found.any((1, 2))).tolist() == wires


@pytest.mark.usefixtures("native")
@each_length
def test_opened_bits_and_what_they_choose_are_numpys(length: int) -> None:
    plane, (z, y, bit, product) = random(columns(length)), random(4, length)
    e = kernels.bits_and_signs(plane, z)
    assert np.array_equal(e, by_numpy(kernels.bits_and_signs, plane, z))
    assert set(e.tolist()) <= {0, 1}
    choice = kernels.Choice(plane, z, z, bit, product)
    assert np.array_equal(choice.words(y), by_numpy(choice.words, y))
    assert np.array_equal(choice.words(y[::-1]), by_numpy(choice.words, y[::-1]))
    part = slice(length // 3, length // 2)
    assert np.array_equal(choice.words(y[part], part.start), choice.words(y)[part])


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
    monkeypatch.setattr("ppaurora.mpc.kernels.choice.contiguous", copied)
    monkeypatch.setattr("ppaurora.mpc.kernels.choice.function", lambda *_: called)
    choice.words(y)
    assert there == [True]


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("apart", [False, True], ids=["in place", "apart"])
@pytest.mark.parametrize(
    ("rows", "d"), [(1, 3), (1, 9), (5, 4), (3, 64), (2, 1000), (40, 1), (7, 1717)]
)
def test_places_are_exchanged_as_numpy_does_it(rows: int, d: int, apart: bool) -> None:
    def exchanged(words: Words) -> Words:
        out = np.zeros_like(words) if apart else words
        sides = [side for one in (words, out) for side in by_side(one.reshape(rows, 2, d))]
        y = np.zeros(rows * d, np.uint64)
        kernels.subtract(*sides[:2], y)
        assert np.array_equal(y.reshape(rows, d), sides[0] - sides[1])
        choice_of(y.size).exchange(0, *sides)
        # some elements of a block, and places of which no two lie side by side
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
    return kernels.Choice(random(columns(length)), z, z, bit, product)


@pytest.mark.usefixtures("native")
def test_places_that_must_not_change_do_not() -> None:
    words = random(8)
    words.flags.writeable = False
    upper, lower = words[:4], words[4:]
    with pytest.raises(ValueError, match="read-only"):
        choice_of(4).exchange(0, upper, lower, upper, lower)
    with pytest.raises(ValueError, match="read-only"):
        kernels.subtract(random(4), random(4), words[:4])


@pytest.mark.parametrize("shape", [(0, 4), (1,), (15, 16, 3), (2, 16, 1024)])
def test_room_for_an_array_begins_with_a_line_of_the_cache(shape: tuple[int, ...]) -> None:
    room = room_for(shape)
    assert room.shape == shape
    assert room.flags.c_contiguous
    assert room.flags.writeable
    assert at(room) % (LINE * 8) == 0 or room.size == 0


@pytest.mark.usefixtures("native")
def test_planes_that_do_not_lie_in_one_piece_are_read_as_they_stand() -> None:
    gate = GATES[1]
    public, dealt, own = (random(planes, 9, 4).transpose(0, 2, 1) for planes in (8, gate.dealt, 8))
    given = (gate, Role.P0, public, dealt, own)
    assert np.array_equal(kernels.evaluate(*given), by_numpy(kernels.evaluate, *given))


@pytest.mark.usefixtures("native")
def test_a_gate_that_is_not_compiled_is_computed_by_numpy() -> None:
    gate = Gate(2, [chain([0], 1), Wire(0)])
    assert library.function(f"{gate_name(gate)}_evaluate") is None
    masks = random(2, 5)
    assert np.array_equal(kernels.products(gate, masks), [masks[0] & masks[1]])


def test_a_library_that_cannot_be_loaded_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "_native.so").write_text("for another machine")
    spec = SimpleNamespace(origin=str(tmp_path / "_native.so"))
    monkeypatch.setattr(library, "find_spec", lambda name: spec)
    assert library._loaded.__wrapped__() is None


def test_equal_gates_have_one_name_and_others_another() -> None:
    def gate(last: int) -> Gate:
        return Gate(3, [chain([0, 1], 2), Wire(last)])

    assert gate_name(gate(0)) == gate_name(gate(0)) != gate_name(gate(1))


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
