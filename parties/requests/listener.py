"""The server's end of requests: a socket that lets in the keys of its studies and nobody else.

Everything is encrypted and authenticated by CURVE. A client's identity is the key that its
connection proved to hold (ZAP), never anything that it says.

Clients connect to a `RequestProxy`, which counts what they send and relays it to the socket. One
request at a time is taken from a connection; what it sends before the reply is thrown away. A reply
that libzmq cannot take, because the client reads none, is kept and tried again; the proxy ends that
client. An empty request asks for a sign of life, and is answered here at once.
"""

from __future__ import annotations

import contextlib
import socket
import tempfile
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import zmq

from ppaurora.mpc.address import address_text
from ppaurora.mpc.keys import Identity, link_fingerprint
from ppaurora.mpc.link import zap
from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.mpc.link.listening_proxy import (
    AUDIT,
    BACKLOG,
    PrivateSocket,
    listening_socket,
    rejected,
)
from ppaurora.parties.errors import ConfigurationError, OwnFault
from ppaurora.parties.requests.request_proxy import RequestProxy, wire_bytes
from ppaurora.parties.requests.sockets import curve_socket

LIFE_SIGN = b""
"""The message by which a client learns that the server is there, and its answer."""
MOST_QUEUED = 2
"""The number of messages of one connection that libzmq keeps, each way."""
MOST_AT_ONCE = 100
"""The number of messages read before other events are looked at again."""


@dataclass(frozen=True, slots=True, repr=False)
class Incoming:
    """A request as it arrived: from the holder of which key, where, and where the reply goes."""

    public: bytes
    address: str
    connection: int
    route: tuple[bytes, bytes]
    payload: bytes

    @property
    def size(self) -> int:
        """Its bytes on the line."""
        return wire_bytes(len(self.route[1]), len(self.payload))


