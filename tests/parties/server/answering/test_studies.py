"""Studies that come and go while a server runs, as their files do."""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora import Server, Site
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError, TooEarly
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.server import server as server_module
from ppaurora.parties.study.study import ServerEntry, Study
from ppaurora.parties.study.writing import study_text
from tests.parties.world import ANY_METRIC, World
from tests.until import SECONDS

pytestmark = pytest.mark.zeromq


def with_folder(world: World, *studies: Study) -> None:
    """Every server watches the folder `studies`, where these lie and are accepted."""
    folder = world.folder / "studies"
    folder.mkdir()
    for study in studies:
        world.write_study(f"studies/{study.id}.toml", study)
    for role in Role:
        world.write_site(str(role), study="studies/")
        world.accept(role, *studies)


def put(world: World, study: Study) -> Path:
    """The study's file, put into the watched folder in one step."""
    path = world.write_study(f"{study.id}.new", study)
    return path.rename(world.folder / "studies" / f"{study.id}.toml")


def told_to_ann(world: World, study: Study, role: Role) -> str:
    """The server's state in words, or the reason why it tells nothing."""
    with Participant(world.keys["ann"], study, ANY_METRIC) as ann:
        return ann.status()[str(role)].sentence


def await_told(world: World, study: Study, fits: str, *roles: Role) -> None:
    """Until these servers, or all, tell what fits."""
    until = time.monotonic() + SECONDS
    for role in roles or tuple(Role):
        while fits not in (told := told_to_ann(world, study, role)):
            assert time.monotonic() < until, told
            time.sleep(0.05)


def compute(world: World, study: Study) -> None:
    world.upload_patiently(study, 20)
    with world.take_part("ann", study) as ann:
        assert ann.result(wait=30).values == world.pooled()


def lines(world: World, role: Role, event: str) -> list[dict[str, str]]:
    told = [json.loads(line) for line in world.log(role).splitlines()]
    return [line for line in told if line["event"] == event]


