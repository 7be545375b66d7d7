"""One client's way through the door: bytes from its socket to libzmq's, and back.

What a client has in this process at any moment is bounded by what was read from it:

- before its key is proved, a handshake, of which every frame is of a known length;
- afterwards, one request of the largest size, until requests are answered. A message of many parts
  counts like one of few, because its bytes are counted and not its frames;
- of answers, one piece. While it waits for the client, nothing more is read from either side.

A client that has used up what it may send, or does not read its answers, is left alone for a while
and then ended.
"""

from __future__ import annotations

import math
import selectors
import socket
from dataclasses import dataclass, field
from enum import Enum, auto

from ppaurora.parties.requests.messages import MAX_MESSAGE_BYTES
from ppaurora.parties.requests.sockets import HANDSHAKE_SECONDS

__all__ = [
    "HANDSHAKE_BYTES",
    "REQUEST_BYTES",
    "STALLED_SECONDS",
    "Ended",
    "Passage",
    "Stage",
    "wire_bytes",
]

PIECE_BYTES = 256 << 10
"""The most that is read at once; a piece is written before the next one is read."""
OVERHEAD_BYTES = 4 << 10
"""What encryption and framing of one request may add."""
REQUEST_BYTES = MAX_MESSAGE_BYTES + OVERHEAD_BYTES
SEAL_BYTES = len(b"\x07MESSAGE") + 8 + 16 + 1
"""Around each part: the command's name, a nonce, an authenticator, the flags (CurveZMQ)."""
STALLED_SECONDS = 60.0
"""As long as an upload waits for the acknowledgement of a chunk over the slowest line."""

GREETING_BYTES = 64
HELLO_BYTES = 2 + 200
FREELY = GREETING_BYTES + HELLO_BYTES
"""What a client may say before the answer that asks it for its key."""
MOST_INITIATE_BYTES = 1 << 10
HANDSHAKE_BYTES = FREELY + 9 + MOST_INITIATE_BYTES
SHAPE = (
    (0, b"\xff"),
    (9, b"\x7f\x03"),
    (12, b"CURVE".ljust(20, b"\0")),
    (GREETING_BYTES, b"\x04\xc8\x05HELLO"),
)
"""What stands where in the first `FREELY` bytes of every CURVE client (ZMTP 3, CurveZMQ)."""


class Ended(Exception):
    """This connection is over; the text says what the client did, if it did something wrong."""


class Stage(Enum):
    """How far a connection is: libzmq decides on a key, one connection after the other."""

    GREETS = auto()
    WAITS = auto()
    DECIDED_ON = auto()
    ADMITTED = auto()


@dataclass(slots=True, eq=False, repr=False)
class Passage:
    """One connection: the client's socket, libzmq's, and what is under way between them."""

    number: int
    address: str
    client: socket.socket
    due: float
    """When this connection is ended unless something happens before."""
    server: socket.socket | None = None
    stage: Stage = Stage.GREETS
    allowance: int = HANDSHAKE_BYTES
    """How many bytes the client may still send before the next reply."""
    hung_up: bool = False
    """Whether libzmq has closed its side."""
    left: bool = False
    """Whether the client has gone while libzmq decides on its key."""
    _said: bytearray = field(default_factory=bytearray)
    _to_server: memoryview = field(default_factory=lambda: memoryview(b""))
    _to_client: memoryview = field(default_factory=lambda: memoryview(b""))

    @classmethod
    def opened(cls, number: int, address: str, client: socket.socket, now: float) -> Passage:
        """The way of a client that has just connected."""
        return cls(number, address, client, now + HANDSHAKE_SECONDS)

    # -- what to wait for --------------------------------------------------------------------------

    @property
    def awaited_of_client(self) -> int:
        """What to wait for at the client's socket, in the terms of `selectors`."""
        if self.left:
            return 0
        if self._to_client:
            return selectors.EVENT_WRITE
        speaking = self.stage in (Stage.GREETS, Stage.ADMITTED)
        return selectors.EVENT_READ if speaking and self.allowance and not self._to_server else 0

    @property
    def awaited_of_server(self) -> int:
        """What to wait for at libzmq's socket."""
        if self.server is None:
            return 0
        reading = 0 if self._to_client else selectors.EVENT_READ
        return reading | (selectors.EVENT_WRITE if self._to_server else 0)

    # -- what happens ------------------------------------------------------------------------------

    def from_client(self, now: float) -> bytes:
        """Take the next piece from the client; returns what goes to libzmq at once."""
        piece = self._read(self.client, min(PIECE_BYTES, self.allowance))
        self.allowance -= len(piece)
        if self.stage is Stage.ADMITTED:
            if not self.allowance:
                self.due = now + STALLED_SECONDS
            return piece
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
        """Whether the frame that proves the client's key is there, and nothing behind it.

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

    def admit(self) -> None:
        """From now on the client may send requests."""
        self.stage, self.allowance, self.due = Stage.ADMITTED, REQUEST_BYTES, math.inf

    def answered(self, size: int) -> None:
        """A request of so many bytes is answered, so that the client may send as many again.

        Not more: what has come behind that request may lie in libzmq.
        """
        self.allowance = min(REQUEST_BYTES, self.allowance + size)
        if not self._to_client:
            self.due = math.inf

    def to_server(self, piece: bytes) -> None:
        """Hand this on to libzmq, now or when it can take it."""
        self._to_server = memoryview(piece)
        self.flush_server()

    def flush_server(self) -> None:
        """Go on handing on to libzmq."""
        assert self.server is not None
        try:
            self._to_server = _unwritten(self.server, self._to_server)
        except Ended:
            self.hung_up = True
            raise

    def from_server(self, now: float) -> None:
        """Take the next piece from libzmq and hand it on to the client."""
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
        """Go on handing on to the client, which is given new time by each byte that it takes."""
        left = _unwritten(self.client, self._to_client)
        moved, self._to_client = len(left) < len(self._to_client), left
        if self.stage is Stage.ADMITTED and (left or moved):
            self.due = now + STALLED_SECONDS if left or not self.allowance else math.inf

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
        """What is told of a client whose time is up."""
        if self.stage is not Stage.ADMITTED:
            return "it has not proved a key in time"
        if self._to_client:
            return "it does not read its answers"
        return "it sent more than one request before the reply"

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
    """What `target` cannot take now of this piece."""
    if not piece:
        return piece
    try:
        return piece[target.send(piece) :]
    except BlockingIOError:
        return piece
    except OSError:
        raise Ended from None


def wire_bytes(*parts: int) -> int:
    """How long a message of parts of these sizes is on the line, encrypted and framed.

    Each part is sealed with its flags, and stands behind a head of two bytes, or nine if it is
    long.
    """
    sealed = [size + SEAL_BYTES for size in parts]
    return sum(size + (2 if size < 1 << 8 else 9) for size in sealed)
