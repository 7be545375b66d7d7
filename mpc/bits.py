"""Bit-slicing: 64 elements become 64 words, word j holding bit j of each.

A block of n elements is laid out as a matrix of 64 rows and m = ceil(n / 64) columns, row by row;
element e is bit e // m of column e % m. After the transpose one numpy operation on m words acts on
one bit of all n elements. Vectors longer than a block are sliced block by block.
"""

from __future__ import annotations

import numpy as np

from mpc.words import Shape, Words, blocks

_SWAPS = tuple(
    (np.uint64(distance), np.uint64(sum(1 << bit for bit in range(64) if not bit & distance)))
    for distance in (32, 16, 8, 4, 2, 1)
)
_ROWS = np.arange(64, dtype=np.uint64)[:, None]
_ONE = np.uint64(1)


def columns(length: int) -> int:
    """Words that one bit of `length` elements fills."""
    return (length + 63) // 64


def _used_bytes(length: int) -> int:
    """Bytes of a plane that hold elements: a plane of few has only zeros, or noise, above them."""
    return (length + 7) // 8 if length <= 56 else 8 * columns(length)


def cropped_words(planes: int, length: int) -> int:
    """Words that so many planes of `length` elements fill once they are cropped."""
    return (planes * _used_bytes(length) + 7) // 8


def crop(planes: Words, length: int) -> Words:
    """The planes one after the other, without the bytes that hold no element."""
    flat = np.ascontiguousarray(planes).reshape(-1)
    used = _used_bytes(length)
    if used >= 8:
        return flat
    words = np.zeros(cropped_words(flat.size, length), np.uint64)
    kept = flat.view(np.uint8).reshape(-1, 8)[:, :used]
    words.view(np.uint8)[: kept.size] = kept.reshape(-1)
    return words


def uncrop(words: Words, shape: Shape, length: int) -> Words:
    """The planes that `crop` put together, in their shape."""
    used = _used_bytes(length)
    if used >= 8:
        return words.reshape(shape)
    planes = np.zeros(shape, np.uint64)
    kept = planes.reshape(-1).view(np.uint8).reshape(-1, 8)[:, :used]
    kept[:] = words.view(np.uint8)[: kept.size].reshape(kept.shape)
    return planes


def transpose(matrix: Words) -> Words:
    """Transpose, in place, the 64x64 bit matrices that stand in the columns of a (64, m) array.

    Six levels of swaps (Hacker's Delight, 7-3): at distance s, bit s of the row number changes
    places with bit s of the bit number.
    """
    width = matrix.shape[1]
    scratch = np.empty((32, width), np.uint64)
    for distance, mask in _SWAPS:
        s = int(distance)
        pairs = matrix.reshape(32 // s, 2, s, width)
        low, high = pairs[:, 0], pairs[:, 1]
        swap = scratch.reshape(low.shape)
        # t = ((low >> s) ^ high) & mask; high ^= t; low ^= t << s
        np.right_shift(low, distance, out=swap)
        np.bitwise_xor(swap, high, out=swap)
        np.bitwise_and(swap, mask, out=swap)
        np.bitwise_xor(high, swap, out=high)
        np.left_shift(swap, distance, out=swap)
        np.bitwise_xor(low, swap, out=low)
    return matrix


def slice_bits(words: Words) -> Words:
    """The 64 bit planes, shape (64, m), of a vector of n words; the padding is zero."""
    width = columns(words.size)
    matrix = np.empty((64, width), np.uint64)
    flat = matrix.reshape(-1)
    flat[: words.size] = words
    flat[words.size :] = 0
    return transpose(matrix)


def pack(bits: Words) -> Words:
    """One plane from n words that are 0 or 1; a longer vector's plane is its blocks' planes."""
    planes = []
    for part in blocks(bits.size):
        block = bits[part]
        matrix = np.zeros((64, columns(block.size)), np.uint64)
        matrix.reshape(-1)[: block.size] = block
        matrix <<= _ROWS
        planes.append(np.bitwise_or.reduce(matrix, axis=0))
    return np.concatenate(planes)


def unpack(plane: Words, length: int) -> Words:
    """The n words 0 or 1 that `pack` made one plane of."""
    bits = np.empty(length, np.uint64)
    for part in blocks(length):
        width = columns(part.stop - part.start)
        matrix = plane[part.start // 64 :][:width] >> _ROWS
        matrix &= _ONE
        bits[part] = matrix.reshape(-1)[: part.stop - part.start]
    return bits
