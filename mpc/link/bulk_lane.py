"""The bulk lane: one TCP connection beside a ZeroMQ link, for its large bodies.

ZeroMQ encrypts with CURVE, at a CPU second and a half a gigabyte for both ends together; sealed by
AES-256-GCM, which processors have instructions for, a gigabyte costs a third of that.

A thread of its own writes, so that two parties that send to each other at once do not wait for each
other. Nothing here waits to read: `take` gives a frame once all of it has come.
"""

from __future__ import annotations

import errno
import hmac
import math
import mmap
import socket
import sys
import threading
import time
import weakref
from collections.abc import Generator
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

import numpy as np

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.link.bulk_seal import (
    HELLO_BYTES,
    PIECE_BYTES,
    SEALED_HEAD_BYTES,
    TAG_BYTES,
    Body,
    Opener,
    SealedBody,
    SealedFrame,
    Sealer,
    pieces,
    sealed_length,
)

MAPPED_BYTES = (2 << 20) + (4 << 10)
"""The size of a buffer: a frame of a block, sealed. The system gives a page of it only when
something is written there."""
WRITER_NAME = "bulk writer"
"""The name of the threads that seal and write."""
MOST_FREE = 20
"""The number of free buffers that are kept."""


class BufferPool:
    """Buffers that are given out, and come back by themselves when nobody refers to them."""

    def __init__(self) -> None:
        self._free: list[mmap.mmap] = []

    def __repr__(self) -> str:
        return f"<BufferPool, {len(self._free)} buffers free>"

    def take(self, length: int) -> memoryview:
        """A body of this length, uninitialised; the memory is free once the last view of it is."""
        if length > MAPPED_BYTES:
            return np.empty(length, np.uint8).data
        try:
            buffer = self._free.pop()  # by whichever thread
        except IndexError:
            buffer = mmap.mmap(-1, MAPPED_BYTES)
        body = np.frombuffer(buffer, np.uint8, length)
        weakref.finalize(body, self._give_back, buffer)
        return body.data

    def _give_back(self, buffer: mmap.mmap) -> None:
        if len(self._free) < MOST_FREE:
            self._free.append(buffer)


