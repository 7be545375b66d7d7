"""Reading a file that only this user and root can have put there: plain, closed to change, small.

A link may point elsewhere tomorrow, a pipe may never end, and what others can write may change
between two looks: none of them is read.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.posix import AT_ONCE, NO_LINK, has_users, user_number

Appearance = tuple[int, ...]
"""The identity, owner, length and time of a file: other values if the file changes."""


def appearance(status: os.stat_result) -> Appearance:
    """The file's identity, owner, length, and time of its last change."""
    return (
        status.st_dev,
        status.st_ino,
        status.st_mode,
        status.st_uid,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


def read_plain(path: Path, most_bytes: int, owner: int = 0) -> tuple[bytes, Appearance]:
    """The file's content and its appearance; raises `ConfigurationError` if it is unsafe.

    It may belong to this user or to root; where root reads it, to the user `owner` as well.
    """
    try:
        if not NO_LINK and path.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        handle = os.open(path, os.O_RDONLY | AT_ONCE | NO_LINK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _unsafe(path, "is a link", "Put the file itself there.") from None
        raise _unsafe(path, f"cannot be read: {error.strerror}", "Look after the file.") from None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise _unsafe(path, "is not a plain file", "Put the file itself there.")
    with os.fdopen(handle, "rb") as file:
        user = user_number()
        if status.st_uid not in (0, user, owner if user == 0 else user):
            raise _unsafe(path, "belongs to another user", f"Run `chown {user} {path}`.")
        if has_users() and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise _unsafe(path, "can be changed by others", f"Run `chmod go-w {path}`.")
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise _unsafe(path, f"holds more than {most_bytes} bytes", "Put a shorter file there.")
    return data, appearance(status)


def _unsafe(path: Path, what: str, advice: str) -> ConfigurationError:
    return ConfigurationError(f"{path} {what}, so it is not used", advice=advice)
