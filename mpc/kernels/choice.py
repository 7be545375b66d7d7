"""A share of c·y for an opened comparison c, computed where it is used.

Whoever exchanges two places has the library compute what moves and move it, in one pass.
"""

from __future__ import annotations

from ppaurora.mpc import bits
from ppaurora.mpc.kernels.arrays import at, contiguous
from ppaurora.mpc.kernels.library import COUNT, WORDS, function
from ppaurora.mpc.kernels.places import lie_alike, rows_of
from ppaurora.mpc.kernels.source import CHOSEN_NAME, EXCHANGE_NAME
from ppaurora.mpc.on_first_use import np
from ppaurora.mpc.words import BLOCK, Words


class Choice:
    """c·y = e·y + (1 - 2e)·(λ·z_y - λ·r_y), from shares of y, of λ and of λ·r_y.

    e is what `bits_and_signs` gives of the plane and the words.
    """

    __slots__ = ("_known", "_read", "_y")

    def __init__(
        self, plane: Words, signed: Words, z: Words, y: Words, bit: Words, bit_times_mask: Words
    ) -> None:
        self._read = [contiguous(one) for one in (plane, signed, z, bit, bit_times_mask)]
        self._y = y
        self._known: Words | None = None

    def __repr__(self) -> str:
        return f"<Choice of {self._y.size}>"

    def words(self) -> Words:
        """This share of c·y."""
        if self._known is None:
            self._known = self._computed()
        return self._known

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
        if compiled is None or self._y.size > BLOCK or not (alike and writeable and upper.size):
            t = self.words()[first : first + upper.size].reshape(upper.shape)
            np.subtract(upper, t, out=larger)
            np.add(lower, t, out=smaller)
            return
        places = [one[:1] for one in (upper, lower, larger, smaller)]
        m = bits.columns(self._y.size)
        compiled(*map(at, (*self._read, *places)), m, first, *rows_of(upper))

    def _computed(self) -> Words:
        compiled = function(CHOSEN_NAME, *[WORDS] * 7, COUNT, COUNT)
        n = self._y.size
        out = np.empty(n, np.uint64)
        plane, signed, z, bit, bit_times_mask = self._read
        if compiled is not None and n <= BLOCK:
            words = (plane, signed, z, contiguous(self._y), bit, bit_times_mask)
            compiled(*map(at, words), at(out), bits.columns(n), n)
            return out
        for part, e in bits.on_tops(plane, n):
            e ^= signed[part]
            e >>= bits.TOP
            # -λ = ~λ + 1, so (1 - 2e)·λ = (λ xor -e) + e
            every_bit = np.negative(e)
            product = np.multiply(bit[part], z[part], out=out[part])
            product -= bit_times_mask[part]
            product ^= every_bit
            product += e
            every_bit &= self._y[part]
            product += every_bit
        return out
