"""One client's connection through a listening proxy: bytes from its socket to libzmq's, and back.

Until its key is proved, a client may send a handshake, every frame of which has a known length, and
no more. What it may send afterwards is not decided here.
"""

from __future__ import annotations

import math
import selectors
import socket
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Self

HANDSHAKE_SECONDS = 5.0
PIECE_BYTES = 256 << 10
"""The most that is read at once; a piece is written before the next one is read."""

GREETING_BYTES = 64
HELLO_BYTES = 2 + 200
FREELY = GREETING_BYTES + HELLO_BYTES
"""The bytes that a client may send before the answer that asks it for its key."""
MOST_INITIATE_BYTES = 1 << 10
HANDSHAKE_BYTES = FREELY + 9 + MOST_INITIATE_BYTES
SHAPE = (
    (0, b"\xff"),
    (9, b"\x7f\x03"),
    (12, b"CURVE".ljust(20, b"\0")),
    (GREETING_BYTES, b"\x04\xc8\x05HELLO"),
)
"""The fixed bytes among the first `FREELY` of every CURVE client (ZMTP 3, CurveZMQ)."""


class Ended(Exception):
    """This connection is over; the text says what the client did, if it did something wrong."""


class Stage(Enum):
    """The progress of a connection: libzmq decides on one connection's key after the other's."""

    GREETS = auto()
    WAITS = auto()
    DECIDED_ON = auto()
    REFUSED = auto()
    ADMITTED = auto()


@dataclass(slots=True, eq=False, repr=False)
class ClientConnection:
    """One connection: the client's socket, libzmq's, and what is under way between them."""

    number: int
    address: str
    client: socket.socket
    due: float
    """The time at which this connection is ended unless something happens before."""
    server: socket.socket | None = None
    stage: Stage = Stage.GREETS
    allowance: int = HANDSHAKE_BYTES
    """The number of bytes that the client may still send."""
    hung_up: bool = False
    """True if libzmq has closed its side."""
    left: bool = False
    """True if the client has gone while libzmq decides on its key."""
    _said: bytearray = field(default_factory=bytearray)
    _to_server: memoryview = field(default_factory=lambda: memoryview(b""))
    _to_client: memoryview = field(default_factory=lambda: memoryview(b""))

    @classmethod
    def opened(cls, number: int, address: str, client: socket.socket, now: float) -> Self:
        """The way of a client that has just connected."""
        return cls(number, address, client, now + HANDSHAKE_SECONDS)

    # -- what to wait for --------------------------------------------------------------------------

    @property
    def speaking(self) -> bool:
        """True if the client is to be read from at this stage."""
        return self.stage is Stage.GREETS

    @property
    def awaited_of_client(self) -> int:
        """The events to wait for at the client's socket, in the terms of `selectors`."""
        if self.left:
            return 0
        if self._to_client:
            return selectors.EVENT_WRITE
        may_speak = self.speaking and self.allowance and not self._to_server
        return selectors.EVENT_READ if may_speak else 0

    @property
    def awaited_of_server(self) -> int:
        """The events to wait for at libzmq's socket."""
        if self.server is None:
            return 0
        reading = 0 if self._to_client else selectors.EVENT_READ
        return reading | (selectors.EVENT_WRITE if self._to_server else 0)

    # -- what happens ------------------------------------------------------------------------------

    def from_client(self, now: float) -> bytes:
        """Read the next bytes from the client; return those that go to libzmq at once."""
        piece = self._read(self.client, min(PIECE_BYTES, self.allowance))
        self.allowance -= len(piece)
        before = len(self._said)
        self._said += piece
        if any(
            self._said[at : at + len(bytes_)] != bytes_[: max(0, len(self._said) - at)]
            for at, bytes_ in SHAPE
        ):
            raise Ended("it does not greet as a client does")
        if self._initiate_is_complete():
            self.stage = Stage.WAITS
        return bytes(self._said[before:FREELY])

    def _initiate_is_complete(self) -> bool:
        """True if the frame that proves the client's key is there; raises if more is behind it.

        Its length stands in one byte or in eight, as its flags say.
        """
        frame = self._said[FREELY:]
        if not frame:
            return False
        lengths = {0x04: 1, 0x06: 8}.get(frame[0])
        if lengths is None:
            raise Ended("it does not shake hands as a client does")
        head = 1 + lengths
        if len(frame) < head:
            return False
        whole = head + int.from_bytes(frame[1:head], "big")
        if whole > 9 + MOST_INITIATE_BYTES or len(frame) > whole:
            raise Ended("it does not shake hands as a client does")
        return len(frame) == whole

    def initiate(self) -> None:
        """Let libzmq see the proof of the client's key; it asks about the key, or hangs up."""
        self.stage = Stage.DECIDED_ON
        self.to_server(bytes(self._said[FREELY:]))
        self._said.clear()

    def to_server(self, piece: bytes) -> None:
        """Write these bytes to libzmq, now or when it can take them."""
        self._to_server = memoryview(piece)
        self.flush_server()

    def flush_server(self) -> None:
        """Write to libzmq what still waits for it, as much as it takes."""
        assert self.server is not None
        try:
            self._to_server = _unwritten(self.server, self._to_server)
        except Ended:
            self.hung_up = True
            raise

    def from_server(self, now: float) -> None:
        """Read the next bytes from libzmq and write them to the client."""
        assert self.server is not None
        try:
            piece = self._read(self.server, PIECE_BYTES)
        except Ended:
            self.hung_up = True
            raise
        if not self.left:
            self._to_client = memoryview(piece)
            self.flush_client(now)

    def flush_client(self, now: float) -> None:
        """Write to the client what still waits for it, as much as it takes."""
        self._to_client = _unwritten(self.client, self._to_client)

    def has_gone(self) -> bool:
        """True if the client has hung up, unnoticed while it was not read from."""
        try:
            return not self.client.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def leave_client(self) -> None:
        """Close the client's side alone, because libzmq has not decided on its key yet."""
        self.left = True
        self.client.close()
        self._to_client = memoryview(b"")
        self.due = math.inf

    def close(self) -> None:
        """Close both sides; libzmq throws away what it had of this client."""
        self.client.close()
        if self.server is not None:
            self.server.close()

    def fault(self) -> str:
        """The reason for ending a client whose time is up."""
        return "it has not proved a key in time"

    @staticmethod
    def _read(source: socket.socket, most: int) -> bytes:
        """Some bytes that have arrived; raises `Ended` at the end."""
        try:
            piece = source.recv(most)
        except BlockingIOError:
            return b""
        except OSError:
            raise Ended from None
        if not piece:
            raise Ended
        return piece


def _unwritten(target: socket.socket, piece: memoryview) -> memoryview:
    """Send what `target` takes of this piece now; returns the rest."""
    if not piece:
        return piece
    try:
        return piece[target.send(piece) :]
    except BlockingIOError:
        return piece
    except OSError:
        raise Ended from None
