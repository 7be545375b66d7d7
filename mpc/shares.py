"""Shared vectors: `Shared`, additively over Z_2^64, and `SharedBits`, by XOR and bit-sliced.

On P0 and P1 a vector holds words; on the helper it holds only its length, so that one program reads
the same for all three roles. A vector never prints its words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppaurora.mpc.bits import columns, pack, unpack
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words, to_words

Index = slice | NDArray[np.intp] | NDArray[np.int64] | NDArray[np.bool_]


def _length_after(length: int, index: Index) -> int:
    if isinstance(index, slice):
        return len(range(*index.indices(length)))
    if index.dtype == np.bool_:
        return int(np.count_nonzero(index))
    return index.size


class Shared:
    """x = x0 + x1 mod 2^64, element by element; this party's part of it."""

    __slots__ = ("_words", "length", "role")

    def __init__(self, role: Role, words: Words | None, length: int) -> None:
        self.role = role
        self._words = words
        self.length = length

    @classmethod
    def from_words(cls, role: Role, words: Words) -> Shared:
        """The vector of which a proxy holds these words."""
        return cls(role, words, words.size)

    @classmethod
    def absent(cls, length: int) -> Shared:
        """What the helper holds of a vector: its length."""
        return cls(Role.HELPER, None, length)

    @classmethod
    def zeros(cls, role: Role, length: int) -> Shared:
        """A sharing of zeros, which every party knows to be zeros."""
        return cls.public(role, np.zeros(length, np.uint64))

    @classmethod
    def public(cls, role: Role, values: ArrayLike) -> Shared:
        """A sharing of public values: P0 holds them, P1 holds zeros."""
        words = to_words(values)
        if role is Role.HELPER:
            return cls.absent(words.size)
        return cls.from_words(role, words if role is Role.P0 else np.zeros_like(words))

    @property
    def words(self) -> Words:
        """A proxy's words; the helper has none."""
        if self._words is None:
            raise LocalProtocolError("the helper holds no words of a shared vector")
        return self._words

    @property
    def present(self) -> bool:
        """Whether this party holds words, which the helper does not."""
        return self._words is not None

    def __len__(self) -> int:
        return self.length

    def __repr__(self) -> str:
        return f"<Shared of {self.length} at {self.role}>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a shared vector has no truth value: nobody knows it")

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # numpy leaves `array + vector` to this class

    def _with(self, words: Words | None, length: int | None = None) -> Shared:
        return Shared(self.role, words, self.length if length is None else length)

    def _matched(self, other: Shared) -> None:
        if other.role is not self.role or other.length != self.length:
            raise LocalProtocolError(f"{self!r} and {other!r} do not go together")

    def __neg__(self) -> Shared:
        return self._with(None if self._words is None else np.negative(self._words))

    def _beside(self, values: ArrayLike) -> Words:
        """Public integers as words: one for all elements, or one for each."""
        words = to_words(values)
        if words.shape not in ((), (self.length,)):
            raise LocalProtocolError(f"{self!r} beside public values of shape {words.shape}")
        return words

    def _plus_public(self, words: Words) -> Shared:
        # a public value is added by P0 alone
        if self.role is Role.P0:
            return self._with(self.words + words)
        return self

    def __add__(self, other: Shared | ArrayLike) -> Shared:
        if not isinstance(other, Shared):
            return self._plus_public(self._beside(other))
        self._matched(other)
        return self._with(None if self._words is None else self._words + other.words)

    def __radd__(self, other: ArrayLike) -> Shared:
        return self + other

    def __sub__(self, other: Shared | ArrayLike) -> Shared:
        if not isinstance(other, Shared):
            return self._plus_public(np.negative(self._beside(other)))
        self._matched(other)
        return self._with(None if self._words is None else self._words - other.words)

    def __rsub__(self, other: ArrayLike) -> Shared:
        return -self + other

    def __mul__(self, factor: ArrayLike) -> Shared:
        """The product with public integers."""
        if isinstance(factor, Shared):
            raise TypeError("two shared vectors are multiplied by mpc.primitives.multiply")
        words = self._beside(factor)
        return self._with(None if self._words is None else self._words * words)

    __rmul__ = __mul__

    def __getitem__(self, index: Index) -> Shared:
        if not isinstance(index, slice | np.ndarray):
            raise TypeError("a shared vector is indexed by slices and arrays")
        if self._words is None:
            return self._with(None, _length_after(self.length, index))
        words = self._words[index]
        return self._with(words, words.size)

    def sum(self) -> Shared:
        """The sum of all elements, a vector of one."""
        words = None if self._words is None else self._words.sum(keepdims=True, dtype=np.uint64)
        return self._with(words, 1)

    def cumsum(self) -> Shared:
        """The sums of the first 1, 2, ..., n elements."""
        return self._with(None if self._words is None else self._words.cumsum(dtype=np.uint64))

    def repeat(self, count: int) -> Shared:
        """A vector of `count` copies of the one element."""
        if self.length != 1:
            raise LocalProtocolError(f"{self!r} is not a single element")
        return self._with(None if self._words is None else np.repeat(self._words, count), count)


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


class SharedBits:
    """b = b0 xor b1 for n bits, packed in planes as `mpc.bits` lays them out."""

    __slots__ = ("_plane", "length", "role")

    def __init__(self, role: Role, plane: Words | None, length: int) -> None:
        if plane is not None and plane.size != columns(length):
            raise LocalProtocolError(f"{plane.size} words do not hold {length} bits")
        self.role = role
        self._plane = plane
        self.length = length

    @classmethod
    def absent(cls, length: int) -> SharedBits:
        """What the helper holds of a vector: its length."""
        return cls(Role.HELPER, None, length)

    @property
    def plane(self) -> Words:
        """A proxy's plane; the helper has none."""
        if self._plane is None:
            raise LocalProtocolError("the helper holds no words of a shared vector")
        return self._plane

    def __len__(self) -> int:
        return self.length

    def __repr__(self) -> str:
        return f"<SharedBits of {self.length} at {self.role}>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a shared vector has no truth value: nobody knows it")

    __hash__ = None  # type: ignore[assignment]

    def __xor__(self, other: SharedBits) -> SharedBits:
        if other.role is not self.role or other.length != self.length:
            raise LocalProtocolError(f"{self!r} and {other!r} do not go together")
        plane = None if self._plane is None else self._plane ^ other.plane
        return SharedBits(self.role, plane, self.length)

    def __invert__(self) -> SharedBits:
        plane = ~self._plane if self._plane is not None and self.role is Role.P0 else self._plane
        return SharedBits(self.role, plane, self.length)

    def __getitem__(self, index: Index) -> SharedBits:
        length = _length_after(self.length, index)
        if self._plane is None:
            return SharedBits.absent(length)
        return SharedBits(self.role, pack(unpack(self._plane, self.length)[index]), length)


def low_bits(x: Shared) -> SharedBits:
    """The lowest bit of each element: x mod 2 = (x0 mod 2) xor (x1 mod 2), as no carry reaches it.

    >>> unpack(low_bits(Shared.public(Role.P0, [4, 5, 7])).plane, 3).tolist()
    [0, 1, 1]
    """
    if not x.present:
        return SharedBits.absent(len(x))
    return SharedBits(x.role, pack(x.words & np.uint64(1)), len(x))
