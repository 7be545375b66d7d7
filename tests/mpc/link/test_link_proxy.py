"""The relay behind a link port: all bytes, both ways, and its end."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pytest
import zmq

from ppaurora.mpc.errors import PeerSilent
from ppaurora.mpc.link import Kind, link_proxy
from ppaurora.mpc.link.link_proxy import PIECE_BYTES, Relay
from ppaurora.mpc.link.unread import Unread
from ppaurora.mpc.link.zeromq import ZeroMQLink
from ppaurora.mpc.role import Role
from tests.until import until

from .loopback import PATIENT, close_links, zeromq_links

SOON = 20.0


@dataclass
class Ends:
    """A relay with what speaks on either side of it: the peer by TCP, ZeroMQ's side locally."""

    relay: Relay
    peer: socket.socket
    inner: socket.socket


@pytest.fixture
def ends() -> Iterator[Ends]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        peer = socket.create_connection(listening.getsockname())
        accepted, _ = listening.accept()
    inner, server = socket.socketpair()
    relay = Relay()
    relay.start(accepted, server)
    for one in (peer, inner):
        one.settimeout(SOON)
    yield Ends(relay, peer, inner)
    peer.close()
    inner.close()
    relay.finish(0)


def read(source: socket.socket) -> bytes:
    """Everything until the end."""
    pieces = []
    while piece := source.recv(1 << 16):
        pieces.append(piece)
    return b"".join(pieces)


def read_and_leave(source: socket.socket) -> bytes:
    """Everything until the end; then this side says that it has nothing more to say."""
    with contextlib.closing(source):
        return read(source)


def speak(target: socket.socket, said: bytes) -> None:
    target.sendall(said)
    target.shutdown(socket.SHUT_WR)


def test_all_bytes_arrive_in_order_in_both_directions_at_once(ends: Ends) -> None:
    said = [random.Random(seed).randbytes(6_000_000 + seed) for seed in range(2)]
    with ThreadPoolExecutor(4) as pool:
        heard = [pool.submit(read, one) for one in (ends.inner, ends.peer)]
        for one, bytes_ in zip((ends.peer, ends.inner), said, strict=True):
            pool.submit(speak, one, bytes_)
        assert [one.result(SOON) for one in heard] == said


@pytest.mark.parametrize("whole", [True, False])
def test_one_side_hears_that_the_other_has_gone_after_what_it_said(ends: Ends, whole: bool) -> None:
    ends.peer.sendall(b"the last words")
    ends.peer.close() if whole else ends.peer.shutdown(socket.SHUT_WR)
    assert read(ends.inner) == b"the last words"


def test_what_was_said_last_is_delivered_before_the_end(ends: Ends) -> None:
    said = bytes(3_000_000)
    with ThreadPoolExecutor(1) as pool:
        heard = pool.submit(read_and_leave, ends.peer)
        ends.inner.sendall(said)
        ends.inner.close()
        ends.relay.finish(SOON)
        assert heard.result(SOON) == said


def test_what_nobody_reads_inside_takes_nothing_back_of_what_was_said(ends: Ends) -> None:
    """A socket that is closed with bytes unread resets its connection."""
    ends.peer.sendall(bytes(100_000))
    ends.inner.sendall(b"the last words")
    ends.inner.close()
    said_later = threading.Timer(0.2, ends.peer.shutdown, [socket.SHUT_WR])
    said_later.start()
    ends.relay.finish(SOON)
    assert read(ends.peer) == b"the last words"
    said_later.join()


def test_a_peer_that_does_not_read_is_waited_for_no_longer_than_said(ends: Ends) -> None:
    ends.inner.setblocking(False)
    deadline = time.monotonic() + SOON
    idle = 0
    while idle < 20 and time.monotonic() < deadline:
        try:
            ends.inner.send(bytes(1 << 16))
            idle = 0
        except BlockingIOError:
            idle += 1
            time.sleep(0.01)
    ends.inner.close()
    begun = time.monotonic()
    ends.relay.finish(0.1)
    assert time.monotonic() - begun < SOON


