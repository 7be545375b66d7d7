"""The beginning of a site: a key and a site.toml, made in a folder where nothing is touched."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from pathlib import Path

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import PublicKey
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.site.key_files import (
    create_identity,
    holds_private_key,
    public_of,
    public_path,
)
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import site_text

SITE_FILE = "site.toml"
USUAL_LEAST_SAMPLES = 50
USUAL_LEAST_OWNERS = 2
NEXT = {
    "owner": (
        "Pass {public} to the study's author.",
        "Put the study's file here as {study}.",
        "Then run `ppaurora doctor --site {site}`, and `ppaurora outsource FILE --site {site}`.",
    ),
    "receiver": (
        "Pass {public} to the study's author.",
        "Put the study's file here as {study}.",
        "Then run `ppaurora doctor --site {site}`, and `ppaurora result --site {site} --wait 600`.",
    ),
    "server": (
        "Pass {public} and this machine's host:port to the study's author.",
        "Put the study's file here as {study}.",
        "Then run `ppaurora server {site}`.",
    ),
}


class Task(StrEnum):
    """A task in a study."""

    owner = "owner"
    receiver = "receiver"
    server = "server"

    def one(self) -> str:
        """The task with its article."""
        return f"{'an' if self is Task.owner else 'a'} {self}"


@dataclass(frozen=True, slots=True)
class Beginning:
    """A folder before `make`: its study, if it is there, and the key that is or will be there.

    A key that lies in the folder already is taken, whatever its name; None if there is none and
    none is named.
    """

    folder: Path
    study_name: str
    study: Study | None
    key: Path | None

    @classmethod
    def of(cls, folder: Path, name: str, study: str) -> Beginning:
        """The folder as it is, for somebody of this name, if it is given."""
        study, agreed_on = _study_beside(folder, study)
        return cls(folder, study, agreed_on, _key_beside(folder, name, agreed_on))

    def key_named(self, name: str) -> Path:
        """The key that is there, or else the one to be made."""
        return self.key or self.folder / f"{name or 'site'}.key"

    def task(self, key: Path, part: Task | None) -> Task | None:
        """The task of this key in the study, which must be `part` where both are known."""
        known = _part_of(key, self.study) if key.exists() else None
        if part is not None and known not in (None, part):
            raise ConfigurationError(
                f"{key} is the key of {known.one()} in {self.folder / self.study_name}, not of "
                f"{part.one()}",
                advice=f"Leave out --as {part}, or name another --folder.",
            )
        return known

    def make(
        self, key: Path, part: Task, least_own_samples: int, least_other_owners: int
    ) -> PublicKey:
        """Make the key and site.toml unless they exist; the public half of the key."""
        public = public_of(key) if key.exists() else create_identity(key).public
        if not self.site.exists():
            more = _settings(part, least_own_samples, least_other_owners)
            self.site.write_text(site_text(key.name, [self.study_name], more), encoding="utf-8")
        return public

    @property
    def site(self) -> Path:
        """The site file."""
        return self.folder / SITE_FILE

    def place_in_study(self, known: Task | None) -> str:
        """A sentence on the key and the study, if the study is there."""
        if known is not None:
            return f"In {self.folder / self.study_name} this is the key of {known.one()}"
        if self.study is not None:
            return f"{self.folder / self.study_name} is there, and this key is not in it yet"
        return ""

    def steps(self, key: Path, part: Task, known: Task | None) -> Iterator[str]:
        """The steps that come next for somebody with this task."""
        done = (known is not None, self.study is not None)
        for step, is_done in zip_longest(NEXT[part], done):
            if not is_done:
                yield step.format(
                    public=public_path(key), study=self.folder / self.study_name, site=self.site
                )


def _study_beside(folder: Path, name: str) -> tuple[str, Study | None]:
    """The study file in the folder, by the name given or as the only one there, and its study."""
    studies = {}
    for path in (folder / name,) if (folder / name).exists() else sorted(folder.glob("*.toml")):
        with contextlib.suppress(AuroraError):
            studies[path.name] = Study.load(path)
    return next(iter(studies.items())) if len(studies) == 1 else (name, None)


def _key_beside(folder: Path, name: str, study: Study | None) -> Path | None:
    """The private key that lies in the folder: of this name, in the study, or the only one."""
    if name and (folder / f"{name}.key").exists():
        return folder / f"{name}.key"
    keys = [path for path in sorted(folder.glob("*.key")) if holds_private_key(path)]
    if len(keys) > 1:
        in_study = [path for path in keys if _part_of(path, study) is not None]
        if len(in_study) != 1:
            raise ConfigurationError(
                f"Several private keys lie in {folder}: {', '.join(path.name for path in keys)}",
                advice=f"Say which: `ppaurora init {keys[0].stem}`; or name another --folder.",
            )
        keys = in_study
    return keys[0] if keys else None


def _part_of(key: Path, study: Study | None) -> Task | None:
    """The task in the study of the key in this file; None if it is not in it."""
    if study is None:
        return None
    public = public_of(key)
    if KeysInForce().role_of(study, public) is not None:
        return Task.server
    entry = study.participant_of(public)
    return None if entry is None else Task.owner if entry.uploads else Task.receiver


def _settings(part: Task, least_own_samples: int, least_other_owners: int) -> str:
    """The table of a site file that is for this part, with a comment on each line."""
    if part is Task.owner:
        return (
            "\n[policy]  # what breaks it is refused here, before anything is sent\n"
            f"least_own_samples = {least_own_samples}  # no shorter list is sent\n"
            f"least_other_owners = {least_other_owners}  # no study with fewer other owners\n"
        )
    if part is Task.server:
        return (
            "\n[server]\n"
            'state = "state"  # where uploads are kept; encrypt this disk\n'
            '# listen = "0.0.0.0:7100"  # if it is not to listen at the study\'s address\n'
        )
    return ""
