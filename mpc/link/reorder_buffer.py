"""The reorder buffer: frames that arrive before their turn, where large bodies have a lane.

Each of the two ways keeps the order in which its frames were sent, and frames are numbered over
both. So the frame that is missing before an early small one comes over the lane, and the one that
is missing before an early large one comes over ZeroMQ: only one of the two can be ahead.
"""

from __future__ import annotations

from ppaurora.mpc.link.frame import Header

EARLY_BYTES = 4 << 20
"""The most bytes of small frames; beyond, ZeroMQ is not read before the lane has caught up."""
MOST_EARLY = 1 << 14
"""The most frames, since one without a body takes memory, too."""

Arrival = tuple[bytes, Header, bytes | memoryview]


class ReorderBuffer:
    """The frames of one link that are ahead; bodies from `bulk` bytes on come over the lane."""

    def __init__(self, bulk: int) -> None:
        self._bulk = bulk
        self._frames: dict[int, Arrival] = {}
        self._small_bytes = 0
        self.large = False
        """True if a large frame is early: the missing one comes over ZeroMQ."""

    def __repr__(self) -> str:
        return f"<{len(self._frames)} early frames>"

    @property
    def small(self) -> bool:
        """True if small frames are early: the missing one comes over the lane."""
        return bool(self._frames) and not self.large

    @property
    def full(self) -> bool:
        """True if there are so many early small frames that no more should be read."""
        return self._small_bytes > EARLY_BYTES or len(self._frames) >= MOST_EARLY

    def keep(self, frame: Arrival) -> bool:
        """Keep a frame whose turn has not come; False if the missing ones can never come."""
        header = frame[1]
        if self.large or header.sequence in self._frames:
            return False
        if header.length >= self._bulk:
            if self._frames:
                return False
            self.large = True
        else:
            self._small_bytes += header.length
        self._frames[header.sequence] = frame
        return True

    def take(self, sequence: int) -> Arrival | None:
        """The frame of this number, if it was early."""
        frame = self._frames.pop(sequence, None)
        if frame is not None and self.large:
            self.large = False
        elif frame is not None:
            self._small_bytes -= frame[1].length
        return frame

    def clear(self) -> None:
        """Forget all of them."""
        self._frames.clear()
