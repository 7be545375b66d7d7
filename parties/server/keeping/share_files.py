"""An owner's share as a file: one that grows while bytes arrive, and another once it is whole.

A whole share was checked, synced and then renamed, so a crash at any moment leaves either the one
file or the other. Files are named after uploads, whose names tell nothing about their owners; the
ending says whether a share lies there in plain or encrypted. What is damaged is moved to the folder
`damaged`, under the same names.
"""

from __future__ import annotations

import hashlib
import io
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.posix import sync
from ppaurora.parties.server.keeping.database import Database
from ppaurora.parties.server.keeping.disk_faults import FULL, GONE, no_room, reading, writing
from ppaurora.parties.server.keeping.piece_cipher import Undecipherable
from ppaurora.parties.server.keeping.secret_keys import SecretKeys
from ppaurora.parties.server.keeping.share_forms import ENDINGS, EncryptedForm, PlainForm, ShareForm
from ppaurora.parties.server.keeping.uploads import Upload


class ShareFiles:
    """The share files of all studies of one server, a folder for each study.

    A share is given as its record, or by the name that its files have.
    New ones are encrypted if `encrypt`; whole ones are read in whichever form they are.
    """

    def __init__(self, state: Path, keys: SecretKeys | None = None, *, encrypt: bool) -> None:
        self._folder = state / "shares"
        self._damaged = state / "damaged"
        self._keys = keys
        forms: list[ShareForm] = [PlainForm()]
        if keys is not None:
            forms.append(EncryptedForm(keys))
        self._forms = forms
        self._new = forms[-1] if encrypt else forms[0]
        with writing():
            for folder in (self._folder, self._damaged):
                folder.mkdir(mode=0o700, exist_ok=True)

    def recover(self, study: bytes, stored: Mapping[bytes, bool]) -> int:
        """Put right what a crash left, and let unfinished uploads go on.

        Files without a record are set aside; how many these were is returned. An upload that began
        in the other form begins anew.
        """
        names = {upload.hex(): whole for upload, whole in stored.items()}
        unknown = 0
        with writing():
            for path in sorted(self._of(study).iterdir()):
                if path.stem not in names:
                    self._move_aside(study, path)
                    unknown += 1
                elif names[path.stem]:
                    continue
                elif path.suffix == self._new.whole:
                    path.rename(path.with_suffix(self._new.growing))
                elif path.suffix != self._new.growing:
                    self._forget_key(study, path.stem)
                    path.unlink()
        return unknown

    def size(self, study: bytes, one: Upload) -> int:
        """The number of bytes of a growing share that have come, where its sender goes on."""
        return self._new.size(self._growing(study, one), study, one)

    def append(self, study: bytes, one: Upload, data: bytes) -> None:
        """Write the next bytes; if there is no room, none of them."""
        with writing():
            self._new.append(self._growing(study, one), study, one, data)

    def digest(self, study: bytes, one: Upload) -> bytes:
        """SHA-256 of a growing share of which all bytes are there; empty if it cannot be read."""
        return _digest(self._new, self._growing(study, one), study, one)

    def keep(self, study: bytes, one: Upload) -> None:
        """Make a growing share a whole one, on the disk once this returns."""
        growing = self._growing(study, one)
        with writing():
            sync(growing)
            growing.rename(growing.with_suffix(self._new.whole))
            sync(growing.parent)

    def whole_digest(self, study: bytes, one: Upload) -> bytes:
        """SHA-256 of a whole share; empty if it is gone or cannot be read."""
        form, path = self._whole(study, one)
        return _digest(form, path, study, one)

    def read(self, study: bytes, one: Upload) -> bytes | None:
        """The bytes of a whole share, or None if it is gone or cannot be read."""
        form, path = self._whole(study, one)
        content = io.BytesIO()
        return content.getvalue() if _read(form, path, study, one, content.write) else None

    def discard(self, study: bytes, name: str) -> None:
        """Delete a share, growing or whole, and what was set aside of it; its key goes first."""
        with writing():
            self._forget_key(study, name)
            for ending in ENDINGS:
                self._path(study, name, ending).unlink(missing_ok=True)
            for path in self._damaged.glob(f"{_name(study)}/{name}.*"):
                path.unlink(missing_ok=True)

    def set_aside(self, study: bytes, name: str) -> None:
        """Move what is there of a damaged share out of the way; a key to nothing is deleted."""
        with writing():
            there = [self._path(study, name, ending) for ending in ENDINGS]
            found = [path for path in there if path.exists()]
            for path in found:
                self._move_aside(study, path)
            if not found:
                self._forget_key(study, name)

    def discard_set_aside(self, study: bytes) -> None:
        """Delete whatever was set aside of this study; keys go first."""
        folder = self._damaged / _name(study)
        with writing():
            for ending in (EncryptedForm.growing, EncryptedForm.whole):
                for path in folder.glob(f"*{ending}"):
                    self._forget_key(study, path.stem)
            shutil.rmtree(folder, ignore_errors=True)

    def has(self, study: bytes) -> bool:
        """True if there is any file or key of this study."""
        folders = (self._folder / _name(study), self._damaged / _name(study))
        there = any(folder.exists() for folder in folders)
        return there or (self._keys is not None and self._keys.has(study))

    def erase(self, study: bytes) -> None:
        """Delete every file and key of this study; keys go first."""
        with writing():
            if self._keys is not None:
                self._keys.forget_all(study)
            for folder in (self._folder, self._damaged):
                if (folder / _name(study)).exists():
                    shutil.rmtree(folder / _name(study))
                    sync(folder)

    def _forget_key(self, study: bytes, name: str) -> None:
        if self._keys is not None:
            self._keys.forget(study, name)

    def _growing(self, study: bytes, one: Upload) -> Path:
        return self._path(study, one.name, self._new.growing)

    def _whole(self, study: bytes, one: Upload) -> tuple[ShareForm, Path]:
        """Path and form of a whole share; the path that it would have, if there is none."""
        places = [(form, self._path(study, one.name, form.whole)) for form in self._forms]
        return next((place for place in places if place[1].exists()), places[0])

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
                sync(self._folder)
        return folder

    def _path(self, study: bytes, name: str, ending: str) -> Path:
        return self._of(study) / f"{name}{ending}"


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


