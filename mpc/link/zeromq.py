"""The link over TCP: one ZeroMQ DEALER socket per peer, encrypted and authenticated by CURVE.

Where a party listens, a door stands before its socket until the peer has come (`LinkDoor`).

What ZeroMQ does by itself to keep a socket alive would hide that a session broke, and is switched
off: it does not reconnect, and it takes no second client and no frame beyond a limit. A monitor
tells a lost connection from a slow one.

ZeroMQ's heartbeats are not used. When a connection breaks whose input is paused, its heartbeat
timer ends the whole process (libzmq 4.3.5, an assertion in stream_engine_base.cpp), and a peer can
bring that about. A killed process resets its connections, which the monitor tells at once; a
stopped one is noticed by the deadline, or by whoever calls `declare_lost`.
"""

from __future__ import annotations

import time

import zmq
from zmq.utils.monitor import recv_monitor_message

from ppaurora.mpc.errors import BadFrame, PeerLost
from ppaurora.mpc.link.allow_list import AllowList
from ppaurora.mpc.link.counters import HopClock
from ppaurora.mpc.link.hidden_place import HiddenPlace
from ppaurora.mpc.link.limits import Limits
from ppaurora.mpc.link.link import MAX_BODY_BYTES, Body, Link
from ppaurora.mpc.link.link_door import LinkDoor
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
ZERO_COPY_BYTES = 64 << 10
"""Bodies below are cheaper copied; larger ones are handed to ZeroMQ as they are."""


class PeerConnection:
    """A DEALER socket with its context, its monitor, and if it listens its allow-list and door."""

    def __init__(self, limits: Limits) -> None:
        self.context: Context = zmq.Context()
        self.context.setsockopt(zmq.RCVHWM, 0)  # of the monitor above all, see `WATCHED`
        self.allow_list: AllowList | None = None
        self.door: LinkDoor | None = None
        self.hidden_place: HiddenPlace | None = None
        self.socket = self.context.socket(zmq.DEALER)
        self.established = False
        self._connections: set[int] = set()
        for option, value in (
            (zmq.LINGER, LINGER_MS),
            (zmq.SNDHWM, 0),
            (zmq.RCVHWM, 0),
            (zmq.RCVTIMEO, CHECK_MS),
            (zmq.SNDTIMEO, CHECK_MS),
            (zmq.MAXMSGSIZE, MAX_BODY_BYTES + CURVE_OVERHEAD),
            (zmq.RECONNECT_IVL, NEVER_MS),
            (zmq.HANDSHAKE_IVL, int(1000 * limits.connect)),
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
        return events

    @property
    def connected(self) -> bool:
        """Whether the peer's connection still exists."""
        self.new_events()
        return bool(self._connections)

    def close(self, linger_ms: int = 0) -> None:
        """Release all sockets and threads, after trying that long to deliver what was sent."""
        until = time.monotonic() + linger_ms / 1000
        self.socket.disable_monitor()
        self.monitor.close(0)
        self.socket.close(linger_ms)
        if self.allow_list is not None:
            self.allow_list.socket.close(0)
        self.context.term()
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
        self._gone = False

    def _transmit(self, header: bytes, body: Body) -> None:
        if self._gone:
            return
        try:
            self._socket.send(header, zmq.SNDMORE)
        except zmq.Again:  # only a lost connection takes no frame; the next wait says why
            self._gone = True
        else:
            self._socket.send(body, 0, copy=len(body) < ZERO_COPY_BYTES)

    def _await(self, seconds: float) -> tuple[bytes, Body] | None:
        until = time.monotonic() + seconds
        connected = True
        while True:
            try:
                header = self._socket.recv()
            except zmq.Again:
                if not connected:
                    raise self._lost() from None
                if time.monotonic() >= until:
                    return None
                connected = self._connection.connected  # what arrived before the loss is still read
            else:
                return header, self._body()

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

    def _lost(self) -> PeerLost:
        return self._error(
            PeerLost,
            f"the connection to {self.peer} broke",
            advice=f"See whether {self.peer} still runs; then all parties start a new session.",
        )

    def _shut(self) -> None:
        self._connection.close(0 if isinstance(self._failure, PeerLost) else LINGER_MS)