def test_a_relay_leaves_no_descriptor_behind_whether_somebody_came_or_not() -> None:
    before = len(os.listdir("/proc/self/fd"))
    Relay().finish(1.0)
    (peer, accepted), (inner, server) = socket.socketpair(), socket.socketpair()
    relay = Relay()
    relay.start(accepted, server)
    relay.finish(0)
    peer.close()
    inner.close()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("read_on", [True, False])
def test_a_peer_that_says_more_than_is_read_is_heard_when_there_is_room_again(
    read_on: bool,
) -> None:
    """The bytes behind the relay are bounded meanwhile, though it takes whatever it is given."""
    most, whole = 4_000_000, 20_000_000
    unread = Unread(most)
    (peer, accepted), (inner, server) = socket.socketpair(), socket.socketpair()
    relay = Relay(unread)
    relay.start(accepted, server)
    heard, said = bytearray(), random.Random(1).randbytes(whole)

    def hear(size: int, seconds: float = SOON) -> None:
        inner.settimeout(seconds)
        with contextlib.suppress(TimeoutError):
            while len(heard) < size and (piece := inner.recv(1 << 20)):
                heard.extend(piece)

    with ThreadPoolExecutor(1) as pool, contextlib.closing(peer), contextlib.closing(inner):
        speaking = pool.submit(speak, peer, said)
        hear(most)
        hear(whole, 0.1)
        assert most <= len(heard) <= most + PIECE_BYTES
        if read_on:
            unread.read(PIECE_BYTES)
            hear(most + PIECE_BYTES)
            hear(whole, 0.1)
            assert len(heard) <= most + 2 * PIECE_BYTES + 1000
            while len(heard) < whole:
                unread.read(most // 2)
                hear(whole, 0.05)
            speaking.result(SOON)
            assert heard == said
        inner.close()
        relay.finish(0.1)


@pytest.mark.zeromq
def test_a_link_takes_no_more_than_it_reads_and_loses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """P1 sends on and on to P0, which is busy with something else."""
    most, body = 8_000_000, np.arange(1 << 17, dtype=np.uint64)
    monkeypatch.setattr(link_proxy, "Unread", lambda: Unread(most))
    links = zeromq_links()
    p0, p1 = links[Role.P0][Role.P1], links[Role.P1][Role.P0]
    assert isinstance(p0, ZeroMQLink)
    frames = 40
    for step in range(frames):
        p1.send(Kind.OPEN, body, step)
    until(lambda: p0._unread.bytes > most)
    time.sleep(0.2)  # in which it would take more
    assert most < p0._unread.bytes <= most + PIECE_BYTES
    for step in range(frames):
        assert np.array_equal(p0.receive(Kind.OPEN, body.size, step), body)
    assert p0._unread.bytes <= 0, "what was read counts more than it was on the line"
    for step in range(frames):
        p1.send(Kind.OPEN, body[: step % 30], step)
        assert p0.receive(Kind.OPEN, step % 30, step).size == step % 30
    assert p0._unread.bytes <= 0
    p0.send(Kind.OPEN, body, 0)
    assert p1.receive(Kind.OPEN, body.size, 0).size == body.size
    close_links()


@pytest.mark.zeromq
def test_a_message_of_many_parts_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even while its receiver waits for it: libzmq keeps every part until the last has come."""
    most = 4_000_000
    monkeypatch.setattr(link_proxy, "Unread", lambda: Unread(most))
    links = zeromq_links(replace(PATIENT, deadline=1.0))
    p0, p1 = links[Role.P0][Role.P1], links[Role.P1][Role.P0]
    assert isinstance(p0, ZeroMQLink)
    assert isinstance(p1, ZeroMQLink)
    for _ in range(40):
        p1._socket.send(bytes(1 << 20), zmq.SNDMORE)
    p1._socket.send(b"the last")
    until(lambda: p0._unread.bytes > most)
    with pytest.raises(PeerSilent):
        p0.receive(Kind.OPEN, 1, 0)
    assert most < p0._unread.bytes <= most + PIECE_BYTES
    close_links()
