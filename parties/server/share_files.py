"""An owner's share as a file: a `.part` while bytes arrive, a `.share` once it is whole.

A whole share was checked, synced and then renamed, so a crash at any moment leaves either the one
file or the other. Files are named after uploads, whose names tell nothing about their owners.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from ppaurora.parties.server.disk_faults import reading, writing

__all__ = ["ShareFiles"]

PART, SHARE = ".part", ".share"


class ShareFiles:
    """The share files of all studies of one server, a folder for each study."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)

    def sweep(self, study: bytes, stored: Mapping[bytes, bool]) -> None:
        """Put right what a crash left: delete unknown files, and let unfinished uploads go on."""
        names = {upload.hex(): whole for upload, whole in stored.items()}
        for path in self._of(study).iterdir():
            if path.stem not in names:
                path.unlink()
            elif path.suffix == SHARE and not names[path.stem]:
                path.rename(path.with_suffix(PART))

    def size(self, study: bytes, upload: bytes) -> int:
        """How many bytes of a growing share are there."""
        try:
            return self._path(study, upload, PART).stat().st_size
        except FileNotFoundError:
            return 0

    def append(self, study: bytes, upload: bytes, data: bytes) -> None:
        """Write the next bytes; if there is no room, none of them."""
        path = self._path(study, upload, PART)
        before = self.size(study, upload)
        with writing():
            try:
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                with open(handle, "wb") as file:
                    file.write(data)
            except OSError:
                with contextlib.suppress(OSError):
                    os.truncate(path, before)
                raise

    def digest(self, study: bytes, upload: bytes) -> bytes:
        """SHA-256 of a growing share."""
        with reading(), self._path(study, upload, PART).open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()

    def keep(self, study: bytes, upload: bytes) -> None:
        """Make a growing share a whole one, on the disk once this returns."""
        part = self._path(study, upload, PART)
        with writing():
            _sync(part)
            part.rename(part.with_suffix(SHARE))
            _sync(part.parent)

    def read(self, study: bytes, upload: bytes) -> bytes:
        """The bytes of a whole share."""
        with reading():
            return self._path(study, upload, SHARE).read_bytes()

    def discard(self, study: bytes, upload: bytes) -> None:
        """Delete a share, growing or whole."""
        for suffix in (PART, SHARE):
            self._path(study, upload, suffix).unlink(missing_ok=True)

    def _of(self, study: bytes) -> Path:
        folder = self._folder / study.hex()[:32]
        with writing():
            folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def _path(self, study: bytes, upload: bytes, suffix: str) -> Path:
        return self._of(study) / f"{upload.hex()}{suffix}"


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
