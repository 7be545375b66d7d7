"""How much of what a dialled peer sends lies unread with libzmq, where that reads from the line.

Its high-water mark keeps whole messages back: frames wait on the line, at no cost. But it counts no
message before its last part, and there may be parts without end. So beside it the bytes are counted
that libzmq has taken from the line: Linux tells how many arrived, and how many nobody has taken.
No honest peer brings that beyond the mark, and the connection of one that does is ended.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import threading

from ppaurora.mpc.link.unread import Unread

with contextlib.suppress(ImportError):  # Windows has none
    import fcntl
    import termios

__all__ = ["HIGH_WATER", "UnreadOnLine"]

HIGH_WATER = 4
"""Whole messages that libzmq holds, unread, before it takes no more from the line. It goes on when
half of them are read; with fewer, a row of small frames costs some microseconds each."""
BETWEEN_SECONDS = 0.05
"""How often the bytes are counted: the line may carry some ten megabytes meanwhile."""
RECEIVED = struct.Struct("=128xQ")
"""Where the system says how many bytes have arrived (`tcpi_bytes_received`, since Linux 4.1)."""


class UnreadOnLine(Unread):
    """What libzmq took from one connection and nobody has read; a thread of its own counts it.

    The connection is ended if that is more than `most`.
    """

    def __init__(self, connection: socket.socket, most: int) -> None:
        super().__init__(most)
        self._connection = connection
        self._ended = threading.Event()
        self.too_much = False
        """Whether the peer sent so much that its connection was ended."""
        self._thread = threading.Thread(target=self._count, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Count no more, and let go of the connection."""
        self._ended.set()
        self._thread.join()
        self._connection.close()

    def _count(self) -> None:
        with contextlib.suppress(OSError, struct.error):  # a system that does not tell
            while not self._ended.wait(BETWEEN_SECONDS):
                self._passed_on = _taken(self._connection)
                if self.bytes > self._most:
                    self.too_much = True
                    self._connection.shutdown(socket.SHUT_RDWR)
                    return


def _taken(connection: socket.socket) -> int:
    """How many bytes were read from this connection, by whoever has it."""
    if sys.platform != "linux":
        raise OSError("only Linux tells")
    told = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, RECEIVED.size)
    arrived: int = RECEIVED.unpack(told)[0]
    waiting = fcntl.ioctl(connection.fileno(), termios.FIONREAD, bytes(4))
    return arrived - int.from_bytes(waiting, sys.byteorder)
