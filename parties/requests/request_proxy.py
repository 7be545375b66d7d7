"""The listening proxy of a request port: clients that have proved a key send requests through it.

libzmq keeps a message of many parts until its last part is there, before the program sees anything
of it. So the proxy reads no more of a client than one request may take, and goes on when a request
is answered. Each accepted connection carries its number in everything that libzmq says of it, so
that the proxy is told which one gets its reply.

The memory that a client takes in this process is bounded by what was read from it:

- one request of the largest size, until requests are answered. A message of many parts counts like
  one of few, because its bytes are counted and not its frames;
- of answers, one piece. While it waits for the client, nothing more is read from either side.

A client that has used up what it may send, or does not read its answers, is left alone for a while
and then ended.
"""

from __future__ import annotations

import math
import socket
import time

from ppaurora.mpc.link.client_connection import PIECE_BYTES, ClientConnection, Stage
from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.mpc.link.listening_proxy import ListeningProxy
from ppaurora.parties.requests.wire import MAX_MESSAGE_BYTES

OVERHEAD_BYTES = 4 << 10

"""The most bytes that encryption and framing may add to one request."""

REQUEST_BYTES = MAX_MESSAGE_BYTES + OVERHEAD_BYTES

SEAL_BYTES = len(b"\x07MESSAGE") + 8 + 16 + 1

"""Around each part: the command's name, a nonce, an authenticator, the flags (CurveZMQ)."""

STALLED_SECONDS = 60.0

"""As long as an upload waits for the acknowledgement of a chunk over the slowest line."""

IDLE_SECONDS = 10.0

"""After which a connection without a question gives way, where its key has too many."""

STUCK_SECONDS = 600.0

"""After which one does whose question is not answered, or whose answer is not read."""


class RequestingClient(ClientConnection):
    """One connection that sends requests; `allowance` is what it may send before a reply."""

    __slots__ = ("used_at",)

    used_at: float
    """The time at which the client last sent or read something."""

    @property
    def speaking(self) -> bool:
        """Return whether the client is to be read from at this stage."""
        return self.stage in (Stage.GREETS, Stage.ADMITTED)

    def admit(self, now: float) -> None:
        """From now on the client may send requests."""
        self.stage, self.allowance, self.due = Stage.ADMITTED, REQUEST_BYTES, math.inf
        self.used_at = now

    def unused(self, now: float) -> bool:
        """Return whether the connection has been idle for a while, or stuck for much longer.

        The other end of such a connection may be gone without a word. A program that still has it
        opens a new one with its next question.
        """
        under_way = self.allowance < REQUEST_BYTES or self._to_client
        return now - self.used_at > (STUCK_SECONDS if under_way else IDLE_SECONDS)

    def answered(self, size: int, now: float) -> None:
        """A request of so many bytes is answered, so that the client may send as many again.

        Not more: what has come behind that request may lie in libzmq.
        """
        self.used_at = now
        self.allowance = min(REQUEST_BYTES, self.allowance + size)
        if not self._to_client:
            self.due = math.inf

    def from_client(self, now: float) -> bytes:
        """Read the next bytes from the client; return those that go to libzmq at once."""
        if self.stage is not Stage.ADMITTED:
            return super().from_client(now)
        piece = self._read(self.client, min(PIECE_BYTES, self.allowance))
        self.allowance -= len(piece)
        self.used_at = now
        if not self.allowance:
            self.due = now + STALLED_SECONDS
        return piece

    def flush_client(self, now: float) -> None:
        """Write to the client what still waits for it; it gets new time with each byte it takes."""
        before = len(self._to_client)
        super().flush_client(now)
        left = len(self._to_client)
        self.used_at = now
        if self.stage is Stage.ADMITTED and (left or left < before):
            self.due = now + STALLED_SECONDS if left or not self.allowance else math.inf

    def fault(self) -> str:
        """The reason for ending a client whose time is up."""
        if self.stage is not Stage.ADMITTED:
            return super().fault()
        if self._to_client:
            return "it does not read its answers"
        return "it sent more than one request, and none was answered in time"


def wire_bytes(*parts: int) -> int:
    """The length on the line of a message of parts of these sizes, encrypted and framed.

    Each part is sealed with its flags, and stands behind a head of two bytes, or nine if it is
    long.
    """
    sealed = [size + SEAL_BYTES for size in parts]
    return sum(size + (2 if size < 1 << 8 else 9) for size in sealed)


class RequestProxy(ListeningProxy[RequestingClient]):
    """The proxy of the request port; `answered` is for the thread that admits and refuses."""

    def __init__(self, listening: socket.socket, behind: str, caps: Caps) -> None:
        super().__init__("requests", listening, behind, caps, RequestingClient.opened)

    def crowded(self, key: bytes) -> bool:
        """Return whether this key has as many connections as it may, so that one more is refused.

        If there is one among them that nobody uses any more, it is ended, and there is room when
        the client tries again. One that is used is never ended.
        """
        if not self._quota.full_of(key):
            return False
        self._command(lambda: self._make_room(key))
        return True

    def answered(self, number: int, size: int) -> None:
        """A request of this connection, of so many bytes on the line, gets its reply now."""
        self._command(lambda: self._answered(number, size))

    def _admit(self, number: int, key: bytes) -> None:
        connection = self._decide(number)
        if connection is not None:
            self._quota.admit(number, key)
            connection.admit(time.monotonic())
            self._look_at(connection)

    def _make_room(self, key: bytes) -> None:
        now = time.monotonic()
        held = (self._connections[number] for number in self._quota.of(key))
        unused = next((one for one in held if one.unused(now)), None)
        if unused is not None:
            self._end(unused, "its key has too many connections, and this one was not used")

    def _answered(self, number: int, size: int) -> None:
        connection = self._connections.get(number)
        if connection is not None:
            self._quota.heard(number)
            connection.answered(size, time.monotonic())
            self._look_at(connection)
