"""`Link`: one ordered, authenticated, counted channel to one peer; all of it but the transport.

A transport (memory, ZeroMQ) supplies `transmit`, `poll` and `release`; the checks on every frame,
their order, the counters, the deadlines, the window and the closing are written once, here.

The reorder buffer: frames that arrive before their turn, where large bodies have a lane.

Each of the two ways keeps the order in which its frames were sent, and frames are numbered over
both. So the frame that is missing before an early small one comes over the lane, and the one that
is missing before an early large one comes over ZeroMQ: only one of the two can be ahead.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from ppaurora.mpc.errors import (
    AuroraError,
    BadFrame,
    LocalProtocolError,
    PeerAborted,
    PeerLost,
    PeerSilent,
)
from ppaurora.mpc.link.bulk_seal import SealedBody, SealedFrame
from ppaurora.mpc.link.frame import (
    NOTHING_SEALED,
    UNCLOCKED,
    UNDIGESTED,
    WORDS,
    Abort,
    Counters,
    CreditWindow,
    Header,
    HopClock,
    Kind,
    Transcript,
)
from ppaurora.mpc.link.limits import Limits
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words

EARLY_BYTES = 4 << 20
"""The most bytes of small frames; beyond, ZeroMQ is not read before the lane has caught up."""
MOST_EARLY = 1 << 14
"""The most frames, since one without a body takes memory, too."""

AnyBody = bytes | memoryview | SealedBody
Arrival = tuple[bytes, Header, AnyBody]


class ReorderBuffer:
    """The frames of one link that are ahead; bodies from `bulk` bytes on come over the lane."""

    def __init__(self, bulk: int) -> None:
        self._bulk = bulk
        self._frames: dict[int, Arrival] = {}
        self._small_bytes = 0
        self.large = False
        """True if a large frame is early: the missing one comes over ZeroMQ."""

    def __repr__(self) -> str:
        return f"<{len(self._frames)} early frames>"

    @property
    def small(self) -> bool:
        """True if small frames are early: the missing one comes over the lane."""
        return bool(self._frames) and not self.large

    @property
    def full(self) -> bool:
        """True if there are so many early small frames that no more should be read."""
        return self._small_bytes > EARLY_BYTES or len(self._frames) >= MOST_EARLY

    def keep(self, frame: Arrival) -> bool:
        """Keep a frame whose turn has not come; False if the missing ones can never come."""
        header = frame[1]
        if self.large or header.sequence in self._frames:
            return False
        if header.length >= self._bulk:
            if self._frames:
                return False
            self.large = True
        else:
            self._small_bytes += header.length
        self._frames[header.sequence] = frame
        return True

    def take(self, sequence: int) -> Arrival | None:
        """The frame of this number, if it was early."""
        frame = self._frames.pop(sequence, None)
        if frame is not None and self.large:
            self.large = False
        elif frame is not None:
            self._small_bytes -= frame[1].length
        return frame

    def clear(self) -> None:
        """Forget all of them."""
        self._frames.clear()


Body = bytes | memoryview
SomeError = TypeVar("SomeError", bound=AuroraError)

WORD = np.dtype("<u8")
MAX_BODY_BYTES = 64 << 20
NO_STEP = 0
"""The step of messages that are none of the computation's: its steps count from 1."""
GLANCE_SECONDS = 0.25
"""The interval at which a waiting link looks whether its peer was declared lost."""


