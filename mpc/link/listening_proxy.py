"""The door of a port: it accepts connections, counts bytes, and relays them to libzmq.

libzmq takes frames of one largest size from everybody, proved or not, and accepts connections
without end. An option against either does not exist. So this thread stands between the network and
libzmq, and reads no more from a client than that may have in this process (`Passage`); what is not
read stays in the client's own machine. Who the client is, libzmq and the server's allow-list decide
behind the door, by CURVE, as they would without it. No encryption is taken apart here.

libzmq listens in a `HiddenPlace`, so nobody gets past the door.

The door is told what was decided, and must know about which connection. libzmq asks about a key
without saying whose it is. So the door lets it see one proof of a key at a time: the next one when
the allow-list has decided, or libzmq has hung up.

Many strangers cost a descriptor each and nothing else, up to the caps. If there are no descriptors,
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

from ppaurora.mpc.link.client_connection import Ended, Passage, Stage
from ppaurora.mpc.link.connection_quota import Caps, NoRoom, Places, household

__all__ = [
    "AUDIT",
    "BACKLOG",
    "Door",
    "HiddenPlace",
    "Visitor",
    "listening_socket",
    "stranger",
    "stranger_of",
]

AUDIT = logging.getLogger("ppaurora.audit")


def stranger(address: str) -> dict[str, object]:
    """The address as it goes with a line: `AUDIT.warning(..., extra=stranger(address))`."""
    return {"stranger": address}


def stranger_of(record: logging.LogRecord) -> str:
    """The address that goes with this line, or nothing."""
    return str(getattr(record, "stranger", ""))


class HiddenPlace:
    """A local socket in a folder that only this user can enter.

    On Linux the folder is removed at once, and only this process knows the way: it reaches the
    socket by its descriptor, which needs no name that a killed process would leave behind.
    """

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ppaurora-")
        self.folder = self._folder.name
        self.path = f"{self.folder}/door"
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


OnePassage = TypeVar("OnePassage", bound=Passage)

BACKLOG = 1024
ACCEPTED_AT_ONCE = 32
BETWEEN_SECONDS = 0.01
"""The pause after so many were accepted: a crowd at the door must not keep the server busy."""
EXHAUSTED_SECONDS = 0.5
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
SWEEP_SECONDS = 0.25
CONNECT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whose key libzmq asks about: the number of the connection, and where it comes from."""

    number: int
    address: str


