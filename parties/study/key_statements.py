"""Signed statements of a key's holder: that another key replaces it, or that it ends.

A statement is a small public text. It goes to everybody who has a study with that key, beside the
study, which stays as it is. Who puts it there compares the fingerprints with the holder by
telephone: the signatures show that both keys were in one hand, not in whose.

    change:      SIGNED by the old and by the new key: old, new, made, old_until
    revocation:  SIGNED by the key: key
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TypeAlias

from ppaurora.mpc.keys import SIGNATURE_BYTES, Identity, PublicKey, fingerprint, verify
from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.study.canonical import canonical_text
from ppaurora.parties.study.public_keys import day_of, parse_public, public_text
from ppaurora.parties.study.toml_table import TomlTable

DOMAIN = b"ppAURORA statement about a key 1\0"
FORMAT = 1
CHANGE, REVOCATION = "change", "revocation"
MOST_DAYS = 366
"""No old key is accepted beside its new one for longer than a year."""
MOST_BYTES = 4096
UNSIGNED_ADVICE = "It was changed or damaged: ask its author for the file again, and do not use it."


@dataclass(frozen=True, slots=True)
class KeyChange:
    """`new` takes the place of `old`, which is accepted beside it until the day `old_until`."""

    old: PublicKey
    new: PublicKey
    made: date
    old_until: date
    by_old: bytes
    by_new: bytes

    @property
    def signed(self) -> bytes:
        """The text that both keys sign."""
        return _signed(
            kind=CHANGE,
            old=public_text(self.old),
            new=public_text(self.new),
            made=self.made.isoformat(),
            old_until=self.old_until.isoformat(),
        )

    @property
    def text(self) -> str:
        """The statement as the file that is passed on."""
        return "\n".join(
            [
                "# A ppAURORA key changes. Everybody who has a study with the old key puts this",
                "# file where [keys] changes in site.toml says. Compare both by telephone:",
                f"#   old {fingerprint(self.old)}",
                f"#   new {fingerprint(self.new)}",
                f"format = {FORMAT}",
                f'kind = "{CHANGE}"',
                f'old = "{public_text(self.old)}"',
                f'new = "{public_text(self.new)}"',
                f'made = "{self.made.isoformat()}"',
                f'old_until = "{self.old_until.isoformat()}"',
                f'signed_by_old = "{self.by_old.hex()}"',
                f'signed_by_new = "{self.by_new.hex()}"',
                "",
            ]
        )

    @property
    def sentence(self) -> str:
        """The statement in one sentence."""
        return (
            f"the key {fingerprint(self.new)} takes the place of {fingerprint(self.old)}, which is "
            f"accepted until {self.old_until}"
        )


@dataclass(frozen=True, slots=True)
class Revocation:
    """The holder of `key` says that it is not to be accepted any more."""

    key: PublicKey
    by_key: bytes

    @property
    def signed(self) -> bytes:
        """The text that the key signs."""
        return _signed(kind=REVOCATION, key=public_text(self.key))

    @property
    def text(self) -> str:
        """The statement as the file that is passed on."""
        return "\n".join(
            [
                "# A ppAURORA key is revoked. Keep this file where only you can take it, until the",
                "# key is stolen or lost; then everybody who has a study with it puts this file",
                "# where [keys] changes in site.toml says.",
                f"#   {fingerprint(self.key)}",
                f"format = {FORMAT}",
                f'kind = "{REVOCATION}"',
                f'key = "{public_text(self.key)}"',
                f'signed = "{self.by_key.hex()}"',
                "",
            ]
        )

    @property
    def sentence(self) -> str:
        """The statement in one sentence."""
        return f"the key {fingerprint(self.key)} is revoked by its holder"


Statement: TypeAlias = KeyChange | Revocation


def check_overlap(days: int) -> None:
    """Refuse a number of days for which no old key is accepted beside its new one."""
    if not 0 <= days <= MOST_DAYS:
        raise ConfigurationError(
            f"An old key is accepted for at most {MOST_DAYS} days beside its new one, not {days}",
            advice=f"Give between 0 and {MOST_DAYS} days.",
        )


def changed(old: Identity, new: Identity, made: date, overlap_days: int) -> KeyChange:
    """The statement that `new` takes the place of `old`, signed by both."""
    check_overlap(overlap_days)
    until = made + timedelta(days=overlap_days)
    unsigned = KeyChange(old.public, new.public, made, until, b"", b"")
    by_old, by_new = old.sign(unsigned.signed), new.sign(unsigned.signed)
    return KeyChange(old.public, new.public, made, until, by_old, by_new)


def revoked(identity: Identity) -> Revocation:
    """The statement that this key is not to be accepted any more, signed by it."""
    return Revocation(identity.public, identity.sign(Revocation(identity.public, b"").signed))


def load_statement(path: Path) -> Statement:
    """The statement in the file at `path`, with every signature checked."""
    if path.exists() and not (path.is_file() and path.stat().st_size <= MOST_BYTES):
        raise ConfigurationError(
            f"{path} is no plain file, or too long for a statement about a key",
            advice="Where [keys] changes in site.toml leads there may be nothing else.",
        )
    top = TomlTable.load(path)
    if top.take("format", int) != FORMAT:
        raise top.fault("format", "is not one that this version reads", "Install a newer version.")
    kind = top.take("kind", str)
    if kind == CHANGE:
        return _change(top)
    if kind == REVOCATION:
        return _revocation(top)
    raise top.fault("kind", f'must be "{CHANGE}" or "{REVOCATION}"')


def _change(top: TomlTable) -> KeyChange:
    change = KeyChange(
        old=_key(top, "old"),
        new=_key(top, "new"),
        made=_day(top, "made"),
        old_until=_day(top, "old_until"),
        by_old=_signature(top, "signed_by_old"),
        by_new=_signature(top, "signed_by_new"),
    )
    top.finish()
    for name, key, signature in (
        ("signed_by_old", change.old, change.by_old),
        ("signed_by_new", change.new, change.by_new),
    ):
        if not verify(key, change.signed, signature):
            raise top.fault(name, f"is not the signature of {fingerprint(key)}", UNSIGNED_ADVICE)
    if {change.old.exchange, change.old.signing} & {change.new.exchange, change.new.signing}:
        raise top.fault(
            "new", "shares a half with the old key", "Make it by `ppaurora keys rotate`."
        )
    if not timedelta(0) <= change.old_until - change.made <= timedelta(days=MOST_DAYS):
        raise top.fault("old_until", f"must be between 0 and {MOST_DAYS} days after made")
    return change


def _revocation(top: TomlTable) -> Revocation:
    revocation = Revocation(_key(top, "key"), _signature(top, "signed"))
    top.finish()
    if not verify(revocation.key, revocation.signed, revocation.by_key):
        raise top.fault(
            "signed", f"is not the signature of {fingerprint(revocation.key)}", UNSIGNED_ADVICE
        )
    return revocation


def _key(top: TomlTable, name: str) -> PublicKey:
    try:
        return parse_public(top.take(name, str))
    except KeyFault as error:
        raise top.fault(name, f"holds no public key: {error.what}", error.advice) from None


def _day(top: TomlTable, name: str) -> date:
    try:
        day = day_of(top.take(name, str))
    except ValueError:
        day = None
    if day is None:
        raise top.fault(name, "must be a day as in 2028-11-22")
    return day


def _signature(top: TomlTable, name: str) -> bytes:
    text = top.take(name, str)
    try:
        signature = bytes.fromhex(text)
    except ValueError:
        signature = b""
    if len(signature) != SIGNATURE_BYTES or signature.hex() != text:
        raise top.fault(name, f"must be {2 * SIGNATURE_BYTES} hexadecimal digits", UNSIGNED_ADVICE)
    return signature


def _signed(**content: str) -> bytes:
    return DOMAIN + canonical_text(content)
