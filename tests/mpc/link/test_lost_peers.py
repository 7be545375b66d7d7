"""A killed or a stopped peer is noticed long before the deadline; nobody hangs."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role

pytestmark = [pytest.mark.zeromq, pytest.mark.slow]

PROGRAM = Path(__file__).with_name("party_process.py")
ROOT = Path(__file__).parents[3]
SOON = 10.0
"""Half of the deadline that the processes have for everything else."""
Processes = dict[Role, subprocess.Popen[str]]


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@pytest.fixture
def processes() -> Iterator[Processes]:
    """The three parties, each a process, all under way."""
    identities = {role: Identity.generate() for role in Role}
    pairs = [(role, peer) for role in Role for peer in role.others if role < peer]
    ports = dict(zip(pairs, free_ports(len(pairs)), strict=True))
    started: Processes = {}
    for role in Role:
        peers = {
            int(peer): (ports[min(role, peer), max(role, peer)], identities[peer].public.hex())
            for peer in role.others
        }
        told = {"role": role, "private": identities[role].private_bytes().hex(), "peers": peers}
        started[role] = subprocess.Popen(
            [sys.executable, str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        stdin = started[role].stdin
        assert stdin is not None
        stdin.write(json.dumps(told))
        stdin.close()
    for role in (Role.P0, Role.P1):
        stdout = started[role].stdout
        assert stdout is not None
        assert stdout.readline() == "under way\n"
    yield started
    for process in started.values():
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def last_words(process: subprocess.Popen[str]) -> dict[str, Any]:
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
        assert processes[role].returncode in (5, 6)
