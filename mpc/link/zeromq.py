"""The link over TCP: one ZeroMQ DEALER socket per peer, encrypted and authenticated by CURVE.

Where a party listens, a proxy stands before its socket until the peer has come (`LinkProxy`), and a
relay bounds what lies unread. Where it dials, no relay delays what comes (`UnreadOnSocket`).

Large bodies may go over a lane of their own (`BulkLane`), which is opened after the handshake while
the session goes on. The end that connects dials it, and once the other end has answered there it
says over ZeroMQ that the lane is open; from then on either end uses it. If it cannot be had, nobody
waits for it, and ZeroMQ carries everything. An abort comes over ZeroMQ and is read at once.

What ZeroMQ does by itself to keep a socket alive would hide that a session broke, and is switched
off: it does not reconnect, and it takes no second client and no frame beyond a limit. A monitor
tells a lost connection from a slow one.

ZeroMQ's heartbeats are not used. When a connection breaks whose input is paused, its heartbeat
timer ends the whole process (libzmq 4.3.5, an assertion in stream_engine_base.cpp), and a peer can
bring that about. A killed process resets its connections, which the monitor tells at once; a
stopped one is noticed by the deadline, or when `declare_lost` is called.
"""

from __future__ import annotations

import os
import socket
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from ppaurora.mpc.errors import (
    AuroraError,
    BadFrame,
    IdentityRefused,
    LocalProtocolError,
    PeerLost,
    PeerSilent,
)
from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.link.allow_list import AllowList
from ppaurora.mpc.link.bulk_lane import BulkLane, Dial
from ppaurora.mpc.link.bulk_seal import Opener, Sealer, hello
from ppaurora.mpc.link.connection_quota import (
    CONTEXT_DESCRIPTORS,
    LISTENING_DESCRIPTORS,
    Caps,
    descriptors_free,
)
from ppaurora.mpc.link.endpoint import Endpoint
from ppaurora.mpc.link.frame import CLOSING_KINDS, Header, HopClock, Kind
from ppaurora.mpc.link.limits import Limits
from ppaurora.mpc.link.link import MAX_BODY_BYTES, NO_STEP, AnyBody, Body, Link
from ppaurora.mpc.link.link_proxy import LINK_CAPS, LinkProxy
from ppaurora.mpc.link.listening_proxy import BACKLOG, PrivateSocket, listening_socket
from ppaurora.mpc.link.unread import HIGH_WATER, Unread, UnreadOnSocket
from ppaurora.mpc.link.zap import ask_before_accepting
from ppaurora.mpc.role import Role

Context = zmq.Context[zmq.Socket[bytes]]

CURVE_OVERHEAD = 64
CHECK_MS = 100
"""The interval at which a waiting link checks that its connection is not lost."""
NEVER_MS = 1 << 30
"""No reconnecting: -1 and IMMEDIATE would both throw away frames that came before the loss."""
LINGER_MS = 500
"""The time for which a closing link tries to deliver what it sent last (an abort, a goodbye)."""
WATCHED = (
    zmq.Event.ACCEPTED
    | zmq.Event.CONNECTED
    | zmq.Event.HANDSHAKE_SUCCEEDED
    | zmq.Event.HANDSHAKE_FAILED_AUTH
    | zmq.Event.CLOSED
    | zmq.Event.DISCONNECTED
)
"""The events of the monitor. It never waits for a reader: others at the port cause many, and
a party that waits for another peer reads nothing of it."""
LOST_LANE_SECONDS = 1.0
"""The time that a link whose bulk lane broke waits for the peer's abort, which says more."""
ROOM_SECONDS = 0.01
"""The interval at which a link with too much unsent looks whether the peer has taken some."""
MOST_FROM_SOCKET = (HIGH_WATER + 2) * MAX_BODY_BYTES
"""More than a high-water mark of the largest frames, and than what is under way beside them."""
ZERO_COPY_BYTES = 64 << 10
"""Bodies below are cheaper copied; larger ones are handed to ZeroMQ as they are."""


