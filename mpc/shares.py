"""Shared vectors: `Shared`, additively over Z_2^64, `NarrowShared`, over Z_2^32, and `SharedBits`,
by XOR and bit-sliced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import add, mul, neg, sub
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppaurora.mpc.bits import columns, pack, unpack
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.role import Role
from ppaurora.mpc.streams import KEY_BYTES, Stream
from ppaurora.mpc.words import Column, Halves, Words, to_words

Index: TypeAlias = slice | NDArray[np.intp] | NDArray[np.int64] | NDArray[np.bool_]
Public = TypeVar("Public")
Held = TypeVar("Held", bound=Column)
"""The words or shorter numbers that a proxy holds of a vector."""


def length_after(length: int, index: Index) -> int:
    """The number of elements that an index selects of so many."""
    if isinstance(index, slice):
        return len(range(*index.indices(length)))
    if index.dtype == np.bool_:
        return int(np.count_nonzero(index))
    return index.size


class SharedVector(Generic[Held]):
    """One party's part of a vector that nobody knows."""

    __slots__ = ("_words", "length", "role")

    def __init__(self, role: Role, words: Held | None, length: int) -> None:
        self.role = role
        self._words: Held | None = words
        self.length = length

    @classmethod
    def absent(cls, length: int) -> Self:
        """The helper's part of a vector: its length."""
        return cls(Role.HELPER, None, length)

    @property
    def words(self) -> Held:
        """A proxy's words; the helper has none."""
        if self._words is None:
            raise LocalProtocolError("the helper holds no words of a shared vector")
        return self._words

    @property
    def present(self) -> bool:
        """True if this party holds words, which the helper does not."""
        return self._words is not None

    def __len__(self) -> int:
        return self.length

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.length} at {self.role}>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a shared vector has no truth value: nobody knows it")

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # numpy leaves `array + vector` to this class

    def _with(self, words: Held | None, length: int | None = None) -> Self:
        return self.having(words, self.length if length is None else length)

    def having(self, words: Held | None, length: int) -> Self:
        """A vector of the same ring at the same party: of these words, or absent."""
        return type(self)(self.role, words, length)

    def _matched(self, other: SharedVector[Held]) -> None:
        if type(other) is not type(self):
            raise TypeError(f"{self!r} and {other!r} are not of one ring")
        if other.role is not self.role or other.length != self.length:
            raise LocalProtocolError(f"{self!r} and {other!r} do not go together")


@dataclass(frozen=True, slots=True)
class Ring:
    """The words and operations of a ring; `product` names the primitive for two shared factors."""

    as_words: Callable[[Any], Any]
    plus: Callable[[Any, Any], Any]
    minus: Callable[[Any, Any], Any]
    times: Callable[[Any, Any], Any]
    negative: Callable[[Any], Any]
    product: str


class RingVector(SharedVector[Held], Generic[Public, Held]):
    """x = x0 + x1 in a ring, element by element; `Public` is what stands for public integers."""

    __slots__ = ()

    ring: ClassVar[Ring]

    def _beside(self, values: Public) -> Held:
        """Public integers as words: one for all elements, or one for each."""
        words: Held = self.ring.as_words(values)
        if words.shape not in ((), (self.length,)):
            raise LocalProtocolError(f"{self!r} beside public values of shape {words.shape}")
        return words

    # -- made of what is known -----------------------------------------------------------------

    @classmethod
    def from_words(cls, role: Role, words: Held) -> Self:
        """The vector of which a proxy holds these words."""
        return cls(role, words, words.shape[-1])

    @classmethod
    def zeros(cls, role: Role, length: int) -> Self:
        """A sharing of zeros, which every party knows to be zeros."""
        return cls._public(role, cls.ring.as_words(np.zeros(length, np.uint64)))

    @classmethod
    def public(cls, role: Role, values: Public) -> Self:
        """A sharing of public values: P0 holds them, P1 holds zeros."""
        return cls._public(role, cls.ring.as_words(values))

    @classmethod
    def _public(cls, role: Role, words: Held) -> Self:
        if role is Role.HELPER:
            return cls.absent(words.shape[-1])
        return cls.from_words(role, words if role is Role.P0 else np.zeros_like(words))

    # -- its algebra ---------------------------------------------------------------------------

    def __neg__(self) -> Self:
        return self._with(None if self._words is None else self.ring.negative(self._words))

    def __add__(self, other: Self | Public) -> Self:
        if isinstance(other, SharedVector):
            self._matched(other)
            words = None if self._words is None else self.ring.plus(self._words, other.words)
            return self._with(words)
        public = self._beside(other)
        # a public value is added by P0 alone
        return self._with(self.ring.plus(self.words, public)) if self.role is Role.P0 else self

    def __radd__(self, other: Public) -> Self:
        return self + other

    def __sub__(self, other: Self | Public) -> Self:
        if isinstance(other, SharedVector):
            self._matched(other)
            words = None if self._words is None else self.ring.minus(self._words, other.words)
            return self._with(words)
        public = self._beside(other)
        return self._with(self.ring.minus(self.words, public)) if self.role is Role.P0 else self

    def __rsub__(self, other: Public) -> Self:
        public = self._beside(other)
        return self._with(self.ring.minus(public, self.words)) if self.role is Role.P0 else -self

    def __mul__(self, factor: Public) -> Self:
        """The product with public integers."""
        if isinstance(factor, SharedVector):
            raise TypeError(f"two shared vectors are multiplied by {self.ring.product}")
        words = self._beside(factor)
        return self._with(None if self._words is None else self.ring.times(self._words, words))

    __rmul__ = __mul__

    def __getitem__(self, index: Index) -> Self:
        if not isinstance(index, slice | np.ndarray):
            raise TypeError("a shared vector is indexed by slices and arrays")
        words: Any = None if self._words is None else self._words[..., index]
        return self._with(words, length_after(self.length, index))

    def repeat(self, count: int) -> Self:
        """A vector of `count` copies of the one element."""
        if self.length != 1:
            raise LocalProtocolError(f"{self!r} is not a single element")
        words: Any = None if self._words is None else np.repeat(self._words, count, axis=-1)
        return self._with(words, count)


