"""A site is added to a study that waits: three real servers, real files, and kills in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import StudyDiffers
from tests.parties.server.answering.test_studies import await_told, told_to_ann, with_folder
from tests.parties.server.two_versions import with_owner
from tests.parties.world import World, generated, pooled, until_done


@pytest.mark.zeromq
def test_a_site_is_added_after_two_of_three_have_uploaded(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        old = world.study
        with_folder(world, old)
        world.start()
        world.upload("ann", "ben")
        dora = world.add_owner("dora")
        world.tables["dora"] = generated(77, seed=7)
        new = with_owner(old, "dora", dora)
        path = world.write_study("new", new).rename(tmp_path / "studies" / "more.toml")
        world.accept(Role.P1, new)
        await_told(world, old, "serves a later version", Role.P1)
        world.kill(Role.P1)
        world.start(Role.P1)
        with world.owner("cleo") as cleo, pytest.raises(StudyDiffers, match="a later version"):
            cleo.outsource(world.tables["cleo"])
        assert "the version of study trial before yours" in told_to_ann(world, new, Role.P0)
        for role in (Role.P0, Role.HELPER):
            world.accept(role, new)
        await_told(world, old, "serves a later version")
        accepted = world.run("study", "accept", str(path), "--site=ann.toml", "--yes")
        assert accepted.returncode == 0, accepted.stderr
        assert "participant dora is added: uploads and receives" in accepted.stdout
        assert "it was not sent again" in accepted.stderr
        world.kill(Role.P0)
        world.start(Role.P0)
        for name in ("cleo", "dora"):
            with world.take_part(name, new) as owner:
                owner.outsource(world.tables[name])
        await_told(world, new, "1 of 4 owners has not uploaded yet", Role.P0)
        with world.take_part("ben", new) as ben:
            assert ben.accept(old)
            values = until_done(lambda: ben.result(wait=30).values, 30)
        assert values == pooled(new, list(world.tables.values()))
        assert old.hash.hex() not in {one.name for one in (tmp_path / "state-P0").iterdir()}
