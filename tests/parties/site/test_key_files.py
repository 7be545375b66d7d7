"""Key files are private, and everything about them that is unsafe is refused."""

from __future__ import annotations

import os
import stat
from datetime import date
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.site.key_files import (
    create_identity,
    load_identity,
    public_of,
    read_public,
)
from ppaurora.parties.site.private_line import is_open_to_others
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


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o620, 0o666, 0o610])
def test_a_key_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "site.key"
    create_identity(path)
    path.chmod(mode)
    with pytest.raises(KeyFault, match="can be read by others") as caught:
        load_identity(path)
    assert "chmod 600" in caught.value.advice


@pytest.mark.parametrize(
    ("mode", "owner", "group", "is_open"),
    [
        (0o600, 1000, 1000, False),
        (0o400, 1000, 50, False),
        # one's own file: its group may be everybody's
        (0o640, 1000, 1000, True),
        (0o644, 1000, 1000, True),
        # a secret mounted by a cluster, or handed out by a service manager
        (0o440, 0, 1000, False),
        (0o440, 0, 0, False),
        (0o640, 0, 1000, False),
        (0o400, 0, 77, False),
        (0o440, 0, 77, True),
        (0o460, 0, 1000, True),
        (0o444, 0, 1000, True),
        (0o444, 0, 0, True),
        # of another user's, who is the only one to read it, or not
        (0o600, 1001, 1000, False),
        (0o440, 1001, 1000, True),
    ],
)
def test_who_could_read_a_key_follows_from_owner_group_and_mode(
    mode: int, owner: int, group: int, is_open: bool
) -> None:
    status = os.stat_result((stat.S_IFREG | mode, 0, 0, 1, owner, group, 0, 0, 0, 0))
    assert is_open_to_others(status, {1000}) == is_open


def test_a_key_behind_a_link_is_judged_by_the_file_behind_it(tmp_path: Path) -> None:
    """As a cluster mounts it: site.key -> ..data/site.key, ..data -> a folder with a date."""
    identity = create_identity(tmp_path / "..2026_11_22" / "site.key")
    (tmp_path / "..data").symlink_to("..2026_11_22")
    (tmp_path / "site.key").symlink_to("..data/site.key")
    assert load_identity(tmp_path / "site.key").public == identity.public
    (tmp_path / "..2026_11_22" / "site.key").chmod(0o604)
    with pytest.raises(KeyFault, match="can be read by others"):
        load_identity(tmp_path / "site.key")
    (tmp_path / "lost.key").symlink_to("nowhere")
    with pytest.raises(KeyFault, match="There is no key file"):
        load_identity(tmp_path / "lost.key")


def test_a_pipe_is_no_key_file_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "site.key", 0o600)
    with pytest.raises(KeyFault, match="not a plain file"):
        load_identity(tmp_path / "site.key")


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
        public_text(public) + ":",
        public_text(public) + ":2028-1-2",
        public_text(public) + ":20280102",
        public_text(public) + ":2028-02-30",
        public_text(public) + ":2028-01-02:",
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


def test_the_last_day_of_a_key_stands_in_both_files_and_is_no_part_of_the_key(
    tmp_path: Path,
) -> None:
    made = create_identity(tmp_path / "site.key", date(2028, 11, 22))
    assert (tmp_path / "site.key.pub").read_text().endswith(":2028-11-22\n")
    read, public = load_identity(tmp_path / "site.key"), read_public(f"{tmp_path}/site.key.pub")
    assert read.public.good_until == public.good_until == date(2028, 11, 22)
    assert read.private_bytes() == made.private_bytes()
    assert public == parse_public(public_text(public).removesuffix(":2028-11-22"))
    for end in (":", ":2028-11-31", ":never", ":2028-11-22:"):
        line = f"ppaurora-private-2:{made.private_bytes().hex()}{end}"
        (tmp_path / "site.key").write_text(line)
        with pytest.raises(KeyFault, match="does not hold a private key"):
            public_of(tmp_path / "site.key")
