"""The allow-list of a listening socket: the holder of one key may connect, once.

Whoever is refused leaves one line in the audit log, with the link fingerprint of the key.
A plain link, for benchmarks, knows no keys; its list lets in whoever comes first, and nobody after.
"""

from __future__ import annotations

import logging

import zmq

from ppaurora.mpc.keys import PublicKey, link_fingerprint
from ppaurora.mpc.link.zap import Request, request_socket
from ppaurora.mpc.role import Role

AUDIT = logging.getLogger("ppaurora.audit")


class AllowList:
    """Accepts the holder of exactly one key, exactly once, and refuses everybody else.

    Without a key, on a plain link, it accepts the first who comes. It answers requests whenever the
    party waits, first for its peers and later for frames, until the link closes.
    """

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], peer: Role, public: PublicKey | None
    ) -> None:
        self._peer = peer
        self._public = public
        self._used = False
        self._departed = 0
        self.refused = 0
        self.socket = request_socket(context)

    def answer(self) -> None:
        """Decide on one request that has arrived."""
        request = Request.decode(self.socket.recv_multipart())
        refusal = self._refusal(request)
        if refusal:
            self._record(refusal)
            self.socket.send_multipart(request.refused())
        else:
            self._used = True
            self.socket.send_multipart(request.accepted(str(self._peer)))

    def note_departure(self) -> None:
        """Record a connection that broke off and was not the peer's, unless it was refused."""
        self._departed += 1
        if self._departed > self.refused:
            self._record("a connection without a valid key")

    def _record(self, whom: str) -> None:
        self.refused += 1
        AUDIT.warning("link to %s: refused %s", self._peer, whom)

    def _refusal(self, request: Request) -> str:
        """Why this request is turned down; empty if it is the expected peer's first."""
        if not request.mechanism:
            return "a connection without a key"
        if self._public is None and request.mechanism == b"NULL":
            return f"a second connection from {request.address}" if self._used else ""
        if not request.key:
            return f"a connection without a key from {request.address}"
        if self._public is None or request.key != self._public.exchange:
            return f"an unknown key {link_fingerprint(request.key)} from {request.address}"
        if self._used:
            return f"a second connection with the peer's own key from {request.address}"
        return ""
