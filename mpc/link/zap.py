"""Authentication of clients: ZeroMQ asks before it accepts one, and is answered (ZAP, RFC 27).

CURVE by itself accepts every client that knows the server's key. Therefore every listening socket
is handed to `ask_before_accepting`; its requests arrive at the `request_socket` of its context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import zmq

from ppaurora.mpc.keys import KEY_BYTES

VERSION = b"1.0"
ADDRESS = "inproc://zeromq.zap.01"
DOMAIN = b"ppaurora"
TOO_MANY = b"500"
"""Of the statuses that a client is told, the one that is no verdict on its key."""

Socket = zmq.Socket[bytes]


@dataclass(frozen=True, slots=True)
class Request:
    """A client that asks to connect: its address, its mechanism, and with CURVE its public key.

    A request that is malformed, or about another domain, has none of the three.
    """

    number: bytes
    address: str = ""
    mechanism: bytes = b""
    key: bytes = b""

    @classmethod
    def decode(cls, frames: Sequence[bytes]) -> Self:
        """The request in `[version, number, domain, address, identity, mechanism, key ...]`."""
        if len(frames) < 6 or frames[0] != VERSION or frames[2] != DOMAIN:
            return cls(frames[1] if len(frames) > 1 else b"")
        number, address, mechanism = frames[1], frames[3].decode("ascii", "replace"), frames[5]
        has_key = mechanism == b"CURVE" and len(frames) == 7 and len(frames[6]) == KEY_BYTES
        return cls(number, address, mechanism, frames[6] if has_key else b"")

    def accepted(self, user: str) -> list[bytes]:
        """The reply that lets the client in; its messages carry `user` as their User-Id."""
        return [VERSION, self.number, b"200", b"OK", user.encode(), b""]

    def refused(self) -> list[bytes]:
        """The reply that turns the client away."""
        return [VERSION, self.number, b"400", b"refused", b"", b""]

    def turned_away_for_now(self) -> list[bytes]:
        """The reply that turns a client away whose key has too many connections at the moment."""
        return [VERSION, self.number, TOO_MANY, b"too many connections", b"", b""]


def request_socket(context: zmq.Context[Socket]) -> Socket:
    """The socket on which the requests of all listening sockets of the context arrive."""
    socket = context.socket(zmq.REP)
    socket.linger = 0
    socket.bind(ADDRESS)
    return socket


def ask_before_accepting(socket: Socket) -> None:
    """Let ZeroMQ ask about every client of this listening socket, encrypted or not."""
    socket.zap_domain = DOMAIN
    socket.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)
