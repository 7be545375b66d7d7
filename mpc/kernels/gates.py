"""Digits and layers of comparisons on many planes, in C where the library is in use.

Positions that are compared and exchanged: differences, and products with an opened comparison.

A product c·y is computed where it is used: an exchange computes what moves, and moves it, in one
pass. The upper and the lower positions are vectors, or matrices of rows with equal strides.

Opened bits, in C or numpy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ppaurora.mpc import bits
from ppaurora.mpc.bits import columns, planes_of
from ppaurora.mpc.comparison_tree import (
    ARITIES,
    NOWHERE,
    Digits,
    Layer,
    Places,
    Tree,
    digit,
    places,
)
from ppaurora.mpc.gates import ALL_ONES
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
"""Of each group, or digit, the share of eq and that of lt, where they are asked for."""


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


Sent: TypeAlias = "tuple[Words, Words] | None"
"""Words that both proxies sent, or drew, where those of a block become the sums of these."""


def digits_to_wires(
    tree: Tree, role: Role, z: Words, dealt: Words, masks: Words, sent: Sent = None
) -> LayerInput:
    """This proxy's shares of the values of all digits of z, as the tree's first layer reads them.

    z is a vector of words, or of each word of longer numbers such a row; only a vector is `sent`.
    """
    first = tree.layers[0]
    found, where = _room_for(first, tree.numbers, masks.shape[-1]), places(first, tree.numbers)
    dealt, masks = contiguous(dealt), contiguous(masks)
    row = value = 0
    for digits, words in zip(tree.digits, _by_word(tree, z), strict=True):
        table = dealt[row : (row := row + digits.dealt)]
        to = where[value : (value := value + len(digits.ranges))]
        _put_digits(digits, role, words, sent, table, to, masks, found)
    return found


def values_of_digits(digits: Digits, role: Role, z: Words, dealt: Words) -> Words:
    """This proxy's shares of eq and lt of each digit compared for less: shape (digits, 2, m)."""
    count, m = len(digits.ranges), columns(z.size)
    found = LayerInput(room_for((0, m)), room_for((2 * count, m)))
    where = -1 - np.arange(2 * count, dtype=np.int64).reshape(count, 2)
    _put_digits(digits, role, z, None, contiguous(dealt), where, found.wires, found)
    return found.addends.reshape(count, 2, m)


def _put_digits(
    digits: Digits,
    role: Role,
    z: Words,
    sent: Sent,
    dealt: Words,
    where: Places,
    masks: Words,
    found: LayerInput,
) -> None:
    """The values of the digits of a vector of words, in their places."""
    name = f"{'less' if digits.less else 'equality'}_of_digits"
    compiled = function(name, WORD, NUMBER, WORDS, NUMBER, *[WORDS] * 8, COUNT)
    shares, words = _to_add_up(digits.numbers, sent, z)
    if compiled is None:
        _put(_values_of_digits(digits, role, words, dealt), where, masks, found)
        return
    arrays = map(at, (dealt, words, masks, found.wires, found.addends))
    addresses = (*shares, *arrays, where.ctypes.data)
    compiled(_constant(role), *_cut(digits), *addresses, columns(words.size))


def _values_of_digits(digits: Digits, role: Role, words: Words, dealt: Words) -> Values:
    planes, row = planes_of(words), 0
    ones = np.full(planes.shape[-1], _constant(role), np.uint64)
    for low, high in digits.ranges.tolist():
        if low == high:
            yield ones, np.zeros_like(ones) if digits.less else None
            continue
        public = ~planes[low:high][::-1]
        gate = digit(len(public), less=digits.less)
        table = gate.table_of(dealt[row : (row := row + gate.dealt)])
        equal, *less = gate.evaluate(role, public, table)
        yield equal, less[0] if less else None


def products_of_all_digits(tree: Tree, r: Words, sent: Sent = None) -> Words:
    """`products_of_digits` of all words of numbers, one below the other."""
    parts = [
        products_of_digits(digits, words, sent)
        for digits, words in zip(tree.digits, _by_word(tree, r), strict=True)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def products_of_digits(digits: Digits, r: Words, sent: Sent = None) -> Words:
    """The helper's deal to digits, in rows: the products of the bits of r in each of them."""
    compiled = function("products_of_digits", NUMBER, WORDS, NUMBER, *[WORDS] * 4, COUNT)
    shares, words = _to_add_up(digits.numbers, sent, r)
    out = room_for((digits.dealt, columns(words.size)))
    if compiled is not None:
        compiled(*_cut(digits), *shares, at(words), at(out), columns(words.size))
        return out
    planes, row = planes_of(words), 0
    for low, high in digits.ranges.tolist():
        masks = planes[low:high][::-1]
        if masks.size:
            gate = digit(len(masks), less=digits.less)
            gate.products(masks, out=out[row : (row := row + gate.dealt)])
    return out


def _by_word(tree: Tree, numbers: Words) -> Sequence[Words]:
    """The words of numbers, those of each place in a number apart."""
    return [numbers] if len(tree.digits) == 1 else list(numbers)


def _cut(digits: Digits) -> tuple[int, int, int]:
    """The digits as the library reads them: how many, their ranges, and the numbers in a word."""
    return len(digits.ranges), digits.ranges.ctypes.data, digits.numbers


Addresses = tuple[int | None, int | None]


def _to_add_up(numbers: int, sent: Sent, sums: Words) -> tuple[Addresses, Words]:
    """The addresses of what the library adds up into the words of a block, and these words.

    Without the library, and what does not fill all rows of a block, is added here: it has no
    address.
    """
    if sent is not None:
        lie_in_one_piece = all(words.flags.c_contiguous for words in (*sent, sums))
        if native() and sums.size % 64 == 0 and lie_in_one_piece:
            return (at(sent[0]), at(sent[1])), sums
        kind = f"u{WORD_BYTES // numbers}"
        np.add(sent[0].view(kind), sent[1].view(kind), out=sums.view(kind))
    return (None, None), _block(sums)


def _block(words: Words) -> Words:
    """The words of a block, and zeros up to 64 rows."""
    if words.size % 64 == 0:
        return contiguous(words)
    filled = np.zeros(64 * columns(words.size), np.uint64)
    filled[: words.size] = words
    return filled


def _constant(role: Role) -> int:
    """The share of a plane of ones: ones at P0, zeros at P1."""
    return ALL_ONES if role is Role.P0 else 0


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
