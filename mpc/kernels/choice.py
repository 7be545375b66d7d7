"""A share of c·y for an opened comparison c, computed where it is used.

Whoever exchanges two places has the library compute what moves and move it, in one pass.
"""

from __future__ import annotations

import numpy as np

from ppaurora.mpc import bits
from ppaurora.mpc.kernels.arrays import at, contiguous
from ppaurora.mpc.kernels.library import COUNT, WORDS, function
from ppaurora.mpc.kernels.places import lie_alike, rows_of
from ppaurora.mpc.kernels.planes import bits_and_signs
from ppaurora.mpc.kernels.source import CHOSEN_NAME, EXCHANGE_NAME
from ppaurora.mpc.words import BLOCK, STRIP, Words, blocks


class Choice:
    """c·y = e·y + (1 - 2e)·(λ·z_y - λ·r_y), from shares of λ and of λ·r_y; y comes when it is used.

    e is what `bits_and_signs` gives of the plane and the words.
    """

    __slots__ = ("_length", "_opened_bits", "_read")

    def __init__(
        self, plane: Words, signed: Words, z: Words, bit: Words, bit_times_mask: Words
    ) -> None:
        self._read = [contiguous(one) for one in (plane, signed, z, bit, bit_times_mask)]
        self._length = z.size
        self._opened_bits: Words | None = None

    def __repr__(self) -> str:
        return f"<Choice of {self._length}>"

    def words(self, y: Words, first: int = 0) -> Words:
        """Shares of c·y for the elements from `first` on, of which there are as many as in `y`."""
        compiled = function(CHOSEN_NAME, *[WORDS] * 7, COUNT, COUNT)
        out = np.empty(y.size, np.uint64)
        if compiled is None or y.size != self._length or y.size > BLOCK:
            self._by_numpy(y, first, out)
            return out
        plane, signed, z, *dealt = self._read
        y = contiguous(y)
        places = map(at, (plane, signed, z, y, *dealt, out))
        compiled(*places, bits.columns(y.size), y.size)
        return out

    def exchange(
        self, first: int, upper: Words, lower: Words, larger: Words, smaller: Words
    ) -> None:
        """Write upper - c·y to `larger` and lower + c·y to `smaller`, for elements from `first` on.

        Their y is upper - lower. What is written may be what is read; it must not overlap it in
        another way.
        """
        compiled = function(EXCHANGE_NAME, *[WORDS] * 9, *[COUNT] * 5)
        alike = lie_alike(upper, lower, larger, smaller)
        writeable = larger.flags.writeable and smaller.flags.writeable
        if compiled is None or self._length > BLOCK or not (alike and writeable and upper.size):
            t = self.words((upper - lower).reshape(-1), first).reshape(upper.shape)
            np.subtract(upper, t, out=larger)
            np.add(lower, t, out=smaller)
            return
        places = [one[:1] for one in (upper, lower, larger, smaller)]
        m = bits.columns(self._length)
        compiled(*map(at, (*self._read, *places)), m, first, *rows_of(upper))

    def _by_numpy(self, y: Words, first: int, out: Words) -> None:
        plane, signed, *words = self._read
        if self._opened_bits is None:
            self._opened_bits = bits_and_signs(plane, signed)
        of_elements = [one[first : first + y.size] for one in (self._opened_bits, *words)]
        for part in blocks(y.size, STRIP):
            e, z, bit, bit_times_mask = (one[part] for one in of_elements)
            # -λ = ~λ + 1, so (1 - 2e)·λ = (λ xor -e) + e
            every_bit = np.negative(e)
            product = np.multiply(bit, z, out=out[part])
            product -= bit_times_mask
            product ^= every_bit
            product += e
            every_bit &= y[part]
            product += every_bit
