"""The server's end of requests: a socket that lets in the keys of its studies and nobody else.

Everything is encrypted and authenticated by CURVE. A client's identity is the key that its
connection proved to hold (ZAP), never anything that it says.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import zmq

from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.link.allow_list import ADDRESS, AUDIT, DOMAIN
from ppaurora.mpc.link.allow_list import VERSION as ZAP_VERSION
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.requests.sockets import curve_socket, tcp_address

__all__ = ["Incoming", "RequestListener"]


@dataclass(frozen=True, slots=True, repr=False)
class Incoming:
    """A request as it arrived: from the holder of which key, and where the reply goes."""

    public: bytes
    route: tuple[bytes, bytes]
    payload: bytes


class RequestListener:
    """One server's socket for requests, and the ZAP handler that decides who may connect to it."""

    def __init__(
        self, identity: Identity, host: str, port: int, admits: Callable[[bytes], bool]
    ) -> None:
        self._admits = admits
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._gate = self._context.socket(zmq.REP)
        self._gate.linger = 0
        self._gate.bind(ADDRESS)
        self._router = curve_socket(self._context, zmq.ROUTER, identity)
        self._router.curve_server = True
        self._router.zap_domain = DOMAIN
        self._router.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)
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
        self._poller.register(self._gate, zmq.POLLIN)
        self._poller.register(self._router, zmq.POLLIN)

    def receive(self, seconds: float) -> Incoming | None:
        """The next well-formed request, or None when `seconds` pass without one."""
        ready = dict(self._poller.poll(int(1000 * seconds)))
        if self._gate in ready:
            self._answer_gate()
        if self._router not in ready:
            return None
        frames = self._router.recv_multipart(copy=False)
        if len(frames) != 3 or len(frames[1]) > 16:
            return None
        public = bytes.fromhex(str(frames[2].get("User-Id")))
        return Incoming(public, (frames[0].bytes, frames[1].bytes), frames[2].bytes)

    def reply(self, incoming: Incoming, payload: bytes) -> None:
        """Send the reply; a client that has gone by now is nobody's fault."""
        with contextlib.suppress(zmq.ZMQError):
            self._router.send_multipart([*incoming.route, payload], zmq.DONTWAIT)

    def close(self) -> None:
        """Stop listening."""
        self._router.close(200)
        self._gate.close(0)
        self._context.term()

    def _answer_gate(self) -> None:
        request = self._gate.recv_multipart()
        number = request[1] if len(request) > 1 else b""
        key = request[6] if len(request) == 7 and request[5] == b"CURVE" else b""
        if len(key) == 32 and request[2] == DOMAIN and self._admits(key):
            self._gate.send_multipart([ZAP_VERSION, number, b"200", b"OK", key.hex().encode(), b""])
            return
        tried = f"an unknown key {fingerprint(key)}" if key else "a connection without a key"
        AUDIT.warning("requests: refused %s", tried)
        self._gate.send_multipart([ZAP_VERSION, number, b"400", b"refused", b"", b""])
