"""The allow-list in front of a listening socket: one key may enter (ZAP, ZeroMQ RFC 27).

CURVE without a ZAP handler lets in every client, so no socket listens without one. Whoever is
refused leaves one line in the audit log, with the fingerprint of the key that was tried. A plain
link, for benchmarks, knows no keys; its list lets in whoever comes first, and nobody after that.
"""

from __future__ import annotations

import logging

import zmq

from ppaurora.mpc.keys import fingerprint
from ppaurora.mpc.role import Role

AUDIT = logging.getLogger("ppaurora.audit")
ADDRESS = "inproc://zeromq.zap.01"
VERSION = b"1.0"
DOMAIN = b"ppaurora"


class AllowList:
    """Lets the holder of exactly one key in, exactly once; everybody else is refused.

    Without a key, on a plain link, it lets in the first who comes.

    It answers while the party waits, for its peers at first, for frames later. It stays in place
    until the link closes: a handshake never finds it gone.
    """

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], peer: Role, public: bytes | None
    ) -> None:
        self._peer = peer
        self._public = public
        self._used = False
        self._departed = 0
        self.refused = 0
        self.socket = context.socket(zmq.REP)
        self.socket.linger = 0
        self.socket.bind(ADDRESS)

    def answer(self) -> None:
        """Decide on one request that has arrived."""
        request = self.socket.recv_multipart()
        number = request[1] if len(request) > 1 else b""
        refusal = self._refusal(request)
        if refusal:
            status, user = (b"400", b"refused"), b""
            self._record(refusal)
        else:
            self._used = True
            status, user = (b"200", b"OK"), str(self._peer).encode()
        self.socket.send_multipart([VERSION, number, *status, user, b""])

    def note_departure(self) -> None:
        """A stray connection is gone: record it unless its key was refused before."""
        self._departed += 1
        if self._departed > self.refused:
            self._record("a connection without a valid key")

    def _record(self, whom: str) -> None:
        self.refused += 1
        AUDIT.warning("link to %s: refused %s", self._peer, whom)

    def _refusal(self, request: list[bytes]) -> str:
        """Why this request is turned down; empty when it is the expected peer's first."""
        if len(request) < 6 or request[0] != VERSION or request[2] != DOMAIN:
            return "a connection without a key"
        address, mechanism = request[3].decode("ascii", "replace"), request[5]
        if self._public is None and mechanism == b"NULL":
            return f"a second connection from {address}" if self._used else ""
        if mechanism != b"CURVE" or len(request) != 7:
            return f"a connection without a key from {address}"
        key = request[6]
        if key != self._public:
            return f"an unknown key {fingerprint(key)} from {address}"
        if self._used:
            return f"a second connection with key {fingerprint(key)} from {address}"
        return ""
