"""A killed or a stopped peer is noticed long before the deadline; nobody hangs."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from subprocess import Popen
from typing import Any

import pytest

from ppaurora.mpc.role import Role
from tests.mpc.processes import Processes, start_all

pytestmark = [pytest.mark.zeromq, pytest.mark.slow]

SOON = 10.0
"""Half of the deadline that the processes have for everything else."""


@pytest.fixture
def processes() -> Iterator[Processes]:
    """The three parties, each a process, all under way."""
    with ExitStack() as stack:
        started = start_all("tests.mpc.link.party_process", stack)
        for role in (Role.P0, Role.P1):
            stdout = started[role].stdout
            assert stdout is not None
            assert stdout.readline() == "under way\n"
        yield started


def last_words(process: Popen[str]) -> dict[str, Any]:
    """What the party printed as it gave up; fails if it hangs."""
    process.wait(30)
    assert process.stdout is not None
    words: dict[str, Any] = json.loads(process.stdout.read())
    return words


@pytest.mark.parametrize("victim", Role)
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_the_others_notice_without_waiting_and_say_who(
    processes: Processes, victim: Role, sent: signal.Signals
) -> None:
    began = time.time()
    processes[victim].send_signal(sent)
    for role in victim.others:
        seen = last_words(processes[role])
        assert seen["error"] in ("PeerLost", "PeerAborted")
        assert str(victim) in seen["text"]
        assert seen["at"] - began < SOON
        assert processes[role].returncode == 1
