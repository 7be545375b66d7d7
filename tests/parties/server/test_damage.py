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


@pytest.mark.parametrize("role", [Role.P0, Role.P1])
@pytest.mark.parametrize("damage", [flip_last_bit, cut, Path.unlink])
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
