"""Shared vectors over Z_2^256, for the few sums and products that 64 bits do not hold."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Ring, RingVector, Shared
from ppaurora.mpc.streams import KEY_BYTES, Stream
from ppaurora.mpc.wide_words import (
    LIMBS,
    PublicIntegers,
    minus,
    negative,
    plus,
    shifted_down,
    times,
    to_integers,
    to_wide,
    total,
    weighted_totals,
)
from ppaurora.mpc.words import Words


class WideShared(RingVector[PublicIntegers, Words]):
    """x = x0 + x1 mod 2^256, element by element; this party's part of it, of shape (4, n)."""

    __slots__ = ()

    ring: ClassVar[Ring] = Ring(
        to_wide, plus, minus, times, negative, "mpc.primitives.wide_multiply"
    )

    def __init__(self, role: Role, words: Words | None, length: int) -> None:
        if words is not None and words.shape != (LIMBS, length):
            raise LocalProtocolError(f"{length} wide numbers in words of shape {words.shape}")
        super().__init__(role, words, length)

    def _beside(self, values: PublicIntegers) -> Words:
        words = to_wide(values)
        single = isinstance(values, int | np.integer)
        if not single and words.shape != (LIMBS, self.length):
            raise LocalProtocolError(f"{self!r} beside public values of shape {words.shape[1:]}")
        return words

    def sum(self) -> Self:
        """The sum of all elements, a vector of one."""
        return self._with(None if self._words is None else total(self._words), 1)

    def weighted(self, weights: NDArray[np.int64]) -> WideShared:
        """The sum of all elements with each row of public weights, of fewer than 2^20; no message.

        >>> one = WideShared.public(Role.P0, [5, 7])
        >>> one.weighted(np.array([[1, 2], [-1, 0]])).words[0].view(np.int64).tolist()
        [19, -5]
        """
        rows = len(weights)
        if self._words is None:
            return self._with(None, rows)
        return self._with(weighted_totals(self._words, weights), rows)

    def scaled_down(self, bits: int) -> WideShared:
        """floor(x / 2^bits), or one more, for 0 <= x; no message.

        With random shares x0 = x - x1 mod 2^256, and if x0 >= x then -x1 mod 2^256 is x0 - x, so
        that floor(x0 / 2^bits) - floor(-x1 / 2^bits) is one of the two. x0 < x has the chance
        x / 2^256: the result is nonsense then, and the caller keeps x so small that it does not
        happen.
        """
        if self._words is None:
            return self
        if self.role is Role.P0:
            return self._with(shifted_down(self._words, bits))
        return self._with(negative(shifted_down(negative(self._words), bits)))

    def low(self) -> Shared:
        """The numbers mod 2^64: the lowest limbs are shares of them."""
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


def share_wide(values: PublicIntegers) -> tuple[Words, Words]:
    """Two wide numbers for each integer, uniformly random each, whose sum mod 2^256 is the integer.

    >>> first, second = share_wide([3, 2**200])
    >>> reconstruct_wide(first, second) == [3, 2**200]
    True
    """
    words = to_wide(values)
    mask = Stream(os.urandom(KEY_BYTES)).array(words.shape)
    return mask, minus(words, mask)


def reconstruct_wide(first: Words, second: Words) -> list[int]:
    """The integers in [0, 2^256) whose shares these are."""
    return to_integers(plus(first, second))