class Shared(RingVector[ArrayLike, Words]):
    """x = x0 + x1 mod 2^64, element by element; this party's part of it."""

    __slots__ = ()

    ring: ClassVar[Ring] = Ring(to_words, add, sub, mul, neg, "mpc.primitives.multiply")

    def sum(self) -> Self:
        """The sum of all elements, a vector of one."""
        words = None if self._words is None else self._words.sum(keepdims=True, dtype=np.uint64)
        return self._with(words, 1)

    def cumsum(self) -> Self:
        """The sums of the first 1, 2, ..., n elements."""
        return self._with(None if self._words is None else self._words.cumsum(dtype=np.uint64))


def to_halves(values: ArrayLike) -> Halves:
    """Integers of any sign, reduced mod 2^32.

    >>> to_halves([1, -1]).tolist()
    [1, 4294967295]
    """
    return to_words(values).astype(np.uint32)


class NarrowShared(RingVector[ArrayLike, Halves]):
    """x = x0 + x1 mod 2^32, element by element; this party's part of it."""

    __slots__ = ()

    ring: ClassVar[Ring] = Ring(to_halves, add, sub, mul, neg, "mpc.primitives.products")


SharedNumbers: TypeAlias = Shared | NarrowShared
"""Numbers shared mod 2^64 or mod 2^32."""
InRing = TypeVar("InRing", bound=RingVector[Any, Any])
"""A vector of whatever ring, the same one throughout a call."""


def is_narrow(x: RingVector[Any, Any]) -> bool:
    """True if the vector is shared mod 2^32."""
    return isinstance(x, NarrowShared)


def narrowed(x: Shared) -> NarrowShared:
    """The numbers mod 2^32: the lower halves of shares mod 2^64 are shares mod 2^32.

    >>> narrowed(Shared.public(Role.P0, [-1, 1 << 32])).words.tolist()
    [4294967295, 0]
    """
    return NarrowShared(x.role, x.words.astype(np.uint32) if x.present else None, len(x))


def concatenate(vectors: Iterable[InRing]) -> InRing:
    """One vector of all vectors' elements, in order.

    >>> x, y = (Shared.public(Role.P0, values) for values in ([1, 2], [3]))
    >>> concatenate([x, y]).words.tolist()
    [1, 2, 3]
    """
    parts = list(vectors)
    length = sum(map(len, parts))
    first = parts[0]
    if first.role is Role.HELPER:
        return first.having(None, length)
    return first.having(np.concatenate([part.words for part in parts]), length)


def interleave(even: InRing, odd: InRing) -> InRing:
    """even[0], odd[0], even[1], odd[1], ...; `even` may be longer by one.

    >>> even, odd = (Shared.public(Role.P0, values) for values in ([0, 2, 4], [1, 3]))
    >>> interleave(even, odd).words.tolist()
    [0, 1, 2, 3, 4]
    """
    length = len(even) + len(odd)
    if even.role is Role.HELPER:
        return even.having(None, length)
    words = np.empty(length, even.words.dtype)
    words[0::2], words[1::2] = even.words, odd.words
    return even.having(words, length)


class SharedBits(SharedVector[Words]):
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


def low_bits(x: SharedNumbers) -> SharedBits:
    """The lowest bit of each element: x mod 2 = (x0 mod 2) xor (x1 mod 2), as no carry reaches it.

    >>> unpack(low_bits(Shared.public(Role.P0, [4, 5, 7])).plane, 3).tolist()
    [0, 1, 1]
    """
    if not x.present:
        return SharedBits.absent(len(x))
    return SharedBits(x.role, pack(x.words & x.words.dtype.type(1)), len(x))


def share(values: ArrayLike) -> tuple[Words, Words]:
    """Two words for each integer, uniformly random each, whose sum mod 2^64 is the integer.

    >>> from ppaurora.mpc.words import as_signed
    >>> first, second = share([3, -4])
    >>> as_signed(reconstruct(first, second)).tolist()
    [3, -4]
    """
    words = to_words(values).reshape(-1)
    mask = Stream(os.urandom(KEY_BYTES)).words(words.size)
    return mask, words - mask


def reconstruct(first: Words, second: Words) -> Words:
    """The words whose shares these are: x = x0 + x1 mod 2^64.

    >>> import numpy as np
    >>> reconstruct(np.array([2**64 - 1, 7], np.uint64), np.array([5, 0], np.uint64)).tolist()
    [4, 7]
    """
    total: Words = first + second
    return total


def shared_at(role: Role, shares: tuple[Words, Words]) -> Shared:
    """The vector with these shares as `role` holds it; the helper holds its length only."""
    if role is Role.HELPER:
        return Shared.absent(shares[0].size)
    return Shared.from_words(role, shares[role])
