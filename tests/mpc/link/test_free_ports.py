"""Ports that are free: all different, each can be listened on, and no other process is given it."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import ExitStack

import pytest

from ppaurora.mpc.link.endpoint import MOST_RESERVED, free_ports

OTHERS = """
from ppaurora.mpc.link.endpoint import free_ports
print(*free_ports(1), flush=True)
input()
"""


def offered(monkeypatch: pytest.MonkeyPatch, *ports: int) -> None:
    """These ports are tried in turn."""
    tried = iter(ports)
    monkeypatch.setattr("random.randrange", lambda *_: next(tried))


def test_all_ports_can_be_listened_on_at_once() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    with ExitStack() as stack:
        for port in ports:
            stack.enter_context(socket.create_server(("127.0.0.1", port)))


def test_a_taken_port_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        taken, free = server.getsockname()[1], other.getsockname()[1]
        other.close()
        offered(monkeypatch, taken, free)
        assert free_ports(1) == [free]


def test_a_port_that_another_process_was_given_is_not_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [free] = free_ports(1)
    with subprocess.Popen(
        [sys.executable, "-c", OTHERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        theirs = int(other.stdout.readline())
        free_ports(MOST_RESERVED)
        offered(monkeypatch, theirs, free)
        # by now this process reserves the first one no more
        assert free_ports(1) == [free]
        other.communicate("\n")
