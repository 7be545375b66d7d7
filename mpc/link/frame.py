"""The header in front of every message: always 50 bytes.

    version (1) || session (16) || sequence, clock, step (8 each) || kind (1) || length (8)

Numbers are big-endian; the body that follows holds `length` bytes. A decoder consumes exactly all
bytes and refuses whatever the encoder would not have written. The version stays the first byte, so
that a reader of a header of another version can say so.

A digest of everything that went one way over a link, the same at both ends.

    digest = SHA-256(plain || sealed)
    plain  = SHA-256(header || tag || header || tag || ...)  over the frames that no lane carried
    sealed = the digest of those that the bulk lane carried, from its own tags (`bulk_seal.py`)
    tag    = GMAC(key, nonce = i, body of frame i)

over all frames after the handshake and before the closing but credit (`UNDIGESTED`); i is the
frame's number, which its header holds with session, kind, step and length. It is the sender's count
of all its frames, credit among them, and both ends take it from the header, so a digest is the same
at both whenever credit was given. These numbers bind the order of all frames, though
`plain` and `sealed` grow apart: a frame is sealed by a thread of the lane, some time after it was
sent. With the lane's own tags no large body is read a second time.

GMAC is AES-GCM of nothing with the body as associated data: ten times as fast as SHA-256 of the
bodies. Its key and the lane's are derived from the session key, which the two ends know and nobody
else. So two ends that saw the same frames have the same digest, and to anybody without the key it
tells nothing about the bodies. It does not bind its own end: who holds the key could find other
bodies of the same tags. It shows that two ends disagree, not which of them is at fault.

The counts of a link: frames and bytes, hops (a logical clock), and credit of the helper.
"""

from __future__ import annotations

import struct
import time
from collections import deque
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from threading import Lock

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.link.limits import Limits
from ppaurora.mpc.role import Role

VERSION = 9
SESSION_BYTES = 16
LAYOUT = struct.Struct(f">B{SESSION_BYTES}sQQQBQ")
HEADER_BYTES = LAYOUT.size
MAX_REASON_BYTES = 200
MAX_NUMBER = 1 << 48
"""No field of a header is larger: every sum of two of them still fits into an encoded header."""
MOST_TIME = 1 << 32
"""No time in a header is later: no session has so many hops. A party's own time ends there, so what
it says is never refused because of the time that somebody else said."""


class Kind(IntEnum):
    """The kind of a frame; a receiver names the kind that it expects.

    Words move as OPEN between the proxies, as DEAL from the helper to a proxy, as TELL from a proxy
    to the helper and in its answer, and as PERMUTED in a shuffle. The other kinds keep the link
    going: CLOSING says that all words were sent, and what its sender commits to, a STATEMENT is
    what its sender signs about the session, and BULK says that the bulk lane is open. What moves as
    ASSURE precedes a run whose helper commits to what it deals.
    """

    HELLO = 1
    OPEN = 2
    DEAL = 3
    PERMUTED = 4
    TELL = 5
    CREDIT = 6
    ABORT = 7
    GOODBYE = 8
    CLOSING = 9
    STATEMENT = 10
    ASSURE = 11
    BULK = 12


CLOSING_KINDS = frozenset({Kind.ABORT, Kind.GOODBYE, Kind.CLOSING, Kind.STATEMENT})
"""Frames of the end of a session."""

UNDIGESTED = CLOSING_KINDS | {Kind.CREDIT}
"""Frames that no transcript holds. When credit is given depends on the clock of one end, and at the
beginning of the transcripts it could stand in one of them and not in the other."""

WORDS = frozenset({Kind.OPEN, Kind.DEAL, Kind.PERMUTED, Kind.TELL})
"""Frames that carry words. Those of the helper are what its window bounds, and no others: so
nothing is credited, and no credit awaited, before a run begins."""

UNCLOCKED = CLOSING_KINDS | {Kind.HELLO, Kind.CREDIT, Kind.BULK}
"""Frames that keep the link itself going: no step of a protocol, no hop."""


@dataclass(frozen=True, slots=True)
class Header:
    """The session, the frame's number, the sender's logical time, and the body that follows."""

    session: bytes
    sequence: int
    clock: int
    step: int
    kind: Kind
    length: int

    def encode(self) -> bytes:
        return LAYOUT.pack(
            VERSION, self.session, self.sequence, self.clock, self.step, self.kind, self.length
        )

    @classmethod
    def decode(cls, data: bytes) -> Header:
        """The header in `data`; raises `BadFrame` for anything that `encode` does not write."""
        if data and data[0] != VERSION:
            error = BadFrame(f"a header of version {data[0]}, not {VERSION}")
            error.field = "version"
            raise error
        if len(data) != HEADER_BYTES:
            raise BadFrame(f"a header of {len(data)} bytes, not {HEADER_BYTES}")
        _, session, sequence, clock, step, kind, length = LAYOUT.unpack(data)
        if max(sequence, step, length) > MAX_NUMBER or clock > MOST_TIME:
            raise BadFrame("a header with a number that is out of range")
        try:
            return cls(session, sequence, clock, step, Kind(kind), length)
        except ValueError as error:
            raise BadFrame("a header of an unknown kind") from error


