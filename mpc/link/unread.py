"""How much of what the peer sends lies unread with libzmq, which itself would take any amount.

The door passes nothing on to libzmq while that has too much: it waits with the peer then, in its
memory and its system's. What is passed on is counted exactly, also of a message that never ends. Of
a frame that was read rather too much is counted, so that no frame which is awaited is kept back.
"""

from __future__ import annotations

import threading

__all__ = ["MOST_UNREAD", "Unread"]

MOST_UNREAD = 128 << 20
"""Of one link. More than a helper deals ahead, and than two frames of the largest size."""
FRAME_BYTES = 128
"""What a frame takes on the line beside its header and body, and more: each of its two parts is
encrypted (33 bytes) and stands behind a head (at most 9)."""
GLANCE_SECONDS = 0.05


class Unread:
    """Counted up by the thread that passes bytes on, and down by the one that reads frames."""

    def __init__(self, most: int = MOST_UNREAD) -> None:
        self._most = most
        self._passed_on = self._read = 0
        self._over = False
        self._waits = False
        self._room = threading.Event()

    def __repr__(self) -> str:
        return f"<{self.bytes} bytes unread>"

    @property
    def bytes(self) -> int:
        """How much lies unread, at most by a little more than is counted."""
        return self._passed_on - self._read

    def pass_on(self, count: int) -> None:
        """Count bytes that are passed on to libzmq, and wait for as long as it has too many."""
        self._passed_on += count
        if self.bytes <= self._most:
            return
        self._waits = True
        while self.bytes > self._most and not self._over:
            self._room.wait(GLANCE_SECONDS)
            self._room.clear()
        self._waits = False

    def read(self, size: int) -> None:
        """Count a frame that was read, of so many bytes."""
        self._read += size + FRAME_BYTES
        if self._waits:
            self._room.set()

    def end(self) -> None:
        """Wait for nobody any more."""
        self._over = True
        self._room.set()
