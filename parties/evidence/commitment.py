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

import numpy as np

from ppaurora.mpc.role import Role

__all__ = ["BLIND_WORDS", "blinded", "commitment"]

DOMAIN = b"ppAURORA share of a result 1\0"
BLIND_WORDS = 4
WORD = np.dtype("<u8")


def blinded(words: Sequence[int]) -> tuple[int, ...]:
    """A share of a result with a fresh blind behind it, as it is kept and handed out."""
    blind = np.frombuffer(os.urandom(WORD.itemsize * BLIND_WORDS), WORD)
    return (*words, *blind.tolist())


def commitment(study: bytes, session: bytes, role: Role, blinded_words: Sequence[int]) -> str:
    """The commitment to a share with its blind, in hexadecimal digits."""
    content = np.array(blinded_words, np.uint64).astype(WORD).tobytes()
    return sha256(DOMAIN + study + session + bytes([role]) + content).hexdigest()
