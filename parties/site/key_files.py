"""Key files: the private one is its owner's alone, the public one is made to be passed on.

A private key never leaves its file and this process. Each file holds one line of text:

    ppaurora-2:KEY              the public halves: X25519, then Ed25519
    ppaurora-private-2:KEY      the private halves
    ppaurora-locked-1:...       the private halves, locked with a passphrase

The first two may be followed by the last day on which the key is to be used, as in :2028-11-22.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path

from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.parties.errors import KeyFault
from ppaurora.parties.private_file import write_private, write_public
from ppaurora.parties.site.locked_key import USUAL_COST, LockedKey, ScryptCost, locked
from ppaurora.parties.site.passphrase import Passphrase
from ppaurora.parties.site.private_line import (
    LOCKED_PREFIX,
    check_closed,
    create_private,
    line_in,
)
from ppaurora.parties.study.public_keys import (
    NEW_KEY_ADVICE,
    PUBLIC_PREFIXES,
    day_of,
    parse_public,
    public_text,
    with_day,
)

PRIVATE_PREFIX = "ppaurora-private-2:"
OLD_PRIVATE_PREFIX = "ppaurora-private-1:"


def create_identity(
    path: Path,
    good_until: date | None = None,
    passphrase: str = "",
    cost: ScryptCost | None = None,
    *,
    like: Path | None = None,
) -> Identity:
    """A new key pair: `path`, readable by its owner alone, and `path`.pub beside it.

    With a passphrase, `path` is locked with it. Where root makes them for another user, that user
    is the one whose `like` is.
    """
    identity = Identity.generate(good_until)
    advice = "Choose another file name, or `ppaurora keys show` to see its public key."
    create_private(path, _line(identity, passphrase, cost), advice, like=like)
    write_public(public_path(path), f"{public_text(identity.public)}\n".encode("ascii"), like=like)
    return identity


def set_passphrase(
    path: Path, identity: Identity, passphrase: str, cost: ScryptCost | None = None
) -> None:
    """Write the file of this key anew, locked with the passphrase, or open if it is empty.

    It stays its user's.
    """
    line = f"{_line(identity, passphrase, cost)}\n".encode("ascii")
    write_private(path.resolve(), line, like=path)


def _line(identity: Identity, passphrase: str, cost: ScryptCost | None) -> str:
    if passphrase:
        return locked(identity, passphrase, cost or USUAL_COST).line
    text = f"{PRIVATE_PREFIX}{identity.private_bytes().hex()}"
    return with_day(text, identity.public.good_until)


def public_path(path: Path) -> Path:
    """The path of the public half of the private key file `path`."""
    return path.with_name(path.name + ".pub")


def load_identity(path: Path, passphrase: Passphrase | None = None) -> Identity:
    """The key pair in `path`; refused when anybody else could read it.

    A locked one is opened with what `passphrase` gives, and refused where there is none to ask.
    """
    key = _read(path)
    if isinstance(key, Identity):
        return key
    if passphrase is None:
        raise KeyFault(
            f"The key in {path} is locked with a passphrase, and nobody is here to give it",
            advice='Name a file that holds it in site.toml: [keys] passphrase_file = "FILE", or '
            f"take it off: `ppaurora keys passphrase {path} --remove`.",
        )
    return key.opened(passphrase(path))


def public_of(path: Path) -> PublicKey:
    """The public half of the key pair in `path`; a locked one stays locked."""
    return _read(path).public


def is_locked(path: Path) -> bool:
    """Return whether the key in `path` is locked with a passphrase."""
    return not isinstance(_read(path), Identity)


def holds_private_key(path: Path) -> bool:
    """Return whether the file is one of a private key, even of one that is refused."""
    try:
        with path.open("rb") as file:
            start = file.read(len(PRIVATE_PREFIX)).decode("ascii", "replace")
    except OSError:
        return False
    return start.startswith((PRIVATE_PREFIX, OLD_PRIVATE_PREFIX, LOCKED_PREFIX))


def _read(path: Path) -> Identity | LockedKey:
    """The content of the private key file, which must be closed to others."""
    text, status = line_in(path, f"Make one with `ppaurora keys new {path}`.")
    if text.startswith(PUBLIC_PREFIXES):
        raise KeyFault(
            f"{path} holds a public key, and the private one is needed here",
            advice="Give the file beside it that `ppaurora keys new` made, without .pub.",
        )
    check_closed(path, status)
    if text.startswith(OLD_PRIVATE_PREFIX):
        raise KeyFault(
            f"{path} holds a key of format 1, which has no key to sign with", advice=NEW_KEY_ADVICE
        )
    try:
        if text.startswith(LOCKED_PREFIX):
            return LockedKey.parse(text)
        if text.startswith(PRIVATE_PREFIX):
            digits, colon, day = text.removeprefix(PRIVATE_PREFIX).partition(":")
            if bool(colon) == bool(day):
                return Identity.from_private(bytes.fromhex(digits), day_of(day))
    except ValueError:
        pass
    raise KeyFault(
        f"{path} does not hold a private key", advice="Give the file that `ppaurora keys new` made."
    )


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
