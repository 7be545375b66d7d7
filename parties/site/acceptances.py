"""The studies that a site has accepted: a folder with the canonical text of each one.

A file is named by the study's hash, which is the hash of its content: what was damaged, or put
there under another name, counts as nothing. Anybody who may write the folder may add to it at any
time, whether the site's server runs or not.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.posix import sync
from ppaurora.parties.private_file import make_private_folder, write_private
from ppaurora.parties.site.plain_file import read_plain
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.study import Study

FOLDER = "accepted"
ENDING = ".json"
MOST_STUDY_BYTES = 1 << 20


class Acceptances:
    """The accepted studies, in the folder `accepted` of a server's or a participant's state."""

    def __init__(self, state: Path, folder: str = FOLDER) -> None:
        """Texts of studies in another `folder` are kept in the same way."""
        self.state = state
        self._folder = state / folder
        self._known: dict[bytes, Study] = {}

    @classmethod
    def of(cls, site: Site, *, server: bool) -> Acceptances:
        """Those of the site whose settings these are."""
        return cls(site.server.state if server else site.participant_state)

    def add(self, study: Study) -> None:
        """Accept exactly this study; once this returns, that is on the disk."""
        if self.find(study.hash) is not None:
            return
        try:
            make_private_folder(self._folder)
            write_private(self._path(study.hash), study.canonical(), like=self._folder.parent)
        except OSError as error:
            raise ConfigurationError(
                f"{self._folder} cannot be written: {error.strerror}",
                advice="Run this as the user whose state it is, or as root.",
            ) from None

    def find(self, hash: bytes) -> Study | None:
        """The accepted study with this hash, or None if there is none."""
        if hash not in self._known and self.has(hash):
            with contextlib.suppress(AuroraError, ValueError, RecursionError):
                owner = self._folder.parent.stat().st_uid  # for root, who may accept for it
                data, _ = read_plain(self._path(hash), MOST_STUDY_BYTES, owner)
                study = Study.restore(data, self._path(hash).name)
                if study.hash == hash:
                    self._known[hash] = study
        return self._known.get(hash)

    def has(self, hash: bytes) -> bool:
        """Return whether there is a file for this hash, readable or not."""
        return os.path.lexists(self._path(hash))

    def forget(self, hash: bytes) -> None:
        """Accept the study with this hash no more; once this returns, that is on the disk."""
        self._known.pop(hash, None)
        if self.has(hash):
            self._path(hash).unlink(missing_ok=True)
            sync(self._folder)

    def all(self) -> list[Study]:
        """Everything that was accepted and can be read, by hash."""
        studies = []
        for path in sorted(self._folder.glob(f"*{ENDING}")):
            with contextlib.suppress(ValueError):
                studies.append(self.find(bytes.fromhex(path.stem)))
        return [study for study in studies if study is not None]

    def at(self, study: Study) -> float:
        """The time at which this study was accepted, in seconds since 1970."""
        return self._path(study.hash).stat().st_mtime

    def _path(self, hash: bytes) -> Path:
        return self._folder / f"{hash.hex()}{ENDING}"