def _digest(form: ShareForm, path: Path, study: bytes, one: Upload) -> bytes:
    """SHA-256 of a complete share; empty if it is gone or cannot be read."""
    digest = hashlib.sha256()
    return digest.digest() if _read(form, path, study, one, digest.update) else b""


def _read(
    form: ShareForm, path: Path, study: bytes, one: Upload, take: Callable[[bytes], object]
) -> bool:
    """Hand each piece of a complete share to `take`; False if it is gone or cannot be read."""
    with reading():
        try:
            for piece in form.pieces(path, study, one):
                take(piece)
        except Undecipherable:
            return False
        except OSError as error:
            if error.errno in GONE:
                return False
            raise
    return True


class DeferredDeletions:
    """The names, by study, whose keys and files are to be deleted."""

    def __init__(self, database: Database, files: ShareFiles) -> None:
        self._db = database
        self._files = files

    def add(self, study: bytes, name: bytes) -> None:
        """Delete what is called so as soon as the transaction is on the disk, the key first."""
        self._db.put("deletions", study, name)
        self._db.afterwards(lambda: self._discard(study, name))

    def finish(self, study: bytes) -> None:
        """Delete what a crash has left to do."""
        for _, name in self._db.rows("deletions", study=study):
            assert isinstance(name, bytes)
            self._discard(study, name)

    def _discard(self, study: bytes, name: bytes) -> None:
        self._files.discard(study, name.hex())
        self._db.delete("deletions", study=study, upload=name)
