"""Files that are their user's alone, and whole and on the disk once they are written."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["sync", "write_private"]


def write_private(path: Path, data: bytes) -> None:
    """Put `data` into the file at `path`; once this returns, it is on the disk.

    It is written beside its place first, so that no half of it is ever seen.
    """
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "wb") as file:
        file.write(data)
    sync(beside)
    beside.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Wait until what the file or folder at `path` holds is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
