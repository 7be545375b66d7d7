"""What a site file says of keys beside its own: the table `[keys]` of site.toml."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ppaurora.parties.study.toml_table import TomlTable

__all__ = ["KeySettings", "key_settings"]

FINGERPRINT = re.compile(r"[A-Z2-7]{4}(-[A-Z2-7]{4}){4}")


@dataclass(frozen=True, slots=True)
class KeySettings:
    """Where the passphrase, the changes and the revocations of keys lie; which keys are refused.

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
