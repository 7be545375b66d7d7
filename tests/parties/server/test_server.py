"""Servers from the inside and from the outside: the Python object, signals, strangers."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora import Server, Site
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError, KeyFault, Unreachable
from ppaurora.parties.participant.participant import Participant
from ppaurora.protocols.sorting.auto import best_sort
from ppaurora.protocols.sorting.sort import USUAL, Conditions
from tests import forked
from tests.parties.world import ANY_METRIC, World, with_options
from tests.until import SECONDS, until

pytestmark = pytest.mark.zeromq


def test_three_servers_in_one_process_serve_a_study(tmp_path: Path) -> None:
    with World(tmp_path) as world, ExitStack() as stack:
        for role in Role:
            stack.enter_context(Server(Site.load(world.site(role))).running())
        world.upload()
        assert world.result("ann") == world.pooled()


def test_a_study_that_leaves_the_sort_open_is_told_which_one_ran(tmp_path: Path) -> None:
    with World(tmp_path) as world, ExitStack() as stack:
        with world.site(Role.P0).open("a", encoding="utf-8") as site:
            site.write("megabits = 50\n")
        for role in Role:
            stack.enter_context(Server(Site.load(world.site(role))).running())
        world.upload()
        with world.owner("ann") as owner:
            result = owner.result(wait=30.0)
        assert result.values == world.pooled()
        sizes = [samples for _, samples in result.agreed.owners]
        measured = Conditions(result.agreed.round_trip_us, result.agreed.megabits)
        assert measured.round_trip_us != USUAL.round_trip_us
        assert measured.megabits == 50
        assert result.ledger.public.options["merge"] == best_sort(sizes, measured).name


def test_one_command_launches_all_three(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        sites = [str(world.site(role)) for role in Role]
        with (tmp_path / "all.log").open("wb") as log:
            launched = forked.start(("server", *sites), stdout=1, stderr=log.fileno())
        try:
            until(lambda: (tmp_path / "all.log").read_text().count("server starts") == 3)
            world.upload()
            assert world.result("ann") == world.pooled()
        finally:
            launched.terminate()
            assert launched.wait(SECONDS) == 0
        assert (tmp_path / "all.log").read_text().count("server stops") == 3


def test_an_interrupted_wait_leaves_with_130(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann")
        out, err = tmp_path / "out", tmp_path / "err"
        with out.open("wb") as to, err.open("wb") as told:
            waiting = forked.start(
                ("result", "--site=ann.toml", "--wait=60"),
                stdout=to.fileno(),
                stderr=told.fileno(),
                folder=tmp_path,
            )
        until(lambda: "waiting: 2 of 3 owners have not uploaded" in err.read_text())
        waiting.send_signal(signal.SIGINT)
        assert (waiting.wait(SECONDS), out.read_text()) == (130, "")
        assert "Interrupted" in err.read_text()
        assert "Traceback" not in err.read_text()


def test_an_operator_sees_the_status_and_nothing_more(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann")
        told = world.run("status", "--site=P1.toml")
        assert told.returncode == 10, told.stderr
        assert "ann" in told.stdout
        refused = world.run("result", "--site=P1.toml")
        assert refused.returncode == 5
        assert "is not for you to ask" in refused.stderr
        sending = world.run("outsource", "ann.csv", "--yes", "--site=P1.toml")
        assert sending.returncode == 5
        assert "You are P1 in this study" in sending.stderr
        world.kill(Role.P1)
        told = world.run("status", "--site=ann.toml")
        assert told.returncode == 5
        assert "unknown" in told.stdout
        assert "not yet: ben, cleo" in told.stdout


def test_noise_on_the_port_disturbs_nobody(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        server = world.study.server(Role.P0)
        for number in range(50):
            with socket.create_connection((server.host, server.port), timeout=2) as noise:
                noise.sendall(os.urandom(1 + 37 * number))
        world.upload()
        assert world.result("ann") == world.pooled()


def test_a_stopped_server_is_told_from_a_wrong_one(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start(Role.P0)
        world.signal(Role.P0, signal.SIGSTOP)
        begun = time.monotonic()
        with world.owner("ann") as owner, pytest.raises(Unreachable, match="does not answer"):
            owner.progress()
        assert time.monotonic() - begun < 10
        world.signal(Role.P0, signal.SIGCONT)


def test_a_server_refuses_a_key_that_is_no_servers(tmp_path: Path) -> None:
    with World(tmp_path) as world, pytest.raises(KeyFault, match="is not a server's"):
        Server(Site.load(world.site("ann")))


def test_a_taken_port_is_told(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        place = world.study.server(Role.P0)
        with socket.socket() as taken:
            taken.bind((place.host, place.port))
            taken.listen()
            with pytest.raises(ConfigurationError, match="cannot listen on"):
                Server(Site.load(world.site(Role.P0)))


def test_one_broken_or_changed_study_file_stops_that_study_only(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        other = replace(world.study, id="other")
        (tmp_path / "more").mkdir()
        world.write_study("more/one.toml", world.study)
        world.write_study("more/two.toml", other)
        for role in Role:
            world.write_site(str(role), study="more/*.toml")
            world.accept(role, world.study, other)
        world.start()
        with Participant(world.keys["ann"], other, ANY_METRIC) as ann:
            ann.outsource(world.tables["ann"])
        world.kill(Role.P0)
        changed = with_options(other, decimals=6)
        world.write_study("more/two.toml", changed)
        world.accept(Role.P0, changed)
        (tmp_path / "more" / "three.toml").write_text("no study = ", encoding="utf-8")
        world.start(Role.P0)
        told = [json.loads(line) for line in world.log(Role.P0).splitlines()]
        refused = [line for line in told if line["event"] == "study not served"]
        assert [line["file"] for line in refused] == ["three.toml", "two.toml"]
        assert "not valid TOML" in refused[0]["error"]
        assert "was changed after this server had received data" in refused[1]["error"]
        with Participant(world.keys["ann"], other, ANY_METRIC) as ann:
            assert "paused by its operator" in ann.status()["P0"].detail
        world.upload()
        assert world.result("ann") == world.pooled()
