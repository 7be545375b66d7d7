"""Strangers at a link port: what they can make a party hold, and whether they keep its peer out."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Endpoint, Kind, Limits, Link, open_links
from ppaurora.mpc.link.link_proxy import LINK_CAPS
from ppaurora.mpc.link.listening_proxy import AUDIT
from ppaurora.mpc.role import Role
from tests.until import later

from .garbage import GREETING, HELLO
from .loopback import SESSION
from .test_allow_list import SOON, Listener, audit, exchange, listen
from .test_bad_frames import resident_bytes

pytestmark = pytest.mark.zeromq
P0, P1, _ = Role
FRAME_BYTES = 64 << 20
MORE_BYTES = 16 << 20
HUGE = b"\x06" + FRAME_BYTES.to_bytes(8, "big")
"""The head of a command as large as the largest body of a link."""
NEARLY_ALL = FRAME_BYTES - (1 << 20)
"""The bytes kept for the rest of it."""
OF_A_SPEAKER = 3
"""A stranger's connection, and both ends of the one between the door and ZeroMQ."""


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@contextlib.contextmanager
def listening(seconds: float = 60.0) -> Iterator[Listener]:
    """P0, which waits for P1; nobody has come yet."""
    listener, pool = listen(seconds)
    yield listener
    pool.shutdown()
    listener.links.result()[P1].close()


def stranger(listener: Listener, number: int = 0) -> socket.socket:
    """A connection from one of a few addresses of this machine."""
    source = (f"127.0.1.{1 + number % 20}", 0)
    return socket.create_connection(("127.0.0.1", listener.port), 10, source_address=source)


def say(client: socket.socket, first: bytes, then: int) -> None:
    """Say this, and as many zeros, as far as they are taken."""
    with contextlib.suppress(OSError):
        client.sendall(first)
        for _ in range(then >> 20):
            client.sendall(bytes(1 << 20))


def arrives(listener: Listener, limits: Limits | None = None) -> tuple[Link, Link]:
    """Both ends of the link, once the peer has come."""
    there = listener.connect(listener.expected, limits=limits or Limits(deadline=5, connect=20))
    return listener.links.result(60)[P1], there


@pytest.mark.parametrize(
    "before", [GREETING, GREETING + HELLO + bytes(194)], ids=["greeting", "hello"]
)
def test_frames_of_strangers_are_not_kept_while_the_peer_is_awaited(before: bytes) -> None:
    with listening() as listener, contextlib.ExitStack() as stack:
        held = resident_bytes()
        strangers = [stack.enter_context(stranger(listener, number)) for number in range(5)]
        with ThreadPoolExecutor(len(strangers)) as pool:
            for client in strangers:
                pool.submit(say, client, before + HUGE, NEARLY_ALL)
        time.sleep(0.2)
        assert resident_bytes() - held < MORE_BYTES
        here, there = arrives(listener)
        exchange(here, there)
        there.close()


def test_strangers_find_no_port_while_the_link_is_in_use() -> None:
    with listening() as listener, stranger(listener) as early:
        here, there = arrives(listener)
        held, opened = resident_bytes(), descriptors()
        say(early, GREETING + HUGE, NEARLY_ALL)
        for number in range(50):
            with pytest.raises(ConnectionRefusedError):
                stranger(listener, number)
        exchange(here, there)
        exchange(there, here)
        assert resident_bytes() - held < MORE_BYTES
        assert descriptors() <= opened
        there.close()


@pytest.mark.parametrize(("count", "said"), [(600, b""), (300, GREETING[:10])])
def test_hundreds_of_strangers_take_few_descriptors_and_keep_no_peer_out(
    count: int, said: bytes
) -> None:
    opened = descriptors()
    with listening() as listener, contextlib.ExitStack() as stack:
        before = descriptors()
        for number in range(count):
            stack.enter_context(stranger(listener, number)).sendall(said)
        time.sleep(0.2)
        assert descriptors() - before - count <= LINK_CAPS.in_all * OF_A_SPEAKER
        here, there = arrives(listener)
        exchange(here, there)
        assert descriptors() - before - count < 2 * OF_A_SPEAKER + 30  # what the two ends have
        there.close()
    assert descriptors() <= opened


