"""Strangers at the link ports of servers that compute: no memory, no descriptors, no delay."""

from __future__ import annotations

import contextlib
import resource
import socket
import threading
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppaurora.mpc.role import PAIRS, Role
from tests.mpc.link.garbage import GREETING
from tests.parties.world import World

from .test_floods import descriptors, of_process

pytestmark = pytest.mark.zeromq
FEW = 480
"""Descriptors that each server may have."""
HUGE = GREETING + b"\x06" + (64 << 20).to_bytes(8, "big") + bytes(256 << 10)
OTHERWISE_BYTES = 16 << 20
"""Bytes that a session over lists as short as these takes at its peak."""


def few_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, FEW))


def besiege(
    place: tuple[str, int], over: threading.Event, came: Counter[int], most: int = 600
) -> None:
    """Connect again and again, say nothing or too much, and keep the last so many connections."""
    kept: deque[socket.socket] = deque()
    number = 0
    while not over.wait(0.001):
        number += 1
        source = (f"127.0.1.{1 + number % 3}", 0)
        with contextlib.suppress(OSError):  # the port is closed, or the connection is
            kept.append(socket.create_connection(place, 1, source_address=source))
            came[place[1]] += 1
            kept[-1].settimeout(0.05)
            kept[-1].sendall((b"", GREETING[:10], HUGE)[number % 3])
        if len(kept) > most:
            kept.popleft().close()
    for one in kept:
        one.close()


@contextlib.contextmanager
def besieged(world: World) -> Iterator[Counter[int]]:
    """Strangers at every link port, as long as the block lasts; how many have come to each."""
    over, came = threading.Event(), Counter[int]()
    places = [
        (world.study.server(low).host, world.study.server(low).link_port(high))
        for low, high in PAIRS
    ]
    threads = [threading.Thread(target=besiege, args=(place, over, came)) for place in places]
    for thread in threads:
        thread.start()
    try:
        yield came
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_strangers_at_all_link_ports_cost_little_and_keep_no_server_from_computing(
    tmp_path: Path,
) -> None:
    with World(tmp_path) as world:
        world.start(before=few_descriptors)
        before = {role: of_process(world, role, "VmHWM") for role in Role}
        with besieged(world):
            world.upload()
            assert world.result("ben") == world.pooled()
        for role in Role:
            assert world.processes[role].poll() is None, world.log(role)
            assert of_process(world, role, "VmHWM") - before[role] < OTHERWISE_BYTES
            assert descriptors(world, role) < FEW
            assert "session failed" not in world.log(role)


@pytest.mark.soak
def test_thirty_studies_under_siege_at_their_link_ports_are_computed(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        runs = world.make_runs(30)
        world.start(before=few_descriptors)
        before = {role: of_process(world, role, "VmHWM") for role in Role}
        most = Counter[Role]()
        with besieged(world) as came:
            for study in runs:
                world.upload_patiently(study, 30.0)
                with world.take_part("ben", study) as reader:
                    assert reader.result(wait=60.0).values == world.pooled()
                for role in Role:
                    most[role] = max(most[role], descriptors(world, role))
        for role in Role:
            grown = of_process(world, role, "VmHWM") - before[role]
            failed = world.log(role).count("session failed")
            print(f"{role}: {grown >> 20} MiB more, {most[role]} descriptors, {failed} failed")
            assert grown < OTHERWISE_BYTES
            assert most[role] < FEW
        print(f"strangers that came in: {sorted(came.values())}")
