"""Outsourcing: what a data owner uploads, in two shares [ppAURORA, section 4].

P0's share is a stream and travels as its 32-byte seed; P1's share is the words minus that stream.
Each proxy by itself sees uniformly random words and their number, which is public. Which words an
upload has is the pipeline's to say; which role gets what, in how many bytes, and how it is read
back is known here and nowhere else.

Numbers with which the proxies compute mod 2^32 travel as the lower halves of P1's words: those of
P0's stream are their other shares, and nobody needs the upper ones.
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
from ppaurora.mpc.words import HALF_BYTES, WORD_BYTES, Words
from ppaurora.protocols.errors import ShareRefused

SEED_BYTES = 32
_STREAM = "outsourced list"


@dataclass(frozen=True, slots=True)
class UploadForm:
    """The numbers of an upload as they travel to P1: runs of so many, of so many bytes each."""

    runs: tuple[tuple[int, int], ...]

    @classmethod
    def of_words(cls, count: int) -> UploadForm:
        """The form of so many whole words."""
        return cls(((count, WORD_BYTES),))

    @classmethod
    def of_keys(cls, count: int, *, narrow: bool) -> UploadForm:
        """The form of so many keys, of which `narrow` ones are computed with mod 2^32."""
        return cls(((count, HALF_BYTES if narrow else WORD_BYTES),))

    def __add__(self, after: UploadForm) -> UploadForm:
        """The form of an upload that is made of two parts."""
        return UploadForm(self.runs + after.runs)

    @property
    def numbers(self) -> int:
        """The numbers in all, each of which is a word at the proxies."""
        return sum(count for count, _ in self.runs)

    @property
    def nbytes(self) -> int:
        """The bytes in all."""
        return sum(count * each for count, each in self.runs)

    def written(self, words: Words) -> memoryview:
        """The words as they travel, in little-endian order.

        >>> form = UploadForm(((1, 8), (2, 4)))
        >>> bytes(form.written(np.array([1, 2, 3], np.uint64))).hex(" ", 4)
        '01000000 00000000 02000000 03000000'
        """
        if all(each == WORD_BYTES for _, each in self.runs):
            return as_bytes(words)
        parts, start = [], 0
        for count, each in self.runs:
            parts.append(words[start : start + count].astype(f"<u{each}").view(np.uint8))
            start += count
        return np.concatenate(parts).data

    def read(self, data: bytes) -> Words:
        """The words that travelled so; the upper halves of shorter numbers are zero."""
        parts, start = [np.empty(0, np.uint64)], 0
        for count, each in self.runs:
            parts.append(np.frombuffer(data, f"<u{each}", count, start).astype(np.uint64))
            start += count * each
        return np.concatenate(parts)


@dataclass(frozen=True, slots=True)
class SeedShare:
    """The share of P0: the seed of its random stream."""

    seed: bytes = field(repr=False)
    length: int

    def __post_init__(self) -> None:
        if len(self.seed) != SEED_BYTES:
            raise ShareRefused(f"a seed of {len(self.seed)} bytes, not {SEED_BYTES}")

    @staticmethod
    def size(form: UploadForm) -> int:
        """The bytes that travel for an upload of this form."""
        return SEED_BYTES

    @property
    def nbytes(self) -> int:
        """The bytes of the share as it travels."""
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
    def from_bytes(cls, data: bytes, form: UploadForm) -> SeedShare:
        """The share of an upload of this form, which travels outside."""
        return cls(bytes(data), form.numbers)


@dataclass(frozen=True, slots=True)
class WordShare:
    """The share of P1: every word, minus that stream's."""

    share: Words = field(repr=False)
    form: UploadForm = field(repr=False)

    @staticmethod
    def size(form: UploadForm) -> int:
        """The bytes that travel for an upload of this form."""
        return form.nbytes

    @property
    def nbytes(self) -> int:
        """The bytes of the share as it travels."""
        return self.form.nbytes

    @property
    def described(self) -> str:
        """The description that the owner reads."""
        return f"{self.form.nbytes} bytes, masked by that seed's stream"

    def words(self) -> Words:
        """The words of P1's share."""
        return self.share

    def view(self) -> memoryview:
        """The share as it travels; whole words without a copy."""
        return self.form.written(self.share)

    def to_bytes(self) -> bytes:
        """The share as it travels."""
        return bytes(self.view())

    @classmethod
    def from_bytes(cls, data: bytes, form: UploadForm) -> WordShare:
        """Exactly the bytes of this form; anything more or less is refused."""
        if len(data) != form.nbytes:
            raise ShareRefused(f"{len(data)} bytes for {form.numbers} numbers, not {form.nbytes}")
        return cls(form.read(data), form)


Share: TypeAlias = SeedShare | WordShare

SHARE_OF: Mapping[Role, type[SeedShare] | type[WordShare]] = {
    Role.P0: SeedShare,
    Role.P1: WordShare,
}
"""The kind of share that each proxy gets; the helper gets none."""


def as_bytes(words: Words) -> memoryview:
    """Words as they travel, in little-endian order; a copy only where they do not lie so."""
    return np.ascontiguousarray(words, "<u8").view(np.uint8).data


def descending(keys: Words) -> Words:
    """The list as it is shared: its keys from the largest to the smallest.

    The order of equal keys cannot be told apart, so nothing about the owner's rows remains.
    """
    # ~x turns the order of words round; all of it is done in the place of one copy
    found = np.invert(keys)
    found.sort()
    return np.invert(found, out=found)


def split(
    words: Words, seed: bytes | None = None, *, form: UploadForm | None = None
) -> dict[Role, Share]:
    """Each proxy's share of an upload: a stream, and the words minus that stream.

    The seed is fresh unless one is given; a seed used for two lists would show their differences.
    Without a `form` whole words travel.
    """
    for_p0 = SeedShare(os.urandom(SEED_BYTES) if seed is None else seed, words.size)
    stream = for_p0.words()
    share = np.subtract(words, stream, out=stream)
    return {
        Role.P0: for_p0,
        Role.P1: WordShare(share, UploadForm.of_words(words.size) if form is None else form),
    }


def received(role: Role, data: bytes | None, form: UploadForm) -> Shared:
    """An upload of this form as a shared vector at `role`, from the bytes sent to it.

    The helper was sent nothing and holds the length only.
    """
    if data is None:
        return Shared.absent(form.numbers)
    return Shared.from_words(role, SHARE_OF[role].from_bytes(data, form).words())
