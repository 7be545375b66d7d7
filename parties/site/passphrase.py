"""The passphrase of a locked key, from the terminal or from a file closed to others.

Never the command line or the environment, which other programs of the machine may read.
"""

from __future__ import annotations

import getpass
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from ppaurora.parties.errors import KeyFault
from ppaurora.parties.site.private_line import private_line

Passphrase: TypeAlias = Callable[[Path], str]
"""Gives the passphrase of the key file at a path."""
LEAST_LETTERS = 12
NO_TERMINAL = "Run it on a terminal, or name a file that holds the passphrase."


def asked(path: Path) -> str:
    """The passphrase of the key in `path`, asked for once on the terminal and not shown there."""
    return _typed(f"Passphrase of {path}: ", f"The key in {path} is locked with a passphrase")


def chosen(path: Path) -> str:
    """A new passphrase for the key in `path`, typed twice on the terminal."""
    what = f"The new passphrase of {path} has to be typed"
    first = _checked(_typed(f"New passphrase of {path}, at least {LEAST_LETTERS} letters: ", what))
    if _typed("The same once more: ", what) != first:
        raise KeyFault("The two passphrases differ", advice="Nothing was changed; try again.")
    return first


def from_file(file: Path, *, new: bool = False) -> Passphrase:
    """The passphrase is the one line in `file`, which must be closed to others as a key file is.

    A `new` one must be long enough.
    """

    def read(_: Path) -> str:
        line = private_line(
            file, "Put the passphrase there, as one line.", what="file of the passphrase"
        )
        return _checked(line) if new else line

    return read


def _checked(passphrase: str) -> str:
    if len(passphrase) < LEAST_LETTERS:
        raise KeyFault(
            f"The passphrase has {len(passphrase)} letters, and should have {LEAST_LETTERS}",
            advice="Take five or more words that do not belong together.",
        )
    return passphrase


def _typed(prompt: str, why: str) -> str:
    """The typed text; without a terminal that hides it, an error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            return getpass.getpass(prompt)
    except (getpass.GetPassWarning, EOFError, OSError):
        raise KeyFault(f"{why}, and there is no terminal to ask on", advice=NO_TERMINAL) from None
