"""Faults of this server's own disk, told as such: full, unreadable, unwritable.

Whoever asked is told that the server is at fault, and nobody else is blamed: a disk that fails in
the middle of a request looks like neither a malformed request nor a missing peer.
"""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ppaurora.parties.errors import DiskCode, DiskFault

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
GONE = {errno.ENOENT, errno.EIO, errno.EISDIR, errno.ENOTDIR}
"""Error numbers of a file that is gone or unreadable, not of a system short of resources."""
# The primary result codes of SQLite that speak of the disk, not of the statement.
OF_THE_DISK = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
ADVICE = "Its operator looks after the disk under [server] state; nothing acknowledged is changed."


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Tell a failure to read as `UNREADABLE`."""
    try:
        yield
    except OSError as error:
        raise _fault(DiskCode.UNREADABLE, _reason(error)) from error
    except sqlite3.Error as error:
        if not _of_the_disk(error):
            raise
        raise _fault(DiskCode.UNREADABLE, str(error)) from error


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Tell a failure to write as `FULL` where that is why, else as `UNWRITABLE`."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise _full() from error
        raise _fault(DiskCode.UNWRITABLE, _reason(error)) from error
    except sqlite3.Error as error:
        if not _of_the_disk(error):
            raise
        if _code(error) == sqlite3.SQLITE_FULL:
            raise _full() from error
        raise _fault(DiskCode.UNWRITABLE, str(error)) from error


def _full() -> DiskFault:
    return DiskFault(
        "This server has no room left to store more",
        code=DiskCode.FULL,
        advice="Nothing acknowledged is lost; its operator makes room, then try again.",
    )


def no_room(folder: Path) -> DiskFault:
    """The error of a server that cannot start because the disk under its state folder is full."""
    return DiskFault(
        f"There is no room left on the disk of {folder}",
        code=DiskCode.FULL,
        advice="Make room there, then start the server again; nothing acknowledged is lost.",
    )


def _fault(code: DiskCode, reason: str) -> DiskFault:
    verb = "read" if code is DiskCode.UNREADABLE else "write"
    what = f"This server cannot {verb} what it keeps on its own disk: {reason}"
    return DiskFault(what, code=code, advice=ADVICE)


def _reason(error: OSError) -> str:
    """Reason that the operating system gives, without the path."""
    return error.strerror or type(error).__name__


def _of_the_disk(error: sqlite3.Error) -> bool:
    return _code(error) in OF_THE_DISK


def _code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 for what Python's module says by itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
