"""The link over TCP: one ZeroMQ DEALER socket per peer, encrypted and authenticated by CURVE.

Where a party listens, a door stands before its socket until the peer has come (`LinkDoor`), and a
relay bounds what lies unread. Where it dials, no relay delays what comes (`UnreadOnLine`).

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
stopped one is noticed by the deadline, or by whoever calls `declare_lost`.
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress

import zmq
from zmq.utils.monitor import recv_monitor_message

from ppaurora.mpc.errors import AuroraError, BadFrame, PeerLost, PeerSilent
from ppaurora.mpc.link.allow_list import AllowList
from ppaurora.mpc.link.bulk_dial import Dial
from ppaurora.mpc.link.bulk_lane import BulkLane
from ppaurora.mpc.link.bulk_seal import Opener, Sealer, hello
from ppaurora.mpc.link.counters import HopClock
from ppaurora.mpc.link.frame import FAREWELL, Header, Kind
from ppaurora.mpc.link.hidden_place import HiddenPlace
from ppaurora.mpc.link.limits import Limits
from ppaurora.mpc.link.link import MAX_BODY_BYTES, Body, Link
from ppaurora.mpc.link.link_door import LinkDoor
from ppaurora.mpc.link.unread import Unread
from ppaurora.mpc.link.unread_on_line import HIGH_WATER, UnreadOnLine
from ppaurora.mpc.role import Role

Context = zmq.Context[zmq.Socket[bytes]]

CURVE_OVERHEAD = 64
CHECK_MS = 100
"""How often a waiting link checks that its connection is not lost."""
NEVER_MS = 1 << 30
"""No reconnecting: -1 and IMMEDIATE would both throw away frames that came before the loss."""
LINGER_MS = 500
"""How long a closing link tries to deliver what it sent last (an abort, a goodbye)."""
WATCHED = (
    zmq.Event.ACCEPTED
    | zmq.Event.CONNECTED
    | zmq.Event.HANDSHAKE_SUCCEEDED
    | zmq.Event.HANDSHAKE_FAILED_AUTH
    | zmq.Event.CLOSED
    | zmq.Event.DISCONNECTED
)
"""What the monitor tells. It never waits for a reader: strangers at the port make it tell much, and
a party that waits for another peer reads nothing of it."""
LOST_LANE_SECONDS = 1.0
"""How long a link whose bulk lane broke waits for the peer's abort, which says more."""
ROOM_SECONDS = 0.01
"""How often a link that has too much unsent looks whether the peer has taken some of it."""
MOST_FROM_LINE = (HIGH_WATER + 2) * MAX_BODY_BYTES
"""More than a high-water mark of the largest frames, and than what is under way beside them."""
ZERO_COPY_BYTES = 64 << 10
"""Bodies below are cheaper copied; larger ones are handed to ZeroMQ as they are."""


