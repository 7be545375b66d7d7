"""The door of a server's request port: clients that have proved a key send requests through it.

libzmq keeps a message of many parts until its last part is there, before the program sees anything
of it. So the door reads as much of a client as one request may take, and goes on when a request is
answered. Each accepted connection carries its number in everything that libzmq says of it, so that
the door is told which one gets its reply.
"""

from __future__ import annotations

import socket

from ppaurora.mpc.link.door import Door
from ppaurora.mpc.link.places import Caps
from ppaurora.parties.requests.passage import RequestPassage

__all__ = ["RequestDoor"]


class RequestDoor(Door[RequestPassage]):
    """The door of the request port; `answered` is for the thread that admits and refuses."""

    def __init__(self, listening: socket.socket, behind: str, caps: Caps) -> None:
        super().__init__("requests", listening, behind, caps, RequestPassage.opened)

    def answered(self, number: int, size: int) -> None:
        """A request of this connection, of so many bytes on the line, gets its reply now."""
        self._tell(lambda: self._answered(number, size))

    def _admit(self, number: int, key: bytes) -> None:
        passage = self._decide(number)
        if passage is not None:
            self._give_way(self._places.admit(number, key), "its key has too many connections")
            passage.admit()
            self._look_at(passage)

    def _answered(self, number: int, size: int) -> None:
        passage = self._passages.get(number)
        if passage is not None:
            self._places.heard(number)
            passage.answered(size)
            self._look_at(passage)
