"""The header in front of every message: a msgpack list, encoded and decoded strictly.

`[version, session, sequence, clock, step, kind, length]`; the body that follows holds `length`
bytes. A decoder consumes exactly all bytes and refuses whatever the encoder would not have written.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import msgpack

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.role import Role

VERSION = 4
SESSION_BYTES = 16
MAX_HEADER_BYTES = 64
MAX_REASON_BYTES = 200
MAX_NUMBER = 1 << 48
"""No field of a header is larger: every sum of two of them still fits into an encoded header."""


class Kind(IntEnum):
    """What a frame carries; a receiver names the kind that it expects.

    Words move as OPEN between the proxies, as DEAL from the helper to a proxy, as TELL from a
    proxy to the helper, and as PERMUTED in a shuffle. The other kinds keep the link going: CLOSING
    says that all words were sent, a STATEMENT is what its sender signs about the session, and BULK
    says that the bulk lane is open. What moves as ASSURE precedes a run whose helper commits to
    what it deals.
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


FAREWELL = frozenset({Kind.ABORT, Kind.GOODBYE, Kind.CLOSING, Kind.STATEMENT})
"""Frames of the end of a session, which no transcript holds."""

UNCLOCKED = FAREWELL | {Kind.HELLO, Kind.CREDIT, Kind.BULK}
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
        packed: bytes = msgpack.packb(
            [VERSION, self.session, self.sequence, self.clock, self.step, self.kind, self.length]
        )
        return packed

    @classmethod
    def decode(cls, data: bytes) -> Header:
        """The header in `data`; raises `BadFrame` for anything that `encode` does not write."""
        if len(data) > MAX_HEADER_BYTES:
            raise BadFrame(f"a header of {len(data)} bytes, at most {MAX_HEADER_BYTES} are allowed")
        try:
            fields = msgpack.unpackb(data, use_list=True, strict_map_key=True)
        except Exception as error:
            raise BadFrame("a header that is not msgpack") from error
        if not isinstance(fields, list) or len(fields) != 7:
            raise BadFrame("a header that is not a list of seven fields")
        version, session, *numbers = fields
        if type(version) is not int or version != VERSION:
            raise _other_version(version)
        if type(session) is not bytes or len(session) != SESSION_BYTES:
            raise BadFrame(f"a header whose session is not {SESSION_BYTES} bytes")
        if any(type(number) is not int or not 0 <= number <= MAX_NUMBER for number in numbers):
            raise BadFrame("a header with a field that is not a number, or is out of range")
        sequence, clock, step, kind, length = numbers
        try:
            header = cls(session, sequence, clock, step, Kind(kind), length)
        except ValueError as error:
            raise BadFrame("a header of an unknown kind") from error
        if header.encode() != data:
            raise BadFrame("a header that is not in its one canonical form")
        return header


def _other_version(version: object) -> BadFrame:
    error = BadFrame(f"a header of version {str(version)[:20]!r}, not {VERSION}")
    error.field = "version"
    return error


@dataclass(frozen=True, slots=True)
class Abort:
    """The body of an ABORT frame: who gave up first, and why, in printable ASCII."""

    culprit: Role
    reason: str

    def encode(self) -> bytes:
        printable = "".join(c if " " <= c <= "~" else "?" for c in self.reason)
        return bytes([self.culprit]) + printable[:MAX_REASON_BYTES].encode("ascii")

    @classmethod
    def decode(cls, data: bytes) -> Abort:
        """The message in `data`; raises `BadFrame` for anything that `encode` does not write."""
        if not data or data[0] > max(Role) or len(data) > 1 + MAX_REASON_BYTES:
            raise BadFrame("an abort that cannot be read")
        message = cls(Role(data[0]), data[1:].decode("ascii", "replace"))
        if message.encode() != data:
            raise BadFrame("an abort that cannot be read")
        return message
