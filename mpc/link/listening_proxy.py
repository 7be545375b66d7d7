"""The listening proxy of a port: it accepts connections, counts bytes, relays them to libzmq.

libzmq takes frames of one largest size from everybody, proved or not, and accepts connections
without end. An option against either does not exist. So this thread stands between the network and
libzmq, and reads no more from a client than that may have in this process (`ClientConnection`);
what is not read stays in the client's own machine. Who the client is, libzmq and the server's
allow-list decide behind the proxy, by CURVE, as they would without it. No encryption is taken apart
here.

libzmq listens on a `PrivateSocket`, so nobody gets past the proxy.

The proxy is told what was decided, and must know about which connection. libzmq asks about a key
without saying whose it is. So the proxy lets it see one proof of a key at a time: the next one when
the allow-list has decided, or libzmq has hung up.

Connections without a key cost a descriptor each, up to the caps. If there are no descriptors,
accepting pauses, and goes on when there are some.
"""

from __future__ import annotations

import contextlib
import contextvars
import errno
import logging
import os
import selectors
import socket
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import zmq

from ppaurora.mpc.link.client_connection import ClientConnection, Ended, Stage
from ppaurora.mpc.link.connection_quota import Caps, ConnectionQuota, QuotaFull, address_group

AUDIT = logging.getLogger("ppaurora.audit")


def rejected(address: str) -> dict[str, object]:
    """The address as it goes with a line: `AUDIT.warning(..., extra=rejected(address))`."""
    return {"rejected": address}


def rejected_address(record: logging.LogRecord) -> str:
    """The address that goes with this line, or nothing."""
    return str(getattr(record, "rejected", ""))


