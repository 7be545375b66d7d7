"""What a server keeps: uploads as files, everything else in SQLite; nothing acknowledged is lost.

An acknowledged fact is on the disk: files are written beside, synced and renamed; SQLite commits
with full synchronisation. So the process may be killed at any moment and simply starts again.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ppaurora.parties.errors import (
    ConfigurationError,
    ShareDamaged,
    UploadDamaged,
    UploadRefused,
)
from ppaurora.parties.requests.messages import Holding
from ppaurora.parties.server.disk_faults import reading, writing
from ppaurora.parties.server.share_files import ShareFiles
from ppaurora.parties.study.study import Study

__all__ = ["Store", "StoredResult", "Upload"]

LOCK_SECONDS = 1.0
SCHEMA = """
CREATE TABLE IF NOT EXISTS studies (id TEXT PRIMARY KEY, hash BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS uploads (
    study BLOB NOT NULL, owner TEXT NOT NULL, upload BLOB NOT NULL, samples INTEGER NOT NULL,
    size INTEGER NOT NULL, digest BLOB NOT NULL, stored INTEGER NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (study, owner), UNIQUE (study, upload));
CREATE TABLE IF NOT EXISTS asked (study BLOB PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS results (
    study BLOB PRIMARY KEY, session BLOB NOT NULL, sealed INTEGER NOT NULL,
    words BLOB NOT NULL, about TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS counted (
    study BLOB NOT NULL, owner TEXT NOT NULL, upload BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS saved (
    study BLOB NOT NULL, name TEXT NOT NULL, PRIMARY KEY (study, name));
CREATE TABLE IF NOT EXISTS closed (study BLOB PRIMARY KEY, why TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS notes (study BLOB NOT NULL, at REAL NOT NULL, text TEXT NOT NULL);
"""


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


@dataclass(frozen=True, slots=True, repr=False)
class StoredResult:
    """This proxy's shares of the released values, of one session."""

    session: bytes
    sealed: bool
    words: tuple[int, ...]
    about: str
    at: float


class Store:
    """The state of one server, in one directory that belongs to its user alone."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.RLock()
        self._to_discard: list[tuple[bytes, bytes]] = []
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
            self._files = ShareFiles(folder / "shares")
            self._db = sqlite3.connect(
                folder / "server.sqlite",
                timeout=LOCK_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            for pragma in ("journal_mode=TRUNCATE", "synchronous=FULL", "secure_delete=ON"):
                self._db.execute(f"PRAGMA {pragma}")
            self._db.execute("PRAGMA locking_mode=EXCLUSIVE")
            self._db.executescript(f"BEGIN EXCLUSIVE; {SCHEMA} COMMIT;")
        except (OSError, sqlite3.Error) as error:
            raise ConfigurationError(
                f"The state directory {folder} cannot be used: {error}",
                advice="It must be writable, and belong to one running server only.",
            ) from None

    def close(self) -> None:
        """Close the database; nothing is written any more."""
        with self._lock:
            self._db.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and on the disk once it is left; a fault of the disk is told as such."""
        with self._lock, writing():
            if self._db.in_transaction:
                yield self._db
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
                for study, upload in self._to_discard:
                    self._files.discard(study, upload)
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise
            finally:
                self._to_discard.clear()

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a query finds."""
        with self._lock, reading():
            return self._db.execute(query, values).fetchall()

    def _row(self, query: str, *values: object) -> tuple[Any, ...] | None:
        """The first row that a query finds, if any."""
        return next(iter(self._rows(query, *values)), None)

    # -- studies -----------------------------------------------------------------------------------

    def register(self, study: Study) -> None:
        """Remember which study goes by this id; another one under the same id is refused."""
        with self.transaction() as db:
            row = db.execute("SELECT hash FROM studies WHERE id = ?", (study.id,)).fetchone()
            if row is not None and row[0] != study.hash and self._holds_anything(row[0]):
                raise ConfigurationError(
                    f"Study {study.id} was changed after this server had received data for it",
                    advice="Bring back the old study.toml, or give the changed study a new id.",
                )
            db.execute("INSERT OR REPLACE INTO studies VALUES (?, ?)", (study.id, study.hash))
        stored = {one.upload: one.stored for one in self.uploads(study)}
        self._files.sweep(study.hash, stored)

    def _holds_anything(self, study: bytes) -> bool:
        return any(
            self._row(f"SELECT 1 FROM {table} WHERE study = ?", study)
            for table in ("uploads", "results", "closed")
        )

    # -- uploads -----------------------------------------------------------------------------------

    def uploads(self, study: Study) -> list[Upload]:
        """Every upload, whole or partial, by owner."""
        rows = self._rows(
            "SELECT owner, upload, samples, size, digest, stored, at FROM uploads "
            "WHERE study = ? ORDER BY owner",
            study.hash,
        )
        return [
            Upload(owner, upload, samples, size, digest, bool(stored), at)
            for owner, upload, samples, size, digest, stored, at in rows
        ]

    def holdings(self, study: Study) -> tuple[Holding, ...]:
        """The uploads that are whole."""
        return tuple(
            Holding(one.owner, one.upload, one.samples) for one in self.uploads(study) if one.stored
        )

    def begin(self, study: Study, new: Upload) -> Upload:
        """Announce an upload, or find it again if it was announced before.

        A stored upload of the same owner is never replaced by another one.
        """
        with self.transaction() as db:
            for old in self.uploads(study):
                if old.owner != new.owner and old.upload == new.upload:
                    raise UploadRefused("This upload belongs to another owner")
                if old.owner == new.owner and old.upload == new.upload:
                    if (old.samples, old.size, old.digest) != (new.samples, new.size, new.digest):
                        raise UploadRefused("An upload of this name with other contents is there")
                    return old
                if old.owner == new.owner and old.stored:
                    raise UploadRefused("Other data of this owner is stored already")
                if old.owner == new.owner:
                    self._files.discard(study.hash, old.upload)
            db.execute(
                "INSERT OR REPLACE INTO uploads VALUES (?, ?, ?, ?, ?, ?, 0, ?)",
                (
                    study.hash,
                    new.owner,
                    new.upload,
                    new.samples,
                    new.size,
                    new.digest,
                    time.time(),
                ),
            )
        return new

    def received(self, study: Study, upload: Upload) -> int:
        """How many bytes of an upload are there."""
        return upload.size if upload.stored else self._files.size(study.hash, upload.upload)

    def append(self, study: Study, upload: Upload, offset: int, data: bytes) -> int:
        """Write the bytes at `offset` if they are the next ones; returns how many are there."""
        there = self.received(study, upload)
        if upload.stored or offset != there or there + len(data) > upload.size:
            return there
        self._files.append(study.hash, upload.upload, data)
        return there + len(data)

    def commit(self, study: Study, upload: Upload) -> None:
        """Check the bytes against what was announced, and keep them for good."""
        if upload.stored:
            return
        name = (study.hash, upload.upload)
        if self.received(study, upload) != upload.size or (
            self._files.digest(*name) != upload.digest
        ):
            self._files.discard(*name)
            raise UploadDamaged(f"The upload of {upload.owner} arrived damaged")
        self._files.keep(*name)
        with self.transaction() as db:
            db.execute(
                "UPDATE uploads SET stored = 1, at = ? WHERE study = ? AND upload = ?",
                (time.time(), *name),
            )

    def read_share(self, study: Study, upload: bytes) -> bytes:
        """The bytes of a stored upload, held against the digest that was acknowledged."""
        data = self._files.read(study.hash, upload)
        row = self._row(
            "SELECT owner, digest FROM uploads WHERE study = ? AND upload = ?", study.hash, upload
        )
        if row is not None and hashlib.sha256(data).digest() != row[1]:
            raise ShareDamaged(
                f"This server's share of the list of {row[0]} is damaged on its own disk",
                advice=f"Its operator looks after the disk; then {row[0]} withdraws and uploads "
                "again.",
            )
        return data

    def withdraw(self, study: Study, owner: str) -> bool:
        """Delete what `owner` uploaded; whether there was anything."""
        return self._delete(study, owner, "withdrew its upload; its share was deleted")

    def refuse_upload(self, study: Study, owner: str) -> bool:
        """Delete a list that the private check found unsound."""
        return self._delete(study, owner, "sent a list that is unsorted or out of range; deleted")

    def _delete(self, study: Study, owner: str, why: str) -> bool:
        with self.transaction() as db:
            mine = [one for one in self.uploads(study) if one.owner == owner]
            for one in mine:
                self._forget(db, study, one)
            db.execute("DELETE FROM counted WHERE study = ? AND owner = ?", (study.hash, owner))
            if mine:
                self.note(study, f"{owner} {why}")
        return bool(mine)

    def _forget(self, db: sqlite3.Connection, study: Study, upload: Upload) -> None:
        db.execute(
            "DELETE FROM uploads WHERE study = ? AND upload = ?", (study.hash, upload.upload)
        )
        # the file is deleted after the transaction; a crash in between leaves that to `register`
        self._to_discard.append((study.hash, upload.upload))

    # -- the computation and its result ------------------------------------------------------------

    def ask_to_compute(self, study: Study, name: str) -> None:
        """Remember that somebody asked for the computation."""
        with self.transaction() as db:
            db.execute("INSERT OR IGNORE INTO asked VALUES (?, ?)", (study.hash, name))

    def asked_to_compute(self, study: Study) -> bool:
        """Whether somebody asked for the computation."""
        return self._row("SELECT 1 FROM asked WHERE study = ?", study.hash) is not None

    def put_result(
        self,
        study: Study,
        session: bytes,
        words: Sequence[int],
        about: str,
        roster: Sequence[Holding] = (),
    ) -> None:
        """Keep this proxy's share, not yet sealed; a later session replaces an unsealed one."""
        blob = np.array(words, np.uint64).astype("<u8").tobytes()
        with self.transaction() as db:
            found = self.result(study)
            if found is None or not found.sealed:
                db.execute(
                    "INSERT OR REPLACE INTO results VALUES (?, ?, 0, ?, ?, ?)",
                    (study.hash, session, blob, about, time.time()),
                )
                db.execute("DELETE FROM counted WHERE study = ?", (study.hash,))
                rows = [(study.hash, one.owner, one.upload) for one in roster]
                db.executemany("INSERT INTO counted VALUES (?, ?, ?)", rows)

    def counted(self, study: Study, owner: str, upload: bytes) -> bool:
        """Whether this upload is in the study's result, long after it was deleted."""
        query = "SELECT 1 FROM counted WHERE study = ? AND owner = ? AND upload = ?"
        return self._row(query, study.hash, owner, upload) is not None

    def result(self, study: Study) -> StoredResult | None:
        """The shares that are stored, sealed or not, if there are any."""
        row = self._row(
            "SELECT session, sealed, words, about, at FROM results WHERE study = ?", study.hash
        )
        if row is None:
            return None
        words = tuple(int(word) for word in np.frombuffer(row[2], "<u8"))
        return StoredResult(row[0], bool(row[1]), words, row[3], row[4])

    def drop_unsealed(self, study: Study) -> None:
        """Delete the share of a session that the other proxy does not hold."""
        with self.transaction() as db:
            found = self.result(study)
            if found is not None and not found.sealed:
                for table in ("results", "counted"):
                    db.execute(f"DELETE FROM {table} WHERE study = ?", (study.hash,))

    def seal(self, study: Study, session: bytes) -> bool:
        """Make the share of `session` the final one and delete the uploads; False if it is gone."""
        with self.transaction() as db:
            found = self.result(study)
            if found is None or found.session != session:
                return False
            if not found.sealed:
                db.execute("UPDATE results SET sealed = 1 WHERE study = ?", (study.hash,))
                for one in self.uploads(study):
                    self._forget(db, study, one)
                self.note(study, "computed; the shares of all uploads were deleted")
        return True

    def result_saved(self, study: Study, name: str) -> None:
        """A receiver has the result; when all have it, the result's shares are deleted too."""
        with self.transaction() as db:
            db.execute("INSERT OR IGNORE INTO saved VALUES (?, ?)", (study.hash, name))
            rows = db.execute("SELECT name FROM saved WHERE study = ?", (study.hash,)).fetchall()
            if {one.name for one in study.receivers} <= {row[0] for row in rows}:
                self.end(study, "every receiver has the result; its shares were deleted")

    # -- the end -----------------------------------------------------------------------------------

    def end(self, study: Study, why: str) -> None:
        """Delete every share of the study for good."""
        with self.transaction() as db:
            for one in self.uploads(study):
                self._forget(db, study, one)
            db.execute("DELETE FROM results WHERE study = ?", (study.hash,))
            db.execute(
                "INSERT OR IGNORE INTO closed VALUES (?, ?, ?)", (study.hash, why, time.time())
            )
            self.note(study, why)

    def ended(self, study: Study) -> str:
        """Why the study is over; empty while it is not."""
        row = self._row("SELECT why FROM closed WHERE study = ?", study.hash)
        return str(row[0]) if row else ""

    def expire(self, study: Study, now: float) -> bool:
        """Delete what is older than the study's retention time; whether anything was."""
        oldest = now - 86400 * study.rule.keep_days
        with self.transaction() as db:
            old = [one for one in self.uploads(study) if one.at < oldest]
            for one in old:
                self._forget(db, study, one)
                if one.stored:
                    self.note(study, f"{one.owner}: kept long enough; its share was deleted")
            found = self.result(study)
            if found is not None and found.at < oldest:
                self.end(study, "the result was kept long enough; its shares were deleted")
                return True
        return bool(old)

    def note(self, study: Study, text: str) -> None:
        """Add to what the study's status tells about the past."""
        with self.transaction() as db:
            db.execute("INSERT INTO notes VALUES (?, ?, ?)", (study.hash, time.time(), text))

    def notes(self, study: Study) -> list[tuple[float, str]]:
        """What happened to the study's uploads and result, with the time, in order."""
        query = "SELECT at, text FROM notes WHERE study = ? ORDER BY at"
        return [(at, text) for at, text in self._rows(query, study.hash)]
