"""Gates on many planes, in C where the gate has a name there and the library is in use.

Positions that are compared and exchanged: differences, and products with an opened comparison.

A product c·y is computed where it is used: an exchange computes what moves, and moves it, in one
pass. The upper and the lower positions are vectors, or matrices of rows with equal strides.

Bit-matrix transposes and opened bits, in C or numpy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ppaurora.mpc import bits
from ppaurora.mpc.bits import NIBBLES, columns, load, nibble_wires
from ppaurora.mpc.comparison_tree import ARITIES, NOWHERE, Layer, Places, places
from ppaurora.mpc.gates import ALL_ONES, Gate
from ppaurora.mpc.kernels.library import (
    COUNT,
    NUMBER,
    WORD,
    WORDS,
    at,
    contiguous,
    function,
    native,
    room_for,
)
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import BLOCK, HALF_BYTES, STRIP, WORD_BYTES, Column, Words, blocks

HALF, HALF_TOP = np.uint64(32), np.uint64(31)
LOWEST = np.uint64((1 << 32) + 1)
"""The lowest bits of both numbers of a word."""


def products_of_layer(layer: Layer, of_p0: Words, of_p1: Words) -> Words:
    """The helper's deal to a layer of a tree, in rows, of both shares of its wires' masks."""
    m = of_p0.shape[-1]
    compiled = function(f"products_of_{_name(layer)}", NUMBER, NUMBER, *[WORDS] * 3, COUNT)
    if compiled is None:
        masks, first, of_groups = of_p0 ^ of_p1, 0, []
        for gate in layer.gates:
            of_groups.append(gate.products(masks[first : first + gate.wires]))
            first += gate.wires
        return np.concatenate(of_groups)
    read = contiguous(of_p0), contiguous(of_p1)
    out = room_for((layer.dealt, m))
    compiled(layer.groups, layer.numbers, *map(at, (*read, out)), m)
    return out


@dataclass(frozen=True, slots=True)
class LayerInput:
    """The rows that a layer of a tree reads at a proxy: its wires under their masks, its addends.

    After the last layer there are no wires left, and the addends are the bits that were asked for.
    """

    wires: Words
    addends: Words


def _room_for(layer: Layer | None, numbers: int, m: int) -> LayerInput:
    wires, addends = (0, numbers) if layer is None else (layer.wires, layer.addends)
    return LayerInput(room_for((wires, m)), room_for((addends, m)))


def _name(layer: Layer) -> str:
    """The layer's name among the C functions."""
    return f"layer_of_{ARITIES[layer.arity]}_{'less' if layer.less else 'equal'}"


def join_layer(
    layer: Layer,
    role: Role,
    given: LayerInput,
    theirs: Words,
    dealt: Words,
    masks: Words,
    then: Layer | None,
    next_masks: Words,
) -> LayerInput:
    """This proxy's shares of a layer's values, as the next layer reads them."""
    m = given.wires.shape[-1]
    found, where = _room_for(then, layer.numbers, m), places(then, layer.numbers)
    compiled = function(f"join_{_name(layer)}", WORD, NUMBER, NUMBER, *[WORDS] * 9, COUNT)
    if compiled is None:
        values = _values(layer, role, given, theirs, dealt, masks)
        return _put(values, where, next_masks, found)
    read = map(contiguous, (given.wires, theirs, dealt, masks, given.addends, next_masks))
    arrays = [*read, found.wires, found.addends]
    addresses = (*map(at, arrays), where.ctypes.data)
    compiled(_constant(role), layer.groups, layer.numbers, *addresses, m)
    return found


Values: TypeAlias = "Iterator[tuple[Words | None, Words | None]]"
"""Of each group, or nibble, the share of eq and that of lt, where they are asked for."""


def _values(
    layer: Layer, role: Role, given: LayerInput, theirs: Words, dealt: Words, masks: Words
) -> Values:
    public, wired, of_table = given.wires ^ theirs, 0, 0
    for group, gate in enumerate(layer.gates):
        wires = slice(wired, wired := wired + gate.wires)
        table = gate.table_of(dealt[of_table : (of_table := of_table + gate.dealt)], masks[wires])
        addend = [given.addends[group]] if layer.less else []
        values = gate.evaluate(role, public[wires], table, addend)
        equal = values.pop(0) if layer.equal(group) else None
        yield equal, values[0] if values else None


