"""The server's own account of who had what done when, and what went to whom: `audit.jsonl`.

Each line is on the disk before whoever asked hears that it was done; what cannot be recorded is not
done. Lines are chained by digests (`ppaurora.parties.evidence.audit_chain`), and the server's
records know the last one, so a log that was cut, removed or put back is told. They hold names of
studies, owners and receivers, numbers and times: no score, label, share or key.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ppaurora.parties.errors import AuditBroken
from ppaurora.parties.evidence.audit_chain import FIRST, Fact, digest, entries, line
from ppaurora.parties.posix import sync
from ppaurora.parties.server.keeping.database import DATABASE, Database, Row, read_beside
from ppaurora.parties.server.keeping.disk_faults import reading, writing
from ppaurora.parties.server.watching.logs import LogLevel, log

NAME = "audit.jsonl"
SALT_BYTES = 16
AUDIT_HEAD = "audit_head"
"""The table of which the one row says which line was the last."""
HEAD_DAMAGED = (
    "the record of the audit log's last line was damaged, so nobody knows whether lines are missing"
)


class Head(NamedTuple):
    """The number of a line, and its digest."""

    number: int
    line: str


def _heads(rows: Iterable[Row]) -> Iterator[Head]:
    for number, line_digest in rows:
        yield Head(int(number), str(line_digest))


def known_head(state: Path) -> Head | None:
    """The last line of the log in this state folder, as the server's records know it, if they do.

    The server may run meanwhile; to hold the log against it, read the log afterwards.
    """
    path = state / DATABASE
    return next(_heads(read_beside(path, AUDIT_HEAD)), None) if path.exists() else None


def tell_of_damaged_head() -> None:
    """Say in the log that the record was damaged by which a cut log would be found."""
    log("audit log differs", level=LogLevel.ERROR, error=HEAD_DAMAGED)


def differing(path: Path, lines: int, known: Head) -> str:
    """The sentence that a log of so many lines does not hold the last one that is known."""
    if lines < known.number:
        there = f"ends at line {lines}" if lines else "is empty or gone"
        return f"{path} {there}, and this server's records know its line {known.number}"
    return f"{path} has another line {known.number} than this server's records know"


class AuditLog:
    """Appends to the log in the state folder `state`; `now` gives seconds since 1970.

    `database` keeps which line was the last one. The line is on the disk before that is, so a log
    that goes on behind the line that is known was left by a kill in between, and is taken as it
    stands; a log that does not hold that line was cut, removed or exchanged.
    """

    def __init__(self, state: Path, now: Callable[[], float], database: Database) -> None:
        self._path = state / NAME
        self._now = now
        self._db = database
        self._number, self._head, self._size = 0, FIRST, 0
        self._faults: list[str] = []
        self._open()

    @property
    def head(self) -> str:
        """The digest of the last line."""
        return self._head

    @property
    def faults(self) -> tuple[str, ...]:
        """Faults of the log that were found since the server started, in sentences."""
        return tuple(self._faults)

    def record(self, event: str, **facts: Fact) -> None:
        """Add a line; once this returns, it is on the disk, and known to be the last one.

        Within a transaction that is not completed the line stands, and is not known yet.
        """
        with self._db.transaction():
            with reading():
                size = self._path.stat().st_size if self._path.exists() else 0
            if size != self._size:
                self._open()
            self._append(event, facts)
            self._db.replace(AUDIT_HEAD, self._number, self._head)

    def _open(self) -> None:
        """Find the last line, to add to it; a damaged log is set aside, and a new one begun.

        A last line without its end was never acknowledged: the server was killed while writing it.
        """
        with reading():
            written = self._path.read_bytes() if self._path.exists() else b""
        whole = written[: written.rfind(b"\n") + 1]
        known = Head(self._number, self._head) if self._number else self._known()
        last, holds = None, known is None
        try:
            for last in entries(whole.splitlines(keepends=True)):
                holds = holds or (last.number, last.digest) == known
        except AuditBroken as error:
            return self._begin_anew(error.what, written, known, damaged=True)
        if not holds and known is not None:
            lines = last.number if last is not None else 0
            return self._begin_anew(differing(self._path, lines, known), written, known)
        if len(whole) < len(written):
            with writing():
                os.truncate(self._path, len(whole))
        if last is None:
            return self._begin({})
        self._number, self._head, self._size = last.number, last.digest, len(whole)
        if known is not None and last.number > known.number:
            more = last.number - known.number
            log(
                "audit log ahead", detail=f"{more} lines more than was known when this server ended"
            )
        return None

    def _known(self) -> Head | None:
        """The last line by the database; none in a new one."""
        return next(_heads(self._db.rows(AUDIT_HEAD)), None)

    def _begin_anew(
        self, why: str, written: bytes, known: Head | None, *, damaged: bool = False
    ) -> None:
        """Tell of a log that is not what it should be, and set it aside; the new one says so."""
        log(
            "audit log damaged" if damaged else "audit log differs",
            level=LogLevel.ERROR,
            error=why,
        )
        self._faults.append(why)
        facts: dict[str, Fact] = {}
        if written:
            with writing():
                self._path.replace(self._path.with_name(f"audit-damaged-{int(self._now())}.jsonl"))
            facts["of_damaged"] = digest(written)
        if known is not None:
            facts |= {"known_line": known.number, "known_head": known.line}
        self._begin(facts)

    def _begin(self, facts: dict[str, Fact]) -> None:
        """A first line that nobody can guess, so that no digest tells what stands in the log."""
        self._number, self._head, self._size = 0, FIRST, 0
        self.record("log begins", salt=secrets.token_hex(SALT_BYTES), **facts)

    def _append(self, event: str, facts: dict[str, Fact]) -> None:
        time = datetime.fromtimestamp(self._now(), UTC).isoformat(timespec="milliseconds")
        written = line(self._number + 1, time, event, facts, self._head)
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            with open(handle, "wb") as file:
                file.write(written)
            sync(self._path)
        except OSError:
            # half a line must not stand before the next one
            with contextlib.suppress(OSError):
                os.truncate(self._path, self._size)
            raise
        self._number, self._head = self._number + 1, digest(written)
        self._size += len(written)
