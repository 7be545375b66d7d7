"""The client's end of requests to a server whose key is known beforehand.

Everything is encrypted and authenticated by CURVE. What can go wrong on the way is told apart: no
such host, nothing listening, no answer, a line that breaks, another key, a key that the server does
not know.
"""

from __future__ import annotations

import math
import random
import socket
import time
from struct import Struct
from typing import Self

import zmq
from zmq.utils import z85

from ppaurora.mpc.address import address_text
from ppaurora.mpc.errors import IdentityRefused
from ppaurora.mpc.keys import Identity, PublicKey, fingerprint
from ppaurora.mpc.link.client_connection import HANDSHAKE_SECONDS
from ppaurora.mpc.link.connection_quota import (
    CONTEXT_DESCRIPTORS,
    SOCKET_DESCRIPTORS,
    Caps,
    descriptors_free,
)
from ppaurora.mpc.link.zap import TOO_MANY
from ppaurora.parties.errors import TooManyConnections, Unreachable
from ppaurora.parties.requests.sockets import curve_socket, tcp_address

HANDSHAKE_ATTEMPTS = 3
HANDSHAKE_PAUSE = 0.1
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Between two tries of a server that has too many connections of this key."""
STRANGERS_SECONDS = 10.0
"""For how long one is tried again that has no room for strangers, or is no server of ours."""
MOST_UNREAD = 16
"""The number of answers that libzmq keeps; no more than 8 are under way."""
NOTHING_MORE = "cannot be asked: this process may open no more files and connections"
EVENT = Struct("=HI")
GREETING_BYTES = 64
GREETING = (b"\xff" + bytes(8) + b"\x7f\x03\x01CURVE").ljust(GREETING_BYTES, b"\0")
"""The first bytes of a CURVE client: signature, version and mechanism of ZMTP 3.1."""
HANDSHAKE_ENDS = (
    zmq.Event.HANDSHAKE_SUCCEEDED,
    zmq.Event.HANDSHAKE_FAILED_AUTH,
    zmq.Event.HANDSHAKE_FAILED_NO_DETAIL,
    zmq.Event.DISCONNECTED,
)


class RequestConnection:
    """One client's connection to one server, opened by the first question.

    The server has one of the keys `publics`; they are tried in this order. While it has too many
    connections of this key, it is tried again, at least for `crowded_seconds`; with these also one
    that has no room for strangers, and breaks connections off before it greets.
    """

    def __init__(
        self,
        identity: Identity,
        name: str,
        host: str,
        port: int,
        *publics: PublicKey,
        crowded_seconds: float = 0.0,
    ) -> None:
        self._crowded_seconds = crowded_seconds
        self._identity = identity
        self._publics = publics
        self.name = name
        self._place = (host, port)
        self._number = self._answered = 0
        self._proved = False
        self._worth_seconds = 0.0
        """For how long it is worth trying again what has failed last."""
        self._told = 0
        """The value that came with the last event of the connection."""
        self._context: zmq.Context[zmq.Socket[bytes]] | None = None
        self._connected = False
        self._monitor: zmq.Socket[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def server_key(self, patience: float) -> PublicKey:
        """The key that the server has proved to hold; opens the connection if need be."""
        begun, pause = time.monotonic(), FIRST_PAUSE
        while not self._connected:
            try:
                self._open(min(patience, HANDSHAKE_SECONDS))
            except Unreachable:
                most = min(self._worth_seconds, max(patience, self._crowded_seconds))
                if time.monotonic() + pause > begun + most:
                    raise
                time.sleep(pause * random.uniform(0.5, 1.0))
                pause = min(2 * pause, LONGEST_PAUSE)
        return self._publics[0]

    def ask(self, payload: bytes, patience: float) -> bytes:
        """The server's answer; every failure says what it was and closes the connection."""
        return self.answer(self.send(payload, patience), patience)

    def send(self, payload: bytes, patience: float) -> bytes:
        """Ask without waiting for the answer, whose number is returned.

        A server may end a connection over which nothing was asked for a while; then this opens
        another one.
        """
        if self._connected and self._number == self._answered and self._was_ended():
            self._disconnect()
        self.server_key(patience)
        self._number += 1
        number = self._number.to_bytes(8, "big")
        try:
            self._dealer.send_multipart([number, payload], zmq.DONTWAIT)
        except zmq.ZMQError:
            raise self._unreachable("closed the connection") from None
        return number

    def answer(self, number: bytes, patience: float) -> bytes:
        """The answer of this number; answers are awaited in the order of their questions."""
        if not self._connected:
            raise self._unreachable("closed the connection")
        until = time.monotonic() + patience
        while (left := until - time.monotonic()) > 0:
            ready = dict(self._poller.poll(int(1000 * left)))
            if self._dealer in ready:
                frames = self._dealer.recv_multipart()
                if len(frames) == 2 and frames[0] == number:
                    self._answered = int.from_bytes(number, "big")
                    return frames[1]
            elif self._monitor in ready and self._next_event() is zmq.Event.DISCONNECTED:
                raise self._unreachable("closed the connection")
        raise self._unreachable(f"gave no answer within {patience:g} s")

    def close(self) -> None:
        """Close the connection for good; if there is a next question, it opens a new one."""
        self._disconnect()
        if self._context is not None:
            self._context.term()
            self._context = None

    def _disconnect(self) -> None:
        """Close the connection; its context stays, because a new one may find no descriptors."""
        if self._connected:
            self._connected = False
            if self._monitor is not None:
                self._dealer.disable_monitor()
                self._monitor.close(0)
            self._dealer.close(0)

    def _open(self, seconds: float) -> None:
        """Connect and shake hands, and tell apart the ways in which that fails.

        A server with another key closes the connection without a word, and so does a server that
        is being stopped, or a line that is cut. It is taken for another key only if it greeted each
        time before, and if the right key was never proved over this connection.
        """
        until = time.monotonic() + seconds
        self._worth_seconds, greeted = 0.0, 0
        attempts = HANDSHAKE_ATTEMPTS * self._publics
        for public in attempts:
            greeted += self._probe(max(0.1, until - time.monotonic()))
            self._connect(public)
            event = self._await_handshake(until)
            if event is zmq.Event.HANDSHAKE_SUCCEEDED:
                self._proved = True
                self._publics = (public, *(one for one in self._publics if one != public))
                return
            self._disconnect()
            if event is None:
                raise self._unreachable("accepts connections, but does not answer")
            if event is zmq.Event.HANDSHAKE_FAILED_AUTH and self._told == int(TOO_MANY):
                raise self._too_many()
            if event is zmq.Event.HANDSHAKE_FAILED_AUTH:
                raise IdentityRefused(
                    f"{self.name} at {self._at} does not know your key "
                    f"{fingerprint(self._identity.public)}",
                    advice="Either it does not serve this study yet: its operator accepts it with "
                    "`ppaurora study accept`. Or its study.toml does not list your public key: if "
                    "you have changed your key, give the operator the file of the change.",
                )
            if public == self._publics[-1]:
                time.sleep(HANDSHAKE_PAUSE)
        if greeted == len(attempts) and not self._proved:
            raise self._other_key()
        self._worth_seconds = STRANGERS_SECONDS if self._crowded_seconds else 0.0
        raise self._unreachable("breaks off every connection before it has proved its key")

    def _connect(self, public: PublicKey) -> None:
        """Begin to connect; where nothing more can be opened, that fails and ends nothing else."""
        if not descriptors_free(SOCKET_DESCRIPTORS if self._context else CONTEXT_DESCRIPTORS):
            raise self._unreachable(NOTHING_MORE)
        self._context = self._context or zmq.Context()
        self._monitor = None
        try:
            self._dealer = curve_socket(self._context, zmq.DEALER, self._identity)
            self._connected = True
            self._monitor = self._dealer.get_monitor_socket()
        except zmq.ZMQError:
            raise self._unreachable(NOTHING_MORE) from None
        self._dealer.curve_serverkey = z85.encode(public.exchange)
        self._dealer.setsockopt(zmq.IMMEDIATE, 1)
        self._dealer.setsockopt(zmq.RECONNECT_IVL, -1)
        self._dealer.setsockopt(zmq.RCVHWM, MOST_UNREAD)
        self._dealer.ipv6 = ":" in self._place[0]
        self._poller = zmq.Poller()
        self._poller.register(self._dealer, zmq.POLLIN)
        self._poller.register(self._monitor, zmq.POLLIN)
        self._dealer.connect(tcp_address(*self._place))

    def _await_handshake(self, until: float) -> zmq.Event | None:
        """The event that ended the handshake, or None if it has not ended."""
        assert self._monitor is not None
        while (left := until - time.monotonic()) > 0:
            if self._monitor.poll(int(1000 * left)):
                event = self._next_event()
                if event in HANDSHAKE_ENDS:
                    return event
        return None

    def _next_event(self) -> zmq.Event:
        assert self._monitor is not None
        # the first frame: 16 bits of event and 32 of its value, in this machine's order of bytes
        event, self._told = EVENT.unpack(self._monitor.recv_multipart()[0])
        return zmq.Event(event)

    def _was_ended(self) -> bool:
        """Return whether the connection is known to be closed."""
        assert self._monitor is not None
        while self._monitor.poll(0):
            if self._next_event() is zmq.Event.DISCONNECTED:
                return True
        return False

    def _probe(self, seconds: float) -> bool:
        """Check over plain TCP whether a CURVE server greets at this address.

        Why no connection can be made is what the system says best. A name of plain letters goes to
        it as it is: Python would load what encodes all others.
        """
        until = time.monotonic() + seconds
        host, port = self._place
        name = host.encode() if host.isascii() else host
        try:
            # socket takes a host in bytes, which typeshed does not know
            with socket.create_connection((name, port), timeout=seconds) as plain:  # type: ignore[arg-type]
                return self._greets(plain, until)
        except socket.gaierror:
            raise self._unreachable("has an address whose host name is unknown") from None
        except ConnectionRefusedError:
            raise self._unreachable("is not running, or listens on another port") from None
        except OSError:
            raise self._unreachable("cannot be reached over the network") from None

    def _greets(self, plain: socket.socket, until: float) -> bool:
        """Return whether the whole greeting came; raises if it is not the one of a CURVE server.

        All of it must come until then, however many pieces it comes in.
        """
        greeting = b""
        try:
            plain.sendall(GREETING)
            while len(greeting) < GREETING_BYTES:
                plain.settimeout(max(0.001, until - time.monotonic()))
                piece = plain.recv(GREETING_BYTES - len(greeting))
                if not piece:
                    break
                greeting += piece
                if greeting[0] != GREETING[0]:
                    raise self._other_key()
        except TimeoutError:
            raise self._unreachable("accepts connections, but does not answer") from None
        except OSError:
            return False
        return len(greeting) == GREETING_BYTES

    def _other_key(self) -> IdentityRefused:
        return IdentityRefused(
            f"What answers at {self._at} is not {self.name} with the key "
            f"{' or '.join(map(fingerprint, self._publics))}",
            advice="Compare the address and this fingerprint with the server's operator, who may "
            "have changed the key; if they are right, the line damages what it carries.",
        )

    def _too_many(self) -> TooManyConnections:
        self._worth_seconds = math.inf
        return TooManyConnections(
            f"{self.name} at {self._at} has {Caps().of_a_key} connections of your key already, as "
            "many as it takes of one",
            advice="Run fewer programs with this key at once, or try again when some have ended: "
            "nothing is lost.",
        )

    @property
    def _at(self) -> str:
        return address_text(*self._place)

    def _unreachable(self, how: str) -> Unreachable:
        self._disconnect()
        return Unreachable(
            f"{self.name} at {self._at} {how}",
            advice="Check the address in study.toml, ask its operator whether it runs, "
            "then try again: nothing is lost.",
        )