def test_a_study_is_put_in_and_another_file_is_broken_while_two_compute(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        first, second, third = (replace(world.study, id=f"study-{n}") for n in "123")
        with_folder(world, first, second)
        world.start()
        failures: list[BaseException] = []

        def run(study: Study) -> None:
            try:
                compute(world, study)
            except BaseException as error:
                failures.append(error)

        computing = [threading.Thread(target=run, args=(study,)) for study in (first, second)]
        for thread in computing:
            thread.start()
        (tmp_path / "studies" / "broken.toml").write_text("id = ", encoding="utf-8")
        path = put(world, third)
        await_told(world, third, "does not serve this study yet")
        world.await_log(Role.P0, "study-3.toml")
        done = world.run("study", "accept", str(path), "--site=P0.toml", "--yes")
        assert (done.returncode, third.hash.hex() in done.stdout) == (0, True), done.stderr
        for role in (Role.P1, Role.HELPER):
            world.accept(role, third)
        await_told(world, third, "waiting", Role.P0, Role.P1)
        compute(world, third)
        for thread in computing:
            thread.join()
        assert not failures, failures
        for role in Role:
            refused = lines(world, role, "study not served")
            about = [line for line in refused if line["file"] == "broken.toml"]
            assert len(about) == 1
            assert "not valid TOML" in about[0]["error"]
            # P0 has told that the third one waits; the others may have been accepted at once
            told = {"broken.toml"} | ({"study-3.toml"} if role is Role.P0 else set())
            assert told <= {line["file"] for line in refused} <= {"broken.toml", "study-3.toml"}


def test_a_study_without_its_file_is_paused_and_goes_on_when_it_is_back(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        with_folder(world, world.study)
        world.start()
        world.upload("ann", "ben")
        path = tmp_path / "studies" / "trial.toml"
        path.rename(tmp_path / "away")
        await_told(world, world.study, "paused by its operator")
        with world.owner("cleo") as cleo, pytest.raises(TooEarly, match="paused by its operator"):
            cleo.outsource(world.tables["cleo"])
        world.kill(Role.P1)
        other = put(world, replace(world.study, id="other"))
        world.accept(Role.P1, replace(world.study, id="other"))
        world.start(Role.P1)
        await_told(world, world.study, "paused by its operator", Role.P1)
        other.unlink()
        (tmp_path / "away").rename(path)
        await_told(world, world.study, "waiting", Role.P0, Role.P1)
        assert {one.owner for one in world.status(Role.P1).uploads} == {"ann", "ben"}
        world.upload("cleo")
        assert world.result("ann") == world.pooled()


def test_a_server_says_in_its_health_which_file_it_does_not_follow(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        with_folder(world, world.study)
        elsewhere = replace(
            world.study,
            id="elsewhere",
            servers=tuple(_moved(one) for one in world.study.servers),
        )
        put(world, elsewhere)
        world.accept(Role.P0, elsewhere)
        (tmp_path / "studies" / "a.toml").symlink_to(tmp_path / "study.toml")
        os.mkfifo(tmp_path / "studies" / "b.toml")
        (tmp_path / "studies" / "c.toml").write_text(study_text(world.study))
        (tmp_path / "studies" / "c.toml").chmod(0o666)
        (tmp_path / "studies" / "d.toml").write_bytes(b"#" * 2_000_000)
        server = Server(Site.load(world.site(Role.P0)))
        try:
            assert list(server.studies) == ["trial"]
            faults = dict(zip("abcde", server.studies.faults, strict=True))
            assert "is a link" in faults["a"]
            assert "is not a plain file" in faults["b"]
            assert "can be changed by others" in faults["c"]
            assert "holds more than" in faults["d"]
            assert "but it listens at" in faults["e"]
            assert "is a link" in server._health.healthz().text
        finally:
            server._listener.close()
            server._store.close()


def _moved(server: ServerEntry) -> ServerEntry:
    return replace(server, port=server.port + 1, link_ports=tuple(p + 1 for p in server.link_ports))


def test_a_file_is_not_followed_before_it_lies_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with World(tmp_path) as world:
        with_folder(world, world.study)
        monkeypatch.setattr(server_module, "SETTLING_SECONDS", 0.0)
        server = Server(Site.load(world.site(Role.P0)))
        try:
            path = tmp_path / "studies" / "trial.toml"
            text = path.read_text()
            path.write_text(text[:200])
            server.studies.look()
            assert "trial" in server.studies
            path.write_text(text)
            server.studies.look()
            assert "trial" in server.studies
            server.studies.look()
            assert ("trial" in server.studies, server.studies.faults) == (True, [])
            path.write_text(text[:200])
            for _ in range(2):
                server.studies.look()
            assert "trial" not in server.studies
            assert server.studies.why_not("trial", world.keys["ann"].public.exchange).code == (
                "paused"
            )
            assert server.studies.why_not("trial", bytes(32)).code == "unknown-study"
        finally:
            server._listener.close()
            server._store.close()


def test_a_server_without_a_study_needs_to_be_told_where_to_listen(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        with_folder(world)
        with pytest.raises(ConfigurationError, match="No study says yet"):
            Server(Site.load(world.site(Role.P0)))


def test_a_study_named_in_the_site_file_counts_as_accepted(tmp_path: Path) -> None:
    with World(tmp_path) as world, ExitStack() as stack:
        for role in Role:
            stack.enter_context(Server(Site.load(world.site(role))).running())
        state = tmp_path / "state-P0" / "accepted"
        assert [path.stem for path in state.iterdir()] == [world.study.hash.hex()]


def test_nothing_is_accepted_without_being_asked(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        asked = world.run("study", "accept", "study.toml", "--site=P0.toml")
        assert asked.returncode == 4
        assert "Add --yes" in asked.stderr
        assert world.study.hash.hex() in asked.stdout
        world.add_owner("stranger")
        stranger = world.run("study", "accept", "study.toml", "--site=stranger.toml", "--yes")
        assert stranger.returncode == 5
        assert not (tmp_path / "state-P0" / "accepted").exists()
