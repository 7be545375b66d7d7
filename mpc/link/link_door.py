"""The door of a link port: strangers get no further than a handshake, and the peer ends it.

The port is open until the peer has proved its key. Then the listening socket and everybody else's
connections are closed, and two threads carry what the peer and libzmq say to each other (`Relay`).
"""

from __future__ import annotations

import contextlib
import socket
from queue import Empty, SimpleQueue

from ppaurora.mpc.link.audit import AUDIT, stranger
from ppaurora.mpc.link.door import Door, Visitor
from ppaurora.mpc.link.passage import Passage, Stage
from ppaurora.mpc.link.places import Caps
from ppaurora.mpc.link.relay import Relay

__all__ = ["STRANGERS", "LinkDoor"]

STRANGERS = Caps(in_all=128, of_an_address=32)
"""How many connections a link port has at once, unless it is told otherwise."""
GLANCE_SECONDS = 0.5
"""How often whoever waits for the door's thread looks whether it still runs."""


class LinkDoor(Door[Passage]):
    """The door through which one peer comes, once."""

    farewell_seconds = 0.0

    def __init__(self, name: str, listening: socket.socket, behind: str, caps: Caps) -> None:
        self.refused = 0
        self._carried = Relay()
        self._let_in: SimpleQueue[bool] = SimpleQueue()
        super().__init__(name, listening, behind, caps, Passage.opened)

    def let_in(self, visitor: Visitor, key: bytes) -> bool:
        """Let the peer in and everybody else out; False if it has left meanwhile."""
        self.admit(visitor, key)
        while self.open or not self._let_in.empty():
            with contextlib.suppress(Empty):
                return self._let_in.get(timeout=GLANCE_SECONDS)
        return False  # the door has failed: nobody comes in any more

    def finish(self, seconds: float) -> None:
        """Close everything, after trying that long to deliver what libzmq said last."""
        self.close()
        self._carried.finish(seconds)

    def _admit(self, number: int, key: bytes) -> None:
        """Hand the peer over to the relay; libzmq has read its proof, so nothing is under way."""
        passage = self._decide(number)
        there = passage is not None and not passage.has_gone()
        if passage is not None and not there:
            passage.stage = Stage.REFUSED
            self._end(passage)
        elif passage is not None:
            assert passage.server is not None
            self._passages.pop(number)
            for one in (passage.client, passage.server):
                self._forget(one)
            self._carried.start(passage.client, passage.server)
            self._closing.set()
        self._let_in.put(there)

    def _record(self, passage: Passage, why: str) -> None:
        if passage.stage is Stage.REFUSED or self._closing.is_set():
            return
        self.refused += 1
        AUDIT.warning(
            "%s: refused a connection from %s: %s",
            self._name,
            passage.address,
            why or "it left without a valid key",
            extra=stranger(passage.address),
        )