def _put(values: Values, where: Places, masks: Words, found: LayerInput) -> LayerInput:
    """The values in their places, those of wires under their masks."""
    for of_group, to in zip(values, where.tolist(), strict=True):
        for value, place in zip(of_group, to, strict=True):
            if value is None or place == NOWHERE:
                continue
            if place >= 0:
                np.bitwise_xor(value, masks[place], out=found.wires[place])
            else:
                found.addends[-1 - place] = value
    return found


def nibbles_to_wires(
    gate: Gate,
    role: Role,
    mine: Words,
    theirs: Words,
    z: Words,
    mask: np.uint64,
    dealt: Words,
    then: Layer,
    masks: Words,
) -> LayerInput:
    """`evaluate_on_nibbles` of what is opened, as the first layer of a tree reads it.

    The opened words are written to `z`: the sums of both parts.
    """
    sent, words = _to_add_up(then.numbers, mine, theirs, z)
    m = masks.shape[-1]
    found, where = _room_for(then, then.numbers, m), places(then, then.numbers)
    compiled = function(f"{gate.name}_to_wires", WORD, WORD, NUMBER, *[WORDS] * 8, COUNT)
    if compiled is None:
        return placed(evaluate_on_nibbles(gate, role, words, mask, dealt), then, masks)
    read = contiguous(dealt), words, contiguous(masks)
    addresses = (*map(at, (*read, found.wires, found.addends)), where.ctypes.data)
    compiled(_constant(role), int(mask), then.numbers, *sent, *addresses, m)
    return found


def placed(values: list[Words], then: Layer, masks: Words) -> LayerInput:
    """A gate's values on nibbles, (16, m) for each word of a number, as a tree's first layer reads
    them; spent."""
    rows = [
        np.concatenate([by_nibble(word) for word in value.reshape(-1, NIBBLES, value.shape[-1])])
        for value in values
    ]
    less = rows[1] if then.less else [None] * len(rows[0])
    found = _room_for(then, then.numbers, masks.shape[-1])
    return _put(zip(rows[0], less, strict=True), places(then, then.numbers), masks, found)


def by_nibble(values: Words) -> Words:
    """A gate's values on nibbles, (16, m), with each nibble in a row, the lowest first; spent.

    `ppaurora.mpc.bits` says where the bits of a nibble lie: two steps of a transpose are left.
    """
    of_groups = transpose(values, 4).reshape(4, 4, -1).transpose(1, 0, 2)
    rows = transpose(contiguous(of_groups).reshape(NIBBLES, -1), 16)
    # by the place of a nibble in its group of four, then by its group
    return rows.reshape(4, 4, -1).transpose(1, 0, 2).reshape(NIBBLES, -1)


Addresses = tuple[int | None, int | None]


def _to_add_up(numbers: int, one: Words, other: Words, sums: Words) -> tuple[Addresses, Words]:
    """The addresses of what the library adds up into the words of a block, and these words.

    Without the library, and what does not fill all rows of a block, is added here: it has no
    address.
    """
    lie_in_one_piece = all(words.flags.c_contiguous for words in (one, other, sums))
    if native() and sums.size % 64 == 0 and lie_in_one_piece:
        return (at(one), at(other)), sums
    kind = f"u{WORD_BYTES // numbers}"
    np.add(one.view(kind), other.view(kind), out=sums.view(kind))
    return (None, None), _block(sums)


def evaluate_on_nibbles(
    gate: Gate, role: Role, words: Words, mask: np.uint64, dealt: Words
) -> list[Words]:
    """The gate on each nibble of the words' bits in `mask`, values of shape (16, m).

    A wire says "equal at this bit": w = 1 xor z xor r, so its public bit is the complement of that
    of z, which the words hold.
    """
    compiled = function(f"{gate.name}_on_nibbles", WORD, WORD, WORDS, WORDS, WORDS, COUNT)
    m = columns(words.size)
    words = _block(words)
    out = room_for((len(gate.polynomials), NIBBLES, m))
    if compiled is None:
        for part, rows in _strips(words, m):
            public = np.invert(nibble_wires(rows, mask))
            values = gate.evaluate(role, public, gate.table_of(dealt[:, part]))
            for plane, value in zip(out, values, strict=True):
                plane[part] = value
        return list(out)
    dealt = contiguous(dealt)
    compiled(_constant(role), int(mask), at(words), at(dealt), at(out), m)
    return list(out)


def products_of_nibbles(gate: Gate, words: Words, mask: np.uint64) -> Words:
    """`Gate.products` for masks that are the nibbles of the words' bits in `mask`."""
    return _products_of_nibbles(gate, (None, None), _block(words), mask, 1)


