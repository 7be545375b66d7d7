"""Damage on a disk, at real servers: no wrong number, nobody blamed, healed by uploading again."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from ppaurora import Server, Site
from ppaurora.mpc.role import Role
from tests.parties.world import World, on_request

pytestmark = pytest.mark.zeromq
SECONDS = 20.0


def flip_last_bit(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8])


@pytest.mark.parametrize(
    ("damage", "role"),
    [
        (flip_last_bit, Role.P0),
        (cut, Role.P1),
        pytest.param(Path.unlink, Role.P0, marks=pytest.mark.weekly),
        pytest.param(flip_last_bit, Role.P1, marks=pytest.mark.weekly),
        pytest.param(cut, Role.P0, marks=pytest.mark.weekly),
        pytest.param(Path.unlink, Role.P1, marks=pytest.mark.weekly),
    ],
)
def test_a_damaged_share_is_told_by_name_and_healed_by_uploading_again(
    tmp_path: Path, role: Role, damage: Callable[[Path], None]
) -> None:
    with World(tmp_path, change=on_request) as world, ExitStack() as stack:
        for each in Role:
            stack.enter_context(Server(Site.load(world.site(each))).running())
        shares = tmp_path / f"state-{role}" / "shares"
        world.upload("ann")
        (of_ann,) = shares.rglob("*.share")
        world.upload("ben", "cleo")
        damage(of_ann)
        with world.owner("ben") as ben:
            ben.compute()
        text = f"ann: its share at {role} was damaged on the disk; ann uploads again"
        until = time.monotonic() + SECONDS
        while not text == world.status(Role.P0).detail == world.status(role).detail:
            assert time.monotonic() < until, world.status(Role.P0)
            time.sleep(0.1)
        for each in (Role.P0, Role.P1):
            told = world.status(each)
            assert not any("unsound" in note.text for note in told.notes)
            assert {one.owner for one in told.uploads} >= {"ben", "cleo"}
        world.upload("ann")
        assert world.result("cleo") == world.pooled()


def zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


@pytest.mark.parametrize(
    ("damage", "role"),
    [
        (flip_last_bit, Role.P1),
        (Path.unlink, Role.P0),
        pytest.param(cut, Role.P1, marks=pytest.mark.weekly),
        pytest.param(zero, Role.P0, marks=pytest.mark.weekly),
        pytest.param(flip_last_bit, Role.P0, marks=pytest.mark.weekly),
        pytest.param(cut, Role.P0, marks=pytest.mark.weekly),
        pytest.param(zero, Role.P1, marks=pytest.mark.weekly),
        pytest.param(Path.unlink, Role.P1, marks=pytest.mark.weekly),
    ],
)
def test_any_one_damaged_file_of_secrets_lets_the_server_start_and_costs_one_upload_at_most(
    tmp_path: Path, role: Role, damage: Callable[[Path], None]
) -> None:
    with World(tmp_path, encrypt=True, change=on_request) as world:
        secrets = tmp_path / f"secrets-{role}"
        owner_of: dict[Path, str] = {}

        def upload(name: str) -> None:
            before = set(secrets.glob("*.key"))
            world.upload(name)
            [new] = set(secrets.glob("*.key")) - before
            owner_of[new] = name

        def serving(ends: ExitStack) -> None:
            for each in Role:
                ends.enter_context(Server(Site.load(world.site(each))).running())

        with ExitStack() as first:
            serving(first)
            for name in world.tables:
                upload(name)
        marks = sorted(secrets.glob("*mark*"))
        for path in [*marks, next(one for one in owner_of if owner_of[one] == "ben")]:
            damage(path)
            with ExitStack() as again:
                serving(again)
                told = world.status(role, "cleo")
                lost = ["ben"] if path in owner_of else []
                stored = [one.owner for one in told.uploads if one.stored]
                assert stored == [one for one in ("ann", "ben", "cleo") if one not in lost]
                assert [one.owner for one in world.status(role.others[0], "cleo").uploads] == (
                    ["ann", "ben", "cleo"] if role.others[0] is not Role.HELPER else []
                )
                for name in lost:
                    assert f"{name}: its share at {role} was damaged on the disk" in told.detail
                    world.upload(name)
                if lost:
                    with world.owner("ben") as ben:
                        ben.compute()
                    assert world.result("cleo") == world.pooled()