DIAL_SECONDS = 5.0
"""The time for which either end tries, counted from the handshake."""
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
        """True if the attempt has ended, well or not."""
        return self._socket is None

    def proceed(self) -> socket.socket | None:
        """Go on without waiting; return the connection once the peer has answered with its hello.

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
        """True if the whole answer has come; raises OSError for a connection that is of no use."""
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


Steps = Generator[None, None, None]


class BulkLane:
    """Both directions of one connection, which belongs to the lane from now on.

    It takes bodies from `least` to `most` bytes. A connection that breaks is never replaced. With
    `opened_later` a body is a `SealedBody`, so that whoever uses it opens it, on any thread.
    """

    def __init__(
        self,
        connection: socket.socket,
        sealer: Sealer,
        opener: Opener,
        *,
        least: int,
        most: int,
        opened_later: bool = False,
    ) -> None:
        self._connection = connection
        self._sealer = sealer
        self._opener = opener
        self._lengths = range(max(1, least), most + 1)
        self._opened_later = opened_later
        self._sealed = memoryview(bytearray(PIECE_BYTES + TAG_BYTES))
        self._memory = BufferPool()
        self._ready: SealedFrame | None = None
        self._reading = self._frames()
        self._queue: SimpleQueue[tuple[bytes, Body] | None] = SimpleQueue()
        self._queued = self._written = 0
        self._broken_at = math.inf
        connection.setblocking(True)
        self._writer = threading.Thread(target=self._write, name=WRITER_NAME, daemon=True)
        self._writer.start()

    def __repr__(self) -> str:
        return f"<BulkLane, {self.unsent} bytes unsent>"

    def fileno(self) -> int:
        """The descriptor to poll for what arrives."""
        return self._connection.fileno()

    @property
    def unsent(self) -> int:
        """The number of bytes that wait for the connection to take them."""
        return self._queued - self._written

    @property
    def broken(self) -> bool:
        """True if the connection has broken; frames that came before may still be taken."""
        return self._broken_at < math.inf

    @property
    def broken_for(self) -> float:
        """For how many seconds that is known; negative if it has not broken."""
        return time.monotonic() - self._broken_at

    def digests(self) -> tuple[bytes, bytes]:
        """The digests of what was sealed and what was opened: of all, once nothing is `unsent`."""
        return self._sealer.digest(), self._opener.digest()

    def send(self, header: bytes, body: Body) -> None:
        """Have the frame written after those before it; its memory must not change any more."""
        assert len(body) in self._lengths
        self._queued += len(body)
        self._queue.put((header, body))

    def take(self) -> SealedFrame | None:
        """The next frame if all of it has come; raises `BadFrame` for what no honest peer sends."""
        next(self._reading, None)
        ready, self._ready = self._ready, None
        return ready

    def close(self, seconds: float) -> None:
        """Try that long to write what waits, and close."""
        until = time.monotonic() + seconds
        self._queue.put(None)
        self._writer.join(seconds)
        with suppress(OSError):  # with bytes unread, closing would take back what was written
            while self._connection.recv_into(self._sealed, 0, socket.MSG_DONTWAIT):
                if time.monotonic() >= until:
                    break
        with suppress(OSError):
            self._connection.shutdown(
                socket.SHUT_RDWR if self._writer.is_alive() else socket.SHUT_WR
            )
        self._writer.join()
        self._connection.close()

    # -- out ---------------------------------------------------------------------------------------

    def _write(self) -> None:
        """The writer's thread: until the lane is closed, whatever happens to the connection."""
        while (frame := self._queue.get()) is not None:
            header, body = frame
            if not self.broken:
                try:
                    for part in self._sealer.sealed(header, body):
                        self._connection.sendall(part)
                except Exception:  # without its writer the lane is broken, whatever ended it
                    self._break()
            self._written += len(body)
            del frame, header, body  # its memory is free while the next one is awaited

    def _break(self) -> None:
        self._broken_at = min(self._broken_at, time.monotonic())

    # -- in ----------------------------------------------------------------------------------------

    def _frames(self) -> Steps:
        """Read frame after frame, pausing at the end of each and wherever more is to come."""
        while True:
            head = self._sealed[:SEALED_HEAD_BYTES]
            if not (yield from self._fill(head)):
                return
            header, length = self._opener.head(head)
            if length not in self._lengths:
                raise BadFrame(f"a bulk frame of {length} bytes, which is not for the bulk lane")
            body = yield from (self._as_it_came if self._opened_later else self._opened)(length)
            if body is None:
                return
            self._ready = SealedFrame(header, body)
            del body  # the frame is the reader's alone
            yield

    def _opened(self, length: int) -> Generator[None, None, memoryview | None]:
        """Read a body, opening each piece while it is in the processor's cache."""
        body = self._memory.take(length)
        for number, start, stop in pieces(length):
            sealed = self._sealed[: stop - start + TAG_BYTES]
            if not (yield from self._fill(sealed)):
                return None
            self._opener.piece(number, sealed, body[start:stop])
        return body

    def _as_it_came(self, length: int) -> Generator[None, None, SealedBody | None]:
        sealed = self._memory.take(sealed_length(length))
        if not (yield from self._fill(sealed)):
            return None
        return self._opener.body(sealed, length, self._memory.take)

    def _fill(self, rest: memoryview) -> Generator[None, None, bool]:
        """Read as many bytes as there is room for; False if the connection has ended before.

        Linux is told to wake a waiting party for all that is missing, or for the end, and not for
        every few ten kilobytes. Its limit is half of the receive buffer, so none is waited for in
        vain; systems that limit it otherwise are told nothing. One that calls itself Linux may
        refuse (WSL 1), and then wakes for anything.
        """
        while rest:
            try:
                count = self._connection.recv_into(rest, 0, socket.MSG_DONTWAIT)
            except BlockingIOError:
                if sys.platform == "linux":
                    with suppress(OSError):
                        self._connection.setsockopt(
                            socket.SOL_SOCKET, socket.SO_RCVLOWAT, len(rest)
                        )
                yield
                continue
            except OSError:
                count = 0
            if not count:
                self._break()
                return False
            rest = rest[count:]
        return True