class PeerConnection:
    """A DEALER socket with its context, its monitor, and if it listens its allow-list and listening
    proxy.

    `bulk` says whether a bulk lane may be opened beside it.
    """

    def __init__(self, limits: Limits, *, bulk: bool = False) -> None:
        self.context: Context = zmq.Context()
        self.context.setsockopt(zmq.RCVHWM, 0)  # of the monitor above all, see `WATCHED`
        self.allow_list: AllowList | None = None
        self.listening_proxy: LinkProxy | None = None
        self.private_socket: PrivateSocket | None = None
        self.unread: Unread | None = None
        self.socket = self.context.socket(zmq.DEALER)
        self.established = False
        self.bulk = bulk
        self._connections: set[int] = set()
        for option, value in (
            (zmq.LINGER, LINGER_MS),
            (zmq.SNDHWM, 0),
            (zmq.RCVHWM, 0),
            (zmq.RCVTIMEO, CHECK_MS),
            (zmq.SNDTIMEO, CHECK_MS),
            (zmq.MAXMSGSIZE, MAX_BODY_BYTES + CURVE_OVERHEAD),
            (zmq.RECONNECT_IVL, NEVER_MS),
            # `open_links` ends before, and tells a slow peer from one that breaks off
            (zmq.HANDSHAKE_IVL, int(2000 * limits.connect)),
        ):
            self.socket.setsockopt(option, value)
        self.monitor = self.socket.get_monitor_socket(WATCHED)

    def new_events(self) -> list[zmq.Event]:
        """The events of the connections since the last call; requests to connect are answered.

        Only connections made before the first handshake succeeded can be the peer's.
        """
        while self.allow_list is not None and self.allow_list.socket.poll(0):
            self.allow_list.answer()
        events = []
        while self.monitor.poll(0):
            message = recv_monitor_message(self.monitor)
            event, descriptor = zmq.Event(message["event"]), message["value"]
            if event is zmq.Event.HANDSHAKE_SUCCEEDED:
                self.established = True
            elif event in (zmq.Event.ACCEPTED, zmq.Event.CONNECTED) and not self.established:
                self._connections.add(descriptor)
            elif event is zmq.Event.DISCONNECTED:
                was_peer = self.established and self._connections == {descriptor}
                self._connections.discard(descriptor)
                if self.allow_list is not None and self.listening_proxy is None and not was_peer:
                    self.allow_list.note_departure()
            events.append(event)
        if self.established and self.unread is None:
            self._count_unread()
        return events

    def _count_unread(self) -> None:
        """Count what the peer sends from now on, at its proxy or on the line to it."""
        self.unread = Unread() if self.listening_proxy is None else self.listening_proxy.unread
        if self.allow_list is None:
            with suppress(StopIteration, OSError):  # the connection is lost already
                self.unread = UnreadOnSocket(self._line(), MOST_FROM_SOCKET)

    def _line(self) -> socket.socket:
        """The peer's connection once more; raises if it is lost."""
        descriptor = os.dup(next(iter(self._connections)))
        try:
            return socket.socket(fileno=descriptor)
        except OSError:
            os.close(descriptor)
            raise

    @property
    def connected(self) -> bool:
        """True if the peer's connection still exists."""
        self.new_events()
        return bool(self._connections)

    def dial(self, hello: bytes, answer: bytes) -> Dial | None:
        """A way to the place where the peer listens; None if the connection to it is lost."""
        try:
            with self._line() as line:
                return Dial(line.family, line.getpeername(), hello, answer)
        except (StopIteration, OSError):
            return None

    def close(self, seconds: float = 0.0) -> None:
        """Release all sockets and threads, after trying that long to deliver what was sent."""
        until = time.monotonic() + seconds
        self.socket.disable_monitor()
        self.monitor.close(0)
        self.socket.close(int(1000 * seconds))
        if self.allow_list is not None:
            self.allow_list.socket.close(0)
        self.context.term()
        if self.unread is not None:
            self.unread.end()
        if self.listening_proxy is not None:
            self.listening_proxy.finish(max(0.0, until - time.monotonic()))
        if self.private_socket is not None:
            self.private_socket.close()


