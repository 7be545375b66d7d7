"""Bytes that a peer has sent and that lie unread: with libzmq, or on their way to it.

Where this party listens, its proxy counts them (`Unread`); where it has connected to the peer,
libzmq reads from the line itself, and Linux tells what it has taken (`UnreadOnSocket`).
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import threading

MOST_UNREAD = 128 << 20
"""Of one link. More than a helper deals ahead, and than two frames of the largest size."""
FRAME_BYTES = 128
"""The bytes of a frame beside its header and body, rather too many: each of its two parts is
encrypted (33 bytes) and stands behind a head (at most 9)."""
GLANCE_SECONDS = 0.05


class Unread:
    """Counted up by the thread that passes bytes on, and down by the one that reads frames."""

    def __init__(self, most: int = MOST_UNREAD) -> None:
        self._most = most
        self._passed_on = self._read = 0
        self._over = False
        self._waits = False
        self._room = threading.Event()

    def __repr__(self) -> str:
        return f"<{self.bytes} bytes unread>"

    @property
    def bytes(self) -> int:
        """The number of unread bytes, counted rather too high."""
        return self._passed_on - self._read

    def pass_on(self, count: int) -> None:
        """Count bytes that are passed on to libzmq, and wait for as long as it has too many."""
        self._passed_on += count
        if self.bytes <= self._most:
            return
        self._waits = True
        while self.bytes > self._most and not self._over:
            self._room.wait(GLANCE_SECONDS)
            self._room.clear()
        self._waits = False

    def read(self, size: int) -> None:
        """Count a frame that was read, of so many bytes."""
        self._read += size + FRAME_BYTES
        if self._waits:
            self._room.set()

    def end(self) -> None:
        """Wait for nobody any more."""
        self._over = True
        self._room.set()


with contextlib.suppress(ImportError):  # Windows has none
    import fcntl
    import termios

HIGH_WATER = 4
"""Whole messages that libzmq holds, unread, before it takes no more from the line. It goes on when
half of them are read; with fewer, a row of small frames costs some microseconds each."""
BETWEEN_SECONDS = 0.05
"""The interval of the counting: the line may carry some ten megabytes meanwhile."""
RECEIVED = struct.Struct("=128xQ")
"""The field of TCP_INFO with the bytes that have arrived (`tcpi_bytes_received`, Linux 4.1)."""


class UnreadOnSocket(Unread):
    """The bytes that libzmq took from one connection and nobody has read, counted by a thread.

    The connection is ended if that is more than `most`.
    """

    def __init__(self, connection: socket.socket, most: int) -> None:
        super().__init__(most)
        self._connection = connection
        self._ended = threading.Event()
        self.too_much = False
        """True if the peer sent so much that its connection was ended."""
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
                self._passed_on = _bytes_read(self._connection)
                if self.bytes > self._most:
                    self.too_much = True
                    self._connection.shutdown(socket.SHUT_RDWR)
                    return


def _bytes_read(connection: socket.socket) -> int:
    """The number of bytes that were read from this connection, also by others."""
    if sys.platform != "linux":
        raise OSError("only Linux tells")
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, RECEIVED.size)
    arrived: int = RECEIVED.unpack(info)[0]
    waiting = fcntl.ioctl(connection.fileno(), termios.FIONREAD, bytes(4))
    return arrived - int.from_bytes(waiting, sys.byteorder)
