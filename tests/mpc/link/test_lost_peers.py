"""A killed peer is noticed long before the deadline, a stopped one by then; nobody hangs."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from subprocess import Popen
from typing import Any

import pytest

from ppaurora.mpc.role import Role
from tests.further import some_of
from tests.mpc.link.party_process import DEADLINE
from tests.mpc.processes import Processes, start_all

pytestmark = [pytest.mark.zeromq, pytest.mark.slow]

EACH = list(product(["curve", "lane"], Role))


@pytest.fixture
def processes(request: pytest.FixtureRequest) -> Iterator[Processes]:
    """The three parties, each a process, all under way."""
    with ExitStack() as stack:
        bulk = request.param == "lane"
        started = start_all("tests.mpc.link.party_process", stack, bulk=bulk)
        for role in (Role.P0, Role.P1):
            stdout = started[role].stdout
            assert stdout is not None
            assert stdout.readline() == "under way\n"
        yield started


def last_words(process: Popen[str]) -> dict[str, Any]:
    """The last line that the party printed as it gave up; fails if it hangs."""
    process.wait(3 * DEADLINE)
    assert process.stdout is not None
    words: dict[str, Any] = json.loads(process.stdout.read())
    return words


@pytest.mark.parametrize(
    ("processes", "victim"),
    some_of(EACH, in_ci=[("lane", Role.P0), ("curve", Role.P1), ("lane", Role.HELPER)]),
    indirect=["processes"],
)
def test_the_others_notice_a_killed_one_long_before_the_deadline_and_say_who(
    processes: Processes, victim: Role
) -> None:
    began = time.time()
    processes[victim].send_signal(signal.SIGKILL)
    for role in victim.others:
        seen = last_words(processes[role])
        assert seen["error"] in ("PeerLost", "PeerAborted")
        assert str(victim) in seen["text"]
        assert seen["at"] - began < DEADLINE / 2
        assert processes[role].returncode == 1


@pytest.mark.parametrize(
    ("processes", "victim"),
    some_of(EACH, in_ci=[("curve", Role.P0), ("lane", Role.P1), ("curve", Role.HELPER)]),
    indirect=["processes"],
)
def test_the_others_wait_for_a_stopped_one_no_longer_than_the_deadline(
    processes: Processes, victim: Role
) -> None:
    processes[victim].send_signal(signal.SIGSTOP)
    for role in victim.others:
        seen = last_words(processes[role])
        assert seen["error"] in ("PeerSilent", "PeerAborted", "PeerLost")
        assert processes[role].returncode == 1
