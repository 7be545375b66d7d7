"""One connection that is carried on to another: all bytes, both ways, without looking at them.

What the peer sends is carried on while libzmq does not hold too much of it (`Unread`).

On Linux the system moves them from socket to socket and this process copies nothing: a tenth of a
CPU second a gigabyte, beside the one and a half that their encryption costs.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import time
from collections.abc import Callable

from ppaurora.mpc.link.unread import Unread

with contextlib.suppress(ImportError):  # Windows has none
    import fcntl

__all__ = ["Relay"]

PIECE_BYTES = 1 << 20
BUFFER_BYTES = 4 << 20
"""What may lie between the door and libzmq, if the system allows it: fewer turns a gigabyte."""


class Pipe:
    """What the bytes of one direction go through."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()
        if sys.platform == "linux":
            with contextlib.suppress(OSError):  # the system may allow less than that
                fcntl.fcntl(self._writing, fcntl.F_SETPIPE_SZ, PIECE_BYTES)

    def carry(
        self, source: socket.socket, target: socket.socket, counted: Callable[[int], object]
    ) -> None:
        """Carry everything from one blocking socket to another, until either has ended.

        `counted` is told the size of each piece that was carried.
        """
        if sys.platform == "linux":
            while size := os.splice(source.fileno(), self._writing, PIECE_BYTES):
                left = size
                while left:
                    left -= os.splice(self._reading, target.fileno(), left)
                counted(size)
        else:
            while piece := source.recv(PIECE_BYTES):
                target.sendall(piece)
                counted(len(piece))

    def close(self) -> None:
        """Give the descriptors back."""
        os.close(self._reading)
        os.close(self._writing)


class Relay:
    """Two threads between the peer's connection and libzmq's, from `start` to `finish`.

    Its pipes are there from the beginning, so that a peer who has come finds everything it needs.
    """

    def __init__(self, unread: Unread | None = None) -> None:
        self._held = unread or Unread()
        self._outward, self._inward = Pipe(), Pipe()
        self._pipes = [self._outward, self._inward]
        self._sockets: tuple[socket.socket, ...] = ()
        self._unread = False

    def start(self, peer: socket.socket, server: socket.socket) -> None:
        """Carry what comes from now on; both sockets belong to the relay then."""
        self._sockets = (peer, server)
        for one in self._sockets:
            one.setblocking(True)
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            server.setsockopt(socket.SOL_SOCKET, option, BUFFER_BYTES)
        self._out = threading.Thread(target=self._carry_out, args=(peer, server), daemon=True)
        self._in = threading.Thread(target=self._carry_in, args=(peer, server), daemon=True)
        self._out.start()
        self._in.start()

    def finish(self, seconds: float) -> None:
        """Deliver what libzmq said last, for so long at most, and close everything.

        libzmq has closed its side before this is called. Harmless when repeated.
        """
        until = time.monotonic() + seconds
        self._held.end()
        if self._sockets:
            self._out.join(seconds)
            if self._unread:
                self._in.join(max(0.0, until - time.monotonic()))
            for one in self._sockets:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            self._out.join()
            self._in.join()
        for one in self._sockets:
            one.close()
        while self._pipes:
            self._pipes.pop().close()
        self._sockets = ()

    def _carry_out(self, peer: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            self._outward.carry(server, peer, lambda _: None)
        _say_the_end(peer)

    def _carry_in(self, peer: socket.socket, server: socket.socket) -> None:
        try:
            self._inward.carry(peer, server, self._held.pass_on)
        except OSError:
            self._unread = True
        _say_the_end(server)
        # a socket that is closed with bytes unread takes back what it has not delivered
        with contextlib.suppress(OSError):
            while peer.recv(PIECE_BYTES):
                pass


def _say_the_end(target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
