"""A statement about a key is believed if every signature in it is right, and nothing else is."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.key_statements import KeyChange, changed, load_statement, revoked

OLD, NEW, OTHER = (Identity.generate() for _ in range(3))
MADE = date(2026, 11, 22)
CHANGE = changed(OLD, NEW, MADE, 30)


def loaded(folder: Path, text: str) -> object:
    (folder / "one.toml").write_text(text)
    return load_statement(folder / "one.toml")


def test_statements_read_back_as_they_were_made(tmp_path: Path) -> None:
    dated = Identity.from_private(NEW.private_bytes(), date(2028, 11, 22))
    for one in (CHANGE, changed(OLD, dated, MADE, 0), revoked(OLD), revoked(dated)):
        assert loaded(tmp_path, one.text) == one
    assert CHANGE.old_until == date(2026, 12, 22)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("old", OTHER.public),
        ("new", OTHER.public),
        ("new", replace(NEW.public, good_until=date(2099, 1, 1))),
        ("made", date(2026, 11, 23)),
        ("old_until", date(2027, 11, 22)),
        ("by_old", OTHER.sign(CHANGE.signed)),
        ("by_new", CHANGE.by_old),
        ("by_new", b""),
        ("by_old", bytes(64)),
    ],
    # keys are drawn anew in each process
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_change_that_was_changed_is_refused(tmp_path: Path, name: str, value: object) -> None:
    tampered = replace(CHANGE, **{name: value})  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"signature|hexadecimal") as caught:
        loaded(tmp_path, tampered.text)
    assert "do not use it" in caught.value.advice


def test_neither_key_makes_a_change_without_the_other(tmp_path: Path) -> None:
    for by_old, by_new in ((OLD, OLD), (NEW, NEW)):
        forged = replace(
            CHANGE, by_old=by_old.sign(CHANGE.signed), by_new=by_new.sign(CHANGE.signed)
        )
        with pytest.raises(ConfigurationError, match="is not the signature of"):
            loaded(tmp_path, forged.text)


def test_a_revocation_by_another_key_is_refused(tmp_path: Path) -> None:
    forged = replace(revoked(OTHER), key=OLD.public)
    with pytest.raises(ConfigurationError, match="is not the signature of"):
        loaded(tmp_path, forged.text)


def test_a_change_is_no_revocation_and_a_revocation_no_change(tmp_path: Path) -> None:
    for text in (
        CHANGE.text.replace('"change"', '"revocation"'),
        revoked(OLD).text.replace('"revocation"', '"change"'),
        CHANGE.text.replace('"change"', '"promise"'),
        CHANGE.text + 'more = "1"\n',
        CHANGE.text.replace("format = 1", "format = 2"),
        CHANGE.text.replace(CHANGE.by_old.hex(), CHANGE.by_old.hex().upper()),
        CHANGE.text.replace("2026-12-22", "2026-12-32"),
        CHANGE.text + "#" * 5000,
        "not TOML",
        "format = " + "[" * 3000,
    ):
        with pytest.raises(ConfigurationError):
            loaded(tmp_path, text)


def test_no_overlap_is_longer_than_a_year_or_ends_before_it_begins(tmp_path: Path) -> None:
    for days in (-1, 367):
        with pytest.raises(ConfigurationError, match="at most 366 days"):
            changed(OLD, NEW, MADE, days)
    for until in (date(2026, 11, 21), date(2028, 1, 1)):
        unsigned = KeyChange(OLD.public, NEW.public, MADE, until, b"", b"")
        signed = replace(
            unsigned, by_old=OLD.sign(unsigned.signed), by_new=NEW.sign(unsigned.signed)
        )
        with pytest.raises(ConfigurationError, match="between 0 and 366 days"):
            loaded(tmp_path, signed.text)


def test_a_new_key_with_a_half_of_the_old_one_is_refused(tmp_path: Path) -> None:
    half = Identity.from_private(OLD.private_bytes()[:32] + NEW.private_bytes()[32:])
    with pytest.raises(ConfigurationError, match="shares a half"):
        loaded(tmp_path, changed(OLD, half, MADE, 30).text)


def test_a_pipe_among_the_statements_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "one.toml")
    with pytest.raises(ConfigurationError, match="no plain file"):
        load_statement(tmp_path / "one.toml")
