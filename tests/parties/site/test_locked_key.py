"""A locked key opens with its passphrase only, and takes no more memory than is allowed."""

from __future__ import annotations

import stat
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.parties.errors import KeyFault
from ppaurora.parties.site.key_files import (
    create_identity,
    load_identity,
    public_of,
    set_passphrase,
)
from ppaurora.parties.site.locked_key import LEAST_COST, LockedKey, ScryptCost, locked
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.passphrase import from_file
from ppaurora.parties.site.site import Site

WORDS = "anchor lemon gravel seven"
IDENTITY = Identity.generate(date(2028, 11, 22))
LOCKED = locked(IDENTITY, WORDS, LEAST_COST)


def test_a_locked_key_opens_with_its_passphrase_and_shows_its_public_half_without() -> None:
    read = LockedKey.parse(LOCKED.line)
    assert (read.public, read.public.good_until) == (IDENTITY.public, date(2028, 11, 22))
    opened = read.opened(WORDS)
    assert opened.private_bytes() == IDENTITY.private_bytes()
    assert opened.public.good_until == date(2028, 11, 22)
    assert IDENTITY.private_bytes().hex()[:16] not in LOCKED.line


def test_a_passphrase_is_the_same_however_a_keyboard_composes_its_letters() -> None:
    there = locked(IDENTITY, "zw\N{LATIN SMALL LETTER O WITH DIAERESIS}lf Kugeln", LEAST_COST)
    assert there.opened("zwo\N{COMBINING DIAERESIS}lf Kugeln").public == IDENTITY.public


@pytest.mark.parametrize("passphrase", ["anchor lemon gravel six", "", WORDS.upper()])
def test_another_passphrase_opens_nothing(passphrase: str) -> None:
    with pytest.raises(KeyFault, match="does not open this key") as caught:
        LOCKED.opened(passphrase)
    assert WORDS not in str(caught.value)


def test_every_changed_part_of_the_line_is_found() -> None:
    other = Identity.generate().public
    for changed in (
        replace(LOCKED, public=other),
        replace(LOCKED, public=replace(IDENTITY.public, good_until=date(2099, 1, 1))),
        replace(LOCKED, public=replace(IDENTITY.public, good_until=None)),
        replace(LOCKED, cost=ScryptCost(LEAST_COST.doublings + 1)),
        replace(LOCKED, salt=bytes(16)),
        replace(LOCKED, nonce=bytes(12)),
        replace(LOCKED, sealed=bytes([LOCKED.sealed[0] ^ 1]) + LOCKED.sealed[1:]),
    ):
        with pytest.raises(KeyFault):
            LockedKey.parse(changed.line).opened(WORDS)


@pytest.mark.parametrize(
    "cost",
    [
        "scrypt-19-8-1",  # 512 MiB
        "scrypt-99-8-1",
        "scrypt-17-99-1",
        "scrypt-17-8-99",
        "scrypt-17-8-5",
        "scrypt-10-8-1",  # a guess would cost nothing
        "scrypt-17-1-1",
        "scrypt-017-8-1",
        "scrypt-17-8",
        "argon2-17-8-1",
    ],
)
def test_parameters_beyond_the_bounds_are_refused_before_memory_is_taken(
    cost: str, tmp_path: Path
) -> None:
    line = LOCKED.line.replace(str(LEAST_COST), cost)
    with pytest.raises(ValueError, match="scrypt"):
        LockedKey.parse(line)
    (tmp_path / "site.key").write_text(line)
    (tmp_path / "site.key").chmod(0o600)
    with pytest.raises(KeyFault, match="does not hold a private key"):
        load_identity(tmp_path / "site.key", lambda _: WORDS)


def test_a_line_has_one_form() -> None:
    for line in (
        LOCKED.line + "00",
        LOCKED.line[:-2],
        LOCKED.line.upper(),
        LOCKED.line.replace(":2028-11-22:", ":2028-11-22 :"),
        LOCKED.line.removeprefix("ppaurora-locked-1:"),
        LOCKED.line + ":",
    ):
        with pytest.raises(ValueError, match=r"locked key|non-hexadecimal|isoformat"):
            LockedKey.parse(line)


def test_a_passphrase_is_set_changed_and_taken_off_and_the_key_stays(tmp_path: Path) -> None:
    path = tmp_path / "site.key"
    made = create_identity(path, None, WORDS, LEAST_COST)
    assert public_of(path) == made.public
    assert load_identity(path, lambda _: WORDS).private_bytes() == made.private_bytes()
    set_passphrase(path, made, "quite another one", LEAST_COST)
    with pytest.raises(KeyFault, match="does not open"):
        load_identity(path, lambda _: WORDS)
    set_passphrase(path, made, "")
    assert load_identity(path).private_bytes() == made.private_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(one.name for one in tmp_path.iterdir()) == ["site.key", "site.key.pub"]


def test_a_server_opens_a_locked_key_with_the_file_that_its_site_names(tmp_path: Path) -> None:
    made = create_identity(tmp_path / "site.key", None, WORDS, LEAST_COST)
    site, file = tmp_path / "site.toml", tmp_path / "passphrase"
    site.write_text('key = "site.key"\nstudies = ["study.toml"]\n')
    with pytest.raises(KeyFault, match="locked with a passphrase, and nobody") as caught:
        own_identity(Site.load(site))
    assert "passphrase_file" in caught.value.advice
    site.write_text(site.read_text() + '[keys]\npassphrase_file = "passphrase"\n')
    file.write_text(f"{WORDS}\n")
    file.chmod(0o604)
    with pytest.raises(KeyFault, match=r"file of the passphrase .* can be read by others"):
        own_identity(Site.load(site))
    file.chmod(0o600)
    assert own_identity(Site.load(site)).public == made.public


def test_a_file_of_a_new_passphrase_holds_one_line_that_is_long_enough(tmp_path: Path) -> None:
    file = tmp_path / "passphrase"
    for text, fault in (
        ("short", "5 letters"),
        ("two lines\nof text that is long\n", "one line"),
        ("x" * 3000, "one line"),
        ("a long one but \udcff not text", "one line"),
    ):
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        file.chmod(0o600)
        with pytest.raises(KeyFault, match=fault):
            from_file(file, new=True)(tmp_path)


def test_an_expired_key_is_refused_with_what_to_do(tmp_path: Path) -> None:
    create_identity(tmp_path / "site.key", date(2026, 1, 31))
    (tmp_path / "site.toml").write_text('key = "site.key"\nstudies = ["study.toml"]\n')
    with pytest.raises(KeyFault, match="was good until 2026-01-31") as caught:
        own_identity(Site.load(tmp_path / "site.toml"))
    assert "ppaurora keys" in caught.value.advice
