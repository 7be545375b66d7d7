"""The listening proxy of a link port, which is open until the peer has proved its key.

Others get no further than a handshake. Once the peer has come, their connections are closed, and
two threads carry what the peer and libzmq send to each other (`Relay`). If there may be a bulk
lane, the port stays open for its one connection, told by the hello of this session
(`BulkConnection`), until that has come or its time is up. Then the listening socket is closed, too.

One connection that is carried on to another: all bytes, both ways, without looking at them.

What the peer sends is carried on while libzmq does not hold too much of it (`Unread`).

On Linux the system moves them from socket to socket and this process copies nothing: a tenth of a
CPU second a gigabyte, beside the one and a half that their encryption costs.
"""

from __future__ import annotations

import contextlib
import hmac
import math
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from ppaurora.mpc.link.bulk_lane import DIAL_SECONDS
from ppaurora.mpc.link.bulk_seal import HELLO_BYTES, MAGIC
from ppaurora.mpc.link.client_connection import ClientConnection, Ended, Stage
from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.mpc.link.listening_proxy import AUDIT, ListeningProxy, PendingClient, rejected
from ppaurora.mpc.link.unread import Unread

with contextlib.suppress(ImportError):  # Windows has none
    import fcntl

PIECE_BYTES = 1 << 20
BUFFER_BYTES = 4 << 20
"""The bytes that may lie between proxy and libzmq, if the system allows it: fewer wake-ups."""


class Pipe:
    """The buffer of one direction: a pipe of the system, or memory."""

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
        for end in self._sockets:
            end.setblocking(True)
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
            for end in self._sockets:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            self._out.join()
            self._in.join()
        for end in self._sockets:
            end.close()
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


@dataclass(slots=True, eq=False, repr=False)
class BulkConnection(ClientConnection):
    """Nothing that it says reaches libzmq: there is no server behind it."""

    allowance: int = HELLO_BYTES

    def from_client(self, now: float) -> bytes:
        """Read the next bytes of the hello; it waits to be judged when it is whole."""
        piece = self._read(self.client, self.allowance)
        self.allowance -= len(piece)
        self._said += piece
        if self._said[: len(MAGIC)] != MAGIC[: len(self._said)]:
            raise Ended("it does not say hello as a bulk connection does")
        if not self.allowance:
            self.stage = Stage.WAITS
        return b""

    def says(self, hello: bytes) -> bool:
        """True if its hello is this one."""
        return hmac.compare_digest(self._said, hello)

    def fault(self) -> str:
        """The reason for ending one whose time is up."""
        return "it has not said hello in time"


LINK_CAPS = Caps(in_all=128, of_an_address=32)
"""The connections that a link port has at once, by default."""
GLANCE_SECONDS = 0.5
"""The interval at which a caller that waits for the proxy's thread looks whether it still runs."""


class LinkProxy(ListeningProxy[ClientConnection]):
    """The listening proxy for one peer, once, and with `bulk` for a second connection of it.

    Who reads the peer's frames says so to `unread`.
    """

    drain_seconds = 0.0

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

    def let_in(self, client: PendingClient, key: bytes) -> bool:
        """Let the peer in and everybody else out; False if it has left meanwhile."""
        self.admit(client, key)
        while self.open or not self._let_in.empty():
            with contextlib.suppress(Empty):
                return self._let_in.get(timeout=GLANCE_SECONDS)
        return False  # the proxy has failed: nobody comes in any more

    def await_lane(self, hello: bytes, answer: bytes) -> None:
        """Accept as bulk lane the one connection that says this hello, and answer it."""
        self._command(lambda: self._expect(hello, answer))

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

    def _entered(
        self, number: int, address: str, client: socket.socket, now: float
    ) -> ClientConnection:
        kind = BulkConnection if self._peer_is_in else ClientConnection
        return kind.opened(number, address, client, now)

    def _admit(self, number: int, key: bytes) -> None:
        """Hand the peer over to the relay; libzmq has read its proof, so nothing is under way."""
        connection = self._decide(number)
        there = connection is not None and not connection.has_gone()
        if connection is not None and not there:
            connection.stage = Stage.REFUSED
            self._end(connection)
        elif connection is not None:
            assert connection.server is not None
            self._part_with(connection)
            self._forget(connection.server)
            self._carried.start(connection.client, connection.server)
            self._peer_is_in = True
            for other in list(self._connections.values()):
                self._end(other)
            if not self._bulk:
                self._closing.set()
        self._let_in.put(there)

    def _expect(self, hello: bytes, answer: bytes) -> None:
        self._hello, self._answer = hello, answer
        self._bulk_due = time.monotonic() + DIAL_SECONDS

    def _run_once(self) -> None:
        super()._run_once()
        if time.monotonic() > self._bulk_due:
            self._closing.set()

    def _let_one_prove_its_key(self) -> None:
        """Libzmq decides on keys until the peer has come; afterwards a hello is the proof."""
        if not self._peer_is_in:
            super()._let_one_prove_its_key()
            return
        while self._hello and self._waiting and not self._closing.is_set():
            connection = self._waiting.popleft()
            if connection.number not in self._connections:
                continue
            if isinstance(connection, BulkConnection) and connection.says(self._hello):
                self._take(connection)
            else:
                self._end(connection, "its hello is not of this session")

    def _take(self, connection: ClientConnection) -> None:
        """Keep the lane's connection and answer it: no other one is awaited."""
        self._part_with(connection)
        self._lane = connection.client
        self._closing.set()
        with contextlib.suppress(OSError):  # if it has gone again, there is no lane
            connection.client.sendall(self._answer)

    def _part_with(self, connection: ClientConnection) -> None:
        """Leave the client's connection to somebody else."""
        self._connections.pop(connection.number)
        self._forget(connection.client)

    def _record(self, connection: ClientConnection, why: str) -> None:
        let_in = self._peer_is_in and not isinstance(connection, BulkConnection)
        if connection.stage is Stage.REFUSED or let_in or self._closing.is_set():
            return
        self.refused += 1
        AUDIT.warning(
            "%s: refused a connection from %s: %s",
            self._name,
            connection.address,
            why or "it left without a valid key",
            extra=rejected(connection.address),
        )
