"""What every vector of shares is: a length at all three roles, words at two, and never printed.

On P0 and P1 a vector holds words; on the helper it holds only its length, so that one program reads
the same for all three roles. Vectors of a ring say how its words add and multiply; the rest, and
who adds a public value, is the same in all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words

Index: TypeAlias = "slice | NDArray[np.intp] | NDArray[np.int64] | NDArray[np.bool_]"
Public = TypeVar("Public")


def length_after(length: int, index: Index) -> int:
    """How many of so many elements an index selects."""
    if isinstance(index, slice):
        return len(range(*index.indices(length)))
    if index.dtype == np.bool_:
        return int(np.count_nonzero(index))
    return index.size


class SharedVector:
    """One party's part of a vector that nobody knows."""

    __slots__ = ("_words", "length", "role")

    def __init__(self, role: Role, words: Words | None, length: int) -> None:
        self.role = role
        self._words = words
        self.length = length

    @classmethod
    def absent(cls, length: int) -> Self:
        """What the helper holds of a vector: its length."""
        return cls(Role.HELPER, None, length)

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
        return f"<{type(self).__name__} of {self.length} at {self.role}>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a shared vector has no truth value: nobody knows it")

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # numpy leaves `array + vector` to this class

    def _with(self, words: Words | None, length: int | None = None) -> Self:
        return type(self)(self.role, words, self.length if length is None else length)

    def _matched(self, other: SharedVector) -> None:
        if type(other) is not type(self):
            raise TypeError(f"{self!r} and {other!r} are not of one ring")
        if other.role is not self.role or other.length != self.length:
            raise LocalProtocolError(f"{self!r} and {other!r} do not go together")


@dataclass(frozen=True, slots=True)
class Ring:
    """How words stand for the elements of a ring; `product` names the primitive for two shared."""

    as_words: Callable[[Any], Words]
    plus: Callable[[Words, Words], Words]
    minus: Callable[[Words, Words], Words]
    times: Callable[[Words, Words], Words]
    negative: Callable[[Words], Words]
    product: str


class RingVector(SharedVector, ABC, Generic[Public]):
    """x = x0 + x1 in a ring, element by element; `Public` is what stands for public integers."""

    __slots__ = ()

    ring: ClassVar[Ring]

    @abstractmethod
    def _beside(self, values: Public) -> Words:
        """Public integers as words: one for all elements, or one for each."""

    # -- made of what is known -----------------------------------------------------------------

    @classmethod
    def from_words(cls, role: Role, words: Words) -> Self:
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
    def _public(cls, role: Role, words: Words) -> Self:
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
        return -self + other

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
        words = None if self._words is None else self._words[..., index]
        return self._with(words, length_after(self.length, index))

    def repeat(self, count: int) -> Self:
        """A vector of `count` copies of the one element."""
        if self.length != 1:
            raise LocalProtocolError(f"{self!r} is not a single element")
        words = None if self._words is None else np.repeat(self._words, count, axis=-1)
        return self._with(words, count)
