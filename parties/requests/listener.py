"""The server's end of requests: a socket that lets in the keys of its studies and nobody else.

Everything is encrypted and authenticated by CURVE. A client's identity is the key that its
connection proved to hold (ZAP), never anything that it says.

One request at a time is taken from a connection; what it sends before the reply is thrown away. So
the requests and replies that a careless client can make a server keep are few. An empty request
asks for a sign of life, and is answered here at once.
"""

from __future__ import annotations

import contextlib
import socket
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import zmq

from ppaurora.mpc.keys import Identity, link_fingerprint
from ppaurora.mpc.link import zap
from ppaurora.mpc.link.allow_list import AUDIT
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.requests.sockets import curve_socket, tcp_address

__all__ = ["LIFE_SIGN", "Incoming", "RequestListener"]

LIFE_SIGN = b""
"""What a client sends to learn whether the server is there, and gets back."""
MOST_QUEUED = 2
"""How many messages of one connection libzmq keeps, each way."""
MOST_AT_ONCE = 100
"""How many messages are taken in between two looks at whatever else has arrived."""


@dataclass(frozen=True, slots=True, repr=False)
class Incoming:
    """A request as it arrived: from the holder of which key, and where the reply goes."""

    public: bytes
    route: tuple[bytes, bytes]
    payload: bytes


class RequestListener:
    """One server's socket for requests, and the ZAP handler that decides who may connect to it.

    One thread calls `receive`; any thread may call `reply`.
    """

    def __init__(
        self, identity: Identity, host: str, port: int, admits: Callable[[bytes], bool]
    ) -> None:
        self._admits = admits
        self._waiting: set[bytes] = set()
        self._replies: deque[tuple[Incoming, bytes]] = deque()
        self._bell, self._ringing = socket.socketpair()
        self._bell.setblocking(False)
        self._ringing.setblocking(False)
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._zap = zap.request_socket(self._context)
        self._router = curve_socket(self._context, zmq.ROUTER, identity)
        self._router.curve_server = True
        self._router.setsockopt(zmq.SNDHWM, MOST_QUEUED)
        self._router.setsockopt(zmq.RCVHWM, MOST_QUEUED)
        zap.ask_before_accepting(self._router)
        self._router.ipv6 = ":" in host
        try:
            self._router.bind(tcp_address(host, port))
        except zmq.ZMQError as error:
            self.close()
            raise ConfigurationError(
                f"This server cannot listen on {host}:{port}: {error}",
                advice="Stop what else uses that port, or correct [server] listen in site.toml.",
            ) from None
        self._poller = zmq.Poller()
        self._poller.register(self._zap, zmq.POLLIN)
        self._poller.register(self._router, zmq.POLLIN)
        self._poller.register(self._ringing, zmq.POLLIN)

    def receive(self, seconds: float) -> Incoming | None:
        """The next well-formed request, or None when `seconds` pass without one, or sooner."""
        ready = dict(self._poller.poll(int(1000 * seconds)))
        if self._ringing.fileno() in ready:
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
            self._bell.send(b"!")

    def close(self) -> None:
        """Send the replies that are left, and stop listening."""
        self._send_replies()
        self._router.close(200)
        self._zap.close(0)
        self._context.term()
        self._bell.close()
        self._ringing.close()

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
        connection, number = frames[0].bytes, frames[1].bytes
        if connection in self._waiting:
            return None
        public = bytes.fromhex(str(frames[2].get("User-Id")))
        incoming = Incoming(public, (connection, number), frames[2].bytes)
        if incoming.payload == LIFE_SIGN:
            self._send(incoming, LIFE_SIGN)
            return None
        self._waiting.add(connection)
        return incoming

    def _send_replies(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._ringing.recv(4096)
        while self._replies:
            incoming, payload = self._replies.popleft()
            self._waiting.discard(incoming.route[0])
            self._send(incoming, payload)

    def _send(self, incoming: Incoming, payload: bytes) -> None:
        with contextlib.suppress(zmq.ZMQError):
            self._router.send_multipart([*incoming.route, payload], zmq.DONTWAIT)

    def _admit_or_refuse(self) -> None:
        request = zap.Request.decode(self._zap.recv_multipart())
        key = request.key
        if key and self._admits(key):
            self._zap.send_multipart(request.accepted(key.hex()))
            return
        tried = f"an unknown key {link_fingerprint(key)}" if key else "a connection without a key"
        AUDIT.warning("requests: refused %s", tried)
        self._zap.send_multipart(request.refused())
