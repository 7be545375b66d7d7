"""Clients that ask without end, never read, or never speak: no server goes down or grows."""

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

from ppaurora.mpc.link.client_connection import PIECE_BYTES
from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.messages import (
    AskStatus,
)
from ppaurora.parties.requests.request_proxy import REQUEST_BYTES
from ppaurora.parties.requests.sockets import tcp_address
from ppaurora.parties.requests.wire import Envelope
from tests.parties.world import World

pytestmark = pytest.mark.zeromq
SEND_SECONDS = 5.0
PART_BYTES = 1 << 20
HELD_BYTES = 5 * REQUEST_BYTES + 2 * PIECE_BYTES
"""Bytes that one connection can make a server hold.

A request of many empty parts takes five times its bytes: 35 on the line, and a message of 64 with
its share of a queue. Answers that nobody reads are fewer than that: two in a queue, one being
written, one kept. The door has one piece each way.
"""
OTHERWISE_BYTES = 8 << 20
"""Bytes that serving anybody takes at its peak, with those that the allocator keeps."""


def of_process(world: World, role: Role, what: str) -> int:
    """Bytes of this server's memory: `VmHWM` at its peak, `VmRSS` now."""
    lines = Path(f"/proc/{world.processes[role].pid}/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))


def descriptors(world: World, role: Role) -> int:
    return len(list(Path(f"/proc/{world.processes[role].pid}/fd").iterdir()))


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


def long_message(world: World, role: Role, parts: int, part: bytes) -> None:
    """Send one message of so many parts, and wait a moment before hanging up."""
    with careless(world, "ann", role) as asking:
        try:
            asking.send(b"a number", zmq.SNDMORE)
            for _ in range(parts):
                asking.send(part, zmq.SNDMORE, copy=not part)
            asking.send(b"the end")
        except zmq.Again:
            return
        asking.poll(2000)


def holds_little(world: World, role: Role, connections: int, parts: int, part: bytes) -> int:
    """Long messages over so many connections at once; returns by how much the peak grew."""
    before = of_process(world, role, "VmHWM")
    with ThreadPoolExecutor(connections) as pool:
        for done in [
            pool.submit(long_message, world, role, parts, part) for _ in range(connections)
        ]:
            done.result()
    assert world.processes[role].poll() is None, world.log(role)
    grown = of_process(world, role, "VmHWM") - before
    assert grown < min(connections, Caps().of_a_key) * HELD_BYTES + OTHERWISE_BYTES
    return grown


def survives(world: World, role: Role, connections: int, requests: int) -> None:
    with ThreadPoolExecutor(connections) as pool:
        for done in [pool.submit(flood, world, role, requests) for _ in range(connections)]:
            done.result()
    time.sleep(2.0)
    assert world.processes[role].poll() is None, world.log(role)


@pytest.mark.parametrize(
    "role",
    [
        pytest.param(Role.P0, marks=pytest.mark.weekly),
        Role.P1,
        pytest.param(Role.HELPER, marks=pytest.mark.weekly),
    ],
)
def test_long_messages_unread_answers_and_a_hang_up_cost_a_server_little(
    tmp_path: Path, role: Role
) -> None:
    with World(tmp_path) as world:
        world.start()
        holds_little(world, role, connections=2, parts=100, part=bytes(PART_BYTES))
        survives(world, role, connections=3, requests=3000)
        world.upload()
        assert world.result("ben") == world.pooled()


def silence(world: World, role: Role, count: int, stack: ExitStack) -> None:
    """So many connections that say nothing, from a few addresses of this machine."""
    server = world.study.server(role)
    for number in range(count):
        source = (f"127.0.1.{1 + number % 20}", 0)
        place = (server.host, server.port)
        stack.enter_context(socket.create_connection(place, source_address=source))


def test_more_silent_connections_than_descriptors_keep_nobody_out(tmp_path: Path) -> None:
    few = 400
    with World(tmp_path) as world, ExitStack() as stack:
        world.start(limits={resource.RLIMIT_NOFILE: few})
        for role in Role:
            silence(world, role, 2 * few, stack)
        world.upload()
        assert world.result("ben") == world.pooled()
        assert all(descriptors(world, role) < few for role in Role)


@pytest.mark.soak
def test_three_thousand_silent_connections_keep_nobody_out(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        for role in Role:
            before = of_process(world, role, "VmRSS"), descriptors(world, role)
            with ExitStack() as stack:
                silence(world, role, 3000, stack)
                world.upload()
                held = of_process(world, role, "VmRSS"), descriptors(world, role)
                print(f"{role}: {before} before, {held} with 3,000 (memory, descriptors)")
                assert held[0] - before[0] < Caps().in_all * (16 << 10) + OTHERWISE_BYTES
                assert held[1] - before[1] < Caps().in_all + 50
        assert world.result("ben") == world.pooled()


@pytest.mark.soak
def test_messages_of_six_hundred_parts_and_of_many_empty_ones_cost_a_server_little(
    tmp_path: Path,
) -> None:
    with World(tmp_path) as world:
        world.start()
        for role in Role:
            for parts, part in ((600, bytes(PART_BYTES)), (200_000, b"")):
                grown = holds_little(world, role, 20, parts, part)
                print(f"{role}: {grown >> 10} KiB more for 20 messages of {parts} parts")
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
