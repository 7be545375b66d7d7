"""A client of the request port, as the listening proxy sees it once its key is proved.

What it has in this process at any moment is bounded by what was read from it:

- one request of the largest size, until requests are answered. A message of many parts counts like
  one of few, because its bytes are counted and not its frames;
- of answers, one piece. While it waits for the client, nothing more is read from either side.

A client that has used up what it may send, or does not read its answers, is left alone for a while
and then ended.
"""

from __future__ import annotations

import math

from ppaurora.mpc.link.client_connection import PIECE_BYTES, ClientConnection, Stage
from ppaurora.parties.requests.wire import MAX_MESSAGE_BYTES

__all__ = ["REQUEST_BYTES", "STALLED_SECONDS", "RequestingClient", "wire_bytes"]

OVERHEAD_BYTES = 4 << 10
"""What encryption and framing of one request may add."""
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
    """When something last came from the client or was taken by it."""

    @property
    def speaking(self) -> bool:
        """Whether the client is to be heard at this stage."""
        return self.stage in (Stage.GREETS, Stage.ADMITTED)

    def admit(self, now: float) -> None:
        """From now on the client may send requests."""
        self.stage, self.allowance, self.due = Stage.ADMITTED, REQUEST_BYTES, math.inf
        self.used_at = now

    def unused(self, now: float) -> bool:
        """Whether nothing has been under way here for a while, or nothing moved for much longer.

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
        """Take the next piece from the client; returns what goes to libzmq at once."""
        if self.stage is not Stage.ADMITTED:
            return super().from_client(now)
        piece = self._read(self.client, min(PIECE_BYTES, self.allowance))
        self.allowance -= len(piece)
        self.used_at = now
        if not self.allowance:
            self.due = now + STALLED_SECONDS
        return piece

    def flush_client(self, now: float) -> None:
        """Go on handing on to the client, which is given new time by each byte that it takes."""
        before = len(self._to_client)
        super().flush_client(now)
        left = len(self._to_client)
        self.used_at = now
        if self.stage is Stage.ADMITTED and (left or left < before):
            self.due = now + STALLED_SECONDS if left or not self.allowance else math.inf

    def fault(self) -> str:
        """What is told of a client whose time is up."""
        if self.stage is not Stage.ADMITTED:
            return super().fault()
        if self._to_client:
            return "it does not read its answers"
        return "it sent more than one request, and none was answered in time"


def wire_bytes(*parts: int) -> int:
    """How long a message of parts of these sizes is on the line, encrypted and framed.

    Each part is sealed with its flags, and stands behind a head of two bytes, or nine if it is
    long.
    """
    sealed = [size + SEAL_BYTES for size in parts]
    return sum(size + (2 if size < 1 << 8 else 9) for size in sealed)
