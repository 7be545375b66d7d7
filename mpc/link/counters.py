"""What a link moved: frames, payload and header bytes, and the logical clock that counts hops."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

from ppaurora.mpc.link.frame import MOST_TIME


@dataclass(slots=True)
class Counters:
    """Frames and bytes in both directions of one link, since the link opened.

    What the protocol sends is counted apart from what keeps the link itself going (handshake,
    credit, abort, farewell; headers included), so that a primitive's declared bytes are exactly
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
