"""An owner's share as a file: a `.part` while bytes arrive, a `.share` once it is whole.

A whole share was checked, synced and then renamed, so a crash at any moment leaves either the one
file or the other. Files are named after uploads, whose names tell nothing about their owners. What
is damaged is moved to the folder `damaged`, under the same names.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.server.disk_faults import FULL, no_room, reading, writing

__all__ = ["ShareFiles", "make_private"]

PART, SHARE = ".part", ".share"
GONE = {errno.ENOENT, errno.EIO, errno.EISDIR, errno.ENOTDIR}
"""What the system says of a file that is gone or rotten, not of a system short of something."""


class ShareFiles:
    """The share files of all studies of one server, a folder for each study."""

    def __init__(self, state: Path) -> None:
        self._folder = state / "shares"
        self._damaged = state / "damaged"
        with writing():
            for folder in (self._folder, self._damaged):
                folder.mkdir(mode=0o700, exist_ok=True)

    def sweep(self, study: bytes, stored: Mapping[bytes, bool]) -> int:
        """Put right what a crash left, and let unfinished uploads go on.

        Files without a record are set aside; how many these were is returned.
        """
        names = {upload.hex(): whole for upload, whole in stored.items()}
        unknown = 0
        with writing():
            for path in sorted(self._of(study).iterdir()):
                if path.stem not in names:
                    self._move_aside(study, path)
                    unknown += 1
                elif path.suffix == SHARE and not names[path.stem]:
                    path.rename(path.with_suffix(PART))
        return unknown

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

    def whole_digest(self, study: bytes, upload: bytes) -> bytes:
        """SHA-256 of a whole share; empty if it is gone or cannot be read."""
        with reading():
            try:
                with self._path(study, upload, SHARE).open("rb") as file:
                    return hashlib.file_digest(file, "sha256").digest()
            except OSError as error:
                if error.errno in GONE:
                    return b""
                raise

    def read(self, study: bytes, upload: bytes) -> bytes | None:
        """The bytes of a whole share, or None if it is gone or cannot be read."""
        with reading():
            try:
                return self._path(study, upload, SHARE).read_bytes()
            except OSError as error:
                if error.errno in GONE:
                    return None
                raise

    def discard(self, study: bytes, upload: bytes) -> None:
        """Delete a share, growing or whole, and what was set aside of it."""
        with writing():
            for suffix in (PART, SHARE):
                self._path(study, upload, suffix).unlink(missing_ok=True)
            for path in self._damaged.glob(f"{_name(study)}/{upload.hex()}.*"):
                path.unlink(missing_ok=True)

    def set_aside(self, study: bytes, upload: bytes) -> None:
        """Move what is there of a damaged share out of the way."""
        with writing():
            for suffix in (PART, SHARE):
                path = self._path(study, upload, suffix)
                if path.exists():
                    self._move_aside(study, path)

    def discard_set_aside(self, study: bytes) -> None:
        """Delete whatever was set aside of this study."""
        with writing():
            shutil.rmtree(self._damaged / _name(study), ignore_errors=True)

    def _move_aside(self, study: bytes, path: Path) -> None:
        folder = self._damaged / _name(study)
        folder.mkdir(mode=0o700, exist_ok=True)
        path.replace(folder / path.name)

    def _of(self, study: bytes) -> Path:
        """The study's folder, which is on the disk before anything in it is."""
        folder = self._folder / _name(study)
        if not folder.is_dir():
            with writing():
                folder.mkdir(mode=0o700, exist_ok=True)
                _sync(self._folder)
        return folder

    def _path(self, study: bytes, upload: bytes, suffix: str) -> Path:
        return self._of(study) / f"{upload.hex()}{suffix}"


def make_private(folder: Path) -> None:
    """Make the state folder, its user's alone; says what it is if that cannot be."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError as error:
        if error.errno in FULL:
            raise no_room(folder) from None
        raise ConfigurationError(
            f"The state directory {folder} cannot be used: {error}",
            advice="It must be writable, and belong to one running server only.",
        ) from None


def _name(study: bytes) -> str:
    return study.hex()[:32]


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
