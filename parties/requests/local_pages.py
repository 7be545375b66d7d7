"""Pages over HTTP for programs of the same machine: how a server is, and what it has counted.

Anybody on the machine may connect, so nothing that they send holds the server up. One thread serves
everybody: GET only, one request a connection, a request of at most 4 KiB that is there within two
seconds. Of 16 connections the oldest gives way to one more; if its request has come by then it is
answered first. So connections that say nothing keep nobody out who speaks at once.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from ppaurora.mpc.address import address_text
from ppaurora.parties.errors import ConfigurationError

BACKLOG = 1024
MOST_CONNECTIONS = 16
MOST_HEAD_BYTES = 4096
MOST_PAGE_BYTES = 1 << 20
SECONDS = 2.0
"""For a whole connection."""
TICK_SECONDS = 0.25
ACCEPTED_AT_ONCE = 16
BETWEEN_SECONDS = 0.01
"""The pause after so many were accepted: a crowd must not keep the server busy."""
EXHAUSTED_SECONDS = 0.5
END_OF_HEAD = b"\r\n\r\n"
PLAIN = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class LocalPage:
    """An HTTP answer: a status, a text and its media type."""

    status: int
    text: str
    kind: str = PLAIN

    def encode(self) -> bytes:
        """The whole answer."""
        body = self.text.encode()
        lines = [
            f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}",
            f"Content-Type: {self.kind}",
            f"Content-Length: {len(body)}",
            "Cache-Control: no-store",
            "Connection: close",
        ]
        if self.status == HTTPStatus.METHOD_NOT_ALLOWED:
            lines.append("Allow: GET")
        return "\r\n".join(lines).encode("ascii") + END_OF_HEAD + body


@dataclass(slots=True, eq=False)
class PageConnection:
    """One connection for a page: what came over it, or what is still to be sent."""

    line: socket.socket
    until: float
    head: bytearray = field(default_factory=bytearray)
    answer: memoryview | None = None


class LocalPages:
    """Listens at a loopback address from the start, and answers between `start` and `close`."""

    def __init__(self, host: str, port: int) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
        except OSError as error:
            place = address_text(host, port)
            raise ConfigurationError(
                f"This server cannot tell how it is at {place}: {error.strerror}",
                advice="Stop what else uses that port, or correct [server] health in site.toml.",
            ) from None
        self._listening.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._connections: dict[PageConnection, None] = {}
        self._pages: Mapping[str, Callable[[], LocalPage]] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self, pages: Mapping[str, Callable[[], LocalPage]]) -> None:
        """Answer with these pages, by their paths; each is made in the thread of this object."""
        self._pages = pages
        self._thread.start()

    def close(self) -> None:
        """Answer nobody any more."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()
        for connection in list(self._connections):
            self._end(connection)
        self._selector.close()
        self._listening.close()

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closing.is_set():
            for key, _ in self._selector.select(TICK_SECONDS):
                if key.data is None:
                    self._accept()
                elif key.data in self._connections:
                    self._serve(key.data)
            now = time.monotonic()
            for connection in [
                connection for connection in self._connections if connection.until < now
            ]:
                self._end(connection)

    def _accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                line, _ = self._listening.accept()
            except BlockingIOError:
                return
            except ConnectionAbortedError:
                continue
            except OSError:  # there are no descriptors, or no memory
                self._closing.wait(EXHAUSTED_SECONDS)
                return
            if len(self._connections) >= MOST_CONNECTIONS:
                self._give_way(next(iter(self._connections)))
            line.setblocking(False)
            connection = PageConnection(line, time.monotonic() + SECONDS)
            self._connections[connection] = None
            self._selector.register(line, selectors.EVENT_READ, connection)
            self._serve(connection)
        self._closing.wait(BETWEEN_SECONDS)

    def _give_way(self, oldest: PageConnection) -> None:
        """End this connection, unless its request has come by now and is answered first."""
        self._serve(oldest)
        if oldest in self._connections:
            self._end(oldest)

    def _serve(self, connection: PageConnection) -> None:
        """Read or write what can be read or written now."""
        try:
            if connection.answer is None:
                self._read(connection)
            if connection.answer is not None:
                self._write(connection, connection.answer)
        except BlockingIOError:
            pass
        except OSError:  # it has gone
            self._end(connection)

    def _read(self, connection: PageConnection) -> None:
        piece = connection.line.recv(MOST_HEAD_BYTES + 1 - len(connection.head))
        connection.head += piece
        if END_OF_HEAD in connection.head:
            page = self._answer(bytes(connection.head))
        elif len(connection.head) > MOST_HEAD_BYTES:
            page = LocalPage(431, f"A request here has at most {MOST_HEAD_BYTES} bytes.\n")
        elif not piece:
            self._end(connection)
            return
        else:
            return
        connection.answer = memoryview(page.encode())
        self._selector.modify(connection.line, selectors.EVENT_WRITE, connection)

    def _write(self, connection: PageConnection, answer: memoryview) -> None:
        connection.answer = answer[connection.line.send(answer) :]
        if not connection.answer:
            self._end(connection)

    def _end(self, connection: PageConnection) -> None:
        del self._connections[connection]
        self._selector.unregister(connection.line)
        connection.line.close()

    def _answer(self, head: bytes) -> LocalPage:
        match head.partition(b"\r\n")[0].split(b" "):
            case [b"GET", target, b"HTTP/1.0" | b"HTTP/1.1"]:
                path = target.partition(b"?")[0].decode("latin-1")
            case [_, _, b"HTTP/1.0" | b"HTTP/1.1"]:
                return LocalPage(405, "Only GET is answered here.\n")
            case _:
                return LocalPage(400, "This is no request of HTTP/1.1.\n")
        if path not in self._pages:
            return LocalPage(404, f"There are {', '.join(self._pages)} here.\n")
        try:
            return self._pages[path]()
        except Exception as error:
            return LocalPage(500, f"This page met an unexpected {type(error).__name__}.\n")


def asked(place: tuple[str, int], path: str, seconds: float) -> LocalPage | None:
    """The answer of whoever listens at this place, or None if none is there within `seconds`."""
    until, answer = time.monotonic() + seconds, bytearray()
    with contextlib.suppress(OSError), socket.create_connection(place, seconds) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: {address_text(*place)}\r\n\r\n".encode("ascii"))
        while len(answer) <= MOST_PAGE_BYTES and (left := until - time.monotonic()) > 0:
            line.settimeout(left)
            piece = line.recv(1 << 16)
            if not piece:
                return _page(bytes(answer))
            answer += piece
    return None


def _page(answer: bytes) -> LocalPage | None:
    head, end, body = answer.partition(END_OF_HEAD)
    match head.partition(b"\r\n")[0].split(b" ", 2):
        case [b"HTTP/1.1", status, _] if end and status.isdigit() and len(status) == 3:
            return LocalPage(int(status), body.decode("utf-8", "replace"))
    return None
