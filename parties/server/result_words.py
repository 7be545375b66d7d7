"""How this proxy's shares of a result lie in its record: in plain, or encrypted.

Plain words are 8 bytes each. Encrypted ones are one piece, 28 bytes longer, so the length of what
is stored says by itself which it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppaurora.parties.server.piece_cipher import MORE_BYTES, PieceCipher, Undecipherable
from ppaurora.parties.server.secret_keys import SecretKeys

__all__ = ["ResultWords", "result_name"]

WORD = np.dtype("<u8")


def result_name(session: bytes) -> bytes:
    """What a session's result is called among the things with keys; no upload's name is so long."""
    return b"result" + session


class ResultWords:
    """Writes words of results, encrypted if `encrypt`, and reads both forms."""

    def __init__(self, keys: SecretKeys | None, *, encrypt: bool) -> None:
        self._keys = keys
        self._encrypt = encrypt

    def write(self, study: bytes, session: bytes, words: Sequence[int]) -> bytes:
        """The words as they are stored; an encrypted result has a fresh key."""
        plain = np.array(words, np.uint64).astype(WORD).tobytes()
        if self._keys is None or not self._encrypt:
            return plain
        key = self._keys.fresh(study, result_name(session).hex())
        return self._cipher(key, study, session, len(plain)).encrypt(0, plain)

    def read(self, study: bytes, session: bytes, stored: bytes) -> tuple[int, ...] | None:
        """The words; None if their key is gone or is another one."""
        if len(stored) % WORD.itemsize:
            name = result_name(session).hex()
            key = self._keys.find(study, name) if self._keys is not None else None
            if key is None:
                return None
            try:
                cipher = self._cipher(key, study, session, len(stored) - MORE_BYTES)
                stored = cipher.decrypt(0, stored)
            except Undecipherable:
                return None
        return tuple(int(word) for word in np.frombuffer(stored, WORD))

    def _cipher(self, key: bytes, study: bytes, session: bytes, size: int) -> PieceCipher:
        return PieceCipher(key, study, result_name(session).hex(), "", size)
