"""Share vectors over Z_2^256, for the few sums and products that 64 bits do not hold.

As with `mpc.shares`, P0 and P1 hold words and the helper only a length, and nothing is printed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

import numpy as np

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Index, Shared
from ppaurora.mpc.wide_words import (
    LIMBS,
    PublicIntegers,
    minus,
    negative,
    plus,
    shifted_down,
    times,
    to_wide,
    total,
)
from ppaurora.mpc.words import Words


class WideShared:
    """x = x0 + x1 mod 2^256, element by element; this party's part of it."""

    __slots__ = ("_words", "length", "role")

    def __init__(self, role: Role, words: Words | None, length: int) -> None:
        if words is not None and words.shape != (LIMBS, length):
            raise LocalProtocolError(f"{length} wide numbers in words of shape {words.shape}")
        self.role = role
        self._words = words
        self.length = length

    @classmethod
    def from_words(cls, role: Role, words: Words) -> WideShared:
        """A proxy's part, of shape (4, n)."""
        return cls(role, words, words.shape[-1])

    @classmethod
    def absent(cls, length: int) -> WideShared:
        """What the helper holds of a vector: its length."""
        return cls(Role.HELPER, None, length)

    @classmethod
    def zeros(cls, role: Role, length: int) -> WideShared:
        return cls.public(role, np.zeros(length, np.uint64))

    @classmethod
    def public(cls, role: Role, values: PublicIntegers) -> WideShared:
        """A sharing of public values: P0 holds them, P1 holds zeros."""
        words = to_wide(values)
        if role is Role.HELPER:
            return cls.absent(words.shape[-1])
        return cls.from_words(role, words if role is Role.P0 else np.zeros_like(words))

    @property
    def words(self) -> Words:
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
        return f"<WideShared of {self.length} at {self.role}>"

    def __bool__(self) -> NoReturn:
        raise TypeError("a shared vector has no truth value: nobody knows it")

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # numpy leaves `array + vector` to this class

    def _with(self, words: Words | None) -> WideShared:
        return WideShared(self.role, words, self.length)

    def _matched(self, other: WideShared) -> None:
        if other.role is not self.role or other.length != self.length:
            raise LocalProtocolError(f"{self!r} and {other!r} do not go together")

    def _beside(self, values: PublicIntegers) -> Words:
        """Public integers as wide words: one for all elements, or one for each."""
        words = to_wide(values)
        single = isinstance(values, int | np.integer)
        if not single and words.shape != (LIMBS, self.length):
            raise LocalProtocolError(f"{self!r} beside public values of shape {words.shape[1:]}")
        return words

    def __neg__(self) -> WideShared:
        return self._with(None if self._words is None else negative(self._words))

    def __add__(self, other: WideShared | PublicIntegers) -> WideShared:
        if not isinstance(other, WideShared):
            words = self._beside(other)
            # a public value is added by P0 alone
            return self._with(plus(self.words, words)) if self.role is Role.P0 else self
        self._matched(other)
        return self._with(None if self._words is None else plus(self._words, other.words))

    def __radd__(self, other: PublicIntegers) -> WideShared:
        return self + other

    def __sub__(self, other: WideShared | PublicIntegers) -> WideShared:
        if not isinstance(other, WideShared):
            words = self._beside(other)
            return self._with(minus(self.words, words)) if self.role is Role.P0 else self
        self._matched(other)
        return self._with(None if self._words is None else minus(self._words, other.words))

    def __rsub__(self, other: PublicIntegers) -> WideShared:
        return -self + other

    def __mul__(self, factor: PublicIntegers) -> WideShared:
        """The product with public integers."""
        if isinstance(factor, Shared | WideShared):
            raise TypeError("two shared vectors are multiplied by mpc.primitives.wide_multiply")
        words = self._beside(factor)
        return self._with(None if self._words is None else times(self._words, words))

    __rmul__ = __mul__

    def __getitem__(self, index: Index) -> WideShared:
        if not isinstance(index, slice | np.ndarray):
            raise TypeError("a shared vector is indexed by slices and arrays")
        if self._words is None:
            return WideShared.absent(np.empty(self.length, np.uint8)[index].size)
        return WideShared.from_words(self.role, self._words[:, index])

    def sum(self) -> WideShared:
        """The sum of all elements, a vector of one."""
        words = None if self._words is None else total(self._words)
        return WideShared(self.role, words, 1)

    def repeat(self, count: int) -> WideShared:
        """A vector of `count` copies of the one element."""
        if self.length != 1:
            raise LocalProtocolError(f"{self!r} is not a single element")
        words = None if self._words is None else np.repeat(self._words, count, axis=1)
        return WideShared(self.role, words, count)

    def scaled_down(self, bits: int) -> WideShared:
        """floor(x / 2^bits), or one more, for 0 <= x; no message.

        With random shares x0 = x - x1 mod 2^256, and if x0 >= x then -x1 mod 2^256 is x0 - x, so
        that floor(x0 / 2^bits) - floor(-x1 / 2^bits) is one of the two. x0 < x has the chance
        x / 2^256: the result is nonsense then, and whoever calls keeps x so small that it does not
        happen.
        """
        if self._words is None:
            return self
        if self.role is Role.P0:
            return self._with(shifted_down(self._words, bits))
        return self._with(negative(shifted_down(negative(self._words), bits)))

    def low(self) -> Shared:
        """The same numbers mod 2^64: the lowest limbs are shares of them."""
        if self._words is None:
            return Shared.absent(self.length)
        return Shared.from_words(self.role, self._words[0])


def concatenate_wide(vectors: Iterable[WideShared]) -> WideShared:
    """One vector after the other."""
    parts = list(vectors)
    if parts[0].role is Role.HELPER:
        return WideShared.absent(sum(map(len, parts)))
    return WideShared.from_words(
        parts[0].role, np.concatenate([part.words for part in parts], axis=1)
    )
