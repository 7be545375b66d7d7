"""The allow-list: the holder of the expected key connects, others leave a line in the audit log."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
import zmq
from zmq.utils import z85

from ppaurora.mpc.errors import IdentityRefused, LocalProtocolError, PeerLost, PeerSilent
from ppaurora.mpc.keys import Identity, PublicKey, fingerprint, link_fingerprint
from ppaurora.mpc.link import Endpoint, Kind, Limits, Link, open_links, zeromq
from ppaurora.mpc.link.allow_list import AllowList
from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.link.zeromq import Opening
from ppaurora.mpc.role import Role
from tests.until import later, until

from .garbage import GREETING
from .loopback import SESSION

pytestmark = pytest.mark.zeromq

P0, P1, _ = Role
SHORT = Limits(deadline=5.0, connect=0.5)
LONG = Limits(deadline=30.0, connect=30.0)
"""So patient that what comes within `SOON` did not come because patience ended."""
SOON = 10.0


@dataclass
class Listener:
    """P0, waiting for P1 in a thread of its own."""

    identity: Identity
    expected: Identity
    port: int
    links: Future[dict[Role, Link]]

    def connect(
        self,
        identity: Identity,
        public: PublicKey | None = None,
        *,
        plain: bool = False,
        limits: Limits = LONG,
    ) -> Link:
        endpoint = Endpoint("127.0.0.1", self.port, public or self.identity.public, False)
        links = open_links(
            P1, identity, {P0: endpoint}, SESSION, limits=limits, insecure_plain=plain
        )
        return links[P0]

    def stray(
        self,
        identity: Identity | None,
        public: PublicKey | None = None,
        *,
        leaves: Callable[[], object],
    ) -> None:
        """A client that tries once to push frames in, and leaves when this is so."""
        with zmq.Context() as context, context.socket(zmq.DEALER) as client:
            client.setsockopt(zmq.RECONNECT_IVL, -1)
            client.linger = 0
            if identity is not None:
                client.curve_publickey = z85.encode(identity.public.exchange)
                client.curve_secretkey = z85.encode(identity.exchange_private_bytes())
                client.curve_serverkey = z85.encode((public or self.identity.public).exchange)
            client.connect(f"tcp://127.0.0.1:{self.port}")
            with suppress(zmq.Again):  # refused by now: the socket takes no more
                for _ in range(10):
                    client.send_multipart([b"let me", b"in"], zmq.DONTWAIT)
            until(leaves)


def listen(connect_seconds: float, *, plain: bool = False) -> tuple[Listener, ThreadPoolExecutor]:
    identity, expected = Identity.generate(), Identity.generate()
    port: Future[int] = Future()
    pool = ThreadPoolExecutor(1)
    links = pool.submit(
        open_links,
        P0,
        identity,
        {P1: Endpoint("127.0.0.1", 0, expected.public, True)},
        SESSION,
        limits=Limits(deadline=30.0, connect=connect_seconds),
        on_bound=lambda _, bound: port.set_result(bound),
        insecure_plain=plain,
    )
    return Listener(identity, expected, port.result(5), links), pool


@pytest.fixture
def listener() -> Iterator[Listener]:
    made, pool = listen(LONG.connect)
    yield made
    pool.shutdown()  # the peer may be connected before this side knows it
    if not made.links.exception():
        made.links.result()[P1].close()


def audit(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name == "ppaurora.audit"]


def exchange(here: Link, there: Link) -> None:
    for step in range(50):
        here.send(Kind.OPEN, np.array([step], np.uint64), step)
        assert there.receive(Kind.OPEN, 1, step)[0] == step


def test_the_expected_key_is_let_in_without_a_line(
    listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    there = listener.connect(listener.expected)
    exchange(listener.links.result()[P1], there)
    exchange(there, listener.links.result()[P1])
    assert audit(caplog) == []
    there.close()


@pytest.mark.parametrize("who", ["unknown key", "wrong server key", "no key", "no ZeroMQ"])
def test_a_stray_gets_no_frame_through_and_leaves_one_line(
    listener: Listener, caplog: pytest.LogCaptureFixture, who: str
) -> None:
    stranger, told = Identity.generate(), partial(audit, caplog)
    if who == "unknown key":
        listener.stray(stranger, leaves=told)
    elif who == "wrong server key":
        listener.stray(listener.expected, public=stranger.public, leaves=told)
    elif who == "no key":
        listener.stray(None, leaves=told)
    else:
        with socket.create_connection(("127.0.0.1", listener.port)) as client:
            client.sendall(b"GET / HTTP/1.1\r\n\r\n" * 20)
            until(told)
    (line,) = told()
    assert "link to P1: refused" in line
    assert (link_fingerprint(stranger.public.exchange) in line) == (who == "unknown key")
    there = listener.connect(listener.expected)
    exchange(there, listener.links.result()[P1])
    exchange(listener.links.result()[P1], there)
    assert told() == [line]
    there.close()


def test_noise_before_the_peer_comes_is_survived(
    listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    rng = np.random.default_rng(7)
    for _ in range(100):
        with socket.create_connection(("127.0.0.1", listener.port)) as client:
            client.sendall(rng.bytes(200))
    there = listener.connect(listener.expected)
    exchange(there, listener.links.result()[P1])
    assert len(audit(caplog)) <= 100
    there.close()


def test_a_connection_that_says_nothing_takes_no_frame_and_hides_no_loss(
    listener: Listener,
) -> None:
    idle = [socket.create_connection(("127.0.0.1", listener.port), timeout=SOON) for _ in range(4)]
    for client in idle[:2]:  # these are heard by ZeroMQ as well
        client.sendall(GREETING)
    there = listener.connect(listener.expected)
    here = listener.links.result()[P1]
    exchange(here, there)
    for client in idle:
        while client.recv(100):
            pass
        client.close()
    exchange(there, here)
    there.close()
    started = time.monotonic()
    with pytest.raises(PeerLost):
        here.receive(Kind.OPEN, 1, 50)
    assert time.monotonic() - started < SOON


def test_a_peer_that_leaves_while_its_key_is_decided_on_may_come_again(
    listener: Listener, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, decided, answer = threading.Event(), threading.Event(), AllowList.answer

    def answer_late(allow_list: AllowList) -> None:
        asked.set()
        assert decided.wait(SOON)
        answer(allow_list)

    monkeypatch.setattr(AllowList, "answer", answer_late)
    listener.stray(listener.expected, leaves=asked.is_set)
    decided.set()
    there = listener.connect(listener.expected)
    exchange(listener.links.result()[P1], there)
    (line,) = audit(caplog)
    assert "that has gone again" in line
    there.close()


def test_once_the_peer_has_come_its_port_is_closed_to_everybody_and_to_its_own_key(
    listener: Listener, caplog: pytest.LogCaptureFixture
) -> None:
    there = listener.connect(listener.expected)
    here = listener.links.result()[P1]
    with ThreadPoolExecutor(1) as pool:
        awaited = pool.submit(here.receive, Kind.OPEN, 1, 0)
        with pytest.raises(PeerLost, match="P0 cannot be reached"):
            listener.connect(listener.expected, limits=SHORT)
        there.send(Kind.OPEN, np.array([5], np.uint64), 0)
        assert awaited.result()[0] == 5
    assert audit(caplog) == []
    there.close()


def test_a_plain_link_takes_no_second_peer_either(caplog: pytest.LogCaptureFixture) -> None:
    listener, pool = listen(LONG.connect, plain=True)
    there = listener.connect(listener.expected, plain=True)
    here = listener.links.result()[P1]
    with ThreadPoolExecutor(1) as waiting:
        awaited = waiting.submit(here.receive, Kind.OPEN, 1, 0)
        listener.stray(None, leaves=partial(audit, caplog))
        there.send(Kind.OPEN, np.array([5], np.uint64), 0)
        assert awaited.result()[0] == 5
    for step in range(10):
        here.send(Kind.OPEN, np.array([step], np.uint64), step)
    assert [there.receive(Kind.OPEN, 1, step)[0] for step in range(10)] == list(range(10))
    (line,) = audit(caplog)
    assert "second connection" in line
    there.close()
    here.close()
    pool.shutdown()


def test_a_party_that_is_refused_hears_so_and_does_not_wait(listener: Listener) -> None:
    started = time.monotonic()
    with pytest.raises(IdentityRefused, match=r"P0 at .* refuses this party's key") as caught:
        listener.connect(Identity.generate())
    assert time.monotonic() - started < SOON
    assert "fingerprint" in caught.value.advice
    listener.connect(listener.expected).close()


def test_a_listener_with_another_key_is_refused(listener: Listener) -> None:
    other = Identity.generate()
    with pytest.raises(IdentityRefused, match=fingerprint(other.public)):
        listener.connect(
            listener.expected, public=other.public, limits=Limits(deadline=5.0, connect=2.0)
        )
    listener.connect(listener.expected).close()


def test_nobody_there_is_said_within_the_deadline() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))  # so that nobody else listens there meanwhile
        port = deaf.getsockname()[1]
        endpoint = Endpoint("127.0.0.1", port, Identity.generate().public, False)
        started = time.monotonic()
        with pytest.raises(PeerLost, match=f"P0 cannot be reached at 127.0.0.1:{port} in 0.5 s"):
            open_links(P1, Identity.generate(), {P0: endpoint}, SESSION, limits=SHORT)
    assert SHORT.connect <= time.monotonic() - started < SOON


def test_a_peer_that_answers_too_late_is_called_busy_and_its_key_is_not_doubted() -> None:
    public = Identity.generate().public
    with socket.create_server(("127.0.0.1", 0)) as busy:
        endpoint = Endpoint("127.0.0.1", busy.getsockname()[1], public, False)
        with pytest.raises(PeerSilent, match=r"P0 at .* is too busy, or .* in 0.5 s") as caught:
            open_links(P1, Identity.generate(), {P0: endpoint}, SESSION, limits=SHORT)
    assert fingerprint(public) in caught.value.what
    assert "tried again, with more time" in caught.value.advice


def test_whoever_waits_for_a_peer_ends_at_once_when_the_session_is_given_up() -> None:
    endpoint = Endpoint("127.0.0.1", 0, Identity.generate().public, True)
    looks = iter([False, False, True])
    limits = Limits(deadline=600.0, connect=600.0)
    with pytest.raises(PeerLost, match="given up while P1 was waited for"):
        open_links(
            P0,
            Identity.generate(),
            {P1: endpoint},
            SESSION,
            limits=limits,
            given_up=lambda: next(looks),
        )
    assert next(looks, None) is None


def test_a_name_that_does_not_resolve_is_not_reached() -> None:
    endpoint = Endpoint("no-such-host.invalid", 4711, Identity.generate().public, False)
    with pytest.raises(PeerLost, match=r"P0 cannot be reached at no-such-host.invalid:4711"):
        open_links(P1, Identity.generate(), {P0: endpoint}, SESSION, limits=SHORT)


def test_each_attempt_may_hang_as_long_as_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a peer far away, whose answers take longer than a retry, would never be reached."""
    begun: list[float] = []
    connect, hang = Opening._connect, 0.2

    def noted(opening: Opening) -> None:
        begun.append(time.monotonic())
        connect(opening)

    monkeypatch.setattr(Opening, "_connect", noted)
    monkeypatch.setattr(zeromq, "ATTEMPT_SECONDS", hang)
    with contextlib.ExitStack() as stack:
        full = stack.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(3):  # so that no answer comes to anybody else
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        endpoint = Endpoint(*full.getsockname(), Identity.generate().public, False)
        limits = Limits(deadline=5.0, connect=2.0)
        with pytest.raises(PeerLost, match="cannot be reached"):
            open_links(P1, Identity.generate(), {P0: endpoint}, SESSION, limits=limits)
    assert len(begun) > 2
    assert min(later - now for now, later in pairwise(begun)) >= hang