class PrivateSocket:
    """A local socket in a folder that only this user can enter.

    On Linux the folder is removed at once, and only this process knows the way: it reaches the
    socket by its descriptor, which needs no name that a killed process would leave behind.
    """

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ppaurora-")
        self.folder = self._folder.name
        self.path = f"{self.folder}/socket"
        self._descriptor = -1
        try:
            socket.bind(f"ipc://{self.path}")
            if sys.platform == "linux":
                self._descriptor = os.open(self.path, os.O_PATH)
                self.path = f"/proc/self/fd/{self._descriptor}"
                self._folder.cleanup()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Forget the way; harmless when repeated."""
        self._folder.cleanup()
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


AnyConnection = TypeVar("AnyConnection", bound=ClientConnection)

BACKLOG = 1024
ACCEPTED_AT_ONCE = 32
BETWEEN_SECONDS = 0.01
"""The pause after so many were accepted: a crowd at the port must not keep the server busy."""
EXHAUSTED_SECONDS = 0.5
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
EXPIRY_SECONDS = 0.25
CONNECT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class PendingClient:
    """The client whose key libzmq asks about: the number of its connection, and its address."""

    number: int
    address: str


class ListeningProxy(ABC, Generic[AnyConnection]):
    """One listening place; a thread of its own relays what arrives there to `behind`.

    `client`, `admit` and `refuse` may be called from any one other thread. `name` says in the
    audit log whose proxy it is.
    """

    drain_seconds = 0.5
    """The time for which a closing proxy still delivers what libzmq has sent."""

    def __init__(
        self,
        name: str,
        listening: socket.socket,
        behind: str,
        caps: Caps,
        opened: Callable[[int, str, socket.socket, float], AnyConnection],
    ) -> None:
        self._name = name
        self._listening = listening
        self._behind = behind
        self._quota = ConnectionQuota(caps)
        self._opened = opened
        self._connections: dict[int, AnyConnection] = {}
        self._waiting: deque[AnyConnection] = deque()
        self._decided_on: AnyConnection | None = None
        self._commands: deque[Callable[[], object]] = deque()
        self._next = 0
        self._accepts_at = self._expire_at = 0.0
        self._waker, self._woken = socket.socketpair()
        for end in (self._listening, self._waker, self._woken):
            end.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._closing = threading.Event()
        # its lines in the audit log are of the server that opens it
        carry_on = contextvars.copy_context().run
        self._thread = threading.Thread(target=carry_on, args=(self._run,), daemon=True)
        self._thread.start()

    # -- called by the thread of the ZeroMQ socket behind the proxy --------------------------------

    @property
    def open(self) -> bool:
        """True while the proxy serves; if not, an error that nobody foresaw has ended it."""
        return self._thread.is_alive()

    def pending(self) -> PendingClient | None:
        """The client whose key libzmq asks about now; None if none came through this proxy."""
        connection = self._decided_on
        return None if connection is None else PendingClient(connection.number, connection.address)

    def admit(self, client: PendingClient, key: bytes) -> None:
        """Let this one in, as a holder of this key."""
        self._command(lambda: self._admit(client.number, key))

    def refuse(self, client: PendingClient) -> None:
        """Let this one hear that its key is not admitted, and no more."""
        self._command(lambda: self._refuse(client.number))

    def close(self) -> None:
        """Deliver what libzmq has still said, for a moment, and close everything."""
        self._closing.set()
        self._wake()
        self._thread.join()
        self._waker.close()
        self._woken.close()
        self._listening.close()
        self._selector.close()

    def _command(self, act: Callable[[], object]) -> None:
        self._commands.append(act)
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):  # then it rings already
            self._waker.send(b"!")

    @abstractmethod
    def _admit(self, number: int, key: bytes) -> None:
        """Act on it that this one's key is admitted; it may have left meanwhile."""

    def _refuse(self, number: int) -> None:
        connection = self._decide(number)
        if connection is not None:
            connection.stage = Stage.REFUSED

    def _decide(self, number: int) -> AnyConnection | None:
        """End the decision on this connection; it is None if the client has left meanwhile."""
        connection, self._decided_on = self._decided_on, None
        assert connection is not None
        assert connection.number == number
        if number in self._connections:
            return connection
        self._close(connection)
        return None

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closing.is_set():
            self._run_once()
        self._forget(self._listening)
        self._listening.close()
        until = time.monotonic() + self.drain_seconds
        while self._connections and time.monotonic() < until:
            self._run_once()
        for connection in list(self._connections.values()):
            self._end(connection)
        if self._decided_on is not None:
            self._decided_on.close()

    def _run_once(self) -> None:
        """Wait a moment for something to happen, and act on all of it."""
        now = time.monotonic()
        if self._accepts_at <= now and not self._closing.is_set():
            self._await_clients()
        pause = self._accepts_at - now
        ready = self._selector.select(pause if 0 < pause < EXPIRY_SECONDS else EXPIRY_SECONDS)
        self._run_commands()
        for key, events in ready:
            if key.fileobj is self._listening:
                self._accept()
            elif key.data is not None:
                self._relay(key.data, key.fileobj, events)
        self._let_one_prove_its_key()
        if (now := time.monotonic()) >= self._expire_at:
            self._expire_at = now + EXPIRY_SECONDS
            for connection in [c for c in self._connections.values() if c.due < now]:
                self._end(connection, connection.fault())

    def _run_commands(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(4096)
        while self._commands:
            self._commands.popleft()()

    # -- accepting ---------------------------------------------------------------------------------

    def _await_clients(self) -> None:
        if self._listening not in self._selector.get_map():
            self._selector.register(self._listening, selectors.EVENT_READ)

    def _pause(self, seconds: float) -> None:
        self._accepts_at = time.monotonic() + seconds
        self._selector.unregister(self._listening)

    def _accept(self) -> None:
        """Accept those who have come; after many of them, and without descriptors, pause."""
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                client, place = self._listening.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in EXHAUSTED:
                    AUDIT.warning(
                        "%s: cannot accept connections now: %s", self._name, error.strerror
                    )
                    self._pause(EXHAUSTED_SECONDS)
                    return
                continue  # it has gone again
            self._enter(client, address_group(place[0]))
        self._pause(BETWEEN_SECONDS)

    def _enter(self, client: socket.socket, address: str) -> None:
        self._next += 1
        try:
            gone = self._quota.enter(self._next, address)
        except QuotaFull:
            AUDIT.warning(
                "%s: no room for one more connection from %s",
                self._name,
                address,
                extra=rejected(address),
            )
            client.close()
            return
        self._give_way(gone, "others came, and it has not proved a key")
        with contextlib.suppress(OSError):  # it may have gone again: then reading says so
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        connection = self._opened(self._next, address, client, time.monotonic())
        self._connections[connection.number] = connection
        self._look_at(connection)

    def _give_way(self, number: int | None, why: str) -> None:
        if number is not None:
            self._end(self._connections[number], why)

    # -- relaying ----------------------------------------------------------------------------------

    def _relay(self, connection: AnyConnection, where: object, events: int) -> None:
        if (
            self._connections.get(connection.number) is not connection
            and connection is not self._decided_on
        ):
            return  # it was ended by what happened before it
        now = time.monotonic()
        try:
            if where is connection.client:
                if events & selectors.EVENT_WRITE:
                    connection.flush_client(now)
                if events & selectors.EVENT_READ:
                    self._from_client(connection, now)
            else:
                if events & selectors.EVENT_WRITE:
                    connection.flush_server()
                if events & selectors.EVENT_READ:
                    connection.from_server(now)
        except Ended as ended:
            self._end(connection, str(ended))
        else:
            self._look_at(connection)

    def _from_client(self, connection: AnyConnection, now: float) -> None:
        piece = connection.from_client(now)
        if piece:
            if connection.server is None:
                connection.server = self._reach_server()
            connection.to_server(piece)
        if connection.stage is Stage.WAITS:
            self._waiting.append(connection)

    def _reach_server(self) -> socket.socket:
        """A new connection to libzmq, made for a client that has begun to speak."""
        try:
            server = socket.socket(socket.AF_UNIX)
        except OSError as error:
            raise Ended(f"no connection can be made for it: {error.strerror}") from None
        try:
            server.settimeout(CONNECT_SECONDS)
            server.connect(self._behind)
            server.setblocking(False)
        except OSError as error:
            server.close()
            raise Ended(f"no connection can be made for it: {error.strerror}") from None
        return server

    def _let_one_prove_its_key(self) -> None:
        while self._decided_on is None and self._waiting:
            connection = self._waiting.popleft()
            if connection.number in self._connections:
                self._decided_on = connection
                self._quota.hold(connection.number)
                try:
                    connection.initiate()
                except Ended:
                    self._end(connection)
                else:
                    self._look_at(connection)

    def _look_at(self, connection: AnyConnection) -> None:
        """Wait for what this connection needs next."""
        for end, events in (
            (connection.client, connection.awaited_of_client),
            (connection.server, connection.awaited_of_server),
        ):
            if end is None or end.fileno() < 0:
                continue
            known = self._selector.get_map().get(end)
            if known is None and events:
                self._selector.register(end, events, connection)
            elif known is not None and not events:
                self._selector.unregister(end)
            elif known is not None and known.events != events:
                self._selector.modify(end, events, connection)

    def _end(self, connection: AnyConnection, why: str = "") -> None:
        """Close a connection; libzmq's side of one that it decides on only when it has decided."""
        self._record(connection, why)
        self._quota.leave(connection.number)
        self._connections.pop(connection.number, None)
        if connection is self._decided_on and not connection.hung_up:
            self._forget(connection.client)
            connection.leave_client()
            return
        if connection is self._decided_on:
            self._decided_on = None
        self._close(connection)

    def _record(self, connection: AnyConnection, why: str) -> None:
        """Note in the audit log why this connection is ended, if there is something to be told."""
        if why:
            AUDIT.warning(
                "%s: ended a connection from %s: %s",
                self._name,
                connection.address,
                why,
                extra=rejected(connection.address),
            )

    def _close(self, connection: AnyConnection) -> None:
        self._forget(connection.client)
        if connection.server is not None:
            self._forget(connection.server)
        connection.close()

    def _forget(self, end: socket.socket) -> None:
        if end.fileno() >= 0 and end in self._selector.get_map():
            self._selector.unregister(end)


def listening_socket(host: str, port: int) -> socket.socket:
    """The listening socket of this address; an IPv6 address may stand for IPv4 as well."""
    wide = ":" in host
    return socket.create_server(
        (host, port),
        family=socket.AF_INET6 if wide else socket.AF_INET,
        backlog=BACKLOG,
        dualstack_ipv6=wide,
    )
