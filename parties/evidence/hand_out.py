"""What a proxy signs when it hands out its share, so that a share that opens nothing can be proved.

    signed = domain || study || computation || receiver's key || words of all its runs, with blinds

The receiver's key is the one that the study names. A share that is not the one to which all three
servers have put their names, with this signature under it, shows that its proxy has cheated.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack

from ppaurora.mpc.keys import PublicKey, verify

__all__ = ["hand_out", "is_handed_out"]

DOMAIN = b"ppAURORA share handed out 1\0"


def hand_out(study: bytes, session: bytes, receiver: PublicKey, words: Sequence[int]) -> bytes:
    """The bytes that a proxy signs when it hands out these words to this receiver."""
    content = pack(f"<{len(words)}Q", *words)
    return DOMAIN + study + session + receiver.to_bytes() + content


def is_handed_out(signature: bytes, content: bytes, keys: Sequence[PublicKey]) -> bool:
    """Whether this is the signature of one of these keys under what `hand_out` gives."""
    return any(verify(key, content, signature) for key in keys)