def sum_and_products_of_nibbles(
    gate: Gate, of_p0: Words, of_p1: Words, sums: Words, mask: np.uint64, numbers: int = 1
) -> Words:
    """`products_of_nibbles` of words that both proxies have shares of, written to `sums`."""
    shares, words = _to_add_up(numbers, of_p0, of_p1, sums)
    return _products_of_nibbles(gate, shares, words, mask, numbers)


def _products_of_nibbles(
    gate: Gate, shares: Addresses, words: Words, mask: np.uint64, numbers: int
) -> Words:
    compiled = function(f"{gate.name}_products_of_nibbles", WORD, NUMBER, *[WORDS] * 4, COUNT)
    m = columns(words.size)
    out = room_for((gate.dealt, NIBBLES, m))
    if compiled is None:
        for part, rows in _strips(words, m):
            gate.products(nibble_wires(rows, mask), out=out[:, part])
        return out
    compiled(int(mask), numbers, *shares, at(words), at(out), m)
    return out


def _strips(block: Words, m: int) -> Iterator[tuple[slice, Words]]:
    """Slices of the NIBBLES rows of nibbles, few enough for the processor's inner cache, and with
    each the rows of the block that hold their bits."""
    rows = block.reshape(NIBBLES, -1, m)
    for part in blocks(NIBBLES, max(1, STRIP // m)):
        yield part, rows[part].reshape(-1, m)


def _block(words: Words) -> Words:
    """The words of a block, and zeros up to 64 rows."""
    if words.size % 64 == 0:
        return contiguous(words)
    return load(words, np.uint64(ALL_ONES))


def _constant(role: Role) -> int:
    """The share of a plane of ones: ones at P0, zeros at P1."""
    return ALL_ONES if role is Role.P0 else 0


def transpose(rows: Words, unit: int) -> Words:
    """`bits.transpose` for the digits whose unit is 4 or 16, in place."""
    compiled = function("transpose", WORDS, COUNT, NUMBER, COUNT)
    if compiled is None or not rows.flags.c_contiguous:
        return bits.transpose(rows, unit)
    compiled(at(rows), len(rows) // 4, unit, rows.shape[1])
    return rows


def signs(words: Words) -> Words:
    """The top bits."""
    return words >> np.uint64(bits.TOP)


def bits_and_signs(plane: Words, words: Words) -> Words:
    """The bits of a plane as words 0 or 1, each xor the sign of its word."""
    compiled = function("bits_and_signs", WORDS, WORDS, WORDS, COUNT, COUNT)
    out = np.empty(words.size, np.uint64)
    if compiled is None or words.size > BLOCK:
        for part, e in bits.on_tops(plane, words.size):
            e ^= words[part]
            np.right_shift(e, bits.TOP, out=out[part])
        return out
    plane, words = contiguous(plane), contiguous(words)
    compiled(at(plane), at(words), at(out), bits.columns(words.size), words.size)
    return out


@dataclass(frozen=True, slots=True)
class OpenedBits:
    """The opened bits e of `length` numbers: those of a plane, xor the signs of opened words.

    Where two numbers share a word there are two planes: that of the lower ones, then of the others.
    """

    planes: Words
    signed: Words | None
    length: int

    def numbers(self) -> Column:
        """The bits as numbers 0 or 1, as long as those of which they are."""
        if len(self.planes) == 2:
            return self._of_halves().view(np.uint32)[: self.length]
        [plane] = self.planes
        if self.signed is None:
            return bits.unpack(plane, self.length)
        return bits_and_signs(plane, self.signed)

    def _of_halves(self) -> Words:
        words = (self.length + 1) // 2
        compiled = function("bits_and_signs_of_halves", *[WORDS] * 3, COUNT, COUNT)
        if compiled is None or self.signed is None:
            lower, upper = (bits.unpack(plane, words) for plane in self.planes)
            lower |= upper << HALF
            if self.signed is not None:
                lower ^= self.signed >> HALF_TOP & LOWEST
            return lower
        out = np.empty(words, np.uint64)
        planes, signed = contiguous(self.planes), contiguous(self.signed)
        compiled(at(planes), at(signed), at(out), planes.shape[1], words)
        return out


class Choice:
    """c·y = e·y + (1 - 2e)·(λ·z_y - λ·r_y), from shares of λ and of λ·r_y, for a y given later.

    y has as many bits as z and what was dealt, which may be more than those of what was compared.
    """

    __slots__ = ("_bits", "_dealt", "_numbers")

    def __init__(self, e: OpenedBits, z: Column, bit: Column, bit_times_mask: Column) -> None:
        self._dealt = [contiguous(read) for read in (z, bit, bit_times_mask)]
        self._bits = e
        self._numbers: Column | None = None

    def __repr__(self) -> str:
        return f"<Choice of {self._bits.length}>"

    def _plane(self) -> tuple[Words, Words] | None:
        """The planes and the signed words, where C can read the bits from them."""
        e = self._bits
        if e.signed is None or e.length > BLOCK * len(e.planes):
            return None
        return contiguous(e.planes), contiguous(e.signed)

    def words(self, y: Column, first: int = 0) -> Column:
        """Shares of c·y for the elements from `first` on, of which there are as many as in `y`."""
        out = np.empty_like(y, order="C")
        of_plane = self._plane()
        whole = y.size == self._bits.length and y.itemsize == WORD_BYTES
        name = "choose" if len(self._bits.planes) == 1 else "choose_by_halves"
        compiled = function(name, *[WORDS] * 7, COUNT, COUNT)
        if compiled is None or of_plane is None or not whole:
            self._by_numpy(y, first, out)
            return out
        z, *dealt = self._dealt
        y, m = contiguous(y), of_plane[0].shape[1]
        compiled(*map(at, (*of_plane, z, y, *dealt, out)), m, y.size)
        return out

    def exchange(
        self, first: int, upper: Column, lower: Column, larger: Column, smaller: Column
    ) -> None:
        """Write upper - c·y to `larger` and lower + c·y to `smaller`, for elements from `first` on.

        Their y is upper - lower. The arrays written may be those read; they must not overlap them
        in another way.
        """
        in_c = (
            native()
            and _equal_strides(upper, lower, larger, smaller)
            and larger.flags.writeable
            and smaller.flags.writeable
            and upper.size > 0
        )
        of_plane = self._plane()
        positions = [side[:1] for side in (upper, lower, larger, smaller)]
        if in_c and of_plane is not None and upper.itemsize == WORD_BYTES // len(of_plane[0]):
            name = "exchange" if len(of_plane[0]) == 1 else "exchange_halves"
            compiled = function(name, *[WORDS] * 9, *[COUNT] * 5)
            m = of_plane[0].shape[1]
            compiled(*map(at, (*of_plane, *self._dealt, *positions)), m, first, *_rows_of(upper))
        else:
            t = self.words((upper - lower).reshape(-1), first).reshape(upper.shape)
            np.subtract(upper, t, out=larger)
            np.add(lower, t, out=smaller)

    def _e(self) -> Column:
        if self._numbers is None:
            self._numbers = self._bits.numbers()
        return self._numbers

    def _by_numpy(self, y: Column, first: int, out: Column) -> None:
        elements = slice(first, first + y.size)
        vectors = [vector[elements] for vector in (self._e(), *self._dealt)]
        for part in blocks(y.size, STRIP):
            e, z, bit, bit_times_mask = (vector[part] for vector in vectors)
            e = e.astype(y.dtype, copy=False)
            # -λ = ~λ + 1, so (1 - 2e)·λ = (λ xor -e) + e
            every_bit = np.negative(e)
            product = np.multiply(bit, z, out=out[part])
            product -= bit_times_mask
            product ^= every_bit
            product += e
            every_bit &= y[part]
            product += every_bit


def add_difference(upper: Column, lower: Column, out: Column) -> None:
    """Add upper - lower to the vector `out`."""
    name = "add_difference_of_halves" if out.itemsize == HALF_BYTES else "add_difference"
    compiled = function(name, WORDS, WORDS, WORDS, COUNT, COUNT, COUNT)
    fits = _equal_strides(upper, lower) and out.size == upper.size and out.flags.c_contiguous
    if compiled is None or not (fits and out.flags.writeable):
        sums = out.reshape(upper.shape)
        sums += upper - lower
        return
    compiled(at(upper[:1]), at(lower[:1]), at(out), *_rows_of(upper))


def _equal_strides(first: Column, *others: Column) -> bool:
    """True if the library can walk them together: rows of adjacent words, with equal strides."""
    if first.ndim > 2 or first.strides[-1] != first.itemsize:
        return False
    return all(other.shape == first.shape and other.strides == first.strides for other in others)


def _rows_of(positions: Column) -> tuple[int, int, int]:
    """The number of rows, the positions in one, and the numbers from one row to the next."""
    rows = len(positions) if positions.ndim == 2 else 1
    return rows, positions.shape[-1], positions.strides[0] // positions.itemsize
