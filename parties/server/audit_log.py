"""The server's own account of who had what done when, and what went to whom: `audit.jsonl`.

Each line is on the disk before whoever asked hears that it was done; what cannot be recorded is not
done. Lines are chained by digests (`ppaurora.parties.evidence.audit_chain`). They hold names of
studies, owners and receivers, numbers and times: no score, label, share or key.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from ppaurora.parties.errors import AuditBroken
from ppaurora.parties.evidence.audit_chain import FIRST, Fact, digest, entries, line
from ppaurora.parties.private_file import sync
from ppaurora.parties.server.disk_faults import reading, writing
from ppaurora.parties.server.logs import LogLevel, log

__all__ = ["AuditLog"]

NAME = "audit.jsonl"
SALT_BYTES = 16


class AuditLog:
    """Appends to the log in the state folder `state`; `now` gives seconds since 1970."""

    def __init__(self, state: Path, now: Callable[[], float]) -> None:
        self._path = state / NAME
        self._now = now
        self._lock = threading.Lock()
        self._number, self._head, self._size = 0, FIRST, 0
        self._open()

    @property
    def head(self) -> str:
        """The digest of the last line."""
        return self._head

    def record(self, event: str, **facts: Fact) -> None:
        """Add a line; once this returns, it is on the disk."""
        with self._lock, writing():
            self._append(event, facts)

    def _open(self) -> None:
        """Go on from the last line; a log that was damaged is set aside, and a new one begun.

        A last line without its end was never acknowledged: the server was killed while writing it.
        """
        with reading():
            written = self._path.read_bytes() if self._path.exists() else b""
        whole = written[: written.rfind(b"\n") + 1]
        try:
            last = deque(entries(whole.splitlines(keepends=True)), maxlen=1)
        except AuditBroken as error:
            log("audit log damaged", level=LogLevel.ERROR, error=error.what)
            with writing():
                self._path.replace(self._path.with_name(f"audit-damaged-{int(self._now())}.jsonl"))
            return self._begin(of_damaged=digest(written))
        if len(whole) < len(written):
            with writing():
                os.truncate(self._path, len(whole))
        if not last:
            return self._begin()
        self._number, self._head, self._size = last[0].number, last[0].digest, len(whole)
        return None

    def _begin(self, **facts: Fact) -> None:
        """A first line that nobody can guess, so that no digest tells what stands in the log."""
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
