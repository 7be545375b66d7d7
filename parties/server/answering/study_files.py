"""The study files in the folders that a server watches: what lies there, once it lies still.

A file is read once it has looked the same at two looks, in size, time and content, so that no half
of a file is ever followed. Until a changed file lies still again, what it said before stands. What
cannot be followed is a fault of that file alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.site.acceptances import MOST_STUDY_BYTES
from ppaurora.parties.site.plain_file import Appearance, appearance, read_plain
from ppaurora.parties.site.site import Watched
from ppaurora.parties.study.study import Study

MOST_FILES = 1000


@dataclass(frozen=True, slots=True)
class StudyFile:
    """Content of a file: a study, the fault that keeps it from being followed, or nothing yet."""

    study: Study | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """Last look at a file, and what was read then; without a digest it is not read again."""

    seen: Appearance
    says: StudyFile
    digest: bytes = b""


class StudyFiles:
    """The files in the `watched` folders, but for those that are named in site.toml themselves."""

    def __init__(self, watched: Sequence[Watched], named: Iterable[Path] = ()) -> None:
        self._watched = watched
        self._named = set(named)
        self._looks: dict[Path, Look] = {}

    def look(self) -> Mapping[Path, StudyFile]:
        """Read what lies in the folder now, by path."""
        paths = {path for one in self._watched for path in one.files()} - self._named
        found = sorted(paths)
        self._looks = {path: self._look_at(path) for path in found[:MOST_FILES]}
        too_many = StudyFile(fault=f"there are more than {MOST_FILES} study files: it is not read")
        return {path: look.says for path, look in self._looks.items()} | dict.fromkeys(
            found[MOST_FILES:], too_many
        )

    def _look_at(self, path: Path) -> Look:
        before = self._looks.get(path)
        try:
            seen = appearance(path.lstat())
            if before is not None and not before.digest and before.seen == seen:
                return before
            data, seen = read_plain(path, MOST_STUDY_BYTES)
        except AuroraError as error:
            return Look(seen, StudyFile(fault=str(error)))
        except OSError as error:
            return Look((), StudyFile(fault=f"{path} cannot be read: {error.strerror}"))
        digest = sha256(data).digest()
        if before is not None and (before.seen, before.digest) == (seen, digest):
            return Look(seen, _parsed(path, data))
        return Look(seen, before.says if before is not None else StudyFile(), digest)


def _parsed(path: Path, data: bytes) -> StudyFile:
    try:
        return StudyFile(Study.parse(data.decode(), os.fspath(path)))
    except UnicodeDecodeError:
        return StudyFile(fault=f"{path} is no text in UTF-8")
    except AuroraError as error:
        return StudyFile(fault=str(error))
    except Exception as error:  # nothing that stands in one file may touch another study
        return StudyFile(fault=f"{path} cannot be followed: an unexpected {type(error).__name__}")
