"""A stranger on its way through a door: what it may say before its key is proved, and no more."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator

import pytest

from ppaurora.mpc.link.client_connection import (
    HANDSHAKE_BYTES,
    HANDSHAKE_SECONDS,
    MOST_INITIATE_BYTES,
    ClientConnection,
    Ended,
    Stage,
)

from .garbage import GREETING, HELLO
from .test_allow_list import audit
from .test_listening_proxy import arrives, listening, stranger

FREELY = GREETING + HELLO + bytes(194)
SHORT = b"\x04\xff" + bytes(255)
LONGEST = b"\x06" + MOST_INITIATE_BYTES.to_bytes(8, "big") + bytes(MOST_INITIATE_BYTES)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, ClientConnection]]:
    """A stranger's socket, and the server's end of it."""
    there, here = socket.socketpair()
    here.setblocking(False)
    yield there, ClientConnection.opened(1, "127.0.1.1", here, 0.0)
    there.close()
    here.close()


def heard(connection: ClientConnection) -> None:
    """Take in what the stranger has said, for as long as it may speak."""
    while connection.speaking and connection.awaited_of_client:
        before = connection.allowance
        connection.from_client(0.0)
        if connection.allowance == before:
            return


@pytest.mark.parametrize("initiate", [SHORT, LONGEST], ids=["short", "longest"])
def test_a_handshake_is_heard_to_its_end_and_nothing_more(
    ends: tuple[socket.socket, ClientConnection], initiate: bytes
) -> None:
    there, connection = ends
    there.sendall(FREELY + initiate)
    heard(connection)
    assert connection.stage is Stage.WAITS
    assert not connection.speaking
    there.sendall(b"a request before the key is proved")
    assert not connection.awaited_of_client


@pytest.mark.parametrize(
    "said",
    [
        SHORT + b"\0",
        SHORT + b"more" * 100,
        b"\x06" + (MOST_INITIATE_BYTES + 1).to_bytes(8, "big"),
        b"\x06" + (1 << 60).to_bytes(8, "big"),
        b"\x00\x01x",
    ],
    ids=["a byte behind it", "more behind it", "too long", "much too long", "no command"],
)
def test_what_is_no_initiate_ends_the_stranger_at_once(
    ends: tuple[socket.socket, ClientConnection], said: bytes
) -> None:
    there, connection = ends
    there.sendall(FREELY + said)
    with pytest.raises(Ended, match="does not shake hands"):
        heard(connection)


def test_no_more_is_read_of_a_stranger_than_a_handshake_has(
    ends: tuple[socket.socket, ClientConnection],
) -> None:
    there, connection = ends
    said = FREELY + SHORT + bytes(50_000)
    there.sendall(said)
    with pytest.raises(Ended):
        heard(connection)
    left = bytearray()
    with contextlib.suppress(BlockingIOError):
        while piece := connection.client.recv(1 << 16):
            left += piece
    assert len(said) - len(left) <= HANDSHAKE_BYTES


def test_a_stranger_that_dribbles_is_heard_for_as_many_bytes_and_as_long_as_a_handshake(
    ends: tuple[socket.socket, ClientConnection],
) -> None:
    there, connection = ends
    whole = FREELY + LONGEST
    for at in range(0, len(whole) - 1, 100):
        there.sendall(whole[at : min(at + 100, len(whole) - 1)])
        heard(connection)
    assert connection.allowance == 1
    assert connection.due == HANDSHAKE_SECONDS


@pytest.mark.zeromq
def test_a_stranger_with_bytes_behind_its_initiate_is_told_at_a_link_port(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with listening() as listener:
        with stranger(listener) as client:
            client.sendall(FREELY + SHORT + b"a frame for the peer")
            with contextlib.suppress(ConnectionError):
                while client.recv(100):
                    pass
        _, there = arrives(listener)
        [line] = audit(caplog)
        assert line.endswith("it does not shake hands as a client does")
        there.close()
