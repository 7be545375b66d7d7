"""Bit-slicing: one numpy operation on m words acts on one bit of 64·m elements.

A block of n elements is laid out as a matrix of 64 rows and m = ceil(n / 64) columns, row by row. A
plane holds one bit of each element in m words: element e is bit e // m of word e % m. Vectors
longer than a block are sliced block by block.

To slice a block, each column is transposed as a matrix of 64x64 bits. In base 4 the number of a row
and the number of a bit have three digits each, and the transpose consists of three steps, each
of which exchanges one digit of the row number with the same digit of the bit number.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from ppaurora.mpc.words import STRIP, Words, blocks

_SWAPS = {
    distance: (
        distance,
        sum(1 << bit for bit in range(64) if not bit & distance),
    )
    for distance in (1, 2, 4, 8, 16, 32)
}
TOP = 63
"""The number of a word's top bit."""


@cache
def _rows() -> Words:
    """The numbers of the 64 rows, one above the other."""
    return np.arange(64, dtype=np.uint64)[:, None]


def columns(length: int) -> int:
    """The words of a plane of `length` elements.

    >>> [columns(length) for length in (0, 1, 64, 65)]
    [0, 1, 1, 2]
    """
    return (length + 63) // 64


def _used_bytes(length: int) -> int:
    """The bytes of a plane that hold elements; those above them hold zeros or random bits."""
    return (length + 7) // 8 if length <= 56 else 8 * columns(length)


def cropped_words(planes: int, length: int) -> int:
    """The number of words that `crop` makes of so many planes of `length` elements."""
    return (planes * _used_bytes(length) + 7) // 8


def crop(planes: Words, length: int) -> Words:
    """The bytes of planes, shape (planes, m), that hold elements, one after the other in words."""
    flat, used = np.ascontiguousarray(planes).reshape(-1), _used_bytes(length)
    if used >= 8:
        return flat
    words = np.zeros(cropped_words(len(planes), length), np.uint64)
    kept = flat.view(np.uint8).reshape(-1, 8)[:, :used]
    words.view(np.uint8)[: kept.size] = kept.reshape(-1)
    return words


def uncrop(words: Words, count: int, length: int) -> Words:
    """So many planes, of which `crop` made these words; what it left out is zero."""
    used = _used_bytes(length)
    if used >= 8:
        return words.reshape(count, columns(length))
    planes = np.zeros((count, columns(length)), np.uint64)
    kept = planes.view(np.uint8)[:, :used]
    kept[:] = words.view(np.uint8)[: kept.size].reshape(kept.shape)
    return planes


def planes_of(words: Words) -> Words:
    """The 64 planes of a block of words, the lowest bit first; the padding is zero.

    >>> planes_of(np.array([1, 3, 2], np.uint64))[:2].tolist()
    [[3], [6]]
    """
    width = columns(words.size)
    matrix = np.zeros((64, width), np.uint64)
    matrix.reshape(-1)[: words.size] = words
    # few columns at a time, which stay in the processor's inner cache
    for part in blocks(width, max(1, STRIP // 64)):
        rows = matrix[:, part]
        for unit in (1, 4, 16):
            _transpose(np.moveaxis(rows.reshape(16 // unit, 4, unit, -1), 1, 0), unit)
    return matrix


def _transpose(rows: Words, unit: int) -> None:
    """Exchange the first number of rows with the digit of the bit number whose unit is 1, 4 or 16.

    It takes two levels of swaps [Hacker's Delight, 7-3], in place.
    """
    swap = np.empty((2, *rows.shape[1:]), np.uint64)
    for distance, low, high in ((2, rows[:2], rows[2:]), (1, rows[::2], rows[1::2])):
        shift, mask = _SWAPS[distance * unit]
        # t = ((low >> s) ^ high) & mask; high ^= t; low ^= t << s
        np.right_shift(low, shift, out=swap)
        np.bitwise_xor(swap, high, out=swap)
        np.bitwise_and(swap, mask, out=swap)
        np.bitwise_xor(high, swap, out=high)
        np.left_shift(swap, shift, out=swap)
        np.bitwise_xor(low, swap, out=low)


def pack(bits: Words) -> Words:
    """One plane of n words that are 0 or 1; that of a longer vector is the planes of its blocks.

    >>> pack(np.array([1, 0, 1, 1], np.uint64)).tolist()
    [13]
    """
    planes = []
    for part in blocks(bits.size):
        block = bits[part]
        matrix = np.zeros((64, columns(block.size)), np.uint64)
        matrix.reshape(-1)[: block.size] = block
        matrix <<= _rows()
        planes.append(np.bitwise_or.reduce(matrix, axis=0))
    return np.concatenate(planes)


def unpack(plane: Words, length: int) -> Words:
    """The n words, 0 or 1, that `pack` made this plane of.

    >>> unpack(np.array([13], np.uint64), 4).tolist()
    [1, 0, 1, 1]
    """
    out = np.empty(length, np.uint64)
    for part, on_top in on_tops(plane, length):
        np.right_shift(on_top, np.uint64(TOP), out=out[part])
    return out


def on_tops(plane: Words, length: int) -> Iterator[tuple[slice, Words]]:
    """Words with the bits of a plane on top, and anything below: strip by strip, new arrays.

    With each strip goes the slice of the elements that it holds.
    """
    for block in blocks(length):
        width = columns(block.stop - block.start)
        of_block = plane[block.start // 64 :][:width]
        for rows in blocks(64, STRIP // max(width, 1)):
            start = block.start + rows.start * width
            part = slice(start, min(start + (rows.stop - rows.start) * width, block.stop))
            yield part, (of_block << _rows()[::-1][rows]).reshape(-1)[: part.stop - part.start]