@dataclass(frozen=True, slots=True)
class Abort:
    """The body of an ABORT frame: who gave up first, and why, in printable ASCII."""

    culprit: Role
    reason: str

    def encode(self) -> bytes:
        printable = "".join(c if " " <= c <= "~" else "?" for c in self.reason)
        return bytes([self.culprit]) + printable[:MAX_REASON_BYTES].encode("ascii")

    @classmethod
    def decode(cls, body: bytes | memoryview) -> Abort:
        """The message in `body`; raises `BadFrame` for anything that `encode` does not write."""
        data = bytes(body[: MAX_REASON_BYTES + 2])
        if not data or data[0] > max(Role) or len(data) > 1 + MAX_REASON_BYTES:
            raise BadFrame("an abort that cannot be read")
        message = cls(Role(data[0]), data[1:].decode("ascii", "replace"))
        if message.encode() != data:
            raise BadFrame("an abort that cannot be read")
        return message


KEY_BYTES = 16
NONCE_BYTES = 12
DOMAIN = b"ppAURORA transcript 3\0"
NOTHING_SEALED = sha256().digest()
"""The value of `sealed` if no frame went over a bulk lane."""


class Transcript:
    """The digest of one direction of a link, which grows with each frame that no lane carried."""

    __slots__ = ("_digest", "_gmac")

    def __init__(self, session_key: bytes, sender: int) -> None:
        """Both ends give the session key of the pair and the role that sends in this direction."""
        key = HKDFExpand(SHA256(), KEY_BYTES, DOMAIN + bytes([sender])).derive(session_key)
        self._gmac = AESGCM(key)
        self._digest = sha256()

    def __repr__(self) -> str:
        return "<Transcript>"

    def add(self, header: bytes, sequence: int, body: bytes | memoryview) -> None:
        """Add the frame of this sequence number to the digest."""
        nonce = sequence.to_bytes(NONCE_BYTES, "big")
        self._digest.update(header)
        self._digest.update(self._gmac.encrypt(nonce, b"", body))

    def digest(self, sealed: bytes = NOTHING_SEALED) -> str:
        """The digest of all frames so far, and of those `sealed`, in hexadecimal digits."""
        return sha256(self._digest.digest() + sealed).hexdigest()


@dataclass(slots=True)
class Counters:
    """Frames and bytes in both directions of one link, since the link opened.

    What the protocol sends is counted apart from what keeps the link itself going (handshake,
    credit, abort, goodbye; headers included), so that a primitive's declared bytes are exactly
    `bytes_sent`.
    """

    frames_sent: int = 0
    frames_received: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    header_bytes_sent: int = 0
    header_bytes_received: int = 0
    control_bytes_sent: int = 0
    control_bytes_received: int = 0

    def sent(self, header: int, body: int, *, control: bool) -> None:
        """Count a frame that went out, of so many header and body bytes."""
        if control:
            self.control_bytes_sent += header + body
        else:
            self.frames_sent += 1
            self.header_bytes_sent += header
            self.bytes_sent += body

    def received(self, header: int, body: int, *, control: bool) -> None:
        """Count a frame that was accepted, of so many header and body bytes."""
        if control:
            self.control_bytes_received += header + body
        else:
            self.frames_received += 1
            self.header_bytes_received += header
            self.bytes_received += body


class HopClock:
    """The length of the longest chain of messages up to now at this party (a Lamport clock).

    A frame carries its sender's time t; the receiver's time becomes at least t + 1. A simultaneous
    exchange is therefore one hop, and what a helper deals ahead costs none.
    The links of one party share a clock, also where each is read by a thread of its own. It ends at
    `MOST_TIME`, where only a dishonest party's time can bring it.
    """

    __slots__ = ("_changing", "now")

    def __init__(self) -> None:
        self.now = 0
        self._changing = Lock()

    def arrive(self, sent_at: int) -> None:
        """Note that a frame was read which was sent at this time."""
        with self._changing:
            self.now = max(self.now, min(sent_at + 1, MOST_TIME))


class CreditWindow:
    """The helper counts what it sent and what was acknowledged, a proxy what it has read.

    The helper gets credit for every quarter of the window, or after a quarter of the deadline, so
    that while it waits it can tell a slow peer from a silent one. Credit is for whole frames: a
    peer that gave it byte by byte would keep the helper, and with it the other proxy, for ever.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._sent = 0
        self._acknowledged = 0
        self._ends: deque[int] = deque()
        self._consumed = 0
        self._granted = 0
        self._granted_at = time.monotonic()
        self.credited_at = time.monotonic()
        """The time at which the peer last acknowledged something."""

    @property
    def full(self) -> bool:
        """True if more than a window is sent and not acknowledged."""
        return self._sent - self._acknowledged > self._limits.window

    def sent(self, count: int) -> None:
        """Count the bytes of a frame that was sent."""
        self._sent += count
        self._ends.append(self._sent)

    def acknowledged(self, credit: bytes | memoryview) -> bool:
        """Note what the peer has read; False if that cannot be."""
        consumed = int.from_bytes(credit, "little") if len(credit) == 8 else 0
        if not self._acknowledged < consumed <= self._sent:
            return False
        end = 0
        while self._ends and self._ends[0] <= consumed:
            end = self._ends.popleft()
        if end != consumed:
            return False
        self._acknowledged, self.credited_at = consumed, time.monotonic()
        return True

    def consumed(self, count: int) -> bytes:
        """Count bytes that were read; the credit that is due now, if it is."""
        self._consumed += count
        fresh, now = self._consumed - self._granted, time.monotonic()
        due = 4 * fresh >= self._limits.window or (
            fresh and 4 * (now - self._granted_at) >= self._limits.deadline
        )
        if not due:
            return b""
        self._granted, self._granted_at = self._consumed, now
        return self._consumed.to_bytes(8, "little")
