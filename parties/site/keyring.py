"""The statements about keys that a site was given as files, and the keys in force by them."""

from __future__ import annotations

import time
from collections.abc import Callable
from glob import glob
from pathlib import Path

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.site.key_settings import KeySettings
from ppaurora.parties.study.key_days import day_at
from ppaurora.parties.study.key_statements import KeyChange, Statement, load_statement
from ppaurora.parties.study.keys_in_force import KeysInForce, KeyStatements

__all__ = ["Keyring"]


class Keyring:
    """Reads a site's statements when it is made; `refresh` adds what has come since.

    A statement that was read stays in force until the process ends, even if its file goes.
    """

    def __init__(self, settings: KeySettings, now: Callable[[], float] = time.time) -> None:
        self._settings = settings
        self._now = now
        self._seen: dict[Path, tuple[int, int]] = {}
        self._known: list[Statement] = []
        self._statements = KeyStatements(refused=frozenset(settings.revoked))
        _check_folders(settings)
        _, faults = self.refresh()
        if faults:
            raise faults[0]

    @property
    def known(self) -> list[Statement]:
        """Every statement that was read."""
        return list(self._known)

    def in_force(self) -> KeysInForce:
        """The keys that stand for those of studies today."""
        return KeysInForce(self._statements, day_at(self._now()))

    def refresh(self) -> tuple[list[Statement], list[ConfigurationError]]:
        """Read the files again if any is new or changed; what they say that is new, and faults.

        What was known before stays in force beside a faulty file, and what is sound is taken.
        """
        files = self._files()
        if files == self._seen:
            return [], []
        self._seen = files
        read, new, faults = [], [], []
        for path in files:
            try:
                read.append(load_statement(path))
            except ConfigurationError as error:
                faults.append(error)
        # a revocation contradicts nothing, and must not wait for a change that does
        for one in sorted(read, key=lambda one: isinstance(one, KeyChange)):
            if one in self._known:
                continue
            try:
                self._statements = KeyStatements.of([*self._known, one], self._settings.revoked)
            except ConfigurationError as error:
                faults.append(error)
            else:
                self._known.append(one)
                new.append(one)
        return new, faults

    def _files(self) -> dict[Path, tuple[int, int]]:
        """The files, each with its time and size, which show when it is written anew."""
        found = {}
        folder = self._settings.folder
        for pattern in self._settings.changes:
            named = glob(pattern, root_dir=folder) if "*" in pattern else [pattern]
            for path in sorted(folder / one for one in named):
                try:
                    status = path.stat()
                    found[path] = (status.st_mtime_ns, status.st_size)
                except OSError:
                    found[path] = (0, 0)
        return found


def _check_folders(settings: KeySettings) -> None:
    """A folder with a misspelt name must not look like one that is empty."""
    for pattern in settings.changes:
        folder = (settings.folder / pattern).parent
        if "*" not in str(folder) and not folder.is_dir():
            raise ConfigurationError(
                f"There is no folder {folder}, which [keys] changes in site.toml names",
                advice="Make it, or correct the name there.",
            )
