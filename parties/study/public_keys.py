"""Public keys as text: the one line that stands in study files and in .pub files.

ppaurora-2:KEY               both halves in 128 hexadecimal digits
ppaurora-2:KEY:2028-11-22    the same, and the last day (UTC) on which it is to be used
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from ppaurora.mpc.keys import PublicKey
from ppaurora.parties.errors import KeyFault

PUBLIC_PREFIX = "ppaurora-2:"
OLD_PUBLIC_PREFIX = "ppaurora-1:"
PUBLIC_PREFIXES = (PUBLIC_PREFIX, OLD_PUBLIC_PREFIX)
"""The beginnings of lines of this format and of the former one."""
NEW_KEY_ADVICE = (
    "Make a new key with `ppaurora keys new`, give its .pub line to your studies' authors."
)


def public_text(public: PublicKey) -> str:
    """The one written form of a public key, as it stands in study files."""
    return with_day(PUBLIC_PREFIX + public.to_bytes().hex(), public.good_until)


def with_day(text: str, good_until: date | None) -> str:
    """The text of a key, followed by the day until which it is good, if it has one."""
    return text if good_until is None else f"{text}:{good_until.isoformat()}"


def day_of(text: str) -> date | None:
    """The day that `with_day` wrote, None for no text; raises ValueError for anything else."""
    if not text:
        return None
    day = date.fromisoformat(text)
    if day.isoformat() != text:
        raise ValueError("a day in another form")
    return day


def parse_public(text: str) -> PublicKey:
    """The public key written as `text`."""
    line = text.strip()
    if line.startswith(OLD_PUBLIC_PREFIX):
        raise KeyFault(
            "This public key is of format 1, which has no key to sign with", advice=NEW_KEY_ADVICE
        )
    try:
        digits, _, day = line.removeprefix(PUBLIC_PREFIX).partition(":")
        key = replace(PublicKey.from_bytes(bytes.fromhex(digits)), good_until=day_of(day))
        if public_text(key) == line:
            return key
    except ValueError:
        pass
    raise KeyFault(
        f'A public key reads "{PUBLIC_PREFIX}" and 128 hexadecimal digits, and perhaps '
        '":" and a day as in 2028-11-22; this text does not',
        advice="Copy the whole line that `ppaurora keys show` prints.",
    )
