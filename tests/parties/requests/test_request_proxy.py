"""The door over real sockets: what one client can make a server hold, and whom it keeps out."""

from __future__ import annotations

import contextlib
import logging
import os
import resource
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import zmq
from zmq.utils import z85

from ppaurora.mpc.errors import IdentityRefused
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import listening_proxy
from ppaurora.mpc.link.client_connection import HANDSHAKE_BYTES, HANDSHAKE_SECONDS
from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.mpc.link.endpoint import MOST_RESERVED, free_ports
from ppaurora.parties.errors import (
    ConfigurationError,
    OwnFault,
)
from ppaurora.parties.requests import request_proxy
from ppaurora.parties.requests.connection import GREETING, RequestConnection
from ppaurora.parties.requests.listener import LIFE_SIGN, MOST_QUEUED, RequestListener
from ppaurora.parties.requests.request_proxy import REQUEST_BYTES, RequestingClient
from ppaurora.parties.requests.sockets import tcp_address
from ppaurora.parties.requests.wire import MAX_MESSAGE_BYTES
from tests.until import later, until

pytestmark = pytest.mark.zeromq
SERVER, ANN, BEN, EVE = (Identity.generate() for _ in range(4))
ADMITTED = {ANN.public.exchange, BEN.public.exchange}
SOON = 20.0


@dataclass
class Served:
    """A listener with a thread that answers every request with the same reply."""

    listener: RequestListener
    port: int
    reply: bytes = b"well"
    paused: bool = False
    answered: int = 0
    asked_by: list[bytes] = field(default_factory=list)

    @property
    def connections(self) -> list[RequestingClient]:
        return list(self.listener._proxy._connections.values())

    def connection(self, identity: Identity) -> RequestConnection:
        return RequestConnection(identity, "P0", "127.0.0.1", self.port, SERVER.public)

    def answers(self, identity: Identity = BEN) -> bool:
        with self.connection(identity) as asked:
            return asked.ask(b"how are you", SOON) == self.reply

    def serve(self, over: threading.Event) -> None:
        while not over.is_set():
            if self.paused:
                time.sleep(0.01)
            elif (incoming := self.listener.receive(0.02)) is not None:
                self.asked_by.append(incoming.public)
                self.answered += 1
                self.listener.reply(incoming, self.reply)


@contextlib.contextmanager
def serving(caps: Caps | None = None, reply: bytes = b"well") -> Iterator[Served]:
    (port,) = free_ports(1)
    listener = RequestListener(SERVER, "127.0.0.1", port, ADMITTED.__contains__, caps)
    served, over = Served(listener, port, reply), threading.Event()
    thread = threading.Thread(target=served.serve, args=(over,))
    thread.start()
    try:
        yield served
    finally:
        over.set()
        thread.join()
        listener.close()


