"""Requests and replies over ZeroMQ: the one module of this room that knows sockets.

Everything is encrypted and authenticated by CURVE; a server lets in exactly the keys of its
studies (ZAP), and takes the client's identity from that key, never from what is said.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from ppaurora.mpc.errors import IdentityRefused
from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.link import zap
from ppaurora.mpc.link.allow_list import AUDIT
from ppaurora.parties.errors import ConfigurationError, Unreachable
from ppaurora.parties.requests.messages import MAX_MESSAGE_BYTES

__all__ = ["Incoming", "RequestConnection", "RequestListener"]

CURVE_OVERHEAD = 64
HEARTBEAT_MS = (500, 1500)
HANDSHAKE_SECONDS = 5.0
HANDSHAKE_ATTEMPTS = 3
HANDSHAKE_PAUSE = 0.1
HANDSHAKE_ENDS = (
    zmq.Event.HANDSHAKE_SUCCEEDED,
    zmq.Event.HANDSHAKE_FAILED_AUTH,
    zmq.Event.HANDSHAKE_FAILED_NO_DETAIL,
    zmq.Event.DISCONNECTED,
)


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request as it arrived: from the holder of which key, and where the reply goes."""

    public: bytes
    route: tuple[bytes, bytes]
    payload: bytes


class RequestListener:
    """A server's side: a ROUTER socket that accepts the clients which `admits` names by key."""

    def __init__(
        self, identity: Identity, host: str, port: int, admits: Callable[[bytes], bool]
    ) -> None:
        self._admits = admits
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._zap = zap.request_socket(self._context)
        self._router = _curve_socket(self._context, zmq.ROUTER, identity)
        self._router.curve_server = True
        zap.ask_before_accepting(self._router)
        self._router.ipv6 = ":" in host
        try:
            self._router.bind(_address(host, port))
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
        """Answer; a client that has gone by now is no fault."""
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
        tried = f"an unknown key {fingerprint(key)}" if key else "a connection without a key"
        AUDIT.warning("requests: refused %s", tried)
        self._zap.send_multipart(request.refused())


class RequestConnection:
    """A client's side: one question at a time to one server, whose key is known beforehand."""

    def __init__(self, identity: Identity, name: str, host: str, port: int, public: bytes) -> None:
        self._identity = identity
        self._public = public
        self.name = name
        self._place = (host, port)
        self._number = 0
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, payload: bytes, patience: float) -> bytes:
        """The server's answer; every failure says what it was and closes the connection."""
        if self._context is None:
            self._open(min(patience, HANDSHAKE_SECONDS))
        self._number += 1
        number = self._number.to_bytes(8, "big")
        try:
            self._dealer.send_multipart([number, payload], zmq.DONTWAIT)
        except zmq.ZMQError:
            raise self._unreachable("closed the connection") from None
        until = time.monotonic() + patience
        while (left := until - time.monotonic()) > 0:
            ready = dict(self._poller.poll(int(1000 * left)))
            if self._dealer in ready:
                frames = self._dealer.recv_multipart()
                if len(frames) == 2 and frames[0] == number:
                    return frames[1]
            elif self._monitor in ready:
                event = zmq.Event(recv_monitor_message(self._monitor)["event"])
                if event is zmq.Event.DISCONNECTED:
                    raise self._unreachable("closed the connection")
        raise self._unreachable(f"gave no answer within {patience:.0f} s")

    def close(self) -> None:
        """Hang up; the next question opens a new connection."""
        if self._context is not None:
            self._dealer.disable_monitor()
            self._monitor.close(0)
            self._dealer.close(0)
            self._context.term()
            self._context = None

    def _open(self, seconds: float) -> None:
        """Connect and shake hands, and tell apart the ways in which that fails."""
        until = time.monotonic() + seconds
        for _ in range(HANDSHAKE_ATTEMPTS):
            self._probe(seconds)
            self._connect()
            event = self._await_handshake(until)
            if event is zmq.Event.HANDSHAKE_SUCCEEDED:
                return
            self.close()
            if event is None:
                raise self._unreachable("accepts connections, but does not answer")
            if event is zmq.Event.HANDSHAKE_FAILED_AUTH:
                raise IdentityRefused(
                    f"{self.name} at {self._at} does not know your key "
                    f"{fingerprint(self._identity.public)}",
                    advice="Its operator must serve the study.toml that lists your public key.",
                )
            # a server that was stopped just now looks the same as one with another key
            time.sleep(HANDSHAKE_PAUSE)
        raise IdentityRefused(
            f"What answers at {self._at} is not {self.name} with the key "
            f"{fingerprint(self._public)}",
            advice="Compare the address and this fingerprint with the server's operator.",
        )

    def _connect(self) -> None:
        self._context = zmq.Context()
        self._dealer = _curve_socket(self._context, zmq.DEALER, self._identity)
        self._dealer.curve_serverkey = z85.encode(self._public)
        self._dealer.setsockopt(zmq.IMMEDIATE, 1)
        self._dealer.setsockopt(zmq.RECONNECT_IVL, -1)
        self._dealer.ipv6 = ":" in self._place[0]
        self._monitor = self._dealer.get_monitor_socket()
        self._poller = zmq.Poller()
        self._poller.register(self._dealer, zmq.POLLIN)
        self._poller.register(self._monitor, zmq.POLLIN)
        self._dealer.connect(_address(*self._place))

    def _await_handshake(self, until: float) -> zmq.Event | None:
        """How the handshake ended, or None if it did not."""
        while (left := until - time.monotonic()) > 0:
            if self._monitor.poll(int(1000 * left)):
                event = zmq.Event(recv_monitor_message(self._monitor)["event"])
                if event in HANDSHAKE_ENDS:
                    return event
        return None

    def _probe(self, seconds: float) -> None:
        """A plain TCP connection first: the operating system says best what is wrong with it."""
        try:
            socket.create_connection(self._place, timeout=seconds).close()
        except socket.gaierror:
            raise self._unreachable("has an address whose host name is unknown") from None
        except ConnectionRefusedError:
            raise self._unreachable("is not running, or listens on another port") from None
        except OSError:
            raise self._unreachable("cannot be reached over the network") from None

    @property
    def _at(self) -> str:
        return f"{self._place[0]}:{self._place[1]}"

    def _unreachable(self, how: str) -> Unreachable:
        self.close()
        return Unreachable(
            f"{self.name} at {self._at} {how}",
            advice="Check the address in study.toml, ask its operator whether it runs, "
            "then try again: nothing is lost.",
        )


def _curve_socket(
    context: zmq.Context[zmq.Socket[bytes]], kind: int, identity: Identity
) -> zmq.Socket[bytes]:
    created = context.socket(kind)
    created.linger = 0
    created.curve_publickey = z85.encode(identity.public)
    created.curve_secretkey = z85.encode(identity.private_bytes())
    created.setsockopt(zmq.MAXMSGSIZE, MAX_MESSAGE_BYTES + CURVE_OVERHEAD)
    created.setsockopt(zmq.HANDSHAKE_IVL, int(1000 * HANDSHAKE_SECONDS))
    created.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT_MS[0])
    created.setsockopt(zmq.HEARTBEAT_TIMEOUT, HEARTBEAT_MS[1])
    return created


def _address(host: str, port: int) -> str:
    return f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"
