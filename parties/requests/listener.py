"""The server's end of requests: a socket that lets in the keys of its studies and nobody else.

Everything is encrypted and authenticated by CURVE. A client's identity is the key that its
connection proved to hold (ZAP), never anything that it says.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import zmq

from ppaurora.mpc.keys import Identity, link_fingerprint
from ppaurora.mpc.link import zap
from ppaurora.mpc.link.allow_list import AUDIT
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
        self._zap = zap.request_socket(self._context)
        self._router = curve_socket(self._context, zmq.ROUTER, identity)
        self._router.curve_server = True
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

    def receive(self, seconds: float) -> Incoming | None:
        """The next well-formed request, or None when `seconds` pass without one."""
        ready = dict(self._poller.poll(int(1000 * seconds)))
        if self._zap in ready:
            self._admit_or_refuse()
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
        self._zap.close(0)
        self._context.term()

    def _admit_or_refuse(self) -> None:
        request = zap.Request.decode(self._zap.recv_multipart())
        key = request.key
        if key and self._admits(key):
            self._zap.send_multipart(request.accepted(key.hex()))
            return
        tried = f"an unknown key {link_fingerprint(key)}" if key else "a connection without a key"
        AUDIT.warning("requests: refused %s", tried)
        self._zap.send_multipart(request.refused())
