"""System calls that only POSIX has, and what is done on Windows instead.

Owners and receivers run on Windows as well; servers do not. Windows knows no user numbers, groups
and modes: who may read a file there is said by the folder in which it lies, and is not checked.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from ppaurora.parties.errors import ConfigurationError

try:
    import fcntl
    import pwd
except ImportError:
    fcntl = pwd = None  # type: ignore[assignment]

AT_ONCE: int = getattr(os, "O_NONBLOCK", 0)
"""The flag by which opening a pipe does not wait for its other end."""
NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
"""The flag by which a link is not opened; 0 where there is none."""


def has_users() -> bool:
    """Return whether files belong to users by number, with modes that say what others may do."""
    return hasattr(os, "geteuid")


def user_number() -> int:
    """The number of this process's user; 0 where files of all users bear that number."""
    return os.geteuid() if has_users() else 0


def is_root() -> bool:
    """Return whether this process may do everything, on a system with users."""
    return has_users() and os.geteuid() == 0


def group_numbers() -> set[int]:
    """The numbers of this user's groups."""
    return {os.getegid(), *os.getgroups()} if has_users() else {0}


def user_name(number: int) -> str:
    """The user's name, or the number where it has none, as in a container."""
    try:
        return str(number) if pwd is None else pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def change_mode(handle: int, mode: int) -> None:
    """Set what an open file lets others do."""
    if has_users():
        os.fchmod(handle, mode)


def sync(path: Path) -> None:
    """Wait until what the file or folder at `path` holds is on the disk.

    Windows writes a file's place together with the file, and opens no folder.
    """
    if not has_users() and path.is_dir():
        return
    # Windows writes only what was opened for writing
    handle = os.open(path, os.O_RDONLY if has_users() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def wait_for_lock(handle: int) -> None:
    """Wait until this process alone holds the lock of an open file; closing it lets go."""
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX)
        return
    msvcrt: Any = import_module("msvcrt")
    while True:
        try:
            msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
        except OSError:  # it gives up after ten seconds
            continue
        return


def check_servers_run_here() -> None:
    """Refuse to start a server on a system that it does not run on."""
    if not has_users():
        raise ConfigurationError(
            "A server needs Linux or macOS",
            advice="Owners and receivers may use this system; for a server take another machine, "
            "or Linux inside this one (WSL).",
        )
