"""Files that are their user's alone, and whole and on the disk once they are written.

What root writes for another user has to be that user's, who could not read it otherwise: `like`
names a file or folder of that user's.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from ppaurora.parties.posix import change_mode, is_root, sync


def write_private(path: Path, data: bytes, *, like: Path | None = None) -> None:
    """Put `data` into the file at `path`; once this returns, it is on the disk.

    It is written beside its place first, under a name of its own, so that no half of it is ever
    seen, nor a mixture of what two threads or processes write at once.
    """
    _write(path, data, 0o600, like)


def write_public(path: Path, data: bytes, *, like: Path | None = None) -> None:
    """Put `data` into a file that everybody may read, in the same way as `write_private`."""
    _write(path, data, 0o644, like)


def _write(path: Path, data: bytes, mode: int, like: Path | None) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    beside = Path(name)
    try:
        with open(handle, "wb") as file:
            change_mode(handle, mode)
            hand_over(handle, like)
            file.write(data)
        sync(beside)
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        raise
    sync(path.parent)


def make_private_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, each of the user whose the one above is.

    Another process may make them at the same moment.
    """
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        hand_over(folder, folder.parent)
        sync(folder.parent)


def hand_over(what: Path | int, like: Path | None) -> None:
    """Give what root has made, a path or an open file, to the user whose `like` is.

    A link that stands there by now is not followed, and nobody but root can do this.
    """
    if like is None or not is_root():
        return
    owner = like.stat()
    if isinstance(what, int):
        os.fchown(what, owner.st_uid, owner.st_gid)
    else:
        os.chown(what, owner.st_uid, owner.st_gid, follow_symlinks=False)
