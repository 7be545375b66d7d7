"""Key files are private, and everything about them that is unsafe is refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.site.key_files import (
    create_identity,
    load_identity,
    read_public,
)
from ppaurora.parties.study.public_keys import (
    parse_public,
    public_text,
)


def test_a_new_key_is_private_and_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "site.key"
    identity = create_identity(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_identity(path).private_bytes() == identity.private_bytes()
    assert read_public(f"{path}.pub") == identity.public
    assert identity.private_bytes().hex() not in Path(f"{path}.pub").read_text()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666, 0o610])
def test_a_key_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "site.key"
    create_identity(path)
    path.chmod(mode)
    with pytest.raises(KeyFault, match="can be read by others") as caught:
        load_identity(path)
    assert "chmod 600" in caught.value.advice


def test_a_key_behind_a_link_is_refused(tmp_path: Path) -> None:
    create_identity(tmp_path / "site.key")
    os.symlink(tmp_path / "site.key", tmp_path / "link.key")
    with pytest.raises(KeyFault, match="cannot be opened"):
        load_identity(tmp_path / "link.key")


def test_an_existing_key_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "site.key"
    identity = create_identity(path)
    with pytest.raises(ConfigurationError, match="exists already"):
        create_identity(path)
    assert load_identity(path).public == identity.public


def test_missing_and_broken_keys_are_told_without_their_contents(tmp_path: Path) -> None:
    with pytest.raises(KeyFault, match="There is no key file"):
        load_identity(tmp_path / "none.key")
    path = tmp_path / "site.key"
    secret = create_identity(path).private_bytes().hex()
    for text in (secret, f"ppaurora-private-2:{secret[:-1]}", f"ppaurora-private:{secret}", ""):
        path.write_text(text)
        with pytest.raises(KeyFault, match="does not hold a private key") as caught:
            load_identity(path)
        assert secret[:16] not in str(caught.value)


def test_the_public_file_is_not_taken_for_the_private_one(tmp_path: Path) -> None:
    create_identity(tmp_path / "site.key")
    with pytest.raises(KeyFault, match="holds a public key") as caught:
        load_identity(tmp_path / "site.key.pub")
    assert "chmod" not in str(caught.value)
    assert "without .pub" in caught.value.advice


def test_a_folder_is_not_a_key_file(tmp_path: Path) -> None:
    with pytest.raises(KeyFault, match="is a folder, not a key file"):
        load_identity(tmp_path)
    with pytest.raises(KeyFault, match="neither a public key nor a readable"):
        read_public(str(tmp_path))


def test_public_keys_have_one_written_form() -> None:
    public = Identity.generate().public
    assert parse_public(public_text(public) + "\n") == public
    assert public_text(public) == f"ppaurora-2:{public.exchange.hex()}{public.signing.hex()}"
    for text in (
        public.to_bytes().hex(),
        public_text(public)[:-2],
        public_text(public).upper(),
        "ppaurora-2:" + "z" * 128,
        "",
    ):
        with pytest.raises(KeyFault):
            parse_public(text)


def test_keys_of_format_1_are_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "site.key"
    create_identity(path)
    path.write_text(f"ppaurora-private-1:{'ab' * 32}\n")
    with pytest.raises(KeyFault, match="format 1, which has no key to sign with") as caught:
        load_identity(path)
    assert "keys new" in caught.value.advice
    assert "abab" not in str(caught.value)
    with pytest.raises(KeyFault, match="public key is of format 1") as caught:
        read_public(f"ppaurora-1:{'ab' * 32}")
    assert "keys new" in caught.value.advice
