"""A network inside the link: every frame is delivered late and no faster than the pace allows.

For one machine where network namespaces are not to be had. Sender and receiver read the same
monotonic clock; the sender writes when a frame is due behind its header and goes on at once, the
receiver delivers it then and not before.
"""

from __future__ import annotations

import ctypes
import struct
import time

from ppaurora.bench.networks.networks import ServerNetwork
from ppaurora.mpc.link import Link
from ppaurora.mpc.link.link import AnyBody, Body
from ppaurora.mpc.role import Role

STAMP = struct.Struct("<d")
PR_SET_TIMERSLACK = 29
# How late a sleeping process wakes up; measured, and taken off each frame's delay.
WAKE_UP_SECONDS = 20e-6


def sleep_exactly() -> None:
    """Let this process wake up on time, not up to 50 microseconds later (Linux)."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    except (AttributeError, OSError):
        return


class Uplink:
    """The uplink of one host: its frames over all its links, one after the other."""

    def __init__(self, bandwidth: float | None) -> None:
        self._seconds_per_byte = 8 / bandwidth if bandwidth else 0.0
        self._idle_at = 0.0

    def depart(self, size: int) -> float:
        """The time at which the last byte of a frame that is sent now leaves the host."""
        self._idle_at = max(time.monotonic(), self._idle_at) + size * self._seconds_per_byte
        return self._idle_at


class ShapedLink(Link):
    """A link over another link, as if a network stood between."""

    def __init__(self, inner: Link, *, delay: float, uplink: Uplink) -> None:
        super().__init__(
            inner.role, inner.peer, inner.session, clock=inner.clock, limits=inner.limits
        )
        self._inner = inner
        self._delay = max(0.0, delay - WAKE_UP_SECONDS)
        self._uplink = uplink
        self._held: tuple[float, bytes, AnyBody] | None = None

    def transmit(self, header: bytes, body: Body) -> None:
        due = self._uplink.depart(len(header) + len(body)) + self._delay
        self._inner.transmit(header + STAMP.pack(due), body)

    def poll(self, seconds: float) -> tuple[bytes, AnyBody] | None:
        until = time.monotonic() + seconds
        if self._held is None:
            frame = self._inner.poll(seconds)
            if frame is None:
                return None
            stamped, body = frame
            (due,) = STAMP.unpack_from(stamped, len(stamped) - STAMP.size)
            self._held = due, stamped[: -STAMP.size], body
        due, header, body = self._held
        wait = min(due, until) - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        if due > until:
            return None
        self._held = None
        return header, body

    def release(self) -> None:
        self._inner.close()


def shaped(links: dict[Role, Link], network: ServerNetwork) -> dict[Role, Link]:
    """The links of one party, as if `network` stood between it and each peer."""
    sleep_exactly()
    uplink = Uplink(network.bandwidth)
    return {
        peer: ShapedLink(link, delay=network.delay, uplink=uplink) for peer, link in links.items()
    }
