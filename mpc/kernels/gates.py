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
from ppaurora.mpc.bits import FOLDED_ROWS, GROUP_ROWS, NIBBLES, columns, load, nibble_wires
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


def evaluate(
    gate: Gate,
    role: Role,
    mine: Words,
    theirs: Words | None,
    dealt: Words,
    masks: Words | None = None,
    addend: Words | None = None,
) -> list[Words]:
    """`Gate.evaluate` with the table of what was dealt and of the own shares of the masks.

    The public bits are what both proxies have sent, xor one another, or `mine` if that is all. A
    gate with an addend is given the own share of it, one plane.
    """
    compiled = function(f"{gate.name}_evaluate", WORD, *[WORDS] * 6, COUNT)
    if compiled is None:
        public = mine if theirs is None else mine ^ theirs
        addends = () if addend is None else (addend,)
        return gate.evaluate(role, public, gate.table_of(dealt, masks), addends)
    theirs = np.zeros_like(mine) if theirs is None else theirs
    masks = dealt if masks is None else masks
    addend = mine[0] if addend is None else addend
    read = [contiguous(planes) for planes in (mine, theirs, dealt, masks, addend)]
    out = room_for((len(gate.polynomials), *mine.shape[1:]))
    compiled(_constant(role), *map(at, (*read, out)), out[0].size)
    return list(out)


def products(gate: Gate, of_p0: Words, of_p1: Words | None = None) -> Words:
    """`Gate.products` of masks, given by both proxies' shares or at once."""
    compiled = function(f"{gate.name}_products", WORDS, WORDS, WORDS, COUNT)
    if compiled is None:
        return gate.products(of_p0 if of_p1 is None else of_p0 ^ of_p1)
    of_p1 = np.zeros_like(of_p0) if of_p1 is None else of_p1
    read = contiguous(of_p0), contiguous(of_p1)
    out = room_for((gate.dealt, *of_p0.shape[1:]))
    compiled(*map(at, (*read, out)), of_p0[0].size)
    return out


def folded_products(gate: Gate, of_p0: Words, of_p1: Words, numbers: int) -> Words:
    """`products` of masks in rows, as rows: four of each plane, but folded ones of the last wire.

    `bits.fold` says how planes are folded whose words hold so many numbers.
    """
    m, folded = of_p0.shape[-1], gate.dealt_with_last
    compiled = function(f"{gate.name}_products_folded", NUMBER, WORDS, WORDS, WORDS, COUNT)
    if compiled is None:
        masks = _unfold_last(of_p0 ^ of_p1, 1, numbers)
        return _fold_last(gate.products(masks), folded, numbers)
    read = contiguous(of_p0), contiguous(of_p1)
    out = room_for(((gate.dealt - folded) * GROUP_ROWS + folded * FOLDED_ROWS[numbers], m))
    compiled(numbers, *map(at, (*read, out)), m)
    return out


def _fold_last(planes: Words, count: int, numbers: int) -> Words:
    """Planes of four rows as rows, so many planes at their end folded."""
    kept = planes[:-count], bits.fold(planes[-count:], numbers)
    return np.concatenate([part.reshape(-1, planes.shape[-1]) for part in kept])


def _unfold_last(rows: Words, count: int, numbers: int) -> Words:
    """The planes of four rows that `_fold_last` made these rows of, but for what it left out."""
    m, folded = rows.shape[-1], count * FOLDED_ROWS[numbers]
    last = bits.unfold(rows[-folded:].reshape(count, -1, m), numbers)
    return np.concatenate([rows[:-folded].reshape(-1, GROUP_ROWS, m), last])


WiresAndAddend: TypeAlias = "tuple[Words, Words | None]"
"""A layer's wires under their masks, and this proxy's share of what the layer adds, if it does."""