class Link(ABC):
    """One channel from `role` to `peer`, for one session and one thread.

    Every frame takes the next number of its direction, so a gap, a replay and a reordering all
    show. After a failure the link stays failed: a session is never resumed. Another thread may read
    `heard_at`, the time of the last frame, and call `declare_lost`, and nothing else. `on_dealt`,
    if it is set, is given the step and the body of every frame that is dealt.
    """

    def __init__(
        self,
        role: Role,
        peer: Role,
        session: bytes,
        *,
        clock: HopClock | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.role, self.peer, self.session = role, peer, session
        self.clock, self.limits = clock or HopClock(), limits or Limits()
        self.counters = Counters()
        self.label = ""
        self._step = 0
        self._closed = False
        self._failure: AuroraError | None = None
        self._inbox: deque[tuple[Header, AnyBody]] = deque()
        self._buffer = ReorderBuffer(self.limits.bulk)
        self._awaited = 0
        self._sequence_out = self._sequence_in = self._peer_clock = 0
        self._said_goodbye = False
        self._window = CreditWindow(self.limits)
        self.heard_at = time.monotonic()
        self._declared_lost = ""
        self._transcripts: tuple[Transcript, Transcript] | None = None
        self.on_dealt: Callable[[int, Body], None] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.role} to {self.peer}, {self.counters}>"

    # -- what a transport supplies -------------------------------------------------------------

    @abstractmethod
    def transmit(self, header: bytes, body: Body) -> None:
        """Hand one frame to the transport; the body is not copied and must not change later."""

    @abstractmethod
    def poll(self, seconds: float) -> tuple[bytes, AnyBody] | None:
        """The next frame, or None when `seconds` pass without one; raises if the peer is lost."""

    @abstractmethod
    def release(self) -> None:
        """Release the transport, after a short try to deliver what was sent."""

    # -- a bulk lane, which some transports have ---------------------------------------------------

    @property
    def bulk(self) -> bool:
        """True if large bodies have a lane of their own."""
        return False

    def open_bulk(self, session_key: bytes, *, opened_later: bool = False) -> bool:
        """Begin to open a bulk lane, for which nobody waits; False if there can be none.

        With `opened_later` what it carries is opened where it is used (`await_words`).
        """
        return False

    def _take_lane(self) -> bool:
        """Use the bulk lane from now on, which the peer says is open; False if there is none."""
        return False

    def _transmit_sealed(self, header: bytes, body: bytes | memoryview) -> bool:
        """Hand a frame to the bulk lane, which digests it as well; False if it is not for the lane.

        What comes over the lane is a `SealedFrame`.
        """
        return False

    def _sealed(self) -> tuple[bytes, bytes]:
        """The lane's digests of what was sent and received, once all that was sent is sealed."""
        return NOTHING_SEALED, NOTHING_SEALED

    # -- what a party uses ---------------------------------------------------------------------

    def keep_transcripts(self, session_key: bytes) -> None:
        """From now on digest what goes either way, under a key that both ends derive from this."""
        self._transcripts = Transcript(session_key, self.role), Transcript(session_key, self.peer)

    def transcripts(self) -> tuple[str, str]:
        """The digests of what was sent and of what was received since they are kept."""
        if self._transcripts is None:
            raise self._error(LocalProtocolError, "no transcripts were kept")
        out, into = self._sealed()
        return self._transcripts[0].digest(out), self._transcripts[1].digest(into)

    def send(self, kind: Kind, words: Words, step: int) -> None:
        """Send a vector; its memory is handed over and must never change afterwards."""
        if words.dtype != WORD:
            raise TypeError(f"a link carries 64-bit words, not {words.dtype}")
        body = np.ascontiguousarray(words).reshape(-1).view(np.uint8).data
        self._send(kind, body, step)

    def receive(self, kind: Kind, length: int, step: int) -> Words:
        """The next vector, of exactly this kind, length and step; it cannot be written to."""
        return self.await_words(kind, length, step)()

    def await_words(self, kind: Kind, length: int, step: int) -> Callable[[], Words]:
        """Wait for the next vector, as `receive` does; the function returned opens it.

        So another thread may read the next frame meanwhile.
        """
        header, body = self._next(step, self.limits.deadline, 8 * length)
        self._check("kind", header.kind, kind)
        self._check("step", header.step, step)
        self._check("length", header.length, 8 * length)
        self._consume(header)
        return partial(self._words, body)

    def _words(self, body: AnyBody) -> Words:
        words = np.frombuffer(self._opened(body), dtype=WORD)
        if not words.flags.aligned:
            words = words.copy()
        words.flags.writeable = False
        return words

    def send_bytes(self, kind: Kind, body: bytes) -> None:
        """Send a message that is not a vector and belongs to no step."""
        self._send(kind, body, NO_STEP)

    def receive_bytes(self, kind: Kind, *, max_bytes: int, seconds: float | None = None) -> bytes:
        """The next message, of exactly this kind and no step, and of at most so many bytes.

        It is waited for until the deadline, unless `seconds` says for how long.
        """
        patience = self.limits.deadline if seconds is None else seconds
        header, body = self._next(NO_STEP, patience, max_bytes)
        self._check("kind", header.kind, kind)
        self._check("step", header.step, NO_STEP)
        if header.length > max_bytes:
            what = f"a message of {header.length} bytes, at most {max_bytes} are allowed"
            raise self._failed(BadFrame, what)
        self._consume(header)
        return bytes(self._opened(body))

    def abort(self, reason: str, culprit: Role | None = None) -> None:
        """Tell the peer that this session is over, and why, if it can be told; never raises.

        `culprit` is who gave up first, this party unless said otherwise. The reason is read by
        people at the other side: words about the protocol, never data.
        """
        if self._closed or self._said_goodbye or isinstance(self._failure, PeerAborted):
            return
        message = Abort(self.role if culprit is None else culprit, reason)
        try:
            self._post(Kind.ABORT, message.encode(), NO_STEP)
        except Exception as error:  # the peer may be gone: then its own deadline tells it
            self._failure = self._failure or self._error(LocalProtocolError, repr(error))
        else:
            self._failure = self._failure or self._error(
                LocalProtocolError, "this party has given up the session"
            )

    def declare_lost(self, why: str) -> None:
        """Have the party stop waiting for this peer, because of `why`; safe from any thread.

        Frames that have arrived are still read first.
        """
        self._declared_lost = why

    def say_goodbye(self) -> None:
        """Tell the peer that nothing more will come; the link still reads."""
        if not self._said_goodbye:
            self._check_usable()
            self._post(Kind.GOODBYE, b"", NO_STEP)
            self._said_goodbye = True

    @property
    def said_goodbye(self) -> bool:
        """True if the peer was told that nothing more will come."""
        return self._said_goodbye

    def finish(self, seconds: float | None = None) -> None:
        """Part in good order: say goodbye, hear the peer's, so that nothing sent is lost; close.

        The peer's is waited for until `limits.goodbye`, or so many seconds; another frame is
        refused.
        """
        self.say_goodbye()
        header, _ = self._next(0, self.limits.goodbye if seconds is None else seconds, 0)
        self._check("kind", header.kind, Kind.GOODBYE)
        self._check("length", header.length, 0)
        self.close()

    def close(self) -> None:
        """Release everything; harmless when repeated, never raises, never hangs."""
        if self._closed:
            return
        self._closed = True
        self._inbox.clear()
        self._buffer.clear()
        self.release()

    # -- frames out ----------------------------------------------------------------------------

    def _send(self, kind: Kind, body: Body, step: int) -> None:
        self._check_usable()
        if self._said_goodbye:
            raise self._error(LocalProtocolError, "a frame after the goodbye")
        if len(body) > MAX_BODY_BYTES:
            raise self._error(
                LocalProtocolError,
                f"a body of {len(body)} bytes, at most {MAX_BODY_BYTES} are allowed",
                advice="Send it in blocks.",
            )
        self._step = step
        if self.role is Role.HELPER and kind in WORDS:
            self._await_credit()
            self._window.sent(len(body))
        self._post(kind, body, step)

    def _post(self, kind: Kind, body: Body, step: int) -> None:
        header = Header(
            self.session, self._sequence_out, self.clock.now, step, kind, len(body)
        ).encode()
        if kind in UNDIGESTED or not self._transmit_sealed(header, body):
            self.transmit(header, body)
            if self._transcripts and kind not in UNDIGESTED:
                self._transcripts[0].add(header, self._sequence_out, body)
        self._sequence_out += 1
        self.counters.sent(len(header), len(body), control=kind in UNCLOCKED)

    def _await_credit(self) -> None:
        """Wait for room in the window; frames that arrive are kept, credit extends the deadline."""
        self._awaited = MAX_BODY_BYTES
        began = time.monotonic()
        while self._window.full:
            self._admit(max(began, self._window.credited_at) + self.limits.deadline)

    # -- frames in -----------------------------------------------------------------------------

    def _next(self, step: int, seconds: float, awaited: int) -> tuple[Header, AnyBody]:
        """The next frame; one of at most so many bytes is `awaited`."""
        self._check_usable()
        self._step = step
        self._awaited = awaited
        if not self._inbox:
            until = time.monotonic() + seconds
            while not self._inbox:
                self._admit(until)
        return self._inbox.popleft()

    def _admit(self, until: float) -> None:
        """Take the frame whose turn it is; refuse it, act on it, or put it into the inbox.

        Where a small frame is awaited, it is ZeroMQ's next one, and only a large one can be early.
        """
        frame = self._buffer.take(self._sequence_in)
        while frame is None:
            frame = self._arrival(until)
            ahead = frame[1].sequence > self._sequence_in
            if ahead and self.bulk and max(self._awaited, frame[1].length) >= self.limits.bulk:
                if frame[1].kind is Kind.ABORT:
                    self._take_abort(frame[2])
                if self._buffer.keep(frame):
                    frame = None
        encoded, header, body = frame
        self._check("sequence number", header.sequence, self._sequence_in)
        if header.clock < self._peer_clock:
            raise self._failed(BadFrame, f"{self.peer} sent a frame whose time runs backwards")
        if self.on_dealt and header.kind is Kind.DEAL:
            body = self._opened(body)
            self.on_dealt(header.step, body)
        self._sequence_in += 1
        self._peer_clock = header.clock
        self.counters.received(len(encoded), len(body), control=header.kind in UNCLOCKED)
        if header.kind is Kind.CREDIT:
            if not self._window.acknowledged(self._opened(body)):
                raise self._failed(BadFrame, f"{self.peer} acknowledged what was not sent")
        elif header.kind is Kind.ABORT:
            self._take_abort(body)
        elif header.kind is Kind.BULK:
            if header.length or not self._take_lane():
                raise self._failed(BadFrame, f"{self.peer} opened a bulk lane that is none")
        else:
            self._inbox.append((header, body))

    def _arrival(self, until: float) -> Arrival:
        """The next frame that arrives, of this session and as long as it says.

        The transcript takes it in at once, since ZeroMQ keeps the order of what it carries.
        """
        try:
            frame = self._await_frame(until)
        except PeerSilent:  # the party may try again, with another deadline
            raise
        except AuroraError as error:
            self._failure = error
            raise
        self.heard_at = time.monotonic()
        encoded, body = frame
        try:
            header = Header.decode(encoded)
        except BadFrame as error:
            failure = self._failed(BadFrame, f"{self.peer} sent {error.what}")
            failure.field = error.field
            raise failure from None
        self._check("session", header.session, self.session)
        self._check("length of the body", len(body), header.length)
        sealed = type(frame) is SealedFrame
        if self._transcripts and not sealed and header.kind not in UNDIGESTED:
            self._transcripts[1].add(encoded, header.sequence, self._opened(body))
        return encoded, header, body

    def _await_frame(self, until: float) -> tuple[bytes, AnyBody]:
        """The next frame; raises if none comes until then, or if the peer is lost."""
        while True:
            left = max(0.0, until - time.monotonic())
            late = not left and self._inbox  # where frames are kept, a frame is not what is awaited
            frame = None if late else self.poll(min(GLANCE_SECONDS, left))
            if frame is not None:
                return frame
            if self._declared_lost:
                raise self._error(
                    PeerLost,
                    f"{self.peer} {self._declared_lost}",
                    advice=f"See whether {self.peer} still runs; then start a new session.",
                )
            if not left:
                raise self._error(
                    PeerSilent,
                    f"{self.peer} said nothing until the deadline",
                    advice=f"See whether {self.peer} still runs and can be reached; "
                    "raise the deadline if it only needs longer.",
                )

    def _take_abort(self, body: AnyBody) -> None:
        try:
            message = Abort.decode(self._opened(body))
        except BadFrame as error:
            raise self._failed(BadFrame, f"{self.peer} sent {error.what}") from None
        source = "" if message.culprit is self.peer else f", says {self.peer}"
        self._failure = self._error(
            PeerAborted,
            f"{message.culprit} gave up{source}: {message.reason}",
            advice=f"Read the log of {message.culprit}; then all parties start a new session.",
        )
        self._failure.culprit, self._failure.reason = message.culprit, message.reason
        raise self._failure

    def _consume(self, header: Header) -> None:
        """Count a frame as read: the clock advances, and the helper may deal further ahead."""
        if header.kind not in UNCLOCKED:
            self.clock.arrive(header.clock)
        if self.peer is not Role.HELPER or header.kind not in WORDS:
            return
        credit = self._window.consumed(header.length)
        if credit:
            self._post(Kind.CREDIT, credit, NO_STEP)

    def _opened(self, body: AnyBody) -> Body:
        """The body, opened here if it is still sealed."""
        if not isinstance(body, SealedBody):
            return body
        try:
            return body.opened()
        except BadFrame as error:
            raise self._failed(BadFrame, f"{self.peer} sent {error.what}") from None

    # -- errors --------------------------------------------------------------------------------

    def _check(self, field: str, got: object, expected: object) -> None:
        if got != expected:
            sent = f"{self.peer} sent a frame whose {field} is {_shown(got)}"
            failure = self._failed(BadFrame, f"{sent}, not {_shown(expected)}")
            failure.field = field
            raise failure

    def _check_usable(self) -> None:
        if self._closed:
            raise self._error(LocalProtocolError, "the link is closed")
        if self._failure is not None:
            raise self._failure

    def _failed(self, error: type[SomeError], what: str) -> SomeError:
        """An error after which the link is of no more use."""
        failure = self._error(error, what, advice="The session is over; start a new one.")
        self._failure = failure
        return failure

    def _error(self, error: type[SomeError], what: str, *, advice: str = "") -> SomeError:
        step = f"{self._step} of {self.label}" if self.label else str(self._step)
        return error(
            what, advice=advice, session=self.session.hex()[:8], step=step, peer=str(self.peer)
        )


def _shown(value: object) -> object:
    """A field of a header as people read it."""
    if isinstance(value, Kind):
        return value.name
    return value.hex() if isinstance(value, bytes) else value
