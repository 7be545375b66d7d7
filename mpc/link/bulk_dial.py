"""The connecting end's way to a bulk lane: it connects, says its hello, and hears the answer."""

from __future__ import annotations

import errno
import hmac
import socket
import time
from contextlib import suppress
from typing import Any

from ppaurora.mpc.link.bulk_seal import HELLO_BYTES

__all__ = ["DIAL_SECONDS", "Dial"]

DIAL_SECONDS = 5.0
"""How long either end tries, counted from the handshake."""
UNDER_WAY = {errno.EINPROGRESS, errno.EALREADY, errno.EWOULDBLOCK}
CONNECTED = {0, errno.EISCONN}


class Dial:
    """One attempt, which goes on whenever it is asked to and never waits.

    What it says and hears fits into any socket's buffer.
    """

    def __init__(
        self, family: socket.AddressFamily, address: Any, hello: bytes, answer: bytes
    ) -> None:
        self._address = address
        self._hello = hello
        self._answer = answer
        self._heard = b""
        self._until = time.monotonic() + DIAL_SECONDS
        self._connected = False
        self._socket: socket.socket | None = socket.socket(family)
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @property
    def over(self) -> bool:
        """Whether the attempt has ended, well or not."""
        return self._socket is None

    def proceed(self) -> socket.socket | None:
        """Go on as far as possible; the connection, once the peer has answered with its own hello.

        Anything else than that answer ends the attempt, and so does the time.
        """
        try:
            heard = self._socket is not None and self._hears_the_answer(self._socket)
        except OSError:
            self.close()
        else:
            if heard:
                connection, self._socket = self._socket, None
                return connection
            if time.monotonic() > self._until:
                self.close()
        return None

    def close(self) -> None:
        """Give up; harmless when repeated."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _hears_the_answer(self, connection: socket.socket) -> bool:
        """Whether the whole answer has come; raises OSError for a connection that is of no use."""
        if not self._connected:
            state = connection.connect_ex(self._address)
            if state in UNDER_WAY:
                return False
            if state not in CONNECTED:
                raise OSError(state, "no connection")
            connection.sendall(self._hello)
            self._connected = True
        with suppress(BlockingIOError):
            piece = connection.recv(HELLO_BYTES - len(self._heard))
            self._heard += piece
            if not piece:
                raise ConnectionAbortedError("no answer")
        if len(self._heard) < HELLO_BYTES:
            return False
        if not hmac.compare_digest(self._heard, self._answer):
            raise ConnectionAbortedError("another answer")
        return True
