"""From integers to additive shares, and back."""

from __future__ import annotations

import os

from numpy.typing import ArrayLike

from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import KEY_BYTES, Stream
from ppaurora.mpc.words import Words, to_words


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
    """What `role` holds of a vector with these shares; the helper holds its length only."""
    if role is Role.HELPER:
        return Shared.absent(shares[0].size)
    return Shared.from_words(role, shares[role])
