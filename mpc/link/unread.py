"""How much of what the peer sends lies unread with libzmq, which itself would take any amount.

The door passes nothing on to libzmq while that has too much: it waits with the peer then, in its
memory and its system's. Only what is passed on is counted exactly. Of what was read the bytes of
its encryption are estimated, rather too high, and whenever nothing is left to be read all of it
was: so an estimate never keeps back what is awaited.
"""

from __future__ import annotations

import threading

__all__ = ["MOST_UNREAD", "Unread"]

MOST_UNREAD = 128 << 20
"""Of one link. More than a helper deals ahead, and than two frames of the largest size."""
FRAME_BYTES = 160
"""What a frame of two parts takes on the line beside its header and body, at most."""
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
        return f"<{self._passed_on - self._read} bytes unread>"

    def pass_on(self, count: int) -> None:
        """Count bytes that are passed on to libzmq, and wait for as long as it has too many."""
        self._passed_on += count
        if self._passed_on - self._read <= self._most:
            return
        self._waits = True
        while self._passed_on - self._read > self._most and not self._over:
            self._room.wait(GLANCE_SECONDS)
            self._room.clear()
        self._waits = False

    def read(self, size: int) -> None:
        """Count a frame that was read, of so many bytes."""
        self._read += size + FRAME_BYTES
        if self._waits:
            self._room.set()

    def read_all(self) -> None:
        """Nothing was left to be read."""
        self._read = self._passed_on
        if self._waits:
            self._room.set()

    def end(self) -> None:
        """Wait for nobody any more."""
        self._over = True
        self._room.set()
