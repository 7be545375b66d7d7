"""Shares of results in the records: put, sealed, dropped; in plain, or encrypted.

Plain words are 8 bytes each. Encrypted ones are one piece, 28 bytes longer, so the length of what
is stored says by itself which it is. When a share is deleted, its key goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ppaurora.parties.server.keeping.database import Database, Row
from ppaurora.parties.server.keeping.piece_cipher import MORE_BYTES, PieceCipher, Undecipherable
from ppaurora.parties.server.keeping.secret_keys import SecretKeys
from ppaurora.parties.server.keeping.share_files import DeferredDeletions
from ppaurora.parties.study.rule import StoredUpload

WORD = np.dtype("<u8")


def result_name(session: bytes) -> bytes:
    """Name of a session's result among all that has a key; no upload's name is so long."""
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


@dataclass(frozen=True, slots=True, repr=False)
class StoredResult:
    """This proxy's shares of the released values, of one session."""

    session: bytes
    sealed: bool
    words: tuple[int, ...]
    about: str
    at: float

    @classmethod
    def of(cls, row: Row, form: ResultWords) -> StoredResult | None:
        """The record that a sound row of `results` is; None if its words cannot be read."""
        study, session, sealed, stored, about, at = row
        assert isinstance(study, bytes)
        assert isinstance(session, bytes)
        assert isinstance(stored, bytes)
        words = form.read(study, session, stored)
        return None if words is None else cls(session, bool(sealed), words, str(about), float(at))

    def row(self, study: bytes, form: ResultWords) -> Row:
        """The record as a row."""
        stored = form.write(study, self.session, self.words)
        return (study, self.session, int(self.sealed), stored, self.about, self.at)


class StoredResults:
    """This server's shares of each study's result; `on_damage` is told of unreadable ones."""

    def __init__(
        self,
        database: Database,
        words: ResultWords,
        deletions: DeferredDeletions,
        on_damage: Callable[[str, Row], None],
    ) -> None:
        self._db = database
        self._words = words
        self._deletions = deletions
        self._on_damage = on_damage

    def find(self, study: bytes) -> StoredResult | None:
        """The share that is stored, sealed or not, if there is one that can be read."""
        for row in self._db.rows("results", study=study)[:1]:
            if (found := StoredResult.of(row, self._words)) is not None:
                return found
            with self._db.transaction():
                self._db.delete("results", study=study)
                self._on_damage("results", row)
        return None

    def put(self, study: bytes, new: StoredResult, roster: Sequence[StoredUpload] = ()) -> None:
        """Keep this share, over these uploads, and no other one."""
        self.forget(study)
        self._db.put("results", *new.row(study, self._words))
        for one in roster:
            self._db.put("counted", study, one.owner, one.upload)

    def seal(self, study: bytes) -> None:
        """Mark the share as the final one."""
        for _, session, _, *rest in self._db.rows("results", study=study):
            self._db.replace("results", study, session, int(True), *rest, study=study)

    def saved_by(self, study: bytes, name: str) -> set[str]:
        """Remember that this receiver has saved the result; returns the names of all that have."""
        self._db.replace("saved", study, name, study=study, name=name)
        return {str(row[1]) for row in self._db.rows("saved", study=study)}

    def drop(self, study: bytes) -> None:
        """Delete the share, and then its key."""
        for row in self._db.rows("results", study=study):
            self.drop_key(study, row)
        self._db.delete("results", study=study)

    def forget(self, study: bytes) -> None:
        """Delete the share, and that any upload was counted in a result or a result fetched."""
        self.drop(study)
        for table in ("counted", "saved"):
            self._db.delete(table, study=study)

    def drop_key(self, study: bytes, row: Row) -> None:
        """Delete the key of this row of `results`, if the row still names it."""
        if isinstance(row[1], bytes):
            self._deletions.add(study, result_name(row[1]))
