"""Participants that ask without end and never read: no server goes down, and others are served."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zmq
from zmq.utils import z85

from ppaurora.mpc.role import Role
from ppaurora.parties.requests.messages import AskStatus, Envelope
from ppaurora.parties.requests.sockets import tcp_address
from tests.parties.world import World

pytestmark = pytest.mark.zeromq
SEND_SECONDS = 5.0


@contextmanager
def careless(world: World, name: str, role: Role) -> Iterator[zmq.Socket[bytes]]:
    """A connection with the key of `name` that reads at most one answer."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    socket = context.socket(zmq.DEALER)
    identity, server = world.keys[name], world.study.server(role)
    socket.curve_publickey = z85.encode(identity.public)
    socket.curve_secretkey = z85.encode(identity.private_bytes())
    socket.curve_serverkey = z85.encode(server.public)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.RCVHWM, 1)
    socket.setsockopt(zmq.RECONNECT_IVL, -1)
    socket.setsockopt(zmq.SNDTIMEO, int(1000 * SEND_SECONDS))
    socket.connect(tcp_address(server.host, server.port))
    try:
        yield socket
    finally:
        socket.close(0)
        context.term()


def flood(world: World, role: Role, requests: int) -> None:
    """Ask for the status so many times over one connection, read nothing, and hang up."""
    question = Envelope(world.study.id, world.study.hash, AskStatus()).encode()
    with careless(world, "ann", role) as socket:
        try:
            for number in range(requests):
                socket.send_multipart([number.to_bytes(8, "big"), question])
        except zmq.Again:  # the server takes no more, which is its right
            return
        time.sleep(0.5)


def survives(world: World, role: Role, connections: int, requests: int) -> None:
    for _ in range(connections):
        flood(world, role, requests)
    time.sleep(2.0)
    assert world.processes[role].poll() is None, world.log(role)


@pytest.mark.parametrize("role", Role)
def test_unread_answers_and_a_hang_up_do_not_bring_a_server_down(
    tmp_path: Path, role: Role
) -> None:
    with World(tmp_path) as world:
        world.start()
        survives(world, role, connections=3, requests=3000)
        world.upload()
        assert world.result("ben") == world.pooled()
