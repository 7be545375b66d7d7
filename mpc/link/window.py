"""How far the helper deals ahead of a proxy, counted by both ends of their link."""

from __future__ import annotations

import time
from collections import deque

from ppaurora.mpc.link.limits import Limits

__all__ = ["CreditWindow"]


class CreditWindow:
    """The helper counts what it sent and what was acknowledged, a proxy what it has read.

    The helper gets credit for every quarter of the window, or after a quarter of the deadline, so
    that while it waits it can tell a slow peer from a silent one. Credit is for whole frames: a
    peer that gave it byte by byte would keep the helper, and with it the other proxy, for ever.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._sent = 0
        self._acknowledged = 0
        self._ends: deque[int] = deque()
        self._consumed = 0
        self._granted = 0
        self._granted_at = time.monotonic()
        self.credited_at = time.monotonic()
        """When the peer last acknowledged something."""

    @property
    def full(self) -> bool:
        """Whether more than a window is sent and not acknowledged."""
        return self._sent - self._acknowledged > self._limits.window

    def sent(self, count: int) -> None:
        """Count the bytes of a frame that was sent."""
        self._sent += count
        self._ends.append(self._sent)

    def acknowledged(self, credit: bytes | memoryview) -> bool:
        """Note what the peer has read; False if that cannot be."""
        consumed = int.from_bytes(credit, "little") if len(credit) == 8 else 0
        if not self._acknowledged < consumed <= self._sent:
            return False
        end = 0
        while self._ends and self._ends[0] <= consumed:
            end = self._ends.popleft()
        if end != consumed:
            return False
        self._acknowledged, self.credited_at = consumed, time.monotonic()
        return True

    def consumed(self, count: int) -> bytes:
        """Count bytes that were read; the credit that is due now, if it is."""
        self._consumed += count
        fresh, now = self._consumed - self._granted, time.monotonic()
        due = 4 * fresh >= self._limits.window or (
            fresh and 4 * (now - self._granted_at) >= self._limits.deadline
        )
        if not due:
            return b""
        self._granted, self._granted_at = self._consumed, now
        return self._consumed.to_bytes(8, "little")
