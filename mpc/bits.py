"""Bit-slicing: one numpy operation on m words acts on one bit of 64·m elements.

A block of n elements is laid out as a matrix of 64 rows and m = ceil(n / 64) columns, row by row. A
plane holds one bit of each element in m words: element e is bit e // m of word e % m. Vectors
longer than a block are sliced block by block.

To slice a block, each column is transposed as a matrix of 64x64 bits. In base 4 the number of a row
and the number of a bit have three digits each, and the transpose consists of three steps, each
of which (`transpose`) exchanges one digit of the row number with the same digit of the bit number.
A comparison works after the first one: it compares nibbles, of which one bit in four is left. So
the other steps, which give each nibble a row of its own, have a quarter of the words to move.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from ppaurora.mpc.words import STRIP, Shape, Words, blocks

NIBBLES = 16
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


def _used_rows(rows: int, length: int) -> int:
    """The number of rows that hold elements, of `rows` that stand for the 64 rows of a block."""
    used = -(-length // columns(length))
    return -(-used * rows // 64)


def cropped_words(planes: int, rows: int, length: int) -> int:
    """The number of words that `crop` makes of planes with so many rows, for `length` elements."""
    if length % 64 == 0:
        return planes * rows * columns(length)
    if rows == 1:
        return (planes * _used_bytes(length) + 7) // 8
    return planes * _used_rows(rows, length) * columns(length)


def crop(planes: Words, length: int) -> Words:
    """The words of planes, shape (planes, rows, m), that hold elements, one after the other."""
    if length % 64 == 0:
        return np.ascontiguousarray(planes).reshape(-1)
    count, rows, _ = planes.shape
    if rows > 1:
        return np.ascontiguousarray(planes[:, : _used_rows(rows, length)]).reshape(-1)
    flat = np.ascontiguousarray(planes).reshape(-1)
    used = _used_bytes(length)
    if used >= 8:
        return flat
    words = np.zeros(cropped_words(count, rows, length), np.uint64)
    kept = flat.view(np.uint8).reshape(-1, 8)[:, :used]
    words.view(np.uint8)[: kept.size] = kept.reshape(-1)
    return words


def uncrop(words: Words, shape: Shape, length: int) -> Words:
    """The planes, in their shape, that `crop` made these words of; what it left out is zero."""
    if length % 64 == 0:
        return words.reshape(shape)
    count, rows, m = shape
    used_rows, used = _used_rows(rows, length), _used_bytes(length)
    if used_rows == rows and (rows > 1 or used >= 8):
        return words.reshape(shape)
    planes = np.zeros(shape, np.uint64)
    if rows > 1:
        planes[:, :used_rows] = words.reshape(count, used_rows, m)
        return planes
    kept = planes.reshape(-1).view(np.uint8).reshape(-1, 8)[:, :used]
    kept[:] = words.view(np.uint8)[: kept.size].reshape(kept.shape)
    return planes


def load(words: Words, mask: np.uint64) -> Words:
    """The words and-ed with `mask`, as the (64, m) matrix of a block; the padding is zero."""
    width = columns(words.size)
    matrix = np.empty((64, width), np.uint64)
    flat = matrix.reshape(-1)
    np.bitwise_and(words, mask, out=flat[: words.size])
    flat[words.size :] = 0
    return matrix


def transpose(rows: Words, unit: int) -> Words:
    """The same rows with two numbers exchanged in every four consecutive ones, in place.

    These are the row's place among the four and the digit of the bit number whose unit is 1, 4 or
    16.
    """
    _transpose_planes(_by_place(rows), unit)
    return rows


def _by_place(rows: Words) -> Words:
    """The rows as planes (4, k, m), each with those of one place among four consecutive ones."""
    return rows.reshape(len(rows) // 4, 4, rows.shape[1]).transpose(1, 0, 2)


def _transpose_planes(planes: Words, unit: int) -> None:
    """`transpose` in place, for rows that lie in planes as `_by_place` gives them.

    It takes two levels of swaps [Hacker's Delight, 7-3].
    """
    swap = np.empty((2, *planes.shape[1:]), np.uint64)
    for distance, low, high in ((2, planes[:2], planes[2:]), (1, planes[::2], planes[1::2])):
        shift, mask = _SWAPS[distance * unit]
        # t = ((low >> s) ^ high) & mask; high ^= t; low ^= t << s
        np.right_shift(low, shift, out=swap)
        np.bitwise_xor(swap, high, out=swap)
        np.bitwise_and(swap, mask, out=swap)
        np.bitwise_xor(high, swap, out=high)
        np.left_shift(swap, shift, out=swap)
        np.bitwise_xor(low, swap, out=low)


def nibble_wires(rows: Words, mask: np.uint64) -> Words:
    """The bits of the mask as wires, (4, k, m): a nibble's four bits, the highest first.

    `rows` are 4·k rows of a block, and each of the k rows holds all nibbles of the elements of four
    of them; the other bits are zero.
    """
    planes = np.bitwise_and(_by_place(rows), mask, order="C")
    _transpose_planes(planes, 1)
    return planes[::-1]


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
