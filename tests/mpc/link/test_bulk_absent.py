"""Links that have no bulk lane, at one end or at both, or get it late; and all three with one."""

from __future__ import annotations

import socket
import time

import pytest

from ppaurora.mpc.link import Kind, Limits, Link
from ppaurora.mpc.link.zeromq import ZeroMQLink
from ppaurora.mpc.role import Role

from .loopback import key_of, with_lanes, zeromq_links
from .test_bulk_lane import full
from .test_conformance import at_once

pytestmark = pytest.mark.zeromq
P0, P1, HELPER = Role


def exchange(here: Link, there: Link, step: int) -> None:
    """A large frame each way, which has to arrive."""
    here.send(Kind.OPEN, full(1000, step), step)
    there.send(Kind.OPEN, full(1000, step), step)
    assert there.receive(Kind.OPEN, 1000, step)[-1] == step
    assert here.receive(Kind.OPEN, 1000, step)[-1] == step


class TestWithoutALane:
    """ZeroMQ carries everything, and nobody waits."""

    @pytest.mark.parametrize("who", ["neither", "listener", "connector"])
    def test_where_either_end_does_without(self, who: str) -> None:
        limits = Limits(deadline=5.0, bulk=64, bulk_after=0)
        links = zeromq_links(limits, bulk=who != "neither")
        here, there = links[P0][P1], links[P1][P0]
        if who == "connector":
            assert there.open_bulk(key_of(P0, P1))
        if who == "listener":
            assert here.open_bulk(key_of(P0, P1))
        for step in range(20):
            exchange(here, there, step)
        assert (here.bulk, there.bulk) == (False, False)

    def test_where_the_port_cannot_be_reached_again(self) -> None:
        links = zeromq_links(Limits(deadline=5.0, bulk=64, bulk_after=0), bulk=True)
        here, there = links[P0][P1], links[P1][P0]
        assert isinstance(there, ZeroMQLink)
        for link in (here, there):
            assert link.open_bulk(key_of(P0, P1))
        assert there._dial is not None
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            there._dial._address = unused.getsockname()
        for step in range(20):
            here.send(Kind.OPEN, full(1000, step), step)
            assert there.receive(Kind.OPEN, 1000, step)[-1] == step
        assert (here.bulk, there.bulk) == (False, False)

    def test_a_lane_opens_under_way_without_anybody_waiting(self) -> None:
        links = zeromq_links(Limits(deadline=5.0, bulk=64, bulk_after=0), bulk=True)
        here, there = links[P0][P1], links[P1][P0]
        for link in (there, here):
            assert link.open_bulk(key_of(P0, P1))
        for step in range(2000):
            exchange(here, there, step)
            if here.bulk and there.bulk:
                break
            time.sleep(0.001)
        assert (here.bulk, there.bulk) == (True, True)
        for link in (here, there):
            link.say_goodbye()
        at_once(here.finish, there.finish)


def test_lanes_are_opened_between_all_three() -> None:
    links = with_lanes(zeromq_links(bulk=True))
    assert all(link.bulk for of_one in links.values() for link in of_one.values())
