"""The folder of a server's keys: whose it must be, where, and which one it is."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.server.keeping.secret_keys import SecretKeys

STUDY = b"s" * 32


@pytest.fixture(name="state")
def _state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


def opened(folder: Path, state: Path) -> SecretKeys:
    keys = SecretKeys.open(folder, state, needed=False)
    assert keys is not None
    return keys


def test_keys_are_kept_privately_until_they_are_forgotten(tmp_path: Path, state: Path) -> None:
    keys = opened(tmp_path / "keys", state)
    key = keys.fresh(STUDY, "one")
    assert len(key) == 32
    assert key != keys.fresh(STUDY, "two")
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700
    for path in (tmp_path / "keys").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = opened(tmp_path / "keys", state)
    assert again.find(STUDY, "one") == key
    assert again.find(b"t" * 32, "one") is None
    keys.forget(STUDY, "one")
    keys.forget(STUDY, "one")
    assert again.find(STUDY, "one") is None
    assert key.hex() not in repr(keys)


def test_a_folder_inside_of_the_state_or_around_it_is_refused(tmp_path: Path, state: Path) -> None:
    (tmp_path / "link").symlink_to(state)
    for inside in (state, state / "keys", tmp_path, tmp_path / "link" / "deep" / "keys"):
        with pytest.raises(ConfigurationError, match="one inside the other"):
            SecretKeys.open(inside, state, needed=True)
    assert not list(state.iterdir())


@pytest.mark.parametrize("mode", [0o750, 0o701, 0o755, 0o500])
def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path, state: Path, mode: int) -> None:
    folder = tmp_path / "keys"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(ConfigurationError, match="is not this user's alone") as caught:
        SecretKeys.open(folder, state, needed=True)
    assert "chmod 700" in caught.value.advice


def test_another_users_folder_is_refused(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "keys").mkdir(mode=0o700)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with pytest.raises(ConfigurationError, match="is not this user's alone"):
        SecretKeys.open(tmp_path / "keys", state, needed=True)


def test_a_folder_that_is_not_the_one_of_this_state_is_refused(tmp_path: Path, state: Path) -> None:
    assert SecretKeys.open(None, state, needed=False) is None
    with pytest.raises(ConfigurationError, match="encrypt needs"):
        SecretKeys.open(None, state, needed=True)
    opened(tmp_path / "keys", state)
    for wrong in (tmp_path / "unmounted", tmp_path / "none"):
        if wrong.name == "unmounted":
            wrong.mkdir(mode=0o700)
        with pytest.raises(ConfigurationError, match="is not the folder with the keys") as caught:
            SecretKeys.open(wrong, state, needed=True)
        assert "asked to upload again" in caught.value.advice
    with pytest.raises(ConfigurationError, match="secrets is missing"):
        SecretKeys.open(None, state, needed=False)
    other = tmp_path / "other state"
    other.mkdir()
    with pytest.raises(ConfigurationError, match="the keys of another server"):
        SecretKeys.open(tmp_path / "keys", other, needed=True)


def test_a_folder_that_is_lost_for_good_is_given_up_by_deleting_the_mark(
    tmp_path: Path, state: Path
) -> None:
    opened(tmp_path / "keys", state)
    with pytest.raises(ConfigurationError) as caught:
        opened(tmp_path / "new", state)
    for mark in state.glob("secrets.mark*"):
        assert str(mark) in caught.value.advice
        mark.unlink()
    opened(tmp_path / "new", state)


def flipped(content: bytes) -> bytes:
    return bytes([content[0] ^ 1]) + content[1:]


DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "gone": lambda content: None,
    "empty": lambda content: b"",
    "cut": lambda content: content[:-1],
    "a bit": flipped,
    "zeros": lambda content: bytes(len(content)),
    "doubled": lambda content: content * 2,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_one_damaged_mark_costs_nothing_and_is_mended(
    tmp_path: Path, state: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    key = opened(tmp_path / "keys", state).fresh(STUDY, "one")
    marks = [*(tmp_path / "keys").glob("secrets.mark*"), *state.glob("secrets.mark*")]
    assert len(marks) == 4
    for mark in marks:
        sound = mark.read_bytes()
        damaged = DAMAGES[damage](sound)
        mark.unlink()
        if damaged is not None:
            mark.write_bytes(damaged)
        capsys.readouterr()
        assert opened(tmp_path / "keys", state).find(STUDY, "one") == key
        assert f"{mark} was damaged on the disk" in capsys.readouterr().err
        assert mark.read_bytes() == sound
    opened(tmp_path / "keys", state)
    assert capsys.readouterr().err == ""


def test_a_folder_all_of_whose_marks_are_damaged_is_not_taken_for_the_right_one(
    tmp_path: Path, state: Path
) -> None:
    opened(tmp_path / "keys", state)
    for mark in (tmp_path / "keys").glob("secrets.mark*"):
        mark.write_bytes(b"")
    with pytest.raises(ConfigurationError, match="is not the folder with the keys"):
        SecretKeys.open(tmp_path / "keys", state, needed=True)


@pytest.mark.parametrize("content", [b"", b"short", bytes(33)])
def test_a_file_that_is_no_key_counts_as_none(tmp_path: Path, state: Path, content: bytes) -> None:
    keys = opened(tmp_path / "keys", state)
    keys.fresh(STUDY, "one")
    next((tmp_path / "keys").glob("*.key")).write_bytes(content)
    assert keys.find(STUDY, "one") is None
