"""The cable carries each packet to its host, late by the delay and no faster than the pace."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ppaurora.bench.networks import cable
from ppaurora.bench.networks.cable import DESTINATION, WAKE_UP_SECONDS, Cable
from tests.bench.networks.conftest import Clock

ADDRESSES = (b"\xc6\x12\x00\x01", b"\xc6\x12\x00\x02")
DELAY = 20e-3
Hosts = list[socket.socket]


def packet(to: bytes, payload: bytes) -> bytes:
    return bytes(DESTINATION.start) + to + payload


def arrived(host: socket.socket) -> bytes | None:
    try:
        return host.recv(1000)
    except BlockingIOError:
        return None


@pytest.fixture
def plugged(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Hosts, dict]]:
    """Two hosts, and the ends of the cable in them."""
    monkeypatch.setattr(cable, "time", clock)
    monkeypatch.setattr(cable, "select", clock)
    with ExitStack() as stack:
        hosts, ends = [], {}
        for address in ADDRESSES:
            for end in (pair := socket.socketpair(type=socket.SOCK_SEQPACKET)):
                stack.enter_context(end).setblocking(False)
            hosts.append(pair[0])
            ends[address] = pair[1].fileno()
        yield hosts, ends


def test_a_packet_comes_late_and_to_the_right_host(
    plugged: tuple[Hosts, dict], clock: Clock
) -> None:
    (here, there), ends = plugged
    carrier = Cable(ends, delay=DELAY, bandwidth=None)
    sent, began = packet(ADDRESSES[1], b"payload"), clock.now
    here.send(sent)
    carrier.turn()
    assert arrived(there) is None
    assert clock.now == began
    carrier.turn()
    assert clock.now - began == pytest.approx(DELAY - WAKE_UP_SECONDS)
    assert arrived(there) == sent
    assert arrived(here) is None


def test_packets_of_a_paced_host_follow_one_another(
    plugged: tuple[Hosts, dict], clock: Clock
) -> None:
    (here, there), ends = plugged
    carrier = Cable(ends, delay=DELAY, bandwidth=8e6)  # a megabyte a second
    began, seen = clock.now, []
    for number in range(3):
        here.send(packet(ADDRESSES[1], bytes([number])).ljust(1000, b"\0"))
    while len(seen) < 3:
        carrier.turn()
        if (data := arrived(there)) is not None:
            seen.append((data[DESTINATION.stop], clock.now - began))
    assert [number for number, _ in seen] == [0, 1, 2]
    due = [number * 1e-3 + DELAY - WAKE_UP_SECONDS for number in (1, 2, 3)]
    assert [at for _, at in seen] == pytest.approx(due)


def test_a_packet_for_nobody_is_dropped(plugged: tuple[Hosts, dict], clock: Clock) -> None:
    (here, there), ends = plugged
    carrier = Cable(ends, delay=DELAY, bandwidth=None)
    here.send(packet(b"\x08\x08\x08\x08", b"lost"))
    here.send(packet(ADDRESSES[1], b"kept"))
    carrier.turn()
    carrier.turn()
    assert arrived(there) == packet(ADDRESSES[1], b"kept")
    assert arrived(there) is None
