"""What the store's rows say, as typed records."""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.parties.server.database import Row

__all__ = ["StoredResult", "Upload"]


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
