"""Shared vectors: `Shared`, additively over Z_2^64, and `SharedBits`, by XOR and bit-sliced."""

from __future__ import annotations

from collections.abc import Iterable
from operator import add, mul, neg, sub
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ppaurora.mpc.bits import columns, pack, unpack
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.role import Role
from ppaurora.mpc.shared_vector import Index, Ring, RingVector, SharedVector, length_after
from ppaurora.mpc.words import Words, to_words


class Shared(RingVector[ArrayLike]):
    """x = x0 + x1 mod 2^64, element by element; this party's part of it."""

    __slots__ = ()

    ring: ClassVar[Ring] = Ring(to_words, add, sub, mul, neg, "mpc.primitives.multiply")

    def _beside(self, values: ArrayLike) -> Words:
        words = to_words(values)
        if words.shape not in ((), (self.length,)):
            raise LocalProtocolError(f"{self!r} beside public values of shape {words.shape}")
        return words

    def sum(self) -> Self:
        """The sum of all elements, a vector of one."""
        words = None if self._words is None else self._words.sum(keepdims=True, dtype=np.uint64)
        return self._with(words, 1)

    def cumsum(self) -> Self:
        """The sums of the first 1, 2, ..., n elements."""
        return self._with(None if self._words is None else self._words.cumsum(dtype=np.uint64))


def concatenate(vectors: Iterable[Shared]) -> Shared:
    """One vector of all vectors' elements, in order.

    >>> x, y = (Shared.public(Role.P0, values) for values in ([1, 2], [3]))
    >>> concatenate([x, y]).words.tolist()
    [1, 2, 3]
    """
    parts = list(vectors)
    length = sum(map(len, parts))
    role = parts[0].role
    if role is Role.HELPER:
        return Shared.absent(length)
    return Shared(role, np.concatenate([part.words for part in parts]), length)


def interleave(even: Shared, odd: Shared) -> Shared:
    """even[0], odd[0], even[1], odd[1], ...; `even` may be longer by one.

    >>> even, odd = (Shared.public(Role.P0, values) for values in ([0, 2, 4], [1, 3]))
    >>> interleave(even, odd).words.tolist()
    [0, 1, 2, 3, 4]
    """
    length = len(even) + len(odd)
    if even.role is Role.HELPER:
        return Shared.absent(length)
    words = np.empty(length, np.uint64)
    words[0::2], words[1::2] = even.words, odd.words
    return Shared(even.role, words, length)


class SharedBits(SharedVector):
    """b = b0 xor b1 for n bits, packed in planes as `mpc.bits` lays them out."""

    __slots__ = ()

    def __init__(self, role: Role, plane: Words | None, length: int) -> None:
        if plane is not None and plane.size != columns(length):
            raise LocalProtocolError(f"{plane.size} words do not hold {length} bits")
        super().__init__(role, plane, length)

    @property
    def plane(self) -> Words:
        """A proxy's plane; the helper has none."""
        return self.words

    def __xor__(self, other: SharedBits) -> SharedBits:
        self._matched(other)
        return self._with(None if self._words is None else self._words ^ other.plane)

    def __invert__(self) -> SharedBits:
        return self._with(~self.plane) if self.role is Role.P0 else self

    def __getitem__(self, index: Index) -> SharedBits:
        length = length_after(self.length, index)
        if self._words is None:
            return self._with(None, length)
        return self._with(pack(unpack(self._words, self.length)[index]), length)


def low_bits(x: Shared) -> SharedBits:
    """The lowest bit of each element: x mod 2 = (x0 mod 2) xor (x1 mod 2), as no carry reaches it.

    >>> unpack(low_bits(Shared.public(Role.P0, [4, 5, 7])).plane, 3).tolist()
    [0, 1, 1]
    """
    if not x.present:
        return SharedBits.absent(len(x))
    return SharedBits(x.role, pack(x.words & np.uint64(1)), len(x))
