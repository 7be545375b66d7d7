"""Files of one secret line: plain ones that nobody but their user can read, or refused."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Collection
from pathlib import Path

from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.posix import AT_ONCE, group_numbers, has_users, user_name, user_number
from ppaurora.parties.private_file import hand_over

LONGEST_LINE = 2048
LOCKED_PREFIX = "ppaurora-locked-1:"
"""With what a line begins that nobody opens without a passphrase."""


def create_private(path: Path, line: str, advice: str, *, like: Path | None = None) -> None:
    """Write a new file of one line, readable by its owner alone; `advice` where there is one.

    Where root makes it, it is the user's whose `like` is.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ConfigurationError(
            f"{path} exists already and is left alone", advice=advice
        ) from None
    with os.fdopen(handle, "w", encoding="ascii") as file:
        hand_over(handle, like)
        file.write(f"{line}\n")
        file.flush()
        os.fsync(file.fileno())


def private_line(path: Path, advice: str, what: str = "key file") -> str:
    """The line in the file at `path`, which must be closed to others; `advice` where it is not.

    `what` says what the file is, in errors.
    """
    text, status = line_in(path, advice, what)
    check_closed(path, status, what)
    return text


def line_in(path: Path, advice: str, what: str = "key file") -> tuple[str, os.stat_result]:
    """The one line of a plain file, and what the system says of the file.

    A link is followed, as secrets are mounted in clusters: what counts is the file behind it.
    """
    try:
        handle = os.open(path, os.O_RDONLY | AT_ONCE)
    except FileNotFoundError:
        raise KeyFault(f"There is no {what} {path}", advice=advice) from None
    except OSError:
        raise _not_opened(path, what) from None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        kind = f"a folder, not a {what}" if stat.S_ISDIR(status.st_mode) else "not a plain file"
        raise KeyFault(f"{path} is {kind}", advice=f"Give the {what} itself.")
    with os.fdopen(handle, "rb") as file:
        data = file.read(LONGEST_LINE + 1)
    text = data.decode("utf-8", "replace").strip()
    if (
        len(data) > LONGEST_LINE
        or len(text.splitlines()) > 1
        or "\N{REPLACEMENT CHARACTER}" in text
    ):
        raise KeyFault(f"{path} does not hold one line of text", advice=advice)
    return text, status


def _not_opened(path: Path, what: str) -> KeyFault:
    """The error for a file that cannot be opened: most often it is another user's."""
    with contextlib.suppress(OSError):
        if (owner := path.stat().st_uid) != user_number():
            return _of_another_user(path, owner, what)
    return KeyFault(
        f"The {what} {path} cannot be opened", advice="It must be a file that you may read."
    )


def _of_another_user(path: Path, owner: int, what: str) -> KeyFault:
    return KeyFault(
        f"The {what} {path} belongs to user {user_name(owner)}, and you are "
        f"{user_name(user_number())}",
        advice=f"Run this as {user_name(owner)}.",
    )


def check_closed(path: Path, status: os.stat_result, what: str = "key file") -> None:
    """Refuse a file that others could read, or that others could put in another's place.

    Root may use another user's file that is closed to everybody else: whatever it gives away, that
    user could as well.
    """
    if not has_users():
        return
    user, groups = user_number(), group_numbers()
    if is_open_to_others(status, groups):
        raise KeyFault(
            f"The {what} {path} can be read by others, so it is not used",
            advice=f"Run `chmod 600 {path}`; if others may have read it, make a new one.",
        )
    owner = status.st_uid
    if owner in (0, user):
        return
    if user != 0:
        raise _of_another_user(path, owner, what)
    folder = path.resolve().parent
    if can_be_changed_by_others(folder.stat(), owner):
        raise KeyFault(
            f"The {what} {path} belongs to user {user_name(owner)}, and others can change the "
            f"folder {folder}, so root does not use it",
            advice=f"Run this as {user_name(owner)}, or `chmod go-w {folder}` first.",
        )


def can_be_changed_by_others(folder: os.stat_result, owner: int) -> bool:
    """Return whether anybody but `owner` and root could put another file into the folder."""
    return folder.st_uid not in (0, owner) or folder.st_mode & (stat.S_IWGRP | stat.S_IWOTH) != 0


def is_open_to_others(status: os.stat_result, groups: Collection[int]) -> bool:
    """Return whether anybody but owner and root could use it; `groups` are the user's.

    A file of root's that a group of the user's, or root's own, may read is how a cluster or a
    service manager hands out a secret: it is as private as that group.
    """
    beyond = status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    if status.st_uid == 0 and status.st_gid in {0, *groups}:
        return beyond not in (0, stat.S_IRGRP)
    return beyond != 0
