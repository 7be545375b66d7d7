"""Writing a private file so that it is either the old or the new one, whatever happens."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["write_durably"]


def write_durably(path: Path, data: bytes) -> None:
    """Put `data` on the disk at `path`, readable by its owner alone; its folder is made if missing.

    Once this returns, file and folder are synced: a crash or a loss of power loses neither.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
