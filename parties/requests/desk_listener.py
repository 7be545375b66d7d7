"""Pages for one person of this machine, over HTTP at 127.0.0.1; everybody else is told nothing.

Who else can reach such a port, and what keeps each out:

- other users of the machine: the listener has a token, which is exchanged once for two secrets of
  32 bytes. One is a cookie (HttpOnly, SameSite=Strict), the other goes along in a header. Browsers
  send cookies to every port of a host, so another user's server could be given the cookie; the
  other secret is kept by the page, and a page of another port cannot read it;
- other sites in the same browser: a request that does not name host and origin exactly as the
  address has them is refused, and no header lets another origin read an answer or put the page into
  a frame. A name that is made to point to 127.0.0.1 later (DNS rebinding) is another host;
- whoever connects and is slow, or never speaks: a head has ten seconds; of 16 connections
  the oldest without the secrets gives way to one more. A body has a bound, which is checked before
  it is read, and a piece of it has ten seconds.

Without both secrets only the empty page, its style and its script are given. Nothing is logged.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import inf
from socketserver import TCPServer
from typing import Any, cast

from ppaurora.parties.errors import ConfigurationError, DataError

HOST = "127.0.0.1"
SECRET_BYTES = 32
COOKIE = "ppaurora-desk"
KEY_HEADER = "X-Desk-Key"
NAME_HEADER = "X-List-Name"
ENTER, DO, PROGRESS, LIST = "/enter", "/do", "/progress", "/list"
SECONDS = 10.0
"""For a request's head, and for each piece of what follows."""
MOST_CONNECTIONS = 16
MOST_BODY_BYTES = 4 << 20
MOST_LIST_BYTES = 4 << 30
PIECE_BYTES = 1 << 20
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
JSON = "application/json"
Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class DeskFile:
    """A file of the page that everybody may have: it tells nothing."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class DeskWork:
    """The work behind the page: what a form asks for, how far that is, and a list that comes in."""

    do: Callable[[Mapping[str, Any]], Answer]
    progress: Callable[[], Answer]
    take: Callable[[str, ListBody], Answer]


@dataclass(slots=True)
class DeskAccess:
    """The token of the address, until it is exchanged, and the two secrets afterwards."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(SECRET_BYTES), repr=False)
    cookie: str = field(default="", repr=False)
    key: str = field(default="", repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def exchange(self, token: str) -> bool:
        """Return whether this is the token; it is none from then on, and there are secrets."""
        with self._lock:
            right = bool(self.token) and _same(token, self.token)
            if right:
                self.token = ""
                self.cookie, self.key = (secrets.token_urlsafe(SECRET_BYTES) for _ in range(2))
            return right

    def knows(self, cookie: str, key: str) -> bool:
        """Return whether both secrets are right."""
        right = _same(cookie, self.cookie) & _same(key, self.key)
        return bool(self.cookie) and right


def _same(one: str, other: str) -> bool:
    """Return whether two texts are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode())


class DeskListener(ThreadingHTTPServer):
    """Listens at 127.0.0.1 from the start; `serve_forever` answers, `close` ends it."""

    daemon_threads = True
    block_on_close = False
    # another process could listen at the same port otherwise, on Windows
    allow_reuse_address = False
    request_queue_size = 128

    def __init__(self, port: int, files: Mapping[str, DeskFile], work: DeskWork) -> None:
        self.files, self.work, self.access = files, work, DeskAccess()
        self._until: dict[socket.socket, float] = {}
        self._guard = threading.Lock()
        try:
            super().__init__((HOST, port), DeskHandler)
        except OSError as error:
            raise ConfigurationError(
                f"The desk cannot listen at {HOST}:{port}: {error.strerror}",
                advice="Leave out --port: any free one will do.",
            ) from None

    def server_bind(self) -> None:
        """Bind to the port alone, without asking for the machine's name."""
        if exclusive := getattr(socket, "SO_EXCLUSIVEADDRUSE", None):
            self.socket.setsockopt(socket.SOL_SOCKET, exclusive, 1)
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    @property
    def hosts(self) -> tuple[str, str]:
        """The hosts that a request may name."""
        return f"{HOST}:{self.server_port}", f"localhost:{self.server_port}"

    @property
    def address(self) -> str:
        """The one-time address. The token is behind "#", which a browser sends to nobody."""
        return f"http://{self.hosts[0]}/#{self.access.token}"

    # -- connections -------------------------------------------------------------------------------

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Return whether one more connection is served: the oldest without secrets gives way."""
        with self._guard:
            if len(self._until) >= MOST_CONNECTIONS:
                oldest = next((one for one, until in self._until.items() if until < inf), None)
                if oldest is None:
                    return False
                self._end(oldest)
            self._until[request] = time.monotonic() + SECONDS
        return True

    def service_actions(self) -> None:
        """End the connections whose time is over."""
        now = time.monotonic()
        with self._guard:
            for one in [one for one, until in self._until.items() if until < now]:
                self._end(one)

    def _end(self, connection: socket.socket) -> None:
        """Wake the thread that reads from this connection, which then closes it."""
        del self._until[connection]
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    def is_known(self, connection: socket.socket) -> None:
        """Let a connection with the secrets take as long as its work does."""
        with self._guard:
            if connection in self._until:
                self._until[connection] = inf

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        with self._guard:
            self._until.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a connection that broke."""


class DeskHandler(BaseHTTPRequestHandler):
    """One request: refused unless it comes from the page itself."""

    server_version, sys_version = "ppaurora", ""
    timeout = SECONDS

    @property
    def desk(self) -> DeskListener:
        """The listener."""
        return cast(DeskListener, self.server)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: who asked for what is nobody's business."""

    def do_GET(self) -> None:
        """Give one of the page's own files."""
        if not self._names_this_host():
            return
        file = self.desk.files.get(self.path)
        if file is None:
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such page here.")
        else:
            self._answer(HTTPStatus.OK, file.text, file.kind)

    def do_POST(self) -> None:
        """Exchange the token, or do what the page asks for."""
        if not (self._names_this_host() and self._is_of_the_page()):
            return
        if self.path == ENTER:
            self._enter()
        elif not self._has_both():
            self._refuse(HTTPStatus.FORBIDDEN, "This browser has no access, or has lost it.")
        elif self.path not in (DO, PROGRESS, LIST):
            self._refuse(HTTPStatus.NOT_FOUND, "There is no such page here.")
        elif (size := self._size(MOST_LIST_BYTES if self.path == LIST else MOST_BODY_BYTES)) >= 0:
            self.desk.is_known(self.connection)
            self._work(size)

    # -- checks ------------------------------------------------------------------------------------

    def _names_this_host(self) -> bool:
        hosts = self.headers.get_all("Host", [])
        right = len(hosts) == 1 and hosts[0] in self.desk.hosts
        if not right:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "This is another host.")
        return right

    def _is_of_the_page(self) -> bool:
        """Return whether the browser says that the page itself asks, and not another site's."""
        origins = self.headers.get_all("Origin", [])
        right = origins == [f"http://{self.headers['Host']}"] and self.headers.get(
            "Sec-Fetch-Site", "same-origin"
        ) == ("same-origin")
        if not right:
            self._refuse(HTTPStatus.FORBIDDEN, "This comes from another site.")
        return right

    def _has_both(self) -> bool:
        """Return whether key and cookie are right.

        A server at another port of this machine can set a cookie of this name and a longer path,
        which the browser then sends before the desk's own: it does not lock the page out.
        """
        key, name = self.headers.get(KEY_HEADER, ""), self._cookie_name()
        pairs = (one.partition("=") for one in self.headers.get("Cookie", "").split(";"))
        values = [value for one, _, value in pairs if one.strip() == name]
        return any(self.desk.access.knows(value, key) for value in values)

    def _cookie_name(self) -> str:
        """The name of the cookie, with the port: browsers keep one jar for all ports."""
        return f"{COOKIE}-{self.desk.server_port}"

    def _size(self, most: int) -> int:
        """The size of the body, or -1 after a refusal."""
        text = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not (text.isascii() and text.isdigit()):
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "A request says how long it is.")
        elif len(text) > 12 or int(text) > most:
            self._refuse(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"At most {most >> 20} MiB are taken. Put the file into the desk's folder instead.",
            )
        else:
            return int(text)
        return -1

    # -- answers -----------------------------------------------------------------------------------

    def _enter(self) -> None:
        size = self._size(1024)
        if size < 0:
            return
        token = self.rfile.read(size).decode("ascii", "replace")
        if not self.desk.access.exchange(token):
            self._refuse(
                HTTPStatus.FORBIDDEN,
                "This address was used before, or is not the desk's. Start the desk again "
                "(`ppaurora desk`): it prints a new one.",
            )
            return
        cookie = (
            f"{self._cookie_name()}={self.desk.access.cookie}; HttpOnly; SameSite=Strict; Path=/"
        )
        self._answer(
            HTTPStatus.OK, json.dumps({"key": self.desk.access.key}), JSON, {"Set-Cookie": cookie}
        )

    def _work(self, size: int) -> None:
        work = self.desk.work
        if self.path == LIST:
            answer = work.take(self.headers.get(NAME_HEADER, ""), ListBody(self.rfile, size))
        elif self.path == PROGRESS:
            answer = work.progress()
        else:
            try:
                asked = json.loads(self.rfile.read(size))
            except (ValueError, RecursionError):
                asked = None
            if not isinstance(asked, dict):
                self._refuse(HTTPStatus.BAD_REQUEST, "This is no request of the page.")
                return
            answer = work.do(asked)
        self._answer(HTTPStatus.OK, json.dumps(answer), JSON)

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        self._answer(status, json.dumps({"refused": text}), JSON)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer a request that is none of HTTP as any other that is refused."""
        self._refuse(HTTPStatus(code), "This is no request of the page.")

    def _answer(
        self, status: HTTPStatus, text: str, kind: str, more: Mapping[str, str] | None = None
    ) -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in {**HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True


class ListBody:
    """The body of a request, which ends where it said."""

    def __init__(self, file: Any, size: int) -> None:
        self._file, self._left = file, size

    @property
    def left(self) -> int:
        """The bytes that are still to come."""
        return self._left

    def read(self) -> bytes:
        """The next piece; empty at the end."""
        if not self._left:
            return b""
        piece = bytes(self._file.read1(min(self._left, PIECE_BYTES)))
        if not piece:
            raise DataError(
                "The list did not arrive whole", advice="Choose it again; nothing was kept of it."
            )
        self._left -= len(piece)
        return piece
