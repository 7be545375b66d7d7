"""The key by which the owners of a study assign folds: one file, the same at every owner.

It never leaves the owners' machines. The study holds a commitment to it, so that an owner with
another key is found before anything is sent.
"""

from __future__ import annotations

import os
from pathlib import Path

from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.parties.errors import KeyFault
from ppaurora.parties.site.private_line import create_private, private_line
from ppaurora.protocols.lists.folds import KEY_BYTES, key_commitment

PREFIX = "ppaurora-folds-1:"


def create_fold_key(path: Path) -> bytes:
    """A new key in the file at `path`, readable by its owner alone."""
    key = os.urandom(KEY_BYTES)
    write_fold_key(path, key)
    return key


def write_fold_key(path: Path, key: bytes) -> None:
    """Put this key into a new file, readable by its owner alone."""
    create_private(path, f"{PREFIX}{key.hex()}", "Choose another file name.")


def load_fold_key(path: Path) -> bytes:
    """The key in the file at `path`; refused when anybody else could read it."""
    line = private_line(path, "Make one with `ppaurora keys owners`, or get it from another owner.")
    try:
        key = bytes.fromhex(line.removeprefix(PREFIX))
    except ValueError:
        key = b""
    if line != PREFIX + key.hex() or len(key) != KEY_BYTES:
        raise KeyFault(
            f"{path} holds no fold key",
            advice=f'It is one line, "{PREFIX}" and {2 * KEY_BYTES} hexadecimal digits.',
        )
    return key


def check_fold_key(by: ExtraColumn, path: Path | None) -> bytes:
    """The key in the site's file if it is the study's; empty where the column needs none."""
    if not by.commitment:
        return b""
    if path is None:
        raise KeyFault(
            f"The study {by.key_for} by a key that the owners share, and this site has none",
            advice='Write [folds] key = "FILE" in your site file; another owner has the key.',
        )
    key = load_fold_key(path)
    if key_commitment(key) != by.commitment:
        raise KeyFault(
            f"The key in {path} is not the one by which this study {by.key_for}",
            advice="Nothing was sent. Compare `ppaurora folds check` with another owner's.",
        )
    return key
