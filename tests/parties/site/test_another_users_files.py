"""Another user's key: root may use it, and what it writes is that user's; others are told whose."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import KeyFault
from ppaurora.parties.posix import user_name
from ppaurora.parties.requests.status import State
from ppaurora.parties.site.key_files import create_identity, load_identity
from ppaurora.parties.site.private_line import check_closed
from ppaurora.parties.study.writing import study_text
from tests.parties.world import World
from tests.until import until

SERVICE = 65532 if os.geteuid() == 0 else os.geteuid()
"""The user of a server: another one than who runs the tests, if that is root."""


def status_of(path: Path, owner: int, mode: int = 0o600) -> os.stat_result:
    """The file's status as it would be if the file were that user's."""
    real = list(path.stat())
    real[0], real[4] = stat.S_IFREG | mode, owner
    return os.stat_result(real)


def running_as(monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(os, "getegid", lambda: user)
    monkeypatch.setattr(os, "getgroups", lambda: [user])


@pytest.fixture(name="key")
def _key(tmp_path: Path) -> Path:
    """A key whose folder is of the user that runs the tests, or of root."""
    create_identity(tmp_path / "site.key")
    return tmp_path / "site.key"


def test_root_uses_a_key_that_only_its_user_can_read(
    key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = key.parent.stat().st_uid or 1234
    running_as(monkeypatch, 0)
    check_closed(key, status_of(key, owner))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_root_uses_no_key_of_another_user_that_others_can_reach(
    key: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    running_as(monkeypatch, 0)
    with pytest.raises(KeyFault, match="can be read by others"):
        check_closed(key, status_of(key, 1234, mode))


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o1777])
def test_root_uses_no_key_of_another_user_in_a_folder_that_others_can_change(
    key: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    key.parent.chmod(mode)
    running_as(monkeypatch, 0)
    with pytest.raises(KeyFault, match="others can change the folder") as refused:
        check_closed(key, status_of(key, key.parent.stat().st_uid or 1234))
    assert f"chmod go-w {key.parent}" in refused.value.advice
    assert "new" not in str(refused.value)


def test_who_is_neither_root_nor_its_user_is_told_whose_it_is_and_never_to_make_a_new_one(
    key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running_as(monkeypatch, 999_998)
    with pytest.raises(KeyFault, match="belongs to user 999997") as refused:
        check_closed(key, status_of(key, 999_997))
    assert refused.value.advice == "Run this as 999997."


def test_a_key_that_cannot_even_be_opened_is_told_with_its_user(
    key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = user_name(key.stat().st_uid)

    def refused(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    running_as(monkeypatch, 999_998)
    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(KeyFault, match=f"belongs to user {owner}, and you are 999998") as told:
        load_identity(key)
    assert told.value.advice == f"Run this as {owner}."


@pytest.fixture(name="world")
def _world() -> Iterator[World]:
    """A study whose files are all the service user's, at a place that it can reach."""
    folder = Path(tempfile.mkdtemp(prefix="ppaurora-service-"))
    try:
        with World(folder) as world:
            (folder / "studies").mkdir()
            world.write_site("P0", study="studies/")
            with world.site("P0").open("a") as site:
                site.write(f'listen = "127.0.0.1:{world.study.server(Role.P0).port}"\n')
            for path in (folder, *folder.rglob("*")):
                os.chown(path, SERVICE, SERVICE if os.geteuid() != SERVICE else -1)
            folder.chmod(0o755)
            yield world
    finally:
        shutil.rmtree(folder)


def run(world: World, *arguments: str) -> str:
    told = world.run(*arguments)
    assert told.returncode == 0, told.stderr
    return told.stdout


def owners(folder: Path) -> set[int]:
    """The owner of the files and folders, but for the log, which its starter makes."""
    return {path.lstat().st_uid for path in folder.rglob("*") if path.suffix != ".log"}


def test_what_root_accepts_and_rotates_for_a_service_is_read_by_it(world: World) -> None:
    def become() -> None:
        os.setgid(SERVICE)
        os.setuid(SERVICE)

    service = become if os.geteuid() == 0 else None

    def put(text: str, *places: str) -> None:
        """Files that the service's user has put there."""
        for place in places:
            (world.folder / place).write_text(text)
            os.chown(world.folder / place, SERVICE, -1)
            (world.folder / place).chmod(0o600)

    # before the server has ever run, and while it runs; and what is accepted may be again
    run(world, "study", "accept", "study.toml", "--site=P0.toml", "--yes")
    put((world.folder / "study.toml").read_text(), "studies/study.toml")
    world.start(Role.P0, before=service)
    until(lambda: world.status(Role.P0).state is State.WAITING)
    put(study_text(replace(world.study, id="second")), "second.toml", "studies/second.toml")
    for _ in range(2):
        run(world, "study", "accept", "second.toml", "--site=P0.toml", "--yes")
    world.await_log(Role.P0, "second")

    put("correct horse battery staple\n", "passphrase")
    run(world, "keys", "rotate", "P0.key", "new.key")
    run(world, "keys", "revoke", "P0.key")
    run(world, "keys", "passphrase", "new.key", "--passphrase-file=passphrase")
    assert owners(world.folder) == {SERVICE}
    assert stat.S_IMODE((world.folder / "new.key").stat().st_mode) == 0o600

    world.kill(Role.P0)
    text = world.site("P0").read_text().replace('"P0.key"', '"new.key"')
    changes = '\n[keys]\nchanges = ["new.key.change.toml"]\n'
    put(f'{text}{changes}passphrase_file = "passphrase"\n', "P0.toml")
    world.start(Role.P0, before=service)
    put(world.site("ann").read_text() + changes, "ann.toml")
    until(lambda: world.status(Role.P0).state is State.WAITING)
