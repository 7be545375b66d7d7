"""A record of what an owner has sent, which no crash, removed file or older copy takes back.

It lies in two files of the owner's state: the record, and its anchor in the folder of accepted
studies, which says how often the record was written and its digest. The record is written first and
names the digest of the one before, so a crash between the two leaves a record one write ahead of
its anchor, which is the only difference that is accepted. A file that is missing, or is older than
the other one says, is refused: what was sent is then not known here any more.

Whoever puts back both files of one time, or the whole state, is not noticed.

The record names its form: a later version reads it by the steps since, and a newer one is refused,
as an older program would forget what it does not know.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from ppaurora.parties.errors import ConfigurationError, DocumentRefused
from ppaurora.parties.kept_form import KeptForm
from ppaurora.parties.posix import wait_for_lock
from ppaurora.parties.private_file import hand_over, make_private_folder, write_private
from ppaurora.parties.requests.json_document import JsonDocument
from ppaurora.parties.site.acceptances import FOLDER

Kept = TypeVar("Kept", bound=JsonDocument)
NewContent: TypeAlias = Callable[[Any], object]
"""The content of a record in one form, as JSON's own types, of that in the form before."""
FIRST_FORM: KeptForm[NewContent] = KeptForm(1)
NEWER = (
    "Nothing was sent. Use that version: it knows what this site has sent since. The record is not "
    "to be deleted for this one."
)
NEW_FILES = (
    "If they are lost, let your site decide what the studies in the folder {folder} may have got; "
    "then begin anew by deleting both files, and lower what [policy] still allows by that."
)


@dataclass(frozen=True, slots=True)
class Anchor(JsonDocument):
    """Number of times that the record was written, and the digest of its last form."""

    writes: int
    digest: str


class LastingRecord(Generic[Kept]):
    """The record `name` of documents like `empty`, in the folder `state` of an owner."""

    def __init__(
        self,
        state: Path | None,
        name: str,
        about: str,
        empty: Kept,
        form: KeptForm[NewContent] = FIRST_FORM,
    ) -> None:
        """`about` says in words what it holds, `form` in which form."""
        if state is None:
            raise ConfigurationError(
                f"A record of {about} needs a place that outlives this program",
                advice="Name a folder under [participant] state in site.toml.",
            )
        self._state = state
        self._path = state / f"{name}.json"
        self._anchor = state / FOLDER / f"{name}.anchor"
        self._about = about
        self._empty = empty
        self._form = form

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other program reads or writes the record meanwhile."""
        try:
            for folder in (self._state, self._anchor.parent):
                make_private_folder(folder)
            lock = os.open(
                self._path.with_name(f".{self._path.name}.lock"), os.O_WRONLY | os.O_CREAT, 0o600
            )
            hand_over(lock, self._state)
        except OSError as error:
            raise self._fault(f"cannot be written: {error.strerror}") from None
        try:
            wait_for_lock(lock)
            yield
        finally:
            os.close(lock)

    def read(self) -> Kept:
        """Read the record, holding the lock; files that do not agree are refused."""
        return self._read()[1]

    def write(self, kept: Kept) -> None:
        """Keep this instead, by whoever holds the lock; once this returns, it is on the disk."""
        anchor, _ = self._read()
        content = {
            "form": self._form.number,
            "writes": anchor.writes + 1,
            "before": anchor.digest,
            "kept": kept.plain(),
        }
        data = json.dumps(content, indent=2).encode()
        try:
            anchored = Anchor(anchor.writes + 1, _digest(data)).to_json().encode()
            write_private(self._path, data, like=self._path.parent)
            write_private(self._anchor, anchored, like=self._anchor.parent)
        except OSError as error:
            raise self._fault(f"cannot be written: {error.strerror}") from None

    def _read(self) -> tuple[Anchor, Kept]:
        """Read the anchor of the record (as it is, or as it should be) and the record."""
        data, anchored = self._bytes(self._path), self._bytes(self._anchor)
        try:
            content: Any = None if data is None else json.loads(data)
            steps = () if data is None else self._steps_from(content)
            anchor = Anchor.from_json(anchored.decode()) if anchored is not None else None
            if data is None:
                if anchor is not None:
                    raise self._gone(self._path, "is missing")
                return Anchor(0, ""), self._empty
            writes, before, plain = content["writes"], content["before"], content["kept"]
            for step in steps:
                plain = step(plain)
            kept = type(self._empty).of_plain(plain)
            found = Anchor(writes, _digest(data))
            if not (type(writes) is int and writes > 0 and content.keys() == _NAMES):
                raise ValueError
        except (
            DocumentRefused,
            ValueError,
            ArithmeticError,
            LookupError,
            TypeError,
            RecursionError,
        ):
            raise self._fault("cannot be understood: it is damaged") from None
        if anchor is None and writes > 1:
            raise self._gone(self._anchor, "is missing")
        ahead = Anchor(writes - 1, before) == (anchor or Anchor(0, ""))
        if found != anchor and not ahead:
            older = self._path if anchor is not None and writes <= anchor.writes else self._anchor
            raise self._gone(older, "is an older copy or another one")
        return found, kept

    def _steps_from(self, content: Any) -> tuple[NewContent, ...]:
        """The steps from the form of this content; before the first release it named none."""
        if not isinstance(content, dict):
            raise ValueError
        form = content.get("form", 0 if "writes" in content else None)
        if type(form) is not int:
            raise ValueError
        older = NEW_FILES.format(folder=self._anchor.parent)
        return self._form.steps_from(form, str(self._path), newer=NEWER, older=older)

    def _bytes(self, path: Path) -> bytes | None:
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._fault(f"cannot be read: {error.strerror}") from None

    def _gone(self, path: Path, what: str) -> ConfigurationError:
        other = self._anchor if path == self._path else self._path
        return ConfigurationError(
            f"{path} {what}: {other} says so. So it is not known here any more what this site has "
            f"sent, and {self._about} cannot be held",
            advice=f"Nothing was sent. Put back the last {path.name}. "
            + NEW_FILES.format(folder=self._anchor.parent),
        )

    def _fault(self, what: str) -> ConfigurationError:
        return ConfigurationError(
            f"{self._path} with its anchor {self._anchor}, which keep {self._about}, {what}",
            advice="Put the last backup of both in their places, or check that these folders are "
            "yours to use.",
        )


_NAMES = {"form", "writes", "before", "kept"}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
