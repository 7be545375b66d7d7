"""Opening a party's links over TCP: one side listens, the other connects, both prove their keys."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

import zmq
from zmq.utils import z85

from ppaurora.mpc.errors import (
    AuroraError,
    IdentityRefused,
    LocalProtocolError,
    PeerLost,
    PeerSilent,
)
from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.link.allow_list import AllowList
from ppaurora.mpc.link.counters import HopClock
from ppaurora.mpc.link.door import BACKLOG, listening_socket
from ppaurora.mpc.link.endpoint import Endpoint
from ppaurora.mpc.link.hidden_place import HiddenPlace
from ppaurora.mpc.link.limits import Limits
from ppaurora.mpc.link.link import Link
from ppaurora.mpc.link.link_door import STRANGERS, LinkDoor
from ppaurora.mpc.link.places import Caps
from ppaurora.mpc.link.spare import CONTEXT_DESCRIPTORS, LISTENING_DESCRIPTORS, spare_descriptors
from ppaurora.mpc.link.unread_on_line import HIGH_WATER
from ppaurora.mpc.link.zap import ask_before_accepting
from ppaurora.mpc.link.zeromq import PeerConnection, ZeroMQLink
from ppaurora.mpc.role import Role

SomeError = TypeVar("SomeError", bound=AuroraError)

RETRY_SECONDS = 0.1
"""How soon a connection is tried again that was not accepted."""
ATTEMPT_SECONDS = 2.0
"""How long an attempt may hang (a firewall that drops); then libzmq ends it, and says so. If it
were ended here, its end would be told during the next one, and be taken for that one's."""
CONNECTING = "connecting"
"""The step that errors name while links are made."""
UNTOLD_SECONDS = 3.0
"""How soon it is tried again if nothing is told (a name that does not resolve)."""


def open_links(
    role: Role,
    identity: Identity,
    endpoints: Mapping[Role, Endpoint],
    session: bytes,
    *,
    limits: Limits | None = None,
    strangers: Caps = STRANGERS,
    on_bound: Callable[[Role, int], None] | None = None,
    given_up: Callable[[], bool] = lambda: False,
    bulk: bool = False,
    insecure_plain: bool = False,
) -> dict[Role, Link]:
    """The links to all peers, made at once within `limits.connect` seconds; all of them or none.

    `strangers` says how many connections a port has at once until its peer has proved its key; then
    the port is closed. With `bulk` it stays open a little longer, for a connection that carries
    large bodies (`Link.open_bulk`). `on_bound` is told the port on which each peer is awaited,
    which matters for port 0. Once `given_up` says that the session is over, no peer is awaited any
    longer. `insecure_plain` turns encryption, authentication, the doors and with them `bulk` off,
    for benchmarks on one machine.
    """
    clock, limits = HopClock(), limits or Limits()
    openings: list[Opening] = []
    try:
        for peer, endpoint in sorted(endpoints.items()):
            openings.append(
                Opening(peer, endpoint, identity, session, limits, strangers, bulk, insecure_plain)
            )
            if endpoint.listen and on_bound is not None:
                on_bound(peer, openings[-1].port)
        _await_all(openings, time.monotonic() + limits.connect, given_up)
    except BaseException:
        for opening in openings:
            opening.connection.close()
        raise
    return {
        opening.peer: ZeroMQLink(
            role, opening.peer, session, connection=opening.connection, clock=clock, limits=limits
        )
        for opening in openings
    }


def _await_all(openings: list[Opening], until: float, given_up: Callable[[], bool]) -> None:
    """Answer the peers that connect, and keep trying the others, until all links are made."""
    poller = zmq.Poller()
    for opening in openings:
        for socket in opening.sockets:
            poller.register(socket, zmq.POLLIN)
    while any(not opening.done for opening in openings):
        poller.poll(int(1000 * RETRY_SECONDS))
        for opening in openings:
            opening.proceed()
        over = given_up()
        if over or time.monotonic() > until:
            for opening in openings:
                if not opening.done:
                    raise opening.over() if over else opening.failure()