class ZeroMQLink(Link):
    """A link over an established connection; once that is lost, the session is over."""

    def __init__(
        self,
        role: Role,
        peer: Role,
        session: bytes,
        *,
        connection: PeerConnection,
        clock: HopClock | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(role, peer, session, clock=clock, limits=limits)
        self._connection = connection
        self._socket = connection.socket
        self._unread = connection.unread or Unread()
        self._gone = False
        self._dial: Dial | None = None
        self._lane: BulkLane | None = None
        self._keys: tuple[Sealer, Opener] | None = None
        self._opened_later = False
        self._poller, self._lane_alone = zmq.Poller(), zmq.Poller()

    # -- the bulk lane -----------------------------------------------------------------------------

    @property
    def bulk(self) -> bool:
        return self._lane is not None

    def open_bulk(self, session_key: bytes, *, opened_later: bool = False) -> bool:
        if not self._connection.bulk:
            return False
        self._opened_later = opened_later
        out, into = (self.role, self.peer), (self.peer, self.role)
        own, theirs = (hello(session_key, self.session, *ends) for ends in (out, into))
        self._keys = (
            Sealer(session_key, self.session, *out), Opener(session_key, self.session, *into)
        )  # fmt: skip
        if self._connection.listening_proxy is not None:
            self._connection.listening_proxy.await_lane(theirs, own)
        else:
            self._dial = self._connection.dial(own, theirs)
        return True

    def _go_on_dialling(self) -> None:
        """Go on opening the bulk lane; once it is open, tell the peer."""
        if self._dial is None:
            return
        self._check_usable()
        connection = self._dial.proceed()
        if connection is not None:
            self._use(connection)
            self._post(Kind.BULK, b"", NO_STEP)
        if self._dial.over:
            self._dial = None

    def _sealed(self) -> tuple[bytes, bytes]:
        if self._lane is None:
            return super()._sealed()
        if self._lane.unsent:
            self._await_room(self._lane, 0)
        return self._lane.digests()

    def _take_lane(self) -> bool:
        proxy = self._connection.listening_proxy
        connection = None if proxy is None else proxy.lane()
        if connection is not None:
            self._use(connection)
        return connection is not None

    def _use(self, connection: socket.socket) -> None:
        assert self._keys is not None
        self._lane = BulkLane(
            connection,
            *self._keys,
            least=self.limits.bulk,
            most=MAX_BODY_BYTES,
            opened_later=self._opened_later,
        )
        self._poller.register(self._socket, zmq.POLLIN)
        for poller in (self._poller, self._lane_alone):
            poller.register(self._lane, zmq.POLLIN)

    # -- frames out --------------------------------------------------------------------------------

    def _send(self, kind: Kind, body: Body, step: int) -> None:
        self._go_on_dialling()
        if self._lane is not None and self._lane.unsent > self.limits.unsent:
            self._await_room(self._lane, self.limits.unsent)
        super()._send(kind, body, step)

    def _await_room(self, lane: BulkLane, most: int) -> None:
        """Wait until no more than so many bytes are unsent; arriving frames are kept.

        Both ends may wait like this for each other, so both go on reading.
        """
        self._check_usable()
        self._awaited = MAX_BODY_BYTES
        until = time.monotonic() + self.limits.deadline
        while lane.unsent > most:
            try:
                self._admit(min(until, time.monotonic() + ROOM_SECONDS))
            except PeerSilent:
                if time.monotonic() >= until:
                    raise

    def _post(self, kind: Kind, body: Body, step: int) -> None:
        if kind in CLOSING_KINDS and self._dial is not None:  # too late for a lane
            self._dial.close()
            self._dial = None
        super()._post(kind, body, step)

    def _transmit_sealed(self, header: bytes, body: Body) -> bool:
        begun = self.counters.bytes_sent >= self.limits.bulk_after
        if self._lane is None or not begun or len(body) < self.limits.bulk:
            return False
        self._lane.send(header, body)
        return True

    def transmit(self, header: bytes, body: Body) -> None:
        if self._gone:
            return
        try:
            self._socket.send(header, zmq.SNDMORE)
        except zmq.Again:  # only a lost connection takes no frame; the next wait says why
            self._gone = True
        else:
            self._socket.send(body, 0, copy=len(body) < ZERO_COPY_BYTES)

    # -- frames in ---------------------------------------------------------------------------------

    def _next(self, step: int, seconds: float, awaited: int) -> tuple[Header, AnyBody]:
        self._go_on_dialling()
        return super()._next(step, seconds, awaited)

    def poll(self, seconds: float) -> tuple[bytes, AnyBody] | None:
        until = time.monotonic() + seconds
        connected = True
        while True:
            frame = self._over_zeromq() if self._lane is None else self._over_both(until)
            if frame is not None:
                return frame
            if not connected:
                raise self._lost_line()
            if time.monotonic() >= until:
                return None
            connected = self._connection.connected  # what arrived before the loss is still read

    def _over_both(self, until: float) -> tuple[bytes, AnyBody] | None:
        """The next frame, looked for first where it must come; None after a while without one."""
        lane = self._lane
        frame: tuple[bytes, AnyBody] | None
        assert lane is not None
        if lane.broken and self._buffer.full:
            return self._last_of(lane)
        may_be_bulk = self._awaited >= self.limits.bulk or self._buffer.small
        if lane.broken or self._buffer.large or not may_be_bulk:
            frame = self._over_zeromq()
            return self._over_lane(lane) if frame is None and not self._buffer.large else frame
        poller = self._lane_alone if self._buffer.full else self._poller
        while (frame := self._over_lane(lane)) is None:
            left = int(1000 * (until - time.monotonic()))
            ready = dict(poller.poll(max(0, min(CHECK_MS, left))))
            if self._socket in ready:
                return self._over_zeromq(zmq.DONTWAIT)
            if not ready or left <= 0 or lane.broken:
                return None
        return frame

    def _over_lane(self, lane: BulkLane) -> tuple[bytes, AnyBody] | None:
        """A whole frame that has come over the lane; raises if the lane broke some time ago."""
        try:
            frame = lane.take()
        except BadFrame as error:
            raise self._failed(BadFrame, f"{self.peer} sent {error.what}") from None
        if frame is None and lane.broken_for > LOST_LANE_SECONDS:
            raise self._lost("the bulk connection")
        return frame

    def _last_of(self, lane: BulkLane) -> tuple[bytes, AnyBody]:
        """The next frame that has still come over a broken lane; raises once all are taken."""
        frame = self._over_lane(lane)
        if frame is None:
            raise self._lost("the bulk connection")
        return frame

    def _over_zeromq(self, flags: int = 0) -> tuple[bytes, Body] | None:
        """The next message; None if none comes for a moment, or none is there."""
        try:
            header = self._socket.recv(flags)
        except zmq.Again:
            return None
        body = self._body()
        self._unread.read(len(header) + len(body))
        return header, body

    def _body(self) -> Body:
        """The second and last part of a message; whatever else came along is not a frame."""
        if not self._socket.get(zmq.RCVMORE):
            raise self._failed(BadFrame, f"{self.peer} sent a message of one part")
        frame = self._socket.recv(copy=False)
        if frame.more:
            while self._socket.get(zmq.RCVMORE):
                self._socket.recv()
            raise self._failed(BadFrame, f"{self.peer} sent a message of more than two parts")
        return frame.buffer

    def _lost_line(self) -> AuroraError:
        """The error that says why the connection is lost."""
        if isinstance(self._unread, UnreadOnSocket) and self._unread.too_much:
            return self._failed(BadFrame, f"{self.peer} sent a message without an end")
        return self._lost("the connection")

    def _lost(self, what: str) -> PeerLost:
        return self._error(
            PeerLost,
            f"{what} to {self.peer} broke",
            advice=f"See whether {self.peer} still runs; then all parties start a new session.",
        )

    def release(self) -> None:
        seconds = 0.0 if isinstance(self._failure, PeerLost) else LINGER_MS / 1000
        self._connection.close(seconds)
        if self._dial is not None:
            self._dial.close()
        if self._lane is not None:
            self._lane.close(seconds)


SomeError = TypeVar("SomeError", bound=AuroraError)

RETRY_SECONDS = 0.1
"""The time until a connection that was not accepted is tried again."""
ATTEMPT_SECONDS = 2.0
"""The time that an attempt may hang (a firewall that drops); then libzmq ends it, and says so.
If it were ended here, its end would be told during the next one, and be taken for that one's.
"""
CONNECTING = "connecting"
"""The step that errors name while links are made."""
UNTOLD_SECONDS = 3.0
"""The time until it is tried again if no event comes (a name that does not resolve)."""


def open_links(
    role: Role,
    identity: Identity,
    endpoints: Mapping[Role, Endpoint],
    session: bytes,
    *,
    limits: Limits | None = None,
    caps: Caps = LINK_CAPS,
    on_bound: Callable[[Role, int], None] | None = None,
    given_up: Callable[[], bool] = lambda: False,
    bulk: bool = False,
    insecure_plain: bool = False,
) -> dict[Role, Link]:
    """The links to all peers, made at once within `limits.connect` seconds; all of them or none.

    `caps` says how many connections a port has at once until its peer has proved its key; then
    the port is closed. With `bulk` it stays open a little longer, for a connection that carries
    large bodies (`Link.open_bulk`). `on_bound` is told the port on which each peer is awaited,
    which matters for port 0. Once `given_up` says that the session is over, no peer is awaited any
    longer. `insecure_plain` turns encryption, authentication, the listening proxies and `bulk` off,
    for benchmarks on one machine.
    """
    clock, limits = HopClock(), limits or Limits()
    openings: list[Opening] = []
    try:
        for peer, endpoint in sorted(endpoints.items()):
            openings.append(
                Opening(peer, endpoint, identity, session, limits, caps, bulk, insecure_plain)
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
        for polled in opening.sockets:
            poller.register(polled, zmq.POLLIN)
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
        caps: Caps,
        bulk: bool,
        insecure_plain: bool,
    ) -> None:
        self.peer = peer
        self._endpoint = endpoint
        self._session = session
        self._limits = limits
        self._caps = caps
        if not descriptors_free(LISTENING_DESCRIPTORS if endpoint.listen else CONTEXT_DESCRIPTORS):
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
            self._listen()

    def _listen(self) -> None:
        """Listen for the peer; the port is the one that the system has given, if it had to."""
        connection, endpoint = self.connection, self._endpoint
        assert connection.allow_list is not None
        connection.socket.setsockopt(zmq.BACKLOG, BACKLOG)
        connection.socket.setsockopt(zmq.HANDSHAKE_IVL, 0)  # the proxy has deadlines of its own
        try:
            connection.private_socket = PrivateSocket(connection.socket)
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
        connection.listening_proxy = connection.allow_list.listening_proxy = LinkProxy(
            f"link to {self.peer}",
            listening,
            connection.private_socket.path,
            self._caps,
            bulk=connection.bulk,
        )

    @property
    def done(self) -> bool:
        """True if the link is made."""
        return self.connection.established

    @property
    def sockets(self) -> list[zmq.Socket[bytes]]:
        """The sockets to poll while the link is being made."""
        allow_list = self.connection.allow_list
        return (
            [self.connection.monitor]
            if allow_list is None
            else [self.connection.monitor, allow_list.socket]
        )

    @property
    def port(self) -> int:
        """The port on which the peer is awaited."""
        if self.connection.listening_proxy is not None:
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