@contextlib.contextmanager
def raw(served: Served, identity: Identity) -> Iterator[zmq.Socket[bytes]]:
    """A socket of this identity that sends what it likes, and buffers little."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as asking:
        asking.curve_publickey = z85.encode(identity.public.exchange)
        asking.curve_secretkey = z85.encode(identity.exchange_private_bytes())
        asking.curve_serverkey = z85.encode(SERVER.public.exchange)
        for option, value in ((zmq.LINGER, 0), (zmq.RCVHWM, 1), (zmq.RECONNECT_IVL, -1)):
            asking.setsockopt(option, value)
        asking.setsockopt(zmq.RCVBUF, 4096)
        asking.connect(tcp_address("127.0.0.1", served.port))
        yield asking


def audit(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(r.getMessage() for r in caplog.records if r.name == "ppaurora.audit")


def test_what_a_client_may_send_comes_back_to_the_byte_with_the_replies() -> None:
    with serving() as served, served.connection(ANN) as asked:
        for size in (0, 1, 200, 205, 206, 214, 215, 222, 223, 300, 70_000, MAX_MESSAGE_BYTES):
            for _ in range(3):
                assert asked.ask(bytes(size), SOON) == (served.reply if size else LIFE_SIGN)
        (one,) = served.connections
        # the client may have the last reply before the proxy has written down that it is sent
        until(lambda: one.allowance == REQUEST_BYTES)


def test_a_message_of_many_parts_is_read_no_further_than_one_request() -> None:
    with serving() as served, raw(served, ANN) as asking:
        asking.send_multipart([b"12345678", *[bytes(1 << 20)] * 40])
        until(lambda: any(not one.allowance for one in served.connections))
        assert served.answers()
        assert not served.asked_by.count(ANN.public.exchange)


def test_signs_of_life_before_a_long_message_allow_no_more_of_it() -> None:
    """Their replies come while the message is under way; they allow as much as they took."""
    taken = RequestingClient.opened(1, "", socket.socket(), 0.0)
    taken.admit(0.0)
    for _ in range(10):
        taken.allowance -= 100
    taken.allowance -= 500_000  # the beginning of a message that never ends
    for _ in range(10):
        taken.answered(100, 0.0)
    assert taken.allowance == REQUEST_BYTES - 500_000
    taken.answered(1 << 30, 0.0)
    assert taken.allowance == REQUEST_BYTES
    taken.close()


def test_a_client_that_sends_more_than_it_may_is_ended_after_a_while(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(request_proxy, "STALLED_SECONDS", 0.3)
    with serving() as served, raw(served, ANN) as asking:
        asking.send_multipart([b"12345678", *[bytes(1 << 20)] * 4])
        until(lambda: "sent more than one request" in audit(caplog))
        assert served.answers(ANN)


def test_answers_that_are_not_read_are_few_and_end_their_client(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(request_proxy, "STALLED_SECONDS", 2.0)
    with serving(reply=bytes(1 << 20)) as served, raw(served, ANN) as asking:
        for number in range(400):
            asking.send_multipart([number.to_bytes(8, "big"), b"tell me all"], zmq.DONTWAIT)
        until(lambda: "does not read its answers" in audit(caplog))
        # what libzmq queues, what it is writing, what is kept, and what the system's buffers take
        assert served.answered <= MOST_QUEUED + 2 + 8
        assert served.answers()


def test_a_silent_connection_costs_one_descriptor_and_is_ended_by_the_deadline(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with serving() as served, socket.create_connection(("127.0.0.1", served.port)) as silent:
        until(lambda: served.connections)
        assert [one.server for one in served.connections] == [None]
        later(monkeypatch, HANDSHAKE_SECONDS)
        silent.settimeout(SOON)
        assert silent.recv(1) == b""
        assert "127.0.0.1: it has not proved a key in time" in audit(caplog)


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        GREETING[:12] + b"NULL" + bytes(48),
        GREETING + b"\x06\0\0\0\0\x04\0\0\0" + bytes(2000),
        GREETING + b"\x04\xc8\x05HELLO" + bytes(194) + b"\x06" + (1 << 26).to_bytes(8, "big"),
        GREETING + b"\x04\xc8\x05HELLO" + bytes(194) + b"\x00\x05hello",
    ],
)
def test_what_is_no_handshake_is_ended_and_never_reaches_libzmq_in_full(
    said: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with serving() as served, socket.create_connection(("127.0.0.1", served.port)) as stranger:
        stranger.settimeout(SOON)
        stranger.sendall(said)
        with contextlib.suppress(ConnectionError):
            while stranger.recv(100):
                pass
        until(lambda: not served.connections)
        assert "as a client does" in audit(caplog)
        assert served.answers()
    assert HANDSHAKE_BYTES < 2000


def test_a_valid_greeting_with_a_false_proof_holds_up_nobody() -> None:
    initiate = b"\x06" + (300).to_bytes(8, "big") + b"\x08INITIATE" + bytes(291)
    false = GREETING + b"\x04\xc8\x05HELLO" + bytes(194) + initiate
    with serving() as served:
        for _ in range(20):
            with socket.create_connection(("127.0.0.1", served.port)) as stranger:
                stranger.sendall(false)
        assert served.answers()
        until(lambda: not served.connections)


def test_a_refused_key_is_logged_with_its_address(caplog: pytest.LogCaptureFixture) -> None:
    with serving() as served:
        with pytest.raises(IdentityRefused, match="does not know your key"):
            served.answers(EVE)
        assert "refused an unknown key" in audit(caplog)
        assert "from 127.0.0.1" in audit(caplog)
        assert served.answers()


def test_clients_that_leave_while_their_keys_are_decided_on_change_nothing_for_the_next() -> None:
    with serving() as served:
        served.paused = True
        for identity in (ANN, EVE, ANN, EVE):
            with raw(served, identity):
                time.sleep(0.1)
        with contextlib.ExitStack() as stack:
            waiting = [stack.enter_context(raw(served, one)) for one in (EVE, BEN, ANN)]
            for asking in waiting:
                asking.send_multipart([b"12345678", b"me"])
            time.sleep(0.1)
            served.paused = False
            for asking, said in zip(waiting, (False, True, True), strict=True):
                assert bool(asking.poll(int(1000 * SOON) if said else 300)) == said
    assert set(served.asked_by) == ADMITTED


def test_more_silent_connections_than_there_is_room_keep_no_key_out() -> None:
    with serving(Caps(in_all=30, of_an_address=20)) as served, contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(socket.create_connection(("127.0.0.1", served.port)))
        assert served.answers()
        assert len(served.connections) <= 20


def test_a_server_full_of_keys_closes_the_next_connection(caplog: pytest.LogCaptureFixture) -> None:
    with serving(Caps(in_all=1)) as served, served.connection(ANN) as asked:
        assert asked.ask(b"abc", SOON) == b"well"
        with socket.create_connection(("127.0.0.1", served.port)) as turned_away:
            turned_away.settimeout(SOON)
            assert turned_away.recv(1) == b""
        assert "no room for one more connection from 127.0.0.1" in audit(caplog)
        assert asked.ask(b"abc", SOON) == b"well"


def test_accepting_survives_the_exhaustion_of_descriptors(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening_proxy, "EXHAUSTED_SECONDS", 0.05)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with serving() as served, served.connection(ANN) as asked, socket.socket() as waiting:
        assert asked.ask(b"abc", SOON) == b"well"
        highest = max(int(one.name) for one in Path("/proc/self/fd").iterdir())
        taken = [socket.socket() for _ in range(highest)]  # no gaps below
        highest = max(one.fileno() for one in taken)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, hard))
            waiting.connect(("127.0.0.1", served.port))
            until(lambda: audit(caplog).count("cannot accept connections now") > 1)
            assert asked.ask(b"abc", SOON) == b"well"
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            for one in taken:
                one.close()
        assert served.answers()
        until(lambda: len(served.connections) == 2)


def test_a_listener_leaves_no_descriptor_and_no_folder_behind(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    free_ports(MOST_RESERVED)  # from now on one that is reserved lets go of another one
    opened = len(os.listdir("/proc/self/fd"))
    with serving() as served, served.connection(ANN) as asked:
        folder = Path(served.listener._behind.folder)
        assert not folder.exists() or folder.stat().st_mode & 0o777 == 0o700
        assert asked.ask(b"abc", SOON) == b"well"
        before = [one.client for one in served.connections]
    assert not folder.exists()
    assert len(os.listdir("/proc/self/fd")) == opened
    assert all(one.fileno() < 0 for one in before)
    assert audit(caplog) == ""


def test_a_folder_with_too_long_a_name_is_told_and_leaves_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    (port,) = free_ports(1)
    with pytest.raises(ConfigurationError, match="cannot make a socket in"):
        RequestListener(SERVER, "127.0.0.1", port, ADMITTED.__contains__)
    assert not list(long.iterdir())
    socket.create_server(("127.0.0.1", port)).close()


def test_a_door_that_fails_ends_its_server_and_leaves_it_deaf_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    (port,) = free_ports(1)
    listener = RequestListener(SERVER, "127.0.0.1", port, ADMITTED.__contains__)
    monkeypatch.setattr(listener._proxy, "_enter", fails)
    with socket.create_connection(("127.0.0.1", port)):
        until(lambda: not listener._proxy.open)
    with pytest.raises(OwnFault, match="proxy of the request port has failed"):
        listener.receive(0.1)
    listener.close()


@pytest.mark.parametrize("host", ["::1", "::"])
def test_an_ipv6_address_is_listened_on(host: str) -> None:
    (port,) = free_ports(1)
    listener = RequestListener(SERVER, host, port, ADMITTED.__contains__)
    over = threading.Event()
    thread = threading.Thread(target=Served(listener, port).serve, args=(over,))
    thread.start()
    for address in ("::1", "127.0.0.1") if host == "::" else ("::1",):
        with RequestConnection(ANN, "P0", address, port, SERVER.public) as asked:
            assert asked.ask(b"abc", SOON) == b"well"
    over.set()
    thread.join()
    listener.close()