class PeerConnection:
    """A DEALER socket with its context, its monitor, and if it listens its allow-list and door.

    `bulk` says whether a bulk lane may be opened beside it.
    """

    def __init__(self, limits: Limits, *, bulk: bool = False) -> None:
        self.context: Context = zmq.Context()
        self.context.setsockopt(zmq.RCVHWM, 0)  # of the monitor above all, see `WATCHED`
        self.allow_list: AllowList | None = None
        self.door: LinkDoor | None = None
        self.hidden_place: HiddenPlace | None = None
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
            # whoever opens the links ends before, and tells a slow peer from one that breaks off
            (zmq.HANDSHAKE_IVL, int(2000 * limits.connect)),
        ):
            self.socket.setsockopt(option, value)
        self.monitor = self.socket.get_monitor_socket(WATCHED)

    def new_events(self) -> list[zmq.Event]:
        """What happened to the connections since the last call; requests to connect are answered.

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
                if self.allow_list is not None and self.door is None and not was_peer:
                    self.allow_list.note_departure()
            events.append(event)
        if self.established and self.unread is None:
            self._count_unread()
        return events

    def _count_unread(self) -> None:
        """Count what the peer sends from now on, at its door or on the line to it."""
        self.unread = Unread() if self.door is None else self.door.unread
        if self.allow_list is None:
            with suppress(StopIteration, OSError):  # the connection is lost already
                self.unread = UnreadOnLine(self._line(), MOST_FROM_LINE)

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
        """Whether the peer's connection still exists."""
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
        if self.door is not None:
            self.door.finish(max(0.0, until - time.monotonic()))
        if self.hidden_place is not None:
            self.hidden_place.close()


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
        self._poller, self._lane_alone = zmq.Poller(), zmq.Poller()

    # -- the bulk lane -----------------------------------------------------------------------------

    @property
    def bulk(self) -> bool:
        return self._lane is not None

    def open_bulk(self, session_key: bytes) -> bool:
        if not self._connection.bulk:
            return False
        out, into = (self.role, self.peer), (self.peer, self.role)
        own, theirs = (hello(session_key, self.session, *ends) for ends in (out, into))
        self._keys = (
            Sealer(session_key, self.session, *out), Opener(session_key, self.session, *into)
        )  # fmt: skip
        if self._connection.door is not None:
            self._connection.door.await_lane(theirs, own)
        else:
            self._dial = self._connection.dial(own, theirs)
        return True

    def _go_on_dialling(self) -> None:
        """Do what is next; once the lane stands, the peer is told."""
        if self._dial is None:
            return
        self._check_usable()
        connection = self._dial.proceed()
        if connection is not None:
            self._use(connection)
            self._post(Kind.BULK, b"", 0)
        if self._dial.over:
            self._dial = None

    def _sealed(self) -> tuple[bytes, bytes]:
        if self._lane is None:
            return super()._sealed()
        if self._lane.unsent:
            self._await_room(self._lane, 0)
        return self._lane.digests()

    def _take_lane(self) -> bool:
        door = self._connection.door
        connection = None if door is None else door.lane()
        if connection is not None:
            self._use(connection)
        return connection is not None

    def _use(self, connection: socket.socket) -> None:
        assert self._keys is not None
        self._lane = BulkLane(connection, *self._keys, least=self.limits.bulk, most=MAX_BODY_BYTES)
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
        if kind in FAREWELL and self._dial is not None:  # too late for a lane
            self._dial.close()
            self._dial = None
        super()._post(kind, body, step)

    def _transmit_sealed(self, header: bytes, body: Body) -> bool:
        begun = self.counters.bytes_sent >= self.limits.bulk_after
        if self._lane is None or not begun or len(body) < self.limits.bulk:
            return False
        self._lane.send(header, body)
        return True

    def _transmit(self, header: bytes, body: Body) -> None:
        if self._gone:
            return
        try:
            self._socket.send(header, zmq.SNDMORE)
        except zmq.Again:  # only a lost connection takes no frame; the next wait says why
            self._gone = True
        else:
            self._socket.send(body, 0, copy=len(body) < ZERO_COPY_BYTES)

    # -- frames in ---------------------------------------------------------------------------------

    def _next(self, step: int, seconds: float, awaited: int) -> tuple[Header, Body]:
        self._go_on_dialling()
        return super()._next(step, seconds, awaited)

    def _await(self, seconds: float) -> tuple[bytes, Body] | None:
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

    def _over_both(self, until: float) -> tuple[bytes, Body] | None:
        """The next frame, looked for first where it must come; None after a while without one."""
        lane = self._lane
        assert lane is not None
        if lane.broken and self._early.full:
            return self._last_of(lane)
        may_be_bulk = self._awaited >= self.limits.bulk or self._early.small
        if lane.broken or self._early.large or not may_be_bulk:
            frame = self._over_zeromq()
            return self._over_lane(lane) if frame is None and not self._early.large else frame
        poller = self._lane_alone if self._early.full else self._poller
        while (frame := self._over_lane(lane)) is None:
            left = int(1000 * (until - time.monotonic()))
            ready = dict(poller.poll(max(0, min(CHECK_MS, left))))
            if self._socket in ready:
                return self._over_zeromq(zmq.DONTWAIT)
            if not ready or left <= 0 or lane.broken:
                return None
        return frame

    def _over_lane(self, lane: BulkLane) -> tuple[bytes, Body] | None:
        """A whole frame that has come over the lane; raises if the lane broke some time ago."""
        try:
            frame = lane.take()
        except BadFrame as error:
            raise self._failed(BadFrame, f"{self.peer} sent {error.what}") from None
        if frame is None and lane.broken_for > LOST_LANE_SECONDS:
            raise self._lost("the bulk connection")
        return frame

    def _last_of(self, lane: BulkLane) -> tuple[bytes, Body]:
        """What has still come over a broken lane; raises once all of that is taken."""
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
        """Why the connection is lost."""
        if isinstance(self._unread, UnreadOnLine) and self._unread.too_much:
            return self._failed(BadFrame, f"{self.peer} sent a message without an end")
        return self._lost("the connection")

    def _lost(self, what: str) -> PeerLost:
        return self._error(
            PeerLost,
            f"{what} to {self.peer} broke",
            advice=f"See whether {self.peer} still runs; then all parties start a new session.",
        )

    def _shut(self) -> None:
        seconds = 0.0 if isinstance(self._failure, PeerLost) else LINGER_MS / 1000
        self._connection.close(seconds)
        if self._dial is not None:
            self._dial.close()
        if self._lane is not None:
            self._lane.close(seconds)
