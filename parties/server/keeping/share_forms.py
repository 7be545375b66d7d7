"""The two forms in which a share lies in a file: plain, and encrypted. Its ending says which.

A form knows how a growing share is written and how either is read; `ShareFiles` knows where.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from ppaurora.parties.server.keeping.piece_cipher import (
    MORE_BYTES,
    PIECE_BYTES,
    PieceCipher,
    Undecipherable,
)
from ppaurora.parties.server.keeping.secret_keys import SecretKeys
from ppaurora.parties.server.keeping.uploads import Upload


class ShareForm(Protocol):
    """Form in which a share lies in a file; `growing` and `whole` are the endings of its name."""

    growing: str
    whole: str

    def size(self, path: Path, study: bytes, one: Upload) -> int:
        """Number of bytes stored so far of a share that is being uploaded."""

    def append(self, path: Path, study: bytes, one: Upload, data: bytes) -> None:
        """Write the next bytes of a growing share; if that fails, none of them."""

    def pieces(self, path: Path, study: bytes, one: Upload) -> Iterator[bytes]:
        """A complete share, piece by piece; `Undecipherable` if it is not what was written."""


class PlainForm:
    """The share's bytes as they are."""

    growing, whole = ".part", ".share"

    def size(self, path: Path, study: bytes, one: Upload) -> int:
        """Number of bytes stored so far of a share that is being uploaded."""
        return _length(path)

    def append(self, path: Path, study: bytes, one: Upload, data: bytes) -> None:
        """Write the next bytes of a growing share; if that fails, none of them."""
        _write(path, _length(path), data)

    def pieces(self, path: Path, study: bytes, one: Upload) -> Iterator[bytes]:
        """The share, piece by piece."""
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                yield piece


class EncryptedForm:
    """The share in encrypted pieces, all of one length except the last.

    Only whole pieces are written. The bytes that do not fill one yet are kept in memory; they come
    again if this process ends meanwhile.
    """

    growing, whole = ".encrypting", ".encrypted"

    def __init__(self, keys: SecretKeys) -> None:
        self._keys = keys
        self._rest: dict[Path, bytes] = {}

    def size(self, path: Path, study: bytes, one: Upload) -> int:
        """Number of bytes of a growing share that are there; none without its key."""
        if self._keys.find(study, one.name) is None:
            return 0
        return _contents(path, one) + len(self._rest_of(path))

    def append(self, path: Path, study: bytes, one: Upload, data: bytes) -> None:
        """Encrypt and write the pieces that are full now; if that fails, none of the bytes."""
        rest, begin = self._rest_of(path), _contents(path, one)
        key = self._keys.find(study, one.name) if rest or begin else None
        if key is None:
            rest, begin, key = b"", 0, self._keys.fresh(study, one.name)
            self._rest = {there: some for there, some in self._rest.items() if there.exists()}
        cipher = PieceCipher(key, study, one.name, one.owner, one.size)
        pending = rest + data
        ends = begin + len(pending) == one.size
        full = len(pending) if ends else len(pending) // PIECE_BYTES * PIECE_BYTES
        first = begin // PIECE_BYTES
        written = (
            cipher.encrypt(first + place // PIECE_BYTES, pending[place : place + PIECE_BYTES])
            for place in range(0, full, PIECE_BYTES)
        )
        _write(path, first * (PIECE_BYTES + MORE_BYTES), b"".join(written))
        self._rest[path] = pending[full:]

    def pieces(self, path: Path, study: bytes, one: Upload) -> Iterator[bytes]:
        """The share, piece by piece; `Undecipherable` if it is not what was written."""
        key = self._keys.find(study, one.name)
        if key is None:
            raise Undecipherable
        cipher = PieceCipher(key, study, one.name, one.owner, one.size)
        with path.open("rb") as file:
            for place in range(0, one.size, PIECE_BYTES):
                length = min(PIECE_BYTES, one.size - place)
                yield cipher.decrypt(place // PIECE_BYTES, file.read(length + MORE_BYTES))
            if file.read(1):
                raise Undecipherable

    def _rest_of(self, path: Path) -> bytes:
        """The bytes that do not fill a piece yet; none once the file is gone."""
        if not path.exists():
            self._rest.pop(path, None)
        return self._rest.get(path, b"")


ENDINGS = (PlainForm.growing, PlainForm.whole, EncryptedForm.growing, EncryptedForm.whole)


def _contents(path: Path, one: Upload) -> int:
    """Number of bytes that the encrypted pieces in the file hold, without a torn last one."""
    full, last = divmod(_length(path), PIECE_BYTES + MORE_BYTES)
    contents = full * PIECE_BYTES
    complete = last > MORE_BYTES and contents + last - MORE_BYTES == one.size
    return one.size if complete else contents


def _length(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _write(path: Path, place: int, data: bytes) -> None:
    """Write `data` at this place, where the file ends then; if that fails, it ends before it."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        with open(handle, "wb") as file:
            file.truncate(place)
            file.seek(place)
            file.write(data)
    except OSError:
        with contextlib.suppress(OSError):
            os.truncate(path, place)
        raise
