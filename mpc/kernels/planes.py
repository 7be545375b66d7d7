"""Turns, opened bits and what they choose: by the library where there is one, else by numpy."""

from __future__ import annotations

from ppaurora.mpc import bits
from ppaurora.mpc.kernels.arrays import at, contiguous
from ppaurora.mpc.kernels.library import COUNT, NUMBER, WORDS, function
from ppaurora.mpc.kernels.source import BITS_NAME, CHOSEN_NAME, TURN_NAME
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


def chosen(
    plane: Words, signed: Words, z: Words, y: Words, bit: Words, bit_times_mask: Words
) -> Words:
    """A share of c·y = e·y + (1 - 2e)·(λ·z_y - λ·r_y), from shares of λ and λ·r_y.

    e is what `bits_and_signs` gives of the plane and the words.
    """
    compiled = function(CHOSEN_NAME, *[WORDS] * 7, COUNT, COUNT)
    out = np.empty(z.size, np.uint64)
    if compiled is None or z.size > BLOCK:
        for part, e in bits.on_tops(plane, z.size):
            e ^= signed[part]
            e >>= bits.TOP
            # -λ = ~λ + 1, so (1 - 2e)·λ = (λ xor -e) + e
            every_bit = np.negative(e)
            product = np.multiply(bit[part], z[part], out=out[part])
            product -= bit_times_mask[part]
            product ^= every_bit
            product += e
            every_bit &= y[part]
            product += every_bit
        return out
    words = [contiguous(one) for one in (plane, signed, z, y, bit, bit_times_mask)]
    compiled(*map(at, words), at(out), bits.columns(z.size), z.size)
    return out