class Door(ABC, Generic[OnePassage]):
    """One listening place; a thread of its own relays what arrives there to `behind`.

    `visitor`, `admit` and `refuse` may be called from any one other thread. `name` says in the
    audit log whose door it is.
    """

    farewell_seconds = 0.5
    """For how long a closing door still delivers what libzmq has said."""

    def __init__(
        self,
        name: str,
        listening: socket.socket,
        behind: str,
        caps: Caps,
        opened: Callable[[int, str, socket.socket, float], OnePassage],
    ) -> None:
        self._name = name
        self._listening = listening
        self._behind = behind
        self._places = Places(caps)
        self._opened = opened
        self._passages: dict[int, OnePassage] = {}
        self._waiting: deque[OnePassage] = deque()
        self._decided_on: OnePassage | None = None
        self._told: deque[Callable[[], object]] = deque()
        self._next = 0
        self._accepts_at = self._sweep_at = 0.0
        self._bell, self._ringing = socket.socketpair()
        for one in (self._listening, self._bell, self._ringing):
            one.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._ringing, selectors.EVENT_READ)
        self._closing = threading.Event()
        # its lines in the audit log are of the server that opens it
        carry_on = contextvars.copy_context().run
        self._thread = threading.Thread(target=carry_on, args=(self._run,), daemon=True)
        self._thread.start()

    # -- what whoever listens says -----------------------------------------------------------------

    @property
    def open(self) -> bool:
        """Whether the door still serves; if not, an error that nobody foresaw has ended it."""
        return self._thread.is_alive()

    def visitor(self) -> Visitor | None:
        """Whose key libzmq asks about now; None if it is nobody who came through this door."""
        passage = self._decided_on
        return None if passage is None else Visitor(passage.number, passage.address)

    def admit(self, visitor: Visitor, key: bytes) -> None:
        """Let this one in, as a holder of this key."""
        self._tell(lambda: self._admit(visitor.number, key))

    def refuse(self, visitor: Visitor) -> None:
        """Let this one hear that its key is not admitted, and no more."""
        self._tell(lambda: self._refuse(visitor.number))

    def close(self) -> None:
        """Deliver what libzmq has still said, for a moment, and close everything."""
        self._closing.set()
        self._ring()
        self._thread.join()
        self._bell.close()
        self._ringing.close()
        self._listening.close()
        self._selector.close()

    def _tell(self, act: Callable[[], object]) -> None:
        self._told.append(act)
        self._ring()

    def _ring(self) -> None:
        with contextlib.suppress(BlockingIOError):  # then it rings already
            self._bell.send(b"!")

    @abstractmethod
    def _admit(self, number: int, key: bytes) -> None:
        """Act on it that this one's key is admitted; it may have left meanwhile."""

    def _refuse(self, number: int) -> None:
        passage = self._decide(number)
        if passage is not None:
            passage.stage = Stage.REFUSED

    def _decide(self, number: int) -> OnePassage | None:
        """End the decision on this connection; it is None if the client has left meanwhile."""
        passage, self._decided_on = self._decided_on, None
        assert passage is not None
        assert passage.number == number
        if number in self._passages:
            return passage
        self._close(passage)
        return None

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closing.is_set():
            self._turn()
        self._forget(self._listening)
        self._listening.close()
        until = time.monotonic() + self.farewell_seconds
        while self._passages and time.monotonic() < until:
            self._turn()
        for passage in list(self._passages.values()):
            self._end(passage)
        if self._decided_on is not None:
            self._decided_on.close()

    def _turn(self) -> None:
        """Wait a moment for something to happen, and act on all of it."""
        now = time.monotonic()
        if self._accepts_at <= now and not self._closing.is_set():
            self._await_clients()
        pause = self._accepts_at - now
        ready = self._selector.select(pause if 0 < pause < SWEEP_SECONDS else SWEEP_SECONDS)
        self._hear()
        for key, events in ready:
            if key.fileobj is self._listening:
                self._accept()
            elif key.data is not None:
                self._relay(key.data, key.fileobj, events)
        self._let_one_prove_its_key()
        if (now := time.monotonic()) >= self._sweep_at:
            self._sweep_at = now + SWEEP_SECONDS
            for passage in [one for one in self._passages.values() if one.due < now]:
                self._end(passage, passage.fault())

    def _hear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._ringing.recv(4096)
        while self._told:
            self._told.popleft()()

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
            self._enter(client, household(place[0]))
        self._pause(BETWEEN_SECONDS)

    def _enter(self, client: socket.socket, address: str) -> None:
        self._next += 1
        try:
            gone = self._places.enter(self._next, address)
        except NoRoom:
            AUDIT.warning(
                "%s: no room for one more connection from %s",
                self._name,
                address,
                extra=stranger(address),
            )
            client.close()
            return
        self._give_way(gone, "others came, and it has not proved a key")
        with contextlib.suppress(OSError):  # it may have gone again: then reading says so
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        passage = self._opened(self._next, address, client, time.monotonic())
        self._passages[passage.number] = passage
        self._look_at(passage)

    def _give_way(self, number: int | None, why: str) -> None:
        if number is not None:
            self._end(self._passages[number], why)

    # -- relaying ----------------------------------------------------------------------------------

    def _relay(self, passage: OnePassage, where: object, events: int) -> None:
        if self._passages.get(passage.number) is not passage and passage is not self._decided_on:
            return  # it was ended by what happened before it
        now = time.monotonic()
        try:
            if where is passage.client:
                if events & selectors.EVENT_WRITE:
                    passage.flush_client(now)
                if events & selectors.EVENT_READ:
                    self._from_client(passage, now)
            else:
                if events & selectors.EVENT_WRITE:
                    passage.flush_server()
                if events & selectors.EVENT_READ:
                    passage.from_server(now)
        except Ended as ended:
            self._end(passage, str(ended))
        else:
            self._look_at(passage)

    def _from_client(self, passage: OnePassage, now: float) -> None:
        piece = passage.from_client(now)
        if piece:
            if passage.server is None:
                passage.server = self._reach_server()
            passage.to_server(piece)
        if passage.stage is Stage.WAITS:
            self._waiting.append(passage)

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
            passage = self._waiting.popleft()
            if passage.number in self._passages:
                self._decided_on = passage
                self._places.hold(passage.number)
                try:
                    passage.initiate()
                except Ended:
                    self._end(passage)
                else:
                    self._look_at(passage)

    def _look_at(self, passage: OnePassage) -> None:
        """Wait for what this connection needs next."""
        for one, events in (
            (passage.client, passage.awaited_of_client),
            (passage.server, passage.awaited_of_server),
        ):
            if one is None or one.fileno() < 0:
                continue
            known = self._selector.get_map().get(one)
            if known is None and events:
                self._selector.register(one, events, passage)
            elif known is not None and not events:
                self._selector.unregister(one)
            elif known is not None and known.events != events:
                self._selector.modify(one, events, passage)

    def _end(self, passage: OnePassage, why: str = "") -> None:
        """Close a connection; libzmq's side of one that it decides on only when it has decided."""
        self._record(passage, why)
        self._places.leave(passage.number)
        self._passages.pop(passage.number, None)
        if passage is self._decided_on and not passage.hung_up:
            self._forget(passage.client)
            passage.leave_client()
            return
        if passage is self._decided_on:
            self._decided_on = None
        self._close(passage)

    def _record(self, passage: OnePassage, why: str) -> None:
        """Note in the audit log why this connection is ended, if there is something to be told."""
        if why:
            AUDIT.warning(
                "%s: ended a connection from %s: %s",
                self._name,
                passage.address,
                why,
                extra=stranger(passage.address),
            )

    def _close(self, passage: OnePassage) -> None:
        self._forget(passage.client)
        if passage.server is not None:
            self._forget(passage.server)
        passage.close()

    def _forget(self, one: socket.socket) -> None:
        if one.fileno() >= 0 and one in self._selector.get_map():
            self._selector.unregister(one)


def listening_socket(host: str, port: int) -> socket.socket:
    """The socket that strangers reach; an IPv6 address may stand for IPv4 as well."""
    wide = ":" in host
    return socket.create_server(
        (host, port),
        family=socket.AF_INET6 if wide else socket.AF_INET,
        backlog=BACKLOG,
        dualstack_ipv6=wide,
    )