def join_to_wires(
    gate: Gate,
    role: Role,
    mine: Words,
    theirs: Words,
    dealt: Words,
    masks: Words,
    addend: Words | None,
    next_masks: Words,
) -> WiresAndAddend:
    """`evaluate` on four groups, and its values as the next layer's wires under `next_masks`.

    What is read is given in rows: four of each plane, but folded ones of the last wire where there
    is an addend (`bits.fold`). The next masks are of (wires, numbers in a word, m).
    """
    _, numbers, m = next_masks.shape
    if addend is None:
        mine, theirs, dealt, masks = (
            words.reshape(-1, GROUP_ROWS, m) for words in (mine, theirs, dealt, masks)
        )
        compiled = function(f"{gate.name}_to_wires", WORD, *[WORDS] * 6, COUNT)
        if compiled is None:
            wires, _ = _as_wires(evaluate(gate, role, mine, theirs, dealt, masks), numbers)
            wires ^= next_masks
            return wires, None
        read = [contiguous(words) for words in (mine, theirs, dealt, masks, next_masks)]
        wires = room_for(next_masks.shape)
        compiled(_constant(role), *map(at, (*read, wires)), m)
        return wires, None
    compiled = function(f"{gate.name}_to_wires", WORD, NUMBER, *[WORDS] * 8, COUNT)
    if compiled is None:
        mine, theirs, masks = (_unfold_last(rows, 1, numbers) for rows in (mine, theirs, masks))
        dealt = _unfold_last(dealt, gate.dealt_with_last, numbers)
        values = evaluate(gate, role, mine, theirs, dealt, masks, addend)
        wires, next_addend = _as_wires(values, numbers)
        wires = wires[: len(next_masks)] ^ next_masks
        return wires, next_addend
    read = [contiguous(words) for words in (mine, theirs, dealt, masks, addend, next_masks)]
    wires, next_addend = room_for(next_masks.shape), room_for((numbers, m))
    compiled(_constant(role), numbers, *map(at, (*read, wires, next_addend)), m)
    return wires, next_addend


def nibbles_to_wires(
    gate: Gate,
    role: Role,
    mine: Words,
    theirs: Words,
    z: Words,
    mask: np.uint64,
    dealt: Words,
    masks: Words,
    numbers: int = 1,
) -> WiresAndAddend:
    """`evaluate_on_nibbles` of what is opened, as the next layer's wires under `masks`, in rows.

    The opened words are written to `z`: the sums of both parts, of so many numbers a word. Where
    values are compared for less and equal, there is an addend, and the last wire is folded.
    """
    sent, words = _to_add_up(numbers, mine, theirs, z)
    both, m = len(gate.polynomials) > 1, masks.shape[-1]
    places = [WORDS] * (7 if both else 6)
    compiled = function(f"{gate.name}_to_wires", WORD, WORD, NUMBER, *places, COUNT)
    if compiled is None:
        values = evaluate_on_nibbles(gate, role, words, mask, dealt)
        planes, addend = _as_wires(values, 1)
        wires = _fold_last(planes, 1, numbers) if both else planes.reshape(-1, m)
        wires ^= masks
        return wires, addend
    read = contiguous(dealt), contiguous(masks)
    wires, addend = room_for(masks.shape), room_for((GROUP_ROWS, m)) if both else None
    written = [words, wires] if addend is None else [words, wires, addend]
    compiled(_constant(role), int(mask), numbers, *sent, *map(at, (*read, *written)), m)
    return wires, addend


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


def _as_wires(values: list[Words], numbers: int) -> WiresAndAddend:
    """Values of shape (4·rows, m) as wires, (wires, rows, m), and what the next layer adds.

    In the values the four of a group share words: the base-4 digit of a bit's number whose unit is
    16/rows says of which value the bit is. A transpose gives each a row of its own
    (`ppaurora.mpc.bits`), the most significant one last. It may overwrite them. The wires are

        eq3, eq2, eq1, lt2, lt1, lt0, eq0    and lt3 is added
        eq3, eq2, eq1, eq0                   where values are compared for equality alone
        eq1, lt0                             and lt1 is added, of each of the numbers of a word, the
                                             lower first, in place of rows.
    """
    m, unit = values[0].shape[-1], 16 // (len(values[0]) // GROUP_ROWS)
    equal, *less = (
        bits.transpose(value, unit).reshape(-1, GROUP_ROWS, m).transpose(1, 0, 2)[::-1]
        for value in values
    )
    if not less:
        return equal, None
    [lt] = less
    if numbers == 1:
        return np.concatenate([equal[:3], lt[1:], equal[3:]]), lt[0]
    equal, lt = equal[:, 0], lt[:, 0]
    return np.stack([equal[2::-2], lt[3::-2]]), lt[2::-2]


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
