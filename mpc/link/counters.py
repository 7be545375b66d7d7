"""The counts of a link: frames and bytes, hops (a logical clock), and credit of the helper."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from threading import Lock

from ppaurora.mpc.link.frame import MOST_TIME
from ppaurora.mpc.link.limits import Limits


@dataclass(slots=True)
class Counters:
    """Frames and bytes in both directions of one link, since the link opened.

    What the protocol sends is counted apart from what keeps the link itself going (handshake,
    credit, abort, goodbye; headers included), so that a primitive's declared bytes are exactly
    `bytes_sent`.
    """

    frames_sent: int = 0
    frames_received: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    header_bytes_sent: int = 0
    header_bytes_received: int = 0
    control_bytes_sent: int = 0
    control_bytes_received: int = 0

    def sent(self, header: int, body: int, *, control: bool) -> None:
        """Count a frame that went out, of so many header and body bytes."""
        if control:
            self.control_bytes_sent += header + body
        else:
            self.frames_sent += 1
            self.header_bytes_sent += header
            self.bytes_sent += body

    def received(self, header: int, body: int, *, control: bool) -> None:
        """Count a frame that was accepted, of so many header and body bytes."""
        if control:
            self.control_bytes_received += header + body
        else:
            self.frames_received += 1
            self.header_bytes_received += header
            self.bytes_received += body


class HopClock:
    """The length of the longest chain of messages up to now at this party (a Lamport clock).

    A frame carries its sender's time t; the receiver's time becomes at least t + 1. A simultaneous
    exchange is therefore one hop, and what a helper deals ahead costs none.
    The links of one party share a clock, also where each is read by a thread of its own. It ends at
    `MOST_TIME`, where only a dishonest party's time can bring it.
    """

    __slots__ = ("_changing", "now")

    def __init__(self) -> None:
        self.now = 0
        self._changing = Lock()

    def arrive(self, sent_at: int) -> None:
        """Note that a frame was read which was sent at this time."""
        with self._changing:
            self.now = max(self.now, min(sent_at + 1, MOST_TIME))


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
        """The time at which the peer last acknowledged something."""

    @property
    def full(self) -> bool:
        """True if more than a window is sent and not acknowledged."""
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
