"""Encryption of what lies on a disk: AES-GCM, piece by piece, each bound to its place.

    piece i = nonce | AES-256-GCM(key, nonce, plain i; domain | study | size | i | name, owner)

So pieces of another study, owner or upload, in another order, or fewer or more of them than were
written, are refused. The key is fresh for each thing that is encrypted. Nonces are random: after a
crash the same place may be written again.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import msgpack
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

PIECE_BYTES = 65536
NONCE_BYTES, TAG_BYTES = 12, 16
MORE_BYTES = NONCE_BYTES + TAG_BYTES
"""Bytes by which an encrypted piece is longer than its contents."""
DOMAIN = "ppAURORA stored share 1"


class Undecipherable(Exception):
    """Bytes that are not what was encrypted, or were encrypted with another key."""


@dataclass(frozen=True, slots=True)
class PieceCipher:
    """Encrypts one thing of `size` bytes: `name` of `owner`, in this study."""

    key: bytes = field(repr=False)
    study: bytes
    name: str
    owner: str
    size: int

    def encrypt(self, number: int, plain: bytes) -> bytes:
        """The piece with this number as it is written."""
        nonce = os.urandom(NONCE_BYTES)
        return nonce + AESGCM(self.key).encrypt(nonce, plain, self._place(number))

    def decrypt(self, number: int, written: bytes) -> bytes:
        """The piece with this number as it was; `Undecipherable` if it is not that piece."""
        nonce, rest = written[:NONCE_BYTES], written[NONCE_BYTES:]
        if len(rest) < TAG_BYTES:
            raise Undecipherable
        try:
            return AESGCM(self.key).decrypt(nonce, rest, self._place(number))
        except InvalidTag:
            raise Undecipherable from None

    def _place(self, number: int) -> bytes:
        packed: bytes = msgpack.packb(
            [DOMAIN, self.study, self.name, self.owner, self.size, number]
        )
        return packed
