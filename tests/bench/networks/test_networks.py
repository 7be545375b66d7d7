"""Networks: named ones, made ones that leave nothing behind, and delays that are as asked for."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from ppaurora.bench.errors import MeansRefused
from ppaurora.bench.measure.processes import environment
from ppaurora.bench.measure.round_trip import bits_per_second, median_round_trip
from ppaurora.bench.networks import cable, networks
from ppaurora.bench.networks.networks import (
    LAN,
    LOOPBACK,
    WAN,
    Means,
    Network,
    laid,
    named,
    namespaces,
)
from ppaurora.bench.networks.shaper import Uplink, shaped
from ppaurora.mpc.link import Kind, memory_links
from ppaurora.mpc.role import Role

SLOW = Network("20 ms", 20e-3)


def real_means() -> Means | None:
    """The way in which this process may make real hosts, if any."""
    for means in (Means.NETEM, Means.WIRE):
        try:
            with laid(WAN, means):
                return means
        except MeansRefused:
            continue
    return None


@pytest.fixture(scope="module")
def real() -> Means:
    means = real_means()
    if means is None:
        pytest.skip("this process may not make network namespaces")
    return means


def left_behind() -> list[str]:
    return [name for name, pid, _ in namespaces._existing() if pid == os.getpid()]


def test_networks_have_names_and_may_be_changed() -> None:
    assert named("lan") is LAN
    assert named("wan", 30.0) == Network("30 ms", 0.03)
    assert named("wan", None, 100.0) == Network("10 ms, 100 Mbit/s", 0.01, 1e8)
    with pytest.raises(MeansRefused, match="loopback, lan, wan"):
        named("moon")


def test_loopback_needs_nothing_and_cannot_delay() -> None:
    with laid(LOOPBACK) as hosts:
        assert hosts.means is Means.LOOPBACK
        assert hosts.command(Role.P0, ["true"]) == ["true"]
    with pytest.raises(MeansRefused), laid(WAN, Means.LOOPBACK):
        pass


def test_the_shaper_is_taken_where_hosts_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MeansRefused("not permitted")

    monkeypatch.setattr(namespaces, "lay", refuse)
    with laid(WAN) as hosts:
        assert hosts.shaped
        assert hosts.refused == ("netem: not permitted", "wire: not permitted")


def test_hosts_are_removed_at_the_end_and_on_an_error(real: Means) -> None:
    with laid(WAN, real):
        assert left_behind()
    assert not left_behind()
    with pytest.raises(RuntimeError), laid(WAN, real):
        raise RuntimeError
    assert not left_behind()


HOLD = """
import time
from ppaurora.bench.networks.networks import WAN, Means, laid
with laid(WAN, Means("{means}")):
    print("laid", flush=True)
    time.sleep(60)
"""


def holder(real: Means) -> subprocess.Popen[str]:
    """A process that holds hosts until it is ended."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(means=real)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "laid\n"
    return process


def of_process(pid: int) -> list[str]:
    return [name for name, of, _ in namespaces._existing() if of == pid]


def test_a_terminated_benchmark_leaves_nothing_behind(real: Means) -> None:
    with holder(real) as process:
        assert of_process(process.pid)
        process.send_signal(signal.SIGTERM)
        process.wait(10)
    assert not of_process(process.pid)


def test_what_a_killed_benchmark_leaves_is_swept_by_the_next(real: Means) -> None:
    with holder(real) as process, laid(WAN, real):
        assert of_process(process.pid), "another benchmark's hosts are left alone"
        process.kill()
        process.wait(10)
    with laid(WAN, real):
        assert not of_process(process.pid)


def quickest(measure: Callable[[], float], tries: int = 3) -> float:
    """The least disturbed of some measurements."""
    return min(measure() for _ in range(tries))


@pytest.mark.zeromq
@pytest.mark.slow
def test_real_hosts_and_the_shaper_agree_on_a_round_trip_within_a_tenth(real: Means) -> None:
    measured = {}
    for means in (real, Means.SHAPER):
        with laid(SLOW, means) as hosts:
            measured[means] = quickest(lambda at=hosts: median_round_trip(at, repetitions=30))
    assert measured[real] == pytest.approx(measured[Means.SHAPER], rel=0.1)
    assert measured[Means.SHAPER] == pytest.approx(SLOW.round_trip, rel=0.1)


@pytest.mark.zeromq
@pytest.mark.slow
def test_real_hosts_and_the_shaper_agree_on_the_pace(real: Means) -> None:
    paced = Network("200 Mbit/s", 2e-3, 200e6)
    for means in (real, Means.SHAPER):
        with laid(paced, means) as hosts:
            assert bits_per_second(hosts, blocks=20) == pytest.approx(paced.bandwidth, rel=0.15)


def test_a_shaped_frame_arrives_on_time_and_the_sender_does_not_wait() -> None:
    links = {role: shaped(of, SLOW) for role, of in memory_links().items()}
    sender, receiver = links[Role.P0][Role.P1], links[Role.P1][Role.P0]
    began = time.monotonic()
    sender.send(Kind.OPEN, np.arange(3, dtype=np.uint64), 1)
    assert time.monotonic() - began < SLOW.delay / 2
    assert receiver.receive(Kind.OPEN, 3, 1).tolist() == [0, 1, 2]
    assert SLOW.delay <= time.monotonic() - began + 1e-3 < 3 * SLOW.delay


def test_a_shaped_link_keeps_a_frame_that_is_not_due_yet() -> None:
    links = {role: shaped(of, SLOW) for role, of in memory_links().items()}
    links[Role.P0][Role.P1].send(Kind.OPEN, np.zeros(1, np.uint64), 1)
    receiver = links[Role.P1][Role.P0]
    assert receiver._await(SLOW.delay / 10) is None
    assert receiver._await(10 * SLOW.delay) is not None


def test_a_paced_host_sends_one_frame_after_the_other() -> None:
    uplink = Uplink(8e6)  # a megabyte a second
    began = time.monotonic()
    assert uplink.depart(1000) - began == pytest.approx(1e-3, abs=1e-3)
    assert uplink.depart(1000) - began == pytest.approx(2e-3, abs=1e-3)


def test_the_wire_delivers_late_and_to_the_right_host() -> None:
    pairs = [socket.socketpair(type=socket.SOCK_SEQPACKET) for _ in range(2)]
    addresses = [b"\xc6\x12\x00\x01", b"\xc6\x12\x00\x02"]
    for inner, _ in pairs:
        inner.setblocking(False)
    carrier = cable.Wire(
        {address: inner.fileno() for address, (inner, _) in zip(addresses, pairs, strict=True)},
        delay=20e-3,
        bandwidth=None,
    )
    packet = bytes(cable.DESTINATION.start) + addresses[1] + b"payload"
    began = time.monotonic()
    pairs[0][1].send(packet)
    carrier.turn()
    carrier.turn()
    assert 19e-3 <= time.monotonic() - began < 60e-3
    assert pairs[1][1].recv(1000) == packet
    for pair in pairs:
        for end in pair:
            end.close()


def test_networks_without_a_delay_are_plain() -> None:
    assert networks.ways(LOOPBACK) == (Means.LOOPBACK,)
    assert networks.ways(WAN) == (Means.NETEM, Means.WIRE, Means.SHAPER)
