"""The allow-list of a listening socket: the holder of one key may connect, once.

A client that is refused leaves one line in the audit log, with the link fingerprint of its key.
A plain link, for benchmarks, knows no keys and has no listening proxy; its list lets in the first
client, and nobody after.
"""

from __future__ import annotations

from dataclasses import replace

import zmq

from ppaurora.mpc.keys import PublicKey, link_fingerprint
from ppaurora.mpc.link.link_proxy import LinkProxy
from ppaurora.mpc.link.listening_proxy import AUDIT, rejected
from ppaurora.mpc.link.zap import Request, request_socket
from ppaurora.mpc.role import Role


class AllowList:
    """Accepts the holder of exactly one key, exactly once, and refuses everybody else.

    Without a key, on a plain link, it accepts the first who comes. It answers requests whenever the
    party waits, first for its peers and later for frames, until the link closes.
    `listening_proxy`, if there is one, knows where a client comes from, and is told of every
    decision.
    """

    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], peer: Role, public: PublicKey | None
    ) -> None:
        self._peer = peer
        self._public = public
        self._used = False
        self._departed = 0
        self._refused = 0
        self.listening_proxy: LinkProxy | None = None
        self.socket = request_socket(context)

    @property
    def refused(self) -> int:
        """The number of clients turned away, here or at the listening proxy."""
        return self._refused + (
            self.listening_proxy.refused if self.listening_proxy is not None else 0
        )

    def answer(self) -> None:
        """Let in or turn away the client of the ZAP request that has arrived: the reply to it."""
        request = Request.decode(self.socket.recv_multipart())
        if self.listening_proxy is None:
            refusal = self._refusal(request)
        else:
            request, refusal = self._asked_by(self.listening_proxy, request)
        if refusal:
            self._record(refusal, request.address)
            self.socket.send_multipart(request.refused())
        else:
            self._used = True
            self.socket.send_multipart(request.accepted(str(self._peer)))

    def _asked_by(self, proxy: LinkProxy, request: Request) -> tuple[Request, str]:
        """The request with its client's address, and the reason to turn it down, if any."""
        client = proxy.pending()
        if client is None:
            return request, "a connection that did not come through the listening proxy"
        request = replace(request, address=client.address)
        refusal = self._refusal(request)
        if refusal:
            proxy.refuse(client)
        elif not proxy.let_in(client, request.key):
            refusal = f"a connection from {client.address} that has gone again"
        return request, refusal

    def note_departure(self) -> None:
        """Record a connection that broke off and was not the peer's, unless it was refused."""
        self._departed += 1
        if self._departed > self._refused:
            self._record("a connection without a valid key", "")

    def _record(self, whom: str, address: str) -> None:
        self._refused += 1
        AUDIT.warning("link to %s: refused %s", self._peer, whom, extra=rejected(address))

    def _refusal(self, request: Request) -> str:
        """The reason to turn this request down; empty if it is the expected peer's first."""
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
