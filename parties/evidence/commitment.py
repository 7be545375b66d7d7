"""What a proxy signs in place of its share of a result, and what opens it.

    commitment = SHA-256(domain || study || session || role || blind || words)

The blind is 32 random bytes that travel with the share and only with it, so the commitment tells
nothing about the share to whoever does not have both. Both shares of a result tell nothing beyond
its values: they are fresh, uniformly random but for their sum.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from struct import Struct, pack

from ppaurora.mpc.role import Role

__all__ = ["BLIND_WORDS", "blinded", "commitment"]

DOMAIN = b"ppAURORA share of a result 1\0"
BLIND_WORDS = 4
BLIND = Struct(f"<{BLIND_WORDS}Q")


def blinded(words: Sequence[int]) -> tuple[int, ...]:
    """A share of a result with a fresh blind behind it, as it is kept and handed out."""
    return (*words, *BLIND.unpack(os.urandom(BLIND.size)))


def commitment(study: bytes, session: bytes, role: Role, blinded_words: Sequence[int]) -> str:
    """The commitment to a share with its blind, in hexadecimal digits."""
    content = pack(f"<{len(blinded_words)}Q", *blinded_words)
    return sha256(DOMAIN + study + session + bytes([role]) + content).hexdigest()
