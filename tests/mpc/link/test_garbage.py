"""Garbage at an open link port, before and after the peer has come: it disturbs nobody."""

from __future__ import annotations

import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ppaurora.mpc.link import Kind
from ppaurora.mpc.role import Role

from .garbage import throw
from .test_allow_list import listen
from .test_bad_frames import resident_bytes

pytestmark = pytest.mark.zeromq
P0, P1, _ = Role
MORE_BYTES = 16 << 20


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def is_disturbed_by_no_garbage(seed: int, pieces: int) -> None:
    """Half of the pieces come before the peer does, half while the link is in use."""
    listener, pool = listen(120.0)
    place = ("127.0.0.1", listener.port)
    throw(place, seed, 20)
    before, opened = resident_bytes(), descriptors()
    throw(place, seed + 1, pieces // 2)
    there = listener.connect(listener.expected)
    here = listener.links.result()[P1]
    with ThreadPoolExecutor(1) as beside:
        thrown = beside.submit(throw, place, seed + 2, pieces // 2)
        step = 0
        while not thrown.done():
            here.send(Kind.OPEN, np.array([step], np.uint64), step)
            assert there.receive(Kind.OPEN, 1, step)[0] == step
            there.send(Kind.OPEN, np.array([step], np.uint64), step)
            assert here.receive(Kind.OPEN, 1, step)[0] == step
            step += 1
        thrown.result()
    time.sleep(0.5)
    assert resident_bytes() - before < MORE_BYTES
    there.close()
    here.close()
    pool.shutdown()
    assert descriptors() <= opened


def test_a_crowd_at_a_port_stalls_no_link_whose_party_waits_for_somebody_else() -> None:
    """Events about each stranger must not fill up and stop ZeroMQ's only thread.

    A plain link has no door, so all of them reach ZeroMQ.
    """
    listener, pool = listen(30.0, plain=True)
    there = listener.connect(listener.expected, plain=True)
    here = listener.links.result()[P1]
    for _ in range(900):
        socket.create_connection(("127.0.0.1", listener.port), timeout=10).close()
    here.send(Kind.OPEN, np.array([7], np.uint64), 0)
    assert there.receive(Kind.OPEN, 1, 0)[0] == 7
    there.close()
    here.close()
    pool.shutdown()


def test_garbage_before_and_after_the_peer_comes_disturbs_no_link() -> None:
    is_disturbed_by_no_garbage(seed=0, pieces=160)


@pytest.mark.soak
def test_four_thousand_pieces_of_garbage_disturb_no_link() -> None:
    is_disturbed_by_no_garbage(seed=100, pieces=4000)
