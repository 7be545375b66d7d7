"""Key files: the private one is its owner's alone, the public one is made to be passed on.

A private key never leaves its file and this process; both files hold one line of text: its format,
the X25519 key, the Ed25519 key.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from pathlib import Path

from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.study.public_keys import (
    NEW_KEY_ADVICE,
    PUBLIC_PREFIXES,
    parse_public,
    public_text,
)

__all__ = ["create_identity", "create_private", "load_identity", "private_line", "read_public"]

PRIVATE_PREFIX = "ppaurora-private-2:"
OLD_PRIVATE_PREFIX = "ppaurora-private-1:"


def create_identity(path: Path) -> Identity:
    """A new key pair: `path`, readable by its owner alone, and `path`.pub beside it."""
    identity = Identity.generate()
    create_private(
        path,
        f"{PRIVATE_PREFIX}{identity.private_bytes().hex()}",
        "Choose another file name, or `ppaurora keys show` to see its public key.",
    )
    public_path(path).write_text(public_text(identity.public) + "\n", encoding="ascii")
    return identity


def create_private(path: Path, line: str, advice: str) -> None:
    """Write a new file of one line, readable by its owner alone; `advice` where there is one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ConfigurationError(
            f"{path} exists already and is left alone", advice=advice
        ) from None
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"{line}\n")
        file.flush()
        os.fsync(file.fileno())


def public_path(path: Path) -> Path:
    """Where the public half of the private key file `path` lies."""
    return path.with_name(path.name + ".pub")


def load_identity(path: Path) -> Identity:
    """The key pair in `path`; refused when anybody else could read it."""
    text, status = _line(path, f"Make one with `ppaurora keys new {path}`.")
    if text.startswith(PUBLIC_PREFIXES):
        raise KeyFault(
            f"{path} holds a public key, and the private one is needed here",
            advice="Give the file beside it that `ppaurora keys new` made, without .pub.",
        )
    _check_closed(path, status)
    if text.startswith(OLD_PRIVATE_PREFIX):
        raise KeyFault(
            f"{path} holds a key of format 1, which has no key to sign with", advice=NEW_KEY_ADVICE
        )
    try:
        if text.startswith(PRIVATE_PREFIX):
            return Identity.from_private(bytes.fromhex(text.removeprefix(PRIVATE_PREFIX)))
    except ValueError:
        pass
    raise KeyFault(
        f"{path} does not hold a private key", advice="Give the file that `ppaurora keys new` made."
    )


def private_line(path: Path, advice: str) -> str:
    """The line in the file at `path`, which must be closed to others; `advice` where it is not."""
    text, status = _line(path, advice)
    _check_closed(path, status)
    return text


def _line(path: Path, advice: str) -> tuple[str, os.stat_result]:
    """What a plain file begins with, and what the system says of it.

    A link is followed, as secrets are mounted in clusters: what counts is the file behind it.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        raise KeyFault(f"There is no key file {path}", advice=advice) from None
    except OSError:
        raise KeyFault(
            f"The key file {path} cannot be opened",
            advice="It must be a file that you may read.",
        ) from None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        what = "a folder, not a key file" if stat.S_ISDIR(status.st_mode) else "not a plain file"
        raise KeyFault(f"{path} is {what}", advice="Give the private key file itself.")
    with os.fdopen(handle, encoding="ascii", errors="replace") as file:
        return file.read(256).strip(), status


def _check_closed(path: Path, status: os.stat_result) -> None:
    if is_open_to_others(status, os.geteuid(), {os.getegid(), *os.getgroups()}):
        raise KeyFault(
            f"The key file {path} can be read by others, so it is not used",
            advice=f"Run `chmod 600 {path}`; if others may have read it, make a new key.",
        )


def is_open_to_others(status: os.stat_result, user: int, groups: Collection[int]) -> bool:
    """Whether anybody but `user`, one of whose groups are `groups`, and root could use the file.

    A file of root's that a group of the user's, or root's own, may read is how a cluster or a
    service manager hands out a secret: it is as private as that group.
    """
    beyond = status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    if status.st_uid == 0 and status.st_gid in {0, *groups}:
        return beyond not in (0, stat.S_IRGRP)
    return status.st_uid != user or beyond != 0


def read_public(text_or_path: str) -> PublicKey:
    """A public key given as its text, or as the path of a .pub file."""
    if text_or_path.startswith(PUBLIC_PREFIXES):
        return parse_public(text_or_path)
    try:
        text = Path(text_or_path).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        raise KeyFault(
            f"{text_or_path} is neither a public key nor a readable .pub file",
            advice="Give the line that `ppaurora keys show` prints, or the .pub file.",
        ) from None
    return parse_public(text)
