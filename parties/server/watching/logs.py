"""Structured logs: one JSON object a line on stderr, made of names, counts and times only.

`log_line.schema.json` says what may stand in a line. Each has its time, its level, the server that
it is of and its event, and the address of the peer where it is about one and that is known. Whose
line it is goes with the thread (`lines_of`, `lines_about`): several servers may share a process.

Never a score, a label, a share or a key: callers pass plain public facts by name, and there is no
way to log an arbitrary object. A log that cannot be written ends nothing: the lines are counted,
and the first line that can be written again says how many were lost.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum


class LogLevel(StrEnum):
    """Urgency of a line for its reader: none, a look when there is time, or to act."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


WINDOW_SECONDS = 60.0
MOST_OF_ONE = 20
MOST_OF_AN_EVENT = 200
MOST_TOLD_APART = 100
"""Number of causes of an event that are told apart; all others count as one."""

_lock = threading.Lock()


@dataclass(slots=True)
class Window:
    """Lines of one event since `begun`: how many were written, about whom, and how many not."""

    begun: float
    written: int = 0
    suppressed: int = 0
    about: dict[str, int] = field(default_factory=dict)

    def takes(self, whom: str) -> bool:
        """True if one more line about `whom` is written; the first one always is."""
        if whom not in self.about and len(self.about) >= MOST_TOLD_APART:
            whom = ""
        before = self.about.setdefault(whom, 0)
        if before and (before >= MOST_OF_ONE or self.written >= MOST_OF_AN_EVENT):
            self.suppressed += 1
            return False
        self.about[whom] += 1
        self.written += 1
        return True


_windows: dict[tuple[str, str], Window] = {}
_lost = 0
_server = ContextVar("server", default="")
_peer = ContextVar("peer", default="")


@contextlib.contextmanager
def lines_of(server: str) -> Iterator[None]:
    """Write the lines of this thread as this server's, named by its key, within the block."""
    before = _server.set(server)
    try:
        yield
    finally:
        _server.reset(before)


@contextlib.contextmanager
def lines_about(peer: str) -> Iterator[None]:
    """Write the lines of this thread as about a peer at this address, within the block."""
    before = _peer.set(peer)
    try:
        yield
    finally:
        _peer.reset(before)


def own_server() -> str:
    """The server whose lines this thread writes, or nothing."""
    return _server.get()


def log(
    event: str,
    *,
    level: LogLevel = LogLevel.INFO,
    peer: str = "",
    **facts: str | int | float | bool,
) -> None:
    """Write `event` and its facts as one line; if that cannot be done, go on without it.

    `peer` is the address of whom it is about, if that is not whose request is being answered.
    """
    global _lost
    with _lock:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        lost = {"lines_lost": _lost} if _lost else {}
        head = {"time": now, "level": level.value, "server": _server.get(), "event": event}
        about = {"peer": whom} if (whom := peer or _peer.get()) else {}
        line = json.dumps({**head, **about, **facts, **lost}, ensure_ascii=False)
        try:
            sys.stderr.write(line + "\n")
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            _lost += 1
        else:
            _lost = 0


def log_often(
    event: str,
    *,
    of: str = "",
    level: LogLevel = LogLevel.INFO,
    peer: str = "",
    **facts: str | int | float | bool,
) -> None:
    """Log what anybody outside can bring about as often as they like: so many lines a minute.

    Of each who brings it about (`of`: an address, a name) at most 20, of the event at most 200, and
    beyond that the first line of each, for at most 100 of them. So nobody hides what another does
    by being loud. The next line of the event that is written says how many were suppressed.
    """
    now = time.monotonic()
    with _lock:
        window = _windows.setdefault((_server.get(), event), Window(now))
        if now - window.begun >= WINDOW_SECONDS:
            window.begun, window.written = now, 0
            window.about.clear()
        if not window.takes(of):
            return
        suppressed, window.suppressed = window.suppressed, 0
    more = {"suppressed": suppressed} if suppressed else {}
    log(event, level=level, peer=peer, **facts, **more)


def log_unexpected(event: str, error: BaseException, **facts: str) -> None:
    """Log an error that nobody foresaw by its name; with PPAURORA_DEBUG also where it happened."""
    log(event, level=LogLevel.ERROR, error=f"an unexpected {type(error).__name__}", **facts)
    if os.environ.get("PPAURORA_DEBUG"):
        with contextlib.suppress(OSError, ValueError):
            traceback.print_exception(error)
