"""The statements about keys that a site was given as files, and the keys in force by them."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from glob import glob
from pathlib import Path

from ppaurora.mpc.keys import PublicKey, fingerprint
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.key_days import day_at
from ppaurora.parties.study.key_statements import MOST_BYTES, KeyChange, Statement, load_statement
from ppaurora.parties.study.keys_in_force import KeysInForce, KeyStatements
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.toml_table import TomlTable

FINGERPRINT = re.compile(r"[A-Z2-7]{4}(-[A-Z2-7]{4}){4}")


@dataclass(frozen=True, slots=True)
class KeySettings:
    """The files of the passphrase, changes and revocations of keys; the keys to be refused.

    `changes` are the names of files, relative to `folder`, with * for any letters. Keys whose
    fingerprints stand in `revoked` are refused by this site, whoever signed what.
    """

    folder: Path = Path()
    passphrase_file: Path | None = None
    changes: tuple[str, ...] = ()
    revoked: tuple[str, ...] = ()


def key_settings(table: TomlTable, base: Path) -> KeySettings:
    """The settings in the table `[keys]`; paths are relative to `base`."""
    file = table.take("passphrase_file", str, "")
    settings = KeySettings(
        folder=base,
        passphrase_file=base / file if file else None,
        changes=tuple(table.take_list("changes", str, ())),
        revoked=tuple(table.take_list("revoked", str, ())),
    )
    table.finish()
    for text in settings.revoked:
        if not FINGERPRINT.fullmatch(text):
            raise table.fault(
                "revoked", f'holds "{text}", which is no fingerprint', "Copy it from `keys show`."
            )
    return settings


@dataclass(frozen=True, slots=True)
class FaultyFile:
    """A file that is no statement to be followed: why not, and the letters that it holds."""

    error: ConfigurationError
    text: str

    @classmethod
    def of(cls, path: Path, error: ConfigurationError) -> FaultyFile:
        """The start of the file, up to the length that a statement may have."""
        data = b""
        with contextlib.suppress(OSError):
            if path.is_file():
                with path.open("rb") as file:
                    data = file.read(MOST_BYTES)
        return cls(error, data.decode("ascii", "replace"))

    def names(self, keys: Iterable[PublicKey]) -> bool:
        """Return whether it holds a half or the fingerprint of one of these keys."""
        return any(
            mark in self.text
            for key in keys
            for mark in (key.exchange.hex(), key.signing.hex(), fingerprint(key))
        )


class Keyring:
    """Reads a site's statements when it is made; `refresh` adds what has come since.

    A statement that was read stays in force until the process ends, even if its file goes. A faulty
    file is an error, unless `bears_faults`: then `faults` has it, and `holds_back` says which
    studies have to wait for it.
    """

    def __init__(
        self,
        settings: KeySettings,
        now: Callable[[], float] = time.time,
        *,
        bears_faults: bool = False,
    ) -> None:
        self._settings = settings
        self._now = now
        self._seen: dict[Path, tuple[int, int]] = {}
        self._known: list[Statement] = []
        self._faults: dict[Path, FaultyFile] = {}
        self._statements = KeyStatements(refused=frozenset(settings.revoked))
        _check_folders(settings)
        _, faults = self.refresh()
        if faults and not bears_faults:
            raise faults[0]
        self._never_read = set(self._faults)

    @property
    def known(self) -> list[Statement]:
        """Every statement that was read."""
        return list(self._known)

    def in_force(self) -> KeysInForce:
        """The keys that stand for those of studies today."""
        return KeysInForce(self._statements, day_at(self._now()))

    @property
    def faults(self) -> list[ConfigurationError]:
        """The fault of each file that is faulty now."""
        return [fault.error for fault in self._faults.values()]

    def holds_back(self, study: Study) -> str:
        """The reason why the study waits for a file faulty from the start; empty if it does not.

        It does if the file names one of its keys. Of a file that became faulty later, what it said
        before stays in force.
        """
        for path in self._never_read:
            if path in self._faults and self._faults[path].names(self._keys_of(study)):
                return (
                    f"Study {study.id} is not served before {path} is mended, which names a key of "
                    f"one of its parties: {self._faults[path].error}"
                )
        return ""

    def _keys_of(self, study: Study) -> list[PublicKey]:
        return [key for named in study.publics for key in self._statements.chain(named)]

    def refresh(self) -> tuple[list[Statement], list[ConfigurationError]]:
        """Read the files again if any is new or changed; what they say that is new, and faults.

        What was known before stays in force beside a faulty file, and what is sound is taken.
        """
        files = self._files()
        if files == self._seen:
            return [], []
        self._seen = files
        read: list[tuple[Path, Statement]] = []
        new: list[Statement] = []
        faults: dict[Path, FaultyFile] = {}
        for path in files:
            try:
                read.append((path, load_statement(path)))
            except ConfigurationError as error:
                faults[path] = FaultyFile.of(path, error)
            except OSError as error:
                what = f"{path} cannot be read: {error.strerror}"
                faults[path] = FaultyFile.of(path, ConfigurationError(what))
        # a revocation contradicts nothing, and must not wait for a change that does
        for path, one in sorted(read, key=lambda one: isinstance(one[1], KeyChange)):
            if one in self._known:
                continue
            try:
                self._statements = KeyStatements.of([*self._known, one], self._settings.revoked)
            except ConfigurationError as error:
                fault = ConfigurationError(f"{path}: {error.what}", advice=error.advice)
                faults[path] = FaultyFile.of(path, fault)
            else:
                self._known.append(one)
                new.append(one)
        self._faults = faults
        return new, self.faults

    def _files(self) -> dict[Path, tuple[int, int]]:
        """The files, each with its time and size, which show when it is written anew."""
        statuses = {}
        folder = self._settings.folder
        for pattern in self._settings.changes:
            named = glob(pattern, root_dir=folder) if "*" in pattern else [pattern]
            for path in sorted(folder / one for one in named):
                try:
                    status = path.stat()
                    statuses[path] = (status.st_mtime_ns, status.st_size)
                except OSError:
                    statuses[path] = (0, 0)
        return statuses


def _check_folders(settings: KeySettings) -> None:
    """A folder with a misspelt name must not look like one that is empty."""
    for pattern in settings.changes:
        folder = (settings.folder / pattern).parent
        if "*" not in str(folder) and not folder.is_dir():
            raise ConfigurationError(
                f"There is no folder {folder}, which [keys] changes in site.toml names",
                advice="Make it, or correct the name there.",
            )
