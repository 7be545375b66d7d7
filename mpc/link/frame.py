"""The header in front of every message: always 50 bytes.

    version (1) || session (16) || sequence, clock, step (8 each) || kind (1) || length (8)

Numbers are big-endian; the body that follows holds `length` bytes. A decoder consumes exactly all
bytes and refuses whatever the encoder would not have written. The version stays the first byte, so
that a reader of a header of another version can say so.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.role import Role

VERSION = 7
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

    Words move as OPEN between the proxies, as DEAL from the helper to a proxy, as TELL from a
    proxy to the helper, and as PERMUTED in a shuffle. The other kinds keep the link going: CLOSING
    says that all words were sent, and what its sender commits to, a STATEMENT is what its sender
    signs about the session, and BULK says that the bulk lane is open. What moves as ASSURE precedes
    a run whose helper commits to what it deals.
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
