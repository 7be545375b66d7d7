"""Nothing expires by a clock that jumps, and what is old does expire by two that agree."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from ppaurora import Server, Site
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import Unreachable
from ppaurora.parties.server.watching.clock import Clock, compare, not_compared
from ppaurora.parties.study.study import Study
from tests.parties.sample import study
from tests.parties.world import World
from tests.until import until

DAY = 86400.0
STUDY = b"a study's hash"


@dataclass
class Hands:
    """A clock's hands, which a test moves."""

    wall: float = 1e9
    steady: float = 0.0

    def clock(self, settle_seconds: float = 3600.0) -> Clock:
        return Clock(lambda: self.wall, lambda: self.steady, settle_seconds)

    def go_on(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds


def test_a_clock_is_believed_after_an_hour_if_the_other_proxys_agrees() -> None:
    hands = Hands()
    clock = hands.clock()
    clock.heard(STUDY, int(hands.wall))
    hands.go_on(3599)
    assert not clock.believed(STUDY)
    hands.go_on(1)
    assert clock.believed(STUDY)
    assert not clock.believed(b"another study, whose other proxy has said nothing")


@pytest.mark.parametrize("days", [-365.0, -1.1, 1.1, 40.0])
def test_a_clock_that_is_a_day_off_is_not_believed(days: float) -> None:
    hands = Hands()
    clock = hands.clock(settle_seconds=0)
    clock.heard(STUDY, int(hands.wall + days * DAY))
    assert not clock.believed(STUDY)
    clock.heard(STUDY, int(hands.wall))
    assert clock.believed(STUDY)
    hands.wall += days * DAY
    assert not clock.believed(STUDY)


def test_what_the_other_clock_showed_long_ago_does_not_count() -> None:
    hands = Hands()
    clock = hands.clock(settle_seconds=0)
    clock.heard(STUDY, int(hands.wall))
    hands.go_on(3 * 3600)
    assert not clock.believed(STUDY)


def shares(world: World) -> int:
    return sum(1 for _ in world.folder.glob("state-*/shares/*/*.share"))


@pytest.mark.parametrize("theirs", [0, 1 << 48, (1 << 64) - 1])
def test_a_clock_that_cannot_be_right_is_told_of_whoever_shows_it(
    theirs: int, capsys: pytest.CaptureFixture[str]
) -> None:
    hands = Hands()
    clock = hands.clock(settle_seconds=0)
    compare(clock, study(), int(hands.wall) + 60, Role.P0)
    assert not capsys.readouterr().err
    compare(clock, study(), theirs, Role.P1)
    assert not clock.believed(study().hash)
    told = json.loads(capsys.readouterr().err)
    assert (told["event"], told["peer"]) == ("clocks differ", "p1.example.org:7100")
    assert f"the clock of P1 shows {theirs} s" in told["error"]
    assert "this server's 1000000000 s" in told["error"]


@pytest.mark.zeromq
def test_a_jump_of_one_clock_deletes_nothing_and_of_both_does(tmp_path: Path) -> None:
    ahead = dict.fromkeys(Role, 0.0)

    def running(role: Role) -> Server:
        clock = Clock(lambda: time.time() + ahead[role], settle_seconds=0.0)
        return Server(Site.load(world.site(role)), clock, exchange_seconds=0.1)

    def exchanged(study: Study) -> bool:
        return all(one._clock._compared.get(study.hash) for one in servers[:2])

    with World(tmp_path) as world, ExitStack() as stack:
        servers = [stack.enter_context(running(role).running()) for role in Role]
        world.upload("ann")
        until(lambda: exchanged(world.study))
        ahead[Role.P0] = 40 * DAY
        time.sleep(2.5)
        assert shares(world) == 2
        ahead[Role.P1] = 40 * DAY
        until(lambda: shares(world) == 0)
        told = world.run("status", "--site=ann.toml")
        assert "kept long enough; its share was deleted" in told.stdout


def test_among_three_servers_the_clocks_of_both_others_must_agree() -> None:
    hands = Hands()
    clock = hands.clock()
    hands.go_on(3601)
    clock.heard(STUDY, int(hands.wall), Role.P1)
    clock.heard(STUDY, int(hands.wall + 2 * DAY), Role.HELPER)
    assert not clock.believed(STUDY)
    clock.heard(STUDY, int(hands.wall), Role.HELPER)
    assert clock.believed(STUDY)


def test_only_a_long_silence_is_told_once_for_each_server_however_many_studies_it_has(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hands = Hands()
    clock = hands.clock()
    many = [study(id=f"study-{number}") for number in range(12)]
    failure = Unreachable("nobody answers")

    def silent(*servers: Role) -> list[dict[str, str]]:
        """The lines that are logged while these do not answer for any of the studies."""
        for one in many:
            for server in servers:
                not_compared(clock, one, server, failure)
        return [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    # P0 starts first: the others come a little later
    assert silent(Role.P1, Role.HELPER) == []
    hands.go_on(599)
    assert silent(Role.P1, Role.HELPER) == []
    compare(clock, many[3], int(hands.wall), Role.HELPER)
    hands.go_on(1)
    [told] = silent(Role.P1, Role.HELPER)
    assert (told["event"], told["peer"]) == ("clocks not compared", "p1.example.org:7100")
    assert "for 10 minutes P1 has not told its clock" in told["error"]
    assert "nobody answers" in told["error"]
    hands.go_on(3600)
    [told] = silent(Role.P1, Role.HELPER)
    assert told["peer"] == "helper.example.org:7100"
    # once it has answered, the next long silence is told again
    compare(clock, many[0], int(hands.wall), Role.P1)
    assert silent(Role.P1) == []
    hands.go_on(600)
    assert len(silent(Role.P1)) == 1
