"""The shaped link delivers when a frame is due, and its sender goes on at once."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.bench.networks import shaper
from ppaurora.bench.networks.networks import ServerNetwork
from ppaurora.bench.networks.shaper import WAKE_UP_SECONDS, Uplink, shaped
from ppaurora.mpc.link import Kind, Link, memory_links
from ppaurora.mpc.role import Role
from tests.bench.networks.conftest import Clock

SLOW = ServerNetwork("20 ms", 20e-3)
ON_THE_WAY = SLOW.delay - WAKE_UP_SECONDS


@pytest.fixture
def ends(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> tuple[Link, Link]:
    """Both ends of a shaped link, by the tests' own clock."""
    monkeypatch.setattr(shaper, "time", clock)
    links = {role: shaped(of, SLOW) for role, of in memory_links().items()}
    return links[Role.P0][Role.P1], links[Role.P1][Role.P0]


def test_a_frame_arrives_when_it_is_due_and_the_sender_does_not_wait(
    ends: tuple[Link, Link], clock: Clock
) -> None:
    here, there = ends
    began = clock.now
    here.send(Kind.OPEN, np.arange(3, dtype=np.uint64), 1)
    assert clock.now == began
    assert there.receive(Kind.OPEN, 3, 1).tolist() == [0, 1, 2]
    assert clock.now - began == pytest.approx(ON_THE_WAY)


def test_frames_sent_together_arrive_together(ends: tuple[Link, Link], clock: Clock) -> None:
    here, there = ends
    began = clock.now
    for step in range(5):
        here.send(Kind.OPEN, np.array([step], np.uint64), step)
    assert [there.receive(Kind.OPEN, 1, step)[0] for step in range(5)] == list(range(5))
    assert clock.now - began == pytest.approx(ON_THE_WAY)


def test_a_frame_that_is_not_due_yet_is_kept(ends: tuple[Link, Link], clock: Clock) -> None:
    here, there = ends
    began = clock.now
    here.send(Kind.OPEN, np.zeros(1, np.uint64), 1)
    assert there.poll(SLOW.delay / 10) is None
    assert clock.now - began == pytest.approx(SLOW.delay / 10)
    assert there.poll(10 * SLOW.delay) is not None
    assert clock.now - began == pytest.approx(ON_THE_WAY)


def test_a_paced_host_sends_one_frame_after_the_other(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shaper, "time", clock)
    uplink = Uplink(8e6)  # a megabyte a second
    began = clock.now
    assert uplink.depart(1000) - began == pytest.approx(1e-3)
    assert uplink.depart(1000) - began == pytest.approx(2e-3)
    clock.sleep(1.0)
    assert uplink.depart(1000) - began == pytest.approx(1.001), "an idle host saves nothing up"
