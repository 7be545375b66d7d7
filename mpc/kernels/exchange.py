"""Positions that are compared and exchanged: differences, and products with an opened comparison.

A product c·y is computed where it is used: an exchange computes what moves, and moves it, in one
pass. The upper and the lower positions are vectors, or matrices of rows with equal strides.
"""

from __future__ import annotations

import numpy as np

from ppaurora.mpc import bits
from ppaurora.mpc.kernels.library import COUNT, WORDS, at, contiguous, function
from ppaurora.mpc.kernels.planes import bits_and_signs
from ppaurora.mpc.words import BLOCK, STRIP, Words, blocks


class Choice:
    """c·y = e·y + (1 - 2e)·(λ·z_y - λ·r_y), from shares of λ and of λ·r_y, for a y given later.

    e is what `bits_and_signs` gives of the plane and the words.
    """

    __slots__ = ("_length", "_opened_bits", "_read")

    def __init__(
        self, plane: Words, signed: Words, z: Words, bit: Words, bit_times_mask: Words
    ) -> None:
        self._read = [contiguous(read) for read in (plane, signed, z, bit, bit_times_mask)]
        self._length = z.size
        self._opened_bits: Words | None = None

    def __repr__(self) -> str:
        return f"<Choice of {self._length}>"

    def words(self, y: Words, first: int = 0) -> Words:
        """Shares of c·y for the elements from `first` on, of which there are as many as in `y`."""
        compiled = function("choose", *[WORDS] * 7, COUNT, COUNT)
        out = np.empty(y.size, np.uint64)
        if compiled is None or y.size != self._length or y.size > BLOCK:
            self._by_numpy(y, first, out)
            return out
        plane, signed, z, *dealt = self._read
        y = contiguous(y)
        addresses = map(at, (plane, signed, z, y, *dealt, out))
        compiled(*addresses, bits.columns(y.size), y.size)
        return out

    def exchange(
        self, first: int, upper: Words, lower: Words, larger: Words, smaller: Words
    ) -> None:
        """Write upper - c·y to `larger` and lower + c·y to `smaller`, for elements from `first` on.

        Their y is upper - lower. The arrays written may be those read; they must not overlap them
        in another way.
        """
        compiled = function("exchange", *[WORDS] * 9, *[COUNT] * 5)
        equal_strides = _equal_strides(upper, lower, larger, smaller)
        writeable = larger.flags.writeable and smaller.flags.writeable
        if (
            compiled is None
            or self._length > BLOCK
            or not (equal_strides and writeable and upper.size)
        ):
            t = self.words((upper - lower).reshape(-1), first).reshape(upper.shape)
            np.subtract(upper, t, out=larger)
            np.add(lower, t, out=smaller)
            return
        firsts = [side[:1] for side in (upper, lower, larger, smaller)]
        m = bits.columns(self._length)
        compiled(*map(at, (*self._read, *firsts)), m, first, *_rows_of(upper))

    def _by_numpy(self, y: Words, first: int, out: Words) -> None:
        plane, signed, *words = self._read
        if self._opened_bits is None:
            self._opened_bits = bits_and_signs(plane, signed)
        elements = slice(first, first + y.size)
        vectors = [vector[elements] for vector in (self._opened_bits, *words)]
        for part in blocks(y.size, STRIP):
            e, z, bit, bit_times_mask = (vector[part] for vector in vectors)
            # -λ = ~λ + 1, so (1 - 2e)·λ = (λ xor -e) + e
            every_bit = np.negative(e)
            product = np.multiply(bit, z, out=out[part])
            product -= bit_times_mask
            product ^= every_bit
            product += e
            every_bit &= y[part]
            product += every_bit


def subtract(upper: Words, lower: Words, out: Words) -> None:
    """Write upper - lower to the vector `out`."""
    compiled = function("subtract", WORDS, WORDS, WORDS, COUNT, COUNT, COUNT)
    fits = _equal_strides(upper, lower) and out.size == upper.size and out.flags.c_contiguous
    if compiled is None or not (fits and out.flags.writeable):
        np.subtract(upper, lower, out.reshape(upper.shape))
        return
    compiled(at(upper[:1]), at(lower[:1]), at(out), *_rows_of(upper))


def _equal_strides(first: Words, *others: Words) -> bool:
    """True if the library can walk them together: rows of adjacent words, with equal strides."""
    if first.ndim > 2 or first.strides[-1] != first.itemsize:
        return False
    return all(other.shape == first.shape and other.strides == first.strides for other in others)


def _rows_of(positions: Words) -> tuple[int, int, int]:
    """The number of rows, the positions in one, and the words from one row to the next."""
    rows = len(positions) if positions.ndim == 2 else 1
    return rows, positions.shape[-1], positions.strides[0] // positions.itemsize
