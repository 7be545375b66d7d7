"""Turns, and opened bits: by the library where there is one, else by numpy."""

from __future__ import annotations

from ppaurora.mpc import bits
from ppaurora.mpc.kernels.arrays import at, contiguous
from ppaurora.mpc.kernels.library import COUNT, NUMBER, WORDS, function
from ppaurora.mpc.kernels.source import BITS_NAME, TURN_NAME
from ppaurora.mpc.on_first_use import np
from ppaurora.mpc.words import BLOCK, Words


def turn(rows: Words, unit: int) -> Words:
    """`bits.turn` for the digits whose unit is 4 or 16, in place."""
    compiled = function(TURN_NAME, WORDS, COUNT, NUMBER, COUNT)
    if compiled is None or not rows.flags.c_contiguous:
        return bits.turn(rows, unit)
    compiled(at(rows), len(rows) // 4, unit, rows.shape[1])
    return rows


def signs(words: Words) -> Words:
    """The top bits."""
    return words >> np.uint64(bits.TOP)


def bits_and_signs(plane: Words, words: Words) -> Words:
    """The bits of a plane as words 0 or 1, each xor the sign of its word."""
    compiled = function(BITS_NAME, WORDS, WORDS, WORDS, COUNT, COUNT)
    out = np.empty(words.size, np.uint64)
    if compiled is None or words.size > BLOCK:
        for part, e in bits.on_tops(plane, words.size):
            e ^= words[part]
            np.right_shift(e, bits.TOP, out=out[part])
        return out
    plane, words = contiguous(plane), contiguous(words)
    compiled(at(plane), at(words), at(out), bits.columns(words.size), words.size)
    return out
