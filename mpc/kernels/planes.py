"""Bit-matrix transposes and opened bits, in C or numpy."""

from __future__ import annotations

import numpy as np

from ppaurora.mpc import bits
from ppaurora.mpc.kernels.library import COUNT, NUMBER, WORDS, at, contiguous, function
from ppaurora.mpc.words import BLOCK, Words


def transpose(rows: Words, unit: int) -> Words:
    """`bits.transpose` for the digits whose unit is 4 or 16, in place."""
    compiled = function("transpose", WORDS, COUNT, NUMBER, COUNT)
    if compiled is None or not rows.flags.c_contiguous:
        return bits.transpose(rows, unit)
    compiled(at(rows), len(rows) // 4, unit, rows.shape[1])
    return rows


def arrange(values: Words, masks: Words, out: Words, first: int, last: int | None) -> None:
    """Write values, four of a group, to `out` as wires `first` to first + 2 and `last`, masked.

    In `values`, shape (4·groups, m), the four values of a group lie side by side in the bits of one
    word; a transpose gives each a row of its own. The most significant comes first; the least is
    left out if `last` is None. `values` may be overwritten.
    """
    groups = masks.shape[1]
    compiled = function("arrange", *[WORDS] * 3, COUNT, NUMBER, COUNT, NUMBER, NUMBER)
    if compiled is None:
        rows = bits.transpose(values, 16 // groups).reshape(groups, 4, -1).transpose(1, 0, 2)[::-1]
        three = slice(first, first + 3)
        np.bitwise_xor(rows[:3], masks[three], out=out[three])
        if last is not None:
            np.bitwise_xor(rows[3], masks[last], out=out[last])
        return
    read = contiguous(values), contiguous(masks)
    fourth = -1 if last is None else last
    compiled(*map(at, (*read, out)), groups, 16 // groups, values.shape[1], first, fourth)


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
