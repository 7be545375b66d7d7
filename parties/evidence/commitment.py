"""Commitments of proxies to their shares of a result, and signatures under shares handed out.

    commitment = SHA-256(domain || study || session || role || blind || words)
    signed = domain || study || computation || receiver's key || words of all its runs with blinds

A proxy signs the commitment in place of its share. The blind is 32 random bytes that travel with
the share and only with it, so the commitment tells nothing about the share to anyone who lacks one
of them. Both shares of a result tell nothing beyond its values: they are fresh, uniformly random
but for their sum.

A proxy that hands out its share signs it, so that a share that opens nothing can be proved. The
receiver's key is the one that the study names. A share with this signature that differs from the
one in all three servers' statements shows that its proxy has cheated.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from struct import Struct, pack

from ppaurora.mpc.keys import PublicKey, verify
from ppaurora.mpc.role import Role

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


HANDED_OUT_DOMAIN = b"ppAURORA share handed out 1\0"


def hand_out(study: bytes, session: bytes, receiver: PublicKey, words: Sequence[int]) -> bytes:
    """The bytes that a proxy signs when it hands out these words to this receiver."""
    content = pack(f"<{len(words)}Q", *words)
    return HANDED_OUT_DOMAIN + study + session + receiver.to_bytes() + content


def is_handed_out(signature: bytes, content: bytes, keys: Sequence[PublicKey]) -> bool:
    """Return whether one of these keys signed the bytes that `hand_out` gives."""
    return any(verify(key, content, signature) for key in keys)