class RequestListener:
    """One server's socket for requests, and the ZAP handler that decides who may connect to it.

    One thread calls `receive`; any thread may call `reply`.
    """

    def __init__(
        self,
        identity: Identity,
        host: str,
        port: int,
        admits: Callable[[bytes], bool],
        caps: Caps | None = None,
    ) -> None:
        self._admits = admits
        self._waiting: set[int] = set()
        self._replies: deque[tuple[Incoming, bytes]] = deque()
        self._kept: list[tuple[Incoming, bytes]] = []
        listening = _listen(host, port)
        self._waker, self._woken = socket.socketpair()
        self._waker.setblocking(False)
        self._woken.setblocking(False)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._zap = zap.request_socket(self._context)
        self._router = curve_socket(self._context, zmq.ROUTER, identity)
        self._router.curve_server = True
        for option, value in (
            (zmq.SNDHWM, MOST_QUEUED),
            (zmq.RCVHWM, MOST_QUEUED),
            (zmq.ROUTER_MANDATORY, 1),  # so that a reply which cannot be sent is not lost
            (zmq.HANDSHAKE_IVL, 0),  # the proxy has deadlines of its own
            (zmq.BACKLOG, BACKLOG),
        ):
            self._router.setsockopt(option, value)
        zap.ask_before_accepting(self._router)
        try:
            self._behind = PrivateSocket(self._router)
        except (OSError, zmq.ZMQError) as error:
            listening.close()
            self._close_behind()
            raise ConfigurationError(
                f"This server cannot make a socket in {tempfile.gettempdir()}: {error}",
                advice="Set TMPDIR to a folder with a short name that can be written.",
            ) from None
        self._proxy = RequestProxy(listening, self._behind.path, caps or Caps())
        self._poller = zmq.Poller()
        self._poller.register(self._zap, zmq.POLLIN)
        self._poller.register(self._router, zmq.POLLIN)
        self._poller.register(self._woken, zmq.POLLIN)

    @property
    def open(self) -> bool:
        """Return whether clients are still admitted."""
        return self._proxy.open

    def receive(self, seconds: float) -> Incoming | None:
        """The next well-formed request, or None when `seconds` pass without one, or sooner."""
        if not self.open:
            raise OwnFault(
                "The listening proxy of the request port has failed",
                advice="Its traceback stands in the log of this server; start the server again.",
            )
        ready = dict(self._poller.poll(int(1000 * seconds)))
        if self._kept or self._woken.fileno() in ready:
            self._send_replies()
        if self._zap in ready:
            self._admit_or_refuse()
        if self._router in ready:
            return self._next_request()
        return None

    def reply(self, incoming: Incoming, payload: bytes) -> None:
        """Send the reply soon; a client that has gone by then is nobody's fault."""
        self._replies.append((incoming, payload))
        with contextlib.suppress(BlockingIOError):  # then it rings already
            self._waker.send(b"!")

    def close(self) -> None:
        """Send the replies that are left, and stop listening."""
        self._send_replies()
        self._close_behind()
        self._proxy.close()
        self._behind.close()

    def _close_behind(self) -> None:
        self._router.close(200)
        self._zap.close(0)
        self._context.term()
        self._waker.close()
        self._woken.close()

    def _next_request(self) -> Incoming | None:
        for _ in range(MOST_AT_ONCE):
            try:
                incoming = self._take()
            except zmq.Again:
                break
            if incoming is not None:
                return incoming
        return None

    def _take(self) -> Incoming | None:
        """The next request, or None if what came is none; raises if nothing is there."""
        frames = self._router.recv_multipart(zmq.DONTWAIT, copy=False)
        if len(frames) != 3 or len(frames[1]) > 16:
            return None
        key, connection, address = str(frames[2].get("User-Id")).split(" ")
        incoming = Incoming(
            bytes.fromhex(key),
            address,
            int(connection),
            (frames[0].bytes, frames[1].bytes),
            frames[2].bytes,
        )
        if incoming.connection in self._waiting:
            return None
        self._waiting.add(incoming.connection)
        if incoming.payload == LIFE_SIGN:
            self._answer(incoming, LIFE_SIGN)
            return None
        return incoming

    def _send_replies(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(4096)
        kept, self._kept = self._kept, []
        for incoming, payload in kept:
            self._answer(incoming, payload)
        while self._replies:
            self._answer(*self._replies.popleft())

    def _answer(self, incoming: Incoming, payload: bytes) -> None:
        """Hand a reply to libzmq, or keep it for later if its client does not read.

        Until then the proxy lets no further request through, which would be thrown away.
        """
        self._router.get(zmq.EVENTS)  # libzmq learns what it has sent meanwhile
        try:
            self._router.send_multipart([*incoming.route, payload], zmq.DONTWAIT)
        except zmq.Again:
            self._kept.append((incoming, payload))
            return
        except zmq.ZMQError:  # the client has gone
            pass
        self._waiting.discard(incoming.connection)
        self._proxy.answered(incoming.connection, incoming.size)

    def _admit_or_refuse(self) -> None:
        request = zap.Request.decode(self._zap.recv_multipart())
        client, key = self._proxy.pending(), request.key
        if client is None:
            AUDIT.warning(
                "requests: refused a connection that did not come through the listening proxy"
            )
            self._zap.send_multipart(request.refused())
        elif key and self._admits(key) and self._proxy.crowded(key):
            AUDIT.warning(
                "requests: turned a connection from %s away: its key %s has too many",
                client.address,
                link_fingerprint(key),
                extra=rejected(client.address),
            )
            self._proxy.refuse(client)
            self._zap.send_multipart(request.turned_away_for_now())
        elif key and self._admits(key):
            self._proxy.admit(client, key)
            self._zap.send_multipart(
                request.accepted(f"{key.hex()} {client.number} {client.address}")
            )
        else:
            tried = f"an unknown key {link_fingerprint(key)}" if key else "a client without a key"
            AUDIT.warning(
                "requests: refused %s from %s",
                tried,
                client.address,
                extra=rejected(client.address),
            )
            self._proxy.refuse(client)
            self._zap.send_multipart(request.refused())


def _listen(host: str, port: int) -> socket.socket:
    """The socket that strangers reach."""
    try:
        return listening_socket(host, port)
    except OSError as error:
        raise ConfigurationError(
            f"This server cannot listen on {address_text(host, port)}: {error.strerror}",
            advice="Stop what else uses that port, or correct [server] listen in site.toml.",
        ) from None
