"""What the store's rows say, as typed records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppaurora.parties.server.database import Row

__all__ = ["StoredResult", "Upload"]

WORD = np.dtype("<u8")


@dataclass(frozen=True, slots=True)
class Upload:
    """One part of one owner's upload, as announced."""

    owner: str
    upload: bytes
    samples: int
    size: int
    digest: bytes
    stored: bool
    at: float

    @classmethod
    def of(cls, row: Row) -> Upload:
        """The record that a sound row of `uploads` is."""
        _, owner, upload, samples, size, digest, stored, at = row
        assert isinstance(upload, bytes)
        assert isinstance(digest, bytes)
        return cls(str(owner), upload, int(samples), int(size), digest, bool(stored), float(at))


@dataclass(frozen=True, slots=True, repr=False)
class StoredResult:
    """This proxy's shares of the released values, of one session."""

    session: bytes
    sealed: bool
    words: tuple[int, ...]
    about: str
    at: float

    @classmethod
    def of(cls, row: Row) -> StoredResult:
        """The record that a sound row of `results` is."""
        _, session, sealed, blob, about, at = row
        assert isinstance(session, bytes)
        assert isinstance(blob, bytes)
        words = tuple(int(word) for word in np.frombuffer(blob, WORD))
        return cls(session, bool(sealed), words, str(about), float(at))

    def row(self, study: bytes) -> Row:
        """The record as a row."""
        blob = np.array(self.words, np.uint64).astype(WORD).tobytes()
        return (study, self.session, int(self.sealed), blob, self.about, self.at)