class Opening:
    """One link that is being made."""

    def __init__(
        self,
        peer: Role,
        endpoint: Endpoint,
        identity: Identity,
        session: bytes,
        limits: Limits,
        strangers: Caps,
        bulk: bool,
        insecure_plain: bool,
    ) -> None:
        self.peer = peer
        self._endpoint = endpoint
        self._session = session
        self._limits = limits
        self._strangers = strangers
        if not spare_descriptors(LISTENING_DESCRIPTORS if endpoint.listen else CONTEXT_DESCRIPTORS):
            raise self._error(
                LocalProtocolError,
                "this process may open no more files and connections",
                "See what has them open; raise the limit (`ulimit -n`, LimitNOFILE).",
            )
        self.connection = PeerConnection(limits, bulk=bulk and not insecure_plain)
        self._reached = self._broken_off = False
        self._port = endpoint.port
        self._retry_at: float | None = None
        try:
            self._open(identity, insecure_plain)
        except zmq.ZMQError as error:
            self.connection.close()
            raise self._cannot(str(error)) from None
        except BaseException:
            self.connection.close()
            raise

    def _open(self, identity: Identity, insecure_plain: bool) -> None:
        """Set the keys and bind or connect."""
        endpoint, socket = self._endpoint, self.connection.socket
        socket.ipv6 = ":" in endpoint.host
        if endpoint.listen:
            expected = None if insecure_plain else endpoint.public_key
            self.connection.allow_list = AllowList(self.connection.context, self.peer, expected)
            ask_before_accepting(socket)
        if not insecure_plain:
            socket.curve_publickey = z85.encode(identity.public.exchange)
            socket.curve_secretkey = z85.encode(identity.exchange_private_bytes())
            if endpoint.listen:
                socket.curve_server = True
            else:
                socket.curve_serverkey = z85.encode(endpoint.public_key.exchange)
        if not endpoint.listen:
            socket.setsockopt(zmq.RCVHWM, HIGH_WATER)
            socket.setsockopt(zmq.CONNECT_TIMEOUT, int(1000 * ATTEMPT_SECONDS))
            self._connect()
        elif insecure_plain:
            socket.bind(endpoint.address)
        else:
            self._open_door()

    def _open_door(self) -> None:
        """Listen for the peer; the port is the one that the system has given, if it had to."""
        connection, endpoint = self.connection, self._endpoint
        assert connection.allow_list is not None
        connection.socket.setsockopt(zmq.BACKLOG, BACKLOG)
        connection.socket.setsockopt(zmq.HANDSHAKE_IVL, 0)  # the door has deadlines of its own
        try:
            connection.hidden_place = HiddenPlace(connection.socket)
        except (OSError, zmq.ZMQError) as error:
            raise self._error(
                LocalProtocolError,
                f"cannot make a socket in {tempfile.gettempdir()}: {error}",
                "Set TMPDIR to a folder with a short name that can be written.",
            ) from None
        try:
            listening = listening_socket(endpoint.host, endpoint.port)
        except OSError as error:
            raise self._cannot(str(error.strerror)) from None
        self._port = int(listening.getsockname()[1])
        connection.door = connection.allow_list.door = LinkDoor(
            f"link to {self.peer}",
            listening,
            connection.hidden_place.path,
            self._strangers,
            bulk=connection.bulk,
        )

    @property
    def done(self) -> bool:
        """Whether the link is made."""
        return self.connection.established

    @property
    def sockets(self) -> list[zmq.Socket[bytes]]:
        """What to poll while the link is being made."""
        allow_list = self.connection.allow_list
        return (
            [self.connection.monitor]
            if allow_list is None
            else [self.connection.monitor, allow_list.socket]
        )

    @property
    def port(self) -> int:
        """The port on which the peer is awaited."""
        if self.connection.door is not None:
            return self._port
        return int(self.connection.socket.getsockopt_string(zmq.LAST_ENDPOINT).rsplit(":", 1)[1])

    def proceed(self) -> None:
        """Act on everything that happened since the last call."""
        for event in self.connection.new_events():
            if not (self._endpoint.listen or self.done):
                self._connecting(event)
        if self._retry_at is not None and time.monotonic() >= self._retry_at:
            with suppress(zmq.ZMQError):  # a failed endpoint may be gone already, or not
                self.connection.socket.disconnect(self._endpoint.address)
            self._connect()

    def _connect(self) -> None:
        self.connection.socket.connect(self._endpoint.address)
        self._retry_at = time.monotonic() + UNTOLD_SECONDS

    def _connecting(self, event: zmq.Event) -> None:
        if event is zmq.Event.CONNECTED:
            self._reached = True
            self._retry_at = None
        elif event is zmq.Event.HANDSHAKE_FAILED_AUTH:
            raise self._error(
                IdentityRefused,
                f"{self.peer} at {self._endpoint} refuses this party's key",
                f"Compare this party's fingerprint with the one that {self.peer} has configured.",
            )
        elif event in (zmq.Event.CLOSED, zmq.Event.DISCONNECTED):
            self._broken_off = self._reached
            self._retry_at = time.monotonic() + RETRY_SECONDS

    def over(self) -> AuroraError:
        """The error to raise when the session is given up while this peer is waited for."""
        return self._error(
            PeerLost,
            f"the session was given up while {self.peer} was waited for",
            "Nothing needs to be done: another session has begun.",
        )

    def failure(self) -> AuroraError:
        """The error to raise when the time is up.

        A server with another key breaks every connection off. One that lets it stand and says
        nothing is too busy to answer.
        """
        waited = f"in {self._limits.connect:g} s"
        if self._endpoint.listen:
            refused = (
                self.connection.allow_list.refused if self.connection.allow_list is not None else 0
            )
            others = f"; {refused} other attempts were refused" if refused else ""
            return self._error(
                PeerSilent,
                f"{self.peer} did not connect to {self._endpoint} {waited}{others}",
                f"See whether {self.peer} was started, and which address and key it uses.",
            )
        if self._reached:
            key = fingerprint(self._endpoint.public_key)
            return self._error(
                IdentityRefused if self._broken_off else PeerSilent,
                f"{self.peer} at {self._endpoint} is too busy, or was ended, or does not hold the "
                f"key {key}: it did not prove it {waited}",
                "The session is tried again, with more time. If this goes on, see whether "
                f"{self.peer} still runs, and compare this fingerprint with the one that it shows.",
            )
        return self._error(
            PeerLost,
            f"{self.peer} cannot be reached at {self._endpoint} {waited}",
            f"See whether {self.peer} was started and whether a firewall is in the way.",
        )

    def _cannot(self, why: str) -> LocalProtocolError:
        what = "listen on" if self._endpoint.listen else "connect to"
        return self._error(
            LocalProtocolError,
            f"cannot {what} {self._endpoint}: {why}",
            "Check the address (to listen, an IP address of this machine) and that no other "
            "program has the port.",
        )

    def _error(self, error: type[SomeError], what: str, advice: str) -> SomeError:
        return error(
            what,
            advice=advice,
            session=self._session.hex()[:8],
            step=CONNECTING,
            peer=str(self.peer),
        )
