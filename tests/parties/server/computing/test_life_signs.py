"""Servers that compute together notice one that is stopped, long before their deadline."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ppaurora.mpc.errors import PeerLost, PeerSilent
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Kind, Limits, Link, memory_links
from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.link.link import GLANCE_SECONDS
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.connection import RequestConnection
from ppaurora.parties.requests.listener import Incoming, RequestListener
from ppaurora.parties.server.computing.life_signs import (
    LONGEST_TICK_SECONDS,
    PAUSE_SECONDS,
    SILENT_SECONDS,
    TICK_SECONDS,
    Silence,
    watch,
)
from tests.parties.slow_line import BEHIND_THE_LINES, LATE, Line, lines_to_all_servers
from tests.parties.world import World

pytestmark = pytest.mark.zeromq
NOTICED_SECONDS = 5.0
"""Within which a stopped server is noticed."""
HERE, THERE = Identity.generate(), Identity.generate()


@contextmanager
def answering(port: int, *, once: bool = False) -> Iterator[None]:
    """A peer's request port; after the first sign of life it may only keep its connections."""
    listener = RequestListener(THERE, "127.0.0.1", port, lambda key: key == HERE.public.exchange)
    over, answered, answer = threading.Event(), threading.Event(), listener._answer

    def noted(incoming: Incoming, payload: bytes) -> None:
        answer(incoming, payload)
        answered.set()

    listener._answer = noted  # type: ignore[method-assign]

    def serve() -> None:
        while not (over.is_set() or (once and answered.is_set())):
            listener.receive(0.05)
        over.wait()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        listener.close()


@contextmanager
def watched_link(port: int, limits: Limits) -> Iterator[Link]:
    """P0's link to P1, whose request port is at `port`."""
    link = memory_links(limits=limits)[Role.P0][Role.P1]
    connection = RequestConnection(HERE, "P1", "127.0.0.1", port, THERE.public)
    over = threading.Event()
    thread = threading.Thread(target=watch, args=(connection, link, over))
    thread.start()
    try:
        yield link
    finally:
        over.set()
        thread.join()


def silent_at(heard_at: float | None, looks: list[float]) -> float | None:
    """The time when a peer last heard at `heard_at` is given up, if looked at at these times.

    It was heard for the first time before, and is looked at then.
    """
    silence = Silence()
    silence.look(0.0, heard_at)
    return next((now for now in looks if silence.look(now, heard_at)), None)


def ticks(first: float, last: float) -> list[float]:
    return [first + TICK_SECONDS * i for i in range(int((last - first) / TICK_SECONDS))]


def test_a_silent_peer_is_given_up_after_the_limit_and_well_before_five_seconds() -> None:
    given_up = silent_at(0.0, ticks(TICK_SECONDS, 60.0))
    assert given_up is not None
    assert SILENT_SECONDS - TICK_SECONDS <= given_up <= SILENT_SECONDS + TICK_SECONDS
    assert given_up + TICK_SECONDS + GLANCE_SECONDS < 0.75 * NOTICED_SECONDS


def test_on_a_machine_too_busy_for_every_tick_it_is_given_up_no_later() -> None:
    late = [LONGEST_TICK_SECONDS * i for i in range(1, 100)]
    given_up = silent_at(0.0, late)
    assert given_up is not None
    assert given_up + LONGEST_TICK_SECONDS + GLANCE_SECONDS < NOTICED_SECONDS


def test_a_peer_that_is_heard_every_now_and_then_is_never_given_up() -> None:
    silence = Silence()
    for now in ticks(0.0, 60.0):
        heard_at = now - now % (SILENT_SECONDS - TICK_SECONDS)
        assert not silence.look(now, heard_at)
    assert PAUSE_SECONDS < SILENT_SECONDS / 2


def test_a_peer_that_never_answered_is_not_given_up() -> None:
    assert silent_at(None, ticks(0.0, 60.0)) is None


def test_a_server_that_stood_still_itself_gives_nobody_up_before_it_has_listened() -> None:
    silence = Silence()
    assert not any(silence.look(now, 0.0) for now in ticks(0.0, 1.0))
    assert not silence.look(100.0, 0.0)
    assert not silence.look(100.0 + TICK_SECONDS, 100.0)
    assert silence.seconds == 0.0


def test_a_peer_that_stops_answering_is_given_up_before_the_deadline() -> None:
    (port,) = free_ports(1)
    with answering(port, once=True), watched_link(port, Limits(deadline=60.0)) as link:
        begun = time.monotonic()
        with pytest.raises(PeerLost, match="no sign of life"):
            link.receive(Kind.OPEN, 1, 0)
        assert time.monotonic() - begun < 30


def test_a_peer_that_answers_is_waited_for_until_the_deadline() -> None:
    (port,) = free_ports(1)
    limits, silent = Limits(deadline=6.0), pytest.raises(PeerSilent)
    with answering(port), watched_link(port, limits) as link, silent:
        link.receive(Kind.OPEN, 1, 0)


def test_a_peer_whose_request_port_is_closed_to_us_is_waited_for_until_the_deadline() -> None:
    (port,) = free_ports(1)
    with watched_link(port, Limits(deadline=6.0)) as link, pytest.raises(PeerSilent):
        link.receive(Kind.OPEN, 1, 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "victim",
    [
        pytest.param(Role.P0, marks=pytest.mark.weekly),
        pytest.param(Role.P1, marks=pytest.mark.weekly),
        Role.HELPER,
    ],
)
def test_a_stopped_server_ends_the_session_of_the_others_before_the_deadline(
    tmp_path: Path, victim: Role
) -> None:
    lines = Line, lambda: LATE
    with (
        World(tmp_path, patience=60.0, servers_listen_at=BEHIND_THE_LINES) as world,
        lines_to_all_servers(world.study, *lines),
    ):
        world.start()
        world.upload()
        world.await_steps(victim)
        time.sleep(1.5)  # until each has answered the others once
        assert '"session ends"' not in world.log(victim)
        world.signal(victim, signal.SIGSTOP)
        begun = time.monotonic()
        for role in victim.others:
            world.await_log(role, "session failed", seconds=30.0)
        assert time.monotonic() - begun < 2 * NOTICED_SECONDS
        assert any("no sign of life" in world.log(role) for role in victim.others)
