"""The hashes: a commitment to a seed and to all that is dealt with it, and a toss of two parties.

    commitment = SHA-256(domain || session || number || proxy || seed || nonce || frame || ...)
    frame      = step || length || body
    toss       = SHA-256(domain || session || proxy || all commitments || 32 random bytes)

The commitment hides the seed and the frames, since the nonce is random, and binds both, since two
inputs of one SHA-256 are not known: the seed, the nonce and every number have a fixed length, and
each frame says its own. Of the common hashes SHA-256 is the fastest where the processor has
instructions for it: 1.3 GB a second, BLAKE2b 0.7.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Self

from ppaurora.mpc.link import SESSION_BYTES
from ppaurora.mpc.role import Role

SEED_BYTES = NONCE_BYTES = TOSS_BYTES = HASH_BYTES = 32
DEALING_DOMAIN = b"ppAURORA dealing 1\0"
TOSS_DOMAIN = b"ppAURORA toss 1\0"


@dataclass(frozen=True, slots=True)
class SeedOpening:
    """The opening of one proxy's commitment: its seed of a dealing, and the nonce that hid it."""

    SIZE = SEED_BYTES + NONCE_BYTES

    seed: bytes = field(repr=False)
    nonce: bytes = field(repr=False)

    @classmethod
    def fresh(cls) -> Self:
        """An opening drawn at random."""
        return cls(os.urandom(SEED_BYTES), os.urandom(NONCE_BYTES))

    def to_bytes(self) -> bytes:
        """The opening as it travels."""
        return self.seed + self.nonce

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The opening in exactly these bytes."""
        if len(data) != cls.SIZE:
            raise ValueError(f"an opening has {cls.SIZE} bytes")
        return cls(data[:SEED_BYTES], data[SEED_BYTES:])


class Dealt:
    """The commitment to an opening and to the frames dealt with it, which grows with each frame."""

    __slots__ = ("_hash",)

    def __init__(self, session: bytes, number: int, proxy: Role, opening: SeedOpening) -> None:
        """Of the dealing of this number in this session, to this proxy."""
        assert len(session) == SESSION_BYTES
        self._hash = sha256(DEALING_DOMAIN + session + bytes([number, proxy]) + opening.to_bytes())

    def __repr__(self) -> str:
        return "<Dealt>"

    def add(self, step: int, body: bytes | memoryview) -> None:
        """Add the next frame to the commitment."""
        self._hash.update(step.to_bytes(8, "little") + len(body).to_bytes(8, "little"))
        self._hash.update(body)

    def commitment(self) -> bytes:
        """The commitment to all frames so far."""
        return self._hash.digest()


def fresh_toss() -> bytes:
    """One proxy's part of a toss."""
    return os.urandom(TOSS_BYTES)


def toss_commitment(session: bytes, proxy: Role, seen: bytes, toss: bytes) -> bytes:
    """The commitment of a proxy that saw these commitments of the helper to its part of the toss.

    It names the proxy, so that the other one cannot answer with the same.
    """
    return sha256(TOSS_DOMAIN + session + bytes([proxy]) + sha256(seen).digest() + toss).digest()


def chosen(tosses: Iterable[bytes], dealings: int) -> int:
    """The number of the dealing that is used: the XOR of all parts, modulo the dealings.

    It is uniform up to 2^-250 if one part is uniform and was chosen without knowing the others.

    >>> chosen([bytes(31) + bytes([6]), bytes(31) + bytes([3])], 4)
    1
    """
    joint = 0
    for toss in tosses:
        joint ^= int.from_bytes(toss, "big")
    return joint % dealings