def test_a_peer_behind_the_address_of_a_crowd_comes_in() -> None:
    """The crowd never ends, and is of the address from which the peer comes."""
    with listening() as listener, ThreadPoolExecutor(1) as pool:

        def crowd() -> None:
            kept: deque[socket.socket] = deque()
            with contextlib.suppress(OSError):  # in the end the port is closed
                while True:
                    kept.append(socket.create_connection(("127.0.0.1", listener.port), 10))
                    if len(kept) > 2 * LINK_CAPS.of_an_address:
                        kept.popleft().close()
            for one in kept:
                one.close()

        crowding = pool.submit(crowd)
        here, there = arrives(listener, Limits(deadline=5, connect=50))
        crowding.result(20)
        exchange(here, there)
        there.close()


def test_each_stranger_is_told_with_the_address_and_what_it_did(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with listening() as listener:
        for said in (b"GET / HTTP/1.1\r\n\r\n", GREETING + HUGE):
            with stranger(listener) as client:
                client.sendall(said)
                with contextlib.suppress(ConnectionError):
                    while client.recv(100):
                        pass
        with stranger(listener):
            pass
        _, there = arrives(listener)
        lines = audit(caplog)
        assert [line.partition("127.0.1.1: ")[2] for line in lines] == [
            "it does not greet as a client does",
            "it does not greet as a client does",
            "it left without a valid key",
        ]
        assert all(line.startswith("link to P1: refused a connection from") for line in lines)
        there.close()


def test_the_number_of_strangers_is_told_with_a_peer_that_does_not_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listener, pool = listen(60.0)
    for _ in range(3):
        with stranger(listener) as client:
            client.sendall(b"hello, is this the right port?")
            client.recv(1)
    later(monkeypatch, 60.0)
    failure = listener.links.exception(SOON)
    assert "3 other attempts were refused" in str(failure)
    pool.shutdown()


def test_a_party_that_cannot_make_its_hidden_place_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    opened = descriptors()
    endpoint = Endpoint("127.0.0.1", 0, Identity.generate().public, True)
    with pytest.raises(LocalProtocolError, match="cannot make a socket in /nowhere") as caught:
        open_links(P0, Identity.generate(), {P1: endpoint}, SESSION)
    assert "TMPDIR" in caught.value.advice
    assert descriptors() == opened


def flood(listener: Listener, rounds: int) -> None:
    """Silent connections, halves of greetings and huge frames, hundreds at a time."""
    for _ in range(rounds):
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            clients = [stack.enter_context(stranger(listener, one)) for one in range(200)]
            for number, client in enumerate(clients):
                said = (b"", GREETING[: number % 64], GREETING + HUGE)[number % 3]
                say(client, said, 4 << 20 if number % 3 == 2 else 0)


@pytest.mark.soak
def test_sixty_floods_of_strangers_while_a_link_opens_cost_little_and_keep_no_peer_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(AUDIT, "disabled", True)  # pytest keeps each line, a log does not
    held = opened = 0
    for turn in range(20):
        with listening() as listener, ThreadPoolExecutor(3) as pool:
            for _ in range(3):
                pool.submit(flood, listener, 3)
            time.sleep(0.1 * turn)
            here, there = arrives(listener)
            for step in range(100):
                here.send(Kind.OPEN, np.full(10_000, step, np.uint64), step)
                assert there.receive(Kind.OPEN, 10_000, step)[-1] == step
            there.close()
        if not turn:
            held, opened = resident_bytes(), descriptors()
    print(f"{(resident_bytes() - held) >> 10} KiB and {descriptors() - opened} descriptors more")
    assert resident_bytes() - held < MORE_BYTES
    assert descriptors() <= opened
