"""The door of a link port: strangers get no further than a handshake, and the peer ends it.

The port is open until the peer has proved its key. Then everybody else's connections are closed,
and two threads carry what the peer and libzmq say to each other (`Relay`). If there may be a bulk
lane, the port stays open for its one connection, told by the hello of this session (`BulkArrival`),
until that has come or its time is up. Then the listening socket is closed, too.
"""

from __future__ import annotations

import contextlib
import math
import socket
import time
from queue import Empty, SimpleQueue

from ppaurora.mpc.link.audit import AUDIT, stranger
from ppaurora.mpc.link.bulk_arrival import BulkArrival
from ppaurora.mpc.link.bulk_dial import DIAL_SECONDS
from ppaurora.mpc.link.door import Door, Visitor
from ppaurora.mpc.link.passage import Passage, Stage
from ppaurora.mpc.link.places import Caps
from ppaurora.mpc.link.relay import Relay
from ppaurora.mpc.link.unread import Unread

__all__ = ["STRANGERS", "LinkDoor"]

STRANGERS = Caps(in_all=128, of_an_address=32)
"""How many connections a link port has at once, unless it is told otherwise."""
GLANCE_SECONDS = 0.5
"""How often whoever waits for the door's thread looks whether it still runs."""


class LinkDoor(Door[Passage]):
    """The door through which one peer comes, once, and with `bulk` a second connection of it.

    Who reads the peer's frames says so to `unread`.
    """

    farewell_seconds = 0.0

    def __init__(
        self, name: str, listening: socket.socket, behind: str, caps: Caps, *, bulk: bool
    ) -> None:
        self.refused = 0
        self.unread = Unread()
        self._carried = Relay(self.unread)
        self._let_in: SimpleQueue[bool] = SimpleQueue()
        self._bulk = bulk
        self._peer_is_in = False
        self._hello = self._answer = b""
        self._bulk_due = math.inf
        self._lane: socket.socket | None = None
        super().__init__(name, listening, behind, caps, self._entered)

    def let_in(self, visitor: Visitor, key: bytes) -> bool:
        """Let the peer in and everybody else out; False if it has left meanwhile."""
        self.admit(visitor, key)
        while self.open or not self._let_in.empty():
            with contextlib.suppress(Empty):
                return self._let_in.get(timeout=GLANCE_SECONDS)
        return False  # the door has failed: nobody comes in any more

    def await_lane(self, hello: bytes, answer: bytes) -> None:
        """Take the one connection that says this hello, and answer it."""
        self._tell(lambda: self._expect(hello, answer))

    def lane(self) -> socket.socket | None:
        """The connection that said the hello, if it has come; the caller's from now on."""
        lane, self._lane = self._lane, None
        return lane

    def finish(self, seconds: float) -> None:
        """Close everything, after trying that long to deliver what libzmq said last."""
        self.close()
        if self._lane is not None:
            self._lane.close()
        self._carried.finish(seconds)

    def _entered(self, number: int, address: str, client: socket.socket, now: float) -> Passage:
        kind = BulkArrival if self._peer_is_in else Passage
        return kind.opened(number, address, client, now)

    def _admit(self, number: int, key: bytes) -> None:
        """Hand the peer over to the relay; libzmq has read its proof, so nothing is under way."""
        passage = self._decide(number)
        there = passage is not None and not passage.has_gone()
        if passage is not None and not there:
            passage.stage = Stage.REFUSED
            self._end(passage)
        elif passage is not None:
            assert passage.server is not None
            self._part_with(passage)
            self._forget(passage.server)
            self._carried.start(passage.client, passage.server)
            self._peer_is_in = True
            for other in list(self._passages.values()):
                self._end(other)
            if not self._bulk:
                self._closing.set()
        self._let_in.put(there)

    def _expect(self, hello: bytes, answer: bytes) -> None:
        self._hello, self._answer = hello, answer
        self._bulk_due = time.monotonic() + DIAL_SECONDS

    def _turn(self) -> None:
        super()._turn()
        if time.monotonic() > self._bulk_due:
            self._closing.set()

    def _let_one_prove_its_key(self) -> None:
        """Libzmq decides on keys until the peer has come; afterwards a hello is the proof."""
        if not self._peer_is_in:
            super()._let_one_prove_its_key()
            return
        while self._hello and self._waiting and not self._closing.is_set():
            passage = self._waiting.popleft()
            if passage.number not in self._passages:
                continue
            if isinstance(passage, BulkArrival) and passage.says(self._hello):
                self._take(passage)
            else:
                self._end(passage, "its hello is not of this session")

    def _take(self, passage: Passage) -> None:
        """Keep the lane's connection and answer it: no other one is awaited."""
        self._part_with(passage)
        self._lane = passage.client
        self._closing.set()
        with contextlib.suppress(OSError):  # if it has gone again, there is no lane
            passage.client.sendall(self._answer)

    def _part_with(self, passage: Passage) -> None:
        """Leave the client's connection to somebody else."""
        self._passages.pop(passage.number)
        self._forget(passage.client)

    def _record(self, passage: Passage, why: str) -> None:
        let_in = self._peer_is_in and not isinstance(passage, BulkArrival)
        if passage.stage is Stage.REFUSED or let_in or self._closing.is_set():
            return
        self.refused += 1
        AUDIT.warning(
            "%s: refused a connection from %s: %s",
            self._name,
            passage.address,
            why or "it left without a valid key",
            extra=stranger(passage.address),
        )
