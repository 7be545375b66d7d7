"""Outsourcing: what a data owner uploads, in two shares [ppAURORA, section 4].

P0's share is a stream and travels as its 32-byte seed; P1's share is the words minus that stream.
Each proxy by itself sees uniformly random words and their number, which is public. Which words an
upload has is the pipeline's to say; which role gets what, in how many bytes, and how it is read
back is known here and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import StreamFamily
from ppaurora.mpc.words import Words
from ppaurora.protocols.errors import ShareRefused

SEED_BYTES = 32
_WORD, _WORD_BYTES = "<u8", 8
_STREAM = "outsourced list"


@dataclass(frozen=True, slots=True)
class SeedShare:
    """The share of P0: the seed of its random stream."""

    seed: bytes = field(repr=False)
    length: int

    def __post_init__(self) -> None:
        if len(self.seed) != SEED_BYTES:
            raise ShareRefused(f"a seed of {len(self.seed)} bytes, not {SEED_BYTES}")

    @staticmethod
    def size(length: int) -> int:
        """The bytes that travel for so many words."""
        return SEED_BYTES

    @property
    def described(self) -> str:
        """The description that the owner reads."""
        return f"a random seed of {SEED_BYTES} bytes"

    def words(self) -> Words:
        """The words of P0's share, made from its seed."""
        return StreamFamily(self.seed).open(_STREAM).words(self.length)

    def view(self) -> memoryview:
        """The share as it travels, without a copy."""
        return memoryview(self.seed)

    def to_bytes(self) -> bytes:
        """The share as it travels."""
        return self.seed

    @classmethod
    def from_bytes(cls, data: bytes, length: int) -> SeedShare:
        """The share of `length` words; the length travels outside."""
        return cls(bytes(data), length)


@dataclass(frozen=True, slots=True)
class WordShare:
    """The share of P1: every word, minus that stream's."""

    share: Words = field(repr=False)

    @property
    def length(self) -> int:
        """The number of words of the upload."""
        return self.share.size

    @staticmethod
    def size(length: int) -> int:
        """The bytes that travel for so many words."""
        return _WORD_BYTES * length

    @property
    def described(self) -> str:
        """The description that the owner reads."""
        return f"{self.size(self.length)} bytes, masked by that seed's stream"

    def words(self) -> Words:
        """The words of P1's share."""
        return self.share

    def view(self) -> memoryview:
        """The share as it travels, without a copy."""
        return as_bytes(self.share)

    def to_bytes(self) -> bytes:
        """The share as it travels."""
        return bytes(self.view())

    @classmethod
    def from_bytes(cls, data: bytes, length: int) -> WordShare:
        """Exactly `length` words; anything more or less is refused."""
        if len(data) != cls.size(length):
            raise ShareRefused(f"{len(data)} bytes for {length} words, not {cls.size(length)}")
        return cls(np.frombuffer(data, _WORD).astype(np.uint64))


Share: TypeAlias = SeedShare | WordShare

SHARE_OF: Mapping[Role, type[SeedShare] | type[WordShare]] = {
    Role.P0: SeedShare,
    Role.P1: WordShare,
}
"""The kind of share that each proxy gets; the helper gets none."""


def as_bytes(words: Words) -> memoryview:
    """Words as they travel, in little-endian order; a copy only where they do not lie so."""
    return np.ascontiguousarray(words, _WORD).view(np.uint8).data


def descending(keys: Words) -> Words:
    """The list as it is shared: its keys from the largest to the smallest.

    The order of equal keys cannot be told apart, so nothing about the owner's rows remains.
    """
    # ~x turns the order of words round; all of it is done in the place of one copy
    found = np.invert(keys)
    found.sort()
    return np.invert(found, out=found)


def split(words: Words, seed: bytes | None = None) -> dict[Role, Share]:
    """Each proxy's share of an upload: a stream, and the words minus that stream.

    The seed is fresh unless one is given; a seed used for two lists would show their differences.
    """
    for_p0 = SeedShare(os.urandom(SEED_BYTES) if seed is None else seed, words.size)
    stream = for_p0.words()
    return {Role.P0: for_p0, Role.P1: WordShare(np.subtract(words, stream, out=stream))}


def received(role: Role, data: bytes | None, length: int) -> Shared:
    """An upload of `length` words as a shared vector at `role`, from the bytes sent to it.

    The helper was sent nothing and holds the length only.
    """
    if data is None:
        return Shared.absent(length)
    return Shared.from_words(role, SHARE_OF[role].from_bytes(data, length).words())
