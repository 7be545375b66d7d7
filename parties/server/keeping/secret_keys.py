"""The keys of what one server keeps encrypted: a file each, in a folder apart from its state.

Every upload and every result has a fresh random key. Whoever has a copy of the state and not of
this folder reads no share in it, and what is deleted loses its key first: from then on it is noise
in every copy and backup of the state. On the same disk an unlink erases nothing: the key's old
blocks may be found there as long as nothing is written over them.

The folder and the state belong together, and both hold the same mark. So a folder that is not
mounted, or another server's, is not taken for one whose keys were all lost. The mark lies twice in
each and ends with a digest: if one of the four files is damaged or gone, its copy mends it. So one
damaged file in the folder costs one upload, or one result, or nothing.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.posix import sync
from ppaurora.parties.private_file import write_private
from ppaurora.parties.server.keeping.disk_faults import GONE, reading, writing
from ppaurora.parties.server.watching.logs import LogLevel, log

KEY_BYTES = 32
MARKS = ("secrets.mark", "secrets.mark.copy")
MARK_BYTES = 16


class SecretKeys:
    """The keys of one server, by study and by the name of what each encrypts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __repr__(self) -> str:
        return f"<SecretKeys in {self._folder}>"

    @classmethod
    def open(cls, folder: Path | None, state: Path, *, needed: bool) -> SecretKeys | None:
        """The keys in `folder` of the server whose state is in `state`; None if it has none."""
        with reading():
            marked = any((state / name).exists() for name in MARKS)
            if folder is None:
                if needed:
                    raise ConfigurationError(
                        "[server] encrypt needs [server] secrets, a folder for the keys",
                        advice="Name one apart from the state folder and from its backups.",
                    )
                if marked:
                    raise ConfigurationError(
                        "This server has stored encrypted uploads, and [server] secrets is missing",
                        advice=f"Name the folder of their keys; {_lost(state)}",
                    )
                return None
            _check_apart(folder, state)
            if marked:
                _check_mark(folder, state)
        _make(folder)
        _check_private(folder)
        if marked:
            _mend_marks(folder, state)
        else:
            _pair(folder, state)
        return cls(folder)

    def fresh(self, study: bytes, name: str) -> bytes:
        """A new key for what is called `name`, on the disk once this returns."""
        key = os.urandom(KEY_BYTES)
        with writing():
            write_private(self._path(study, name), key)
        return key

    def find(self, study: bytes, name: str) -> bytes | None:
        """The key; None if its file is gone, or is no key any more."""
        with reading():
            try:
                key = self._path(study, name).read_bytes()
            except OSError as error:
                if error.errno in GONE:
                    return None
                raise
        return key if len(key) == KEY_BYTES else None

    def forget(self, study: bytes, name: str) -> None:
        """Delete the key; once this returns, it is gone from the folder after any crash."""
        with writing():
            path = self._path(study, name)
            if path.exists():
                path.unlink()
                sync(self._folder)

    def has(self, study: bytes) -> bool:
        """True if there is any key of this study."""
        return any(self._of(study))

    def forget_all(self, study: bytes) -> None:
        """Delete every key of this study; once this returns, they are gone after any crash."""
        with writing():
            for path in self._of(study):
                path.unlink()
            sync(self._folder)

    def _of(self, study: bytes) -> list[Path]:
        return sorted(self._folder.glob(f"{study.hex()[:32]}-*.key"))

    def _path(self, study: bytes, name: str) -> Path:
        return self._folder / f"{study.hex()[:32]}-{name}.key"


def _check_apart(folder: Path, state: Path) -> None:
    keys, shares = folder.resolve(), state.resolve()
    if keys.is_relative_to(shares) or shares.is_relative_to(keys):
        raise ConfigurationError(
            f"[server] secrets, {folder}, and [server] state, {state}, lie one inside the other",
            advice="Name a folder apart from the state folder and from its backups.",
        )


def _check_mark(folder: Path, state: Path) -> None:
    if (mark := _mark(state)) and _mark(folder) == mark:
        return
    raise ConfigurationError(
        f"[server] secrets, {folder}, is not the folder with the keys of this server's uploads",
        advice=f"Mount or name the right one; {_lost(state)}",
    )


def _mark(folder: Path) -> bytes:
    """The mark by the first of its copies that is sound; empty if none is."""
    return next(filter(_is_sound, (_content(folder / name) for name in MARKS)), b"")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        if error.errno in GONE:
            return b""
        raise


def _written(mark: bytes) -> bytes:
    """The mark as text, and a digest of it."""
    text = mark.hex().encode("ascii")
    return text + b" " + hashlib.sha256(text).hexdigest().encode("ascii")


def _is_sound(content: bytes) -> bool:
    try:
        return content == _written(bytes.fromhex(content[: 2 * MARK_BYTES].decode("ascii")))
    except ValueError:
        return False


def _mend_marks(folder: Path, state: Path) -> None:
    """Write each copy anew that is not what the others are."""
    mark = _mark(state)
    with writing():
        for path in (where / name for where in (folder, state) for name in MARKS):
            if _content(path) != mark:
                what = f"{path} was damaged on the disk, and is written anew from its copy"
                log("disk fault", level=LogLevel.ERROR, error=what)
                write_private(path, mark)


def _lost(state: Path) -> str:
    names = " and ".join(str(state / name) for name in MARKS)
    return (
        f"if it is lost for good, delete {names}: the owners concerned are asked to upload again."
    )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(
            f"[server] secrets, {folder}, cannot be used: {error.strerror}",
            advice="Name a folder that this user may make, or make it with permissions 0700.",
        ) from None


def _check_private(folder: Path) -> None:
    found = folder.stat()
    if stat.S_IMODE(found.st_mode) != 0o700 or found.st_uid != os.geteuid():
        raise ConfigurationError(
            f"[server] secrets, {folder}, is not this user's alone, so it is not used",
            advice=f"It must belong to the server's user: `chmod 700 {folder}`. If others may have "
            "read the keys in it, those uploads are protected no better than without them.",
        )


def _pair(folder: Path, state: Path) -> None:
    """Mark the folder and the state as belonging together."""
    if any((folder / name).exists() for name in MARKS):
        raise ConfigurationError(
            f"[server] secrets, {folder}, holds the keys of another server",
            advice="Give each server a folder of its own; empty one that no server uses any more.",
        )
    mark = _written(os.urandom(MARK_BYTES))
    with writing():
        for path in (where / name for where in (folder, state) for name in MARKS):
            write_private(path, mark)
