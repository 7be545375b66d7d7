"""What the store's rows say, as typed records."""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.parties.server.database import Row
from ppaurora.parties.server.result_words import ResultWords
from ppaurora.parties.study.holding import Holding

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
    folds: tuple[int, ...] = ()

    @property
    def announced(self) -> tuple[object, ...]:
        """What its owner said of it before sending it."""
        return self.samples, self.size, self.digest, self.folds

    @property
    def holding(self) -> Holding:
        """What the study's rule counts of it."""
        return Holding(self.owner, self.upload, self.samples, self.folds)

    @property
    def name(self) -> str:
        """What its files are called."""
        return self.upload.hex()

    @classmethod
    def of(cls, row: Row) -> Upload:
        """The record that a sound row of `uploads` is."""
        _, owner, upload, samples, size, digest, stored, at, folds = row
        assert isinstance(upload, bytes)
        assert isinstance(digest, bytes)
        assert isinstance(folds, str)
        return cls(
            str(owner), upload, int(samples), int(size), digest, bool(stored), float(at),
            tuple(map(int, folds.split())),
        )  # fmt: skip


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
