"""The second connection through a link's door: by this session's hello, once, and not for long."""

from __future__ import annotations

import contextlib
import logging
import select
import socket
import time
from dataclasses import dataclass

import numpy as np
import pytest

from ppaurora.mpc.errors import PeerSilent
from ppaurora.mpc.link import Kind, Limits
from ppaurora.mpc.link.bulk_seal import HELLO_BYTES, MAGIC, hello
from ppaurora.mpc.link.zeromq import ZeroMQLink
from ppaurora.mpc.role import Role
from tests.until import until

from .garbage import GREETING, throw
from .loopback import SESSION, Links, key_of, zeromq_links
from .test_allow_list import audit
from .test_bad_frames import resident_bytes
from .test_conformance import SOON
from .test_listening_proxy import NEARLY_ALL, say

pytestmark = pytest.mark.zeromq
P0, P1, HELPER = Role
KEY = key_of(P0, P1)


@dataclass
class Ends:
    """P0, which listens, and P1, which connects; no lane has been opened yet."""

    here: ZeroMQLink
    there: ZeroMQLink
    links: Links

    @property
    def place(self) -> tuple[str, int]:
        dial = self.there._connection.dial(b"", b"")
        assert dial is not None
        dial.close()
        host, port = dial._address
        return host, port

    def opens(self) -> None:
        """The lane is opened, and carries something both ways."""
        until(lambda: self.there._go_on_dialling() or self.there.bulk)
        for one, other in ((self.there, self.here), (self.here, self.there)):
            one.send(Kind.OPEN, np.full(100, 7, np.uint64), 0)
            assert other.receive(Kind.OPEN, 100, 0)[-1] == 7
        assert self.here.bulk


@pytest.fixture
def ends() -> Ends:
    links = zeromq_links(Limits(deadline=5.0, bulk=64, bulk_after=0), bulk=True)
    here, there = links[P0][P1], links[P1][P0]
    assert isinstance(here, ZeroMQLink)
    assert isinstance(there, ZeroMQLink)
    return Ends(here, there, links)


def has_come(one: socket.socket) -> bool:
    """True if a connection, or bytes that came over one, can be read here."""
    return bool(select.select([one], [], [], 0)[0])


def is_ended(client: socket.socket) -> bool:
    """True if the other side has hung up without a word."""
    client.settimeout(SOON)
    try:
        return not client.recv(1)
    except ConnectionError:
        return True


def closed(place: tuple[str, int], seconds: float) -> bool:
    """True if nobody listens there within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(place, 5).close()
        except ConnectionRefusedError:
            return True
        time.sleep(0.02)
    return False


WRONG = {
    "another key": hello(bytes(32), SESSION, P1, P0),
    "another session": hello(KEY, bytes(16), P1, P0),
    "the answer": hello(KEY, SESSION, P0, P1),
    "another pair": hello(KEY, SESSION, HELPER, P0),
}


@pytest.mark.parametrize("said", WRONG.values(), ids=WRONG)
def test_a_wrong_hello_is_refused_and_told_and_the_peer_comes_in(
    ends: Ends, said: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    assert ends.here.open_bulk(KEY)
    with socket.create_connection(ends.place) as stranger:
        stranger.sendall(said)
        assert is_ended(stranger)
    (line,) = audit(caplog)
    assert "link to P1: refused a connection from 127.0.0.1: its hello is not of this" in line
    assert KEY.hex() not in caplog.text
    assert ends.there.open_bulk(KEY)
    ends.opens()


@pytest.mark.parametrize("said", [GREETING, b"GET / HTTP/1.1\r\n\r\n", MAGIC[:-1] + b"?"])
def test_who_does_not_say_a_hello_is_turned_away_at_once(
    ends: Ends, said: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_connection(ends.place) as stranger:
        stranger.sendall(said)
        assert is_ended(stranger)
    (line,) = audit(caplog)
    assert "it does not say hello as a bulk connection does" in line


def test_no_more_than_a_hello_is_read_of_a_stranger(ends: Ends) -> None:
    before = resident_bytes()
    with contextlib.ExitStack() as stack:
        for _ in range(5):
            client = stack.enter_context(socket.create_connection(ends.place))
            client.settimeout(0.2)
            say(client, MAGIC, NEARLY_ALL)
        assert resident_bytes() - before < 16 << 20
    for link in (ends.here, ends.there):
        assert link.open_bulk(KEY)
    ends.opens()


def test_garbage_and_silent_strangers_keep_the_peer_from_no_lane(
    ends: Ends, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    silent = [socket.create_connection(ends.place) for _ in range(100)]
    throw(ends.place, seed=3, pieces=40)
    for link in (ends.here, ends.there):
        assert link.open_bulk(KEY)
    ends.opens()
    assert all(is_ended(one) for one in silent)
    for one in silent:
        one.close()


def test_a_hello_that_comes_before_the_listener_has_the_key_waits_for_it(ends: Ends) -> None:
    assert ends.there.open_bulk(KEY)
    for _ in range(20):
        ends.there._go_on_dialling()
        time.sleep(0.01)
    assert not ends.there.bulk
    assert ends.here.open_bulk(KEY)
    ends.opens()


def test_once_the_lane_stands_its_port_is_closed_even_to_a_hello_that_is_repeated(
    ends: Ends,
) -> None:
    place = ends.place
    for link in (ends.here, ends.there):
        assert link.open_bulk(KEY)
    ends.opens()
    assert closed(place, SOON)


def test_a_port_to_which_no_lane_comes_is_closed_when_its_time_is_up(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ppaurora.mpc.link.link_proxy.DIAL_SECONDS", 0.2)
    assert ends.here.open_bulk(KEY)
    assert closed(ends.place, SOON)


def test_somebody_else_at_the_port_gets_a_hello_and_no_frame(ends: Ends) -> None:
    """Whoever answers with anything else than the peer's hello is hung up on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        assert ends.there.open_bulk(KEY)
        assert ends.there._dial is not None
        ends.there._dial._address = address
        server.settimeout(SOON)
        until(lambda: ends.there._go_on_dialling() or has_come(server))
        client, _ = server.accept()
        with client:
            until(lambda: ends.there._go_on_dialling() or has_come(client))
            client.settimeout(SOON)
            said = client.recv(HELLO_BYTES + 1)
            assert said == hello(KEY, SESSION, P1, P0)
            client.sendall(said)
            until(lambda: ends.there._go_on_dialling() or ends.there._dial is None)
            assert is_ended(client)
    assert not ends.there.bulk
    ends.there.send(Kind.OPEN, np.zeros(100, np.uint64), 0)
    assert ends.here.receive(Kind.OPEN, 100, 0).size == 100


def test_an_attempt_that_is_never_answered_ends_and_nobody_has_waited(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ppaurora.mpc.link.bulk_lane.DIAL_SECONDS", 0.2)
    assert ends.there.open_bulk(KEY)
    while ends.there._dial is not None:
        with contextlib.suppress(PeerSilent):
            ends.there._next(0, 0.01, 0)
    assert not ends.there.bulk
