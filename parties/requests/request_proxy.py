"""The listening proxy of a request port: clients that have proved a key send requests through it.

libzmq keeps a message of many parts until its last part is there, before the program sees anything
of it. So the proxy reads as much of a client as one request may take, and goes on when a request is
answered. Each accepted connection carries its number in everything that libzmq says of it, so that
the proxy is told which one gets its reply.
"""

from __future__ import annotations

import socket
import time

from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.mpc.link.listening_proxy import ListeningProxy
from ppaurora.parties.requests.requesting_client import RequestingClient

__all__ = ["RequestProxy"]


class RequestProxy(ListeningProxy[RequestingClient]):
    """The proxy of the request port; `answered` is for the thread that admits and refuses."""

    def __init__(self, listening: socket.socket, behind: str, caps: Caps) -> None:
        super().__init__("requests", listening, behind, caps, RequestingClient.opened)

    def crowded(self, key: bytes) -> bool:
        """Whether this key has as many connections as it may, so that one more is turned away.

        If there is one among them that nobody uses any more, it is ended, and there is room when
        the client tries again. One that is used is never ended.
        """
        if not self._quota.full_of(key):
            return False
        self._command(lambda: self._make_room(key))
        return True

    def answered(self, number: int, size: int) -> None:
        """A request of this connection, of so many bytes on the line, gets its reply now."""
        self._command(lambda: self._answered(number, size))

    def _admit(self, number: int, key: bytes) -> None:
        connection = self._decide(number)
        if connection is not None:
            self._quota.admit(number, key)
            connection.admit(time.monotonic())
            self._look_at(connection)

    def _make_room(self, key: bytes) -> None:
        now = time.monotonic()
        held = (self._connections[number] for number in self._quota.of(key))
        unused = next((one for one in held if one.unused(now)), None)
        if unused is not None:
            self._end(unused, "its key has too many connections, and this one was not used")

    def _answered(self, number: int, size: int) -> None:
        connection = self._connections.get(number)
        if connection is not None:
            self._quota.heard(number)
            connection.answered(size, time.monotonic())
            self._look_at(connection)
