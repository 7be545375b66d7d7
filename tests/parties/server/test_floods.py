"""Participants that ask without end and never read: no server goes down, and others are served."""

from __future__ import annotations

import resource
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
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
    asking = context.socket(zmq.DEALER)
    identity, server = world.keys[name], world.study.server(role)
    asking.curve_publickey = z85.encode(identity.public.exchange)
    asking.curve_secretkey = z85.encode(identity.exchange_private_bytes())
    asking.curve_serverkey = z85.encode(server.public.exchange)
    asking.setsockopt(zmq.LINGER, 0)
    asking.setsockopt(zmq.RCVHWM, 1)
    asking.setsockopt(zmq.RECONNECT_IVL, -1)
    asking.setsockopt(zmq.SNDTIMEO, int(1000 * SEND_SECONDS))
    asking.connect(tcp_address(server.host, server.port))
    try:
        yield asking
    finally:
        asking.close(0)
        context.term()


def flood(world: World, role: Role, requests: int) -> None:
    """Ask for the status so many times over one connection, read nothing, and hang up."""
    question = Envelope(world.study.id, world.study.hash, AskStatus()).encode()
    with careless(world, "ann", role) as asking:
        try:
            for number in range(requests):
                asking.send_multipart([number.to_bytes(8, "big"), question])
        except zmq.Again:  # the server takes no more, which is its right
            return
        time.sleep(0.5)


def survives(world: World, role: Role, connections: int, requests: int) -> None:
    with ThreadPoolExecutor(connections) as pool:
        for done in [pool.submit(flood, world, role, requests) for _ in range(connections)]:
            done.result()
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


def test_more_silent_connections_than_the_usual_limit_keep_nobody_out(tmp_path: Path) -> None:
    def few_descriptors() -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))

    with World(tmp_path) as world, ExitStack() as stack:
        world.start(before=few_descriptors)
        for role in Role:
            server = world.study.server(role)
            for _ in range(200):
                stack.enter_context(socket.create_connection((server.host, server.port)))
        world.upload()
        assert world.result("ben") == world.pooled()


@pytest.mark.soak
def test_twenty_floods_bring_no_server_down(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        for number in range(20):
            survives(world, Role(number % 3), connections=10, requests=3000)
        world.upload()
        assert world.result("ben") == world.pooled()
