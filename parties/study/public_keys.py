"""Public keys as text: the one line that stands in study files and in .pub files."""

from __future__ import annotations

from ppaurora.mpc.keys import PublicKey
from ppaurora.parties.errors import KeyFault

__all__ = ["NEW_KEY_ADVICE", "PUBLIC_PREFIXES", "parse_public", "public_text"]

PUBLIC_PREFIX = "ppaurora-2:"
OLD_PUBLIC_PREFIX = "ppaurora-1:"
PUBLIC_PREFIXES = (PUBLIC_PREFIX, OLD_PUBLIC_PREFIX)
"""How the lines of this format and of the former one begin."""
NEW_KEY_ADVICE = (
    "Make a new key with `ppaurora keys new`, give its .pub line to your studies' authors."
)


def public_text(public: PublicKey) -> str:
    """The one written form of a public key, as it stands in study files."""
    return PUBLIC_PREFIX + public.to_bytes().hex()


def parse_public(text: str) -> PublicKey:
    """The public key written as `text`."""
    line = text.strip()
    if line.startswith(OLD_PUBLIC_PREFIX):
        raise KeyFault(
            "This public key is of format 1, which has no key to sign with", advice=NEW_KEY_ADVICE
        )
    try:
        key = PublicKey.from_bytes(bytes.fromhex(line.removeprefix(PUBLIC_PREFIX)))
        if public_text(key) == line:
            return key
    except ValueError:
        pass
    raise KeyFault(
        f'A public key reads "{PUBLIC_PREFIX}" and 128 hexadecimal digits, this text does not',
        advice="Copy the whole line that `ppaurora keys show` prints.",
    )
