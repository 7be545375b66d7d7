"""From integers to additive shares mod 2^256, and back."""

from __future__ import annotations

import os

from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import KEY_BYTES, Stream
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import PublicIntegers, minus, plus, to_integers, to_wide
from ppaurora.mpc.words import Words


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


def held_at(role: Role, shares: tuple[Words, Words]) -> Shared | WideShared:
    """What `role` holds of a vector with these shares, be they words or wide numbers."""
    mine = shares[role if role is not Role.HELPER else 0]
    kind = Shared if mine.ndim == 1 else WideShared
    length = mine.shape[-1]
    return kind.absent(length) if role is Role.HELPER else kind.from_words(role, mine)