def test_a_peer_that_does_not_come_is_named_and_the_refused_are_counted(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener, pool = listen(60.0)
    listener.stray(None, leaves=partial(audit, caplog))
    later(monkeypatch, 60.0)
    with pytest.raises(PeerSilent, match=r"P1 did not connect to .*; 1 other attempt"):
        listener.links.result(SOON)
    pool.shutdown()


def test_a_peer_may_come_first() -> None:
    """Parties are started in any order: who connects tries again until the listener is there."""
    [port] = free_ports(1)
    mine, theirs = Identity.generate(), Identity.generate()
    late: list[Link] = []

    def listen_late() -> None:
        time.sleep(0.4)
        endpoint = Endpoint("127.0.0.1", port, theirs.public, True)
        late.append(open_links(P0, mine, {P1: endpoint}, SESSION)[P1])

    thread = threading.Thread(target=listen_late)
    thread.start()
    there = open_links(P1, theirs, {P0: Endpoint("127.0.0.1", port, mine.public, False)}, SESSION)
    thread.join()
    exchange(there[P0], late[0])
    there[P0].close()
    late[0].close()


def test_a_port_in_use_is_a_clear_error(listener: Listener) -> None:
    endpoint = Endpoint("127.0.0.1", listener.port, Identity.generate().public, True)
    with pytest.raises(LocalProtocolError, match=r"cannot listen on .* in use"):
        open_links(P0, Identity.generate(), {P1: endpoint}, SESSION, limits=SHORT)
    listener.connect(listener.expected).close()


def test_the_log_shows_no_secret(listener: Listener, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    listener.stray(Identity.generate(), leaves=partial(audit, caplog))
    there = listener.connect(listener.expected)
    assert "refused" in caplog.text
    secrets = (
        listener.identity.exchange_private_bytes(),
        listener.expected.exchange_private_bytes(),
    )
    for secret in secrets:
        assert secret.hex() not in caplog.text
        assert z85.encode(secret).decode() not in caplog.text
    there.close()
