"""Outsourcing: a data owner's list, sorted descending, in two shares [ppAURORA, section 4].

P0's share is a stream and travels as its 32-byte seed; P1's share is the keys minus that stream.
Each proxy by itself sees uniformly random words and the length of the list, which is public.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy as np

from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import StreamFamily
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import DataRefused

SEED_BYTES = 32
_WORD = np.dtype("<u8")
_STREAM = "outsourced list"


@dataclass(frozen=True, slots=True)
class SeedShare:
    """What P0 gets: the seed that its share of the list grows from."""

    seed: bytes = field(repr=False)
    length: int

    def __post_init__(self) -> None:
        if len(self.seed) != SEED_BYTES:
            raise DataRefused(f"a seed of {len(self.seed)} bytes, not {SEED_BYTES}")

    def words(self) -> Words:
        """P0's share."""
        return StreamFamily(self.seed).open(_STREAM).words(self.length)

    def to_bytes(self) -> bytes:
        return self.seed

    @classmethod
    def from_bytes(cls, data: bytes, length: int) -> SeedShare:
        """The share of a list of `length` samples; the length travels outside."""
        return cls(bytes(data), length)


@dataclass(frozen=True, slots=True)
class WordShare:
    """What P1 gets: one word for each sample."""

    share: Words = field(repr=False)

    @property
    def length(self) -> int:
        return self.share.size

    def words(self) -> Words:
        """P1's share."""
        return self.share

    def to_bytes(self) -> bytes:
        return self.share.astype(_WORD).tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, length: int) -> WordShare:
        """Exactly `length` words; anything more or less is refused."""
        if len(data) != 8 * length:
            raise DataRefused(f"{len(data)} bytes for {length} samples, not {8 * length}")
        return cls(np.frombuffer(data, _WORD).astype(np.uint64))


def split(keys: Words, seed: bytes | None = None) -> tuple[SeedShare, WordShare]:
    """The two shares of the list: the keys sorted descending, minus P0's stream.

    The order of equal keys cannot be told apart, so nothing about the owner's rows remains. The
    seed is fresh unless a test gives one; a seed used for two lists would show their differences.
    """
    for_p0 = SeedShare(os.urandom(SEED_BYTES) if seed is None else seed, keys.size)
    descending = np.sort(keys)[::-1]
    return for_p0, WordShare(descending - for_p0.words())


def received(role: Role, part: SeedShare | WordShare | None, length: int) -> Shared:
    """The list as a shared vector at `role`; the helper got no part and holds the length."""
    if part is None:
        return Shared.absent(length)
    return Shared.from_words(role, part.words())
