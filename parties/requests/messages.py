"""The messages: what participants and servers ask a server, and what it replies.

Each message is a frozen dataclass; on the wire it is the msgpack list [name, field, field, ...].
Decoding is strict: known name, exact number of fields, exact types, bounded sizes, no byte left.
Who is asking is never in a message: it is whoever holds the key of the connection.

A request stands behind a short head that says which study it is about. A server reads the head and
the request's name, decides whether whoever asks may ask that, and only then decodes the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import msgpack

from ppaurora.mpc.errors import BadFrame
from ppaurora.parties.study.holding import Holding
from ppaurora.protocols.sorting.sort import USUAL

VERSION = 4
CHUNK_BYTES = 1 << 20
MAX_MESSAGE_BYTES = CHUNK_BYTES + (64 << 10)
MAX_HEAD_BYTES = 255
MAX_NAME_BYTES = 40
MAX_REQUEST_BYTES = 4 << 10
"""Of a request that is neither a chunk nor a list of uploads."""


# -- what a server answers -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Done:
    """The request was carried out, and what it changed is on the server's disk."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The request was not carried out: `code` says why to programs, the texts say it to people."""

    code: str
    what: str
    advice: str


@dataclass(frozen=True, slots=True)
class Received:
    """How many bytes of an upload are there, and whether it is stored for good."""

    size: int
    stored: bool


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON text, such as a `Status`."""

    text: str


@dataclass(frozen=True, slots=True)
class ResultPart:
    """One proxy's share of every released value with its blind, and what it says about it all."""

    session: bytes
    words: tuple[int, ...] = field(repr=False)
    about: str


@dataclass(frozen=True, slots=True)
class Holdings:
    """The uploads that a server holds, whose shares it found damaged, seconds since 1970.

    `stopped` is the session whose mismatch has stopped the study here, until it is restarted.
    """

    uploads: tuple[Holding, ...]
    damaged: tuple[str, ...]
    clock: int
    stopped: bytes = b""


# -- what a participant asks -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BeginUpload:
    """Announce an owner's share of a list; the reply says from which byte on to send it.

    `folds` has the samples of each fold, in a study that has folds.
    """

    upload: bytes
    samples: int
    size: int
    digest: bytes
    folds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SendChunk:
    """The next bytes of the announced share."""

    upload: bytes
    offset: int
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class CommitUpload:
    """Ask the server to check the bytes that it received, and to keep them."""

    upload: bytes


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Ask the server to delete what this owner uploaded."""


@dataclass(frozen=True, slots=True)
class ConfirmUpload:
    """Have an upload count for this version of the study that was stored for the version `before`.

    Only its owner can ask that; the share need not be sent again.
    """

    before: bytes


@dataclass(frozen=True, slots=True)
class AskStatus:
    """Ask how the study stands; anybody in the study may."""


@dataclass(frozen=True, slots=True)
class AskCompute:
    """Ask P0 to start as soon as the study's rule allows it."""


@dataclass(frozen=True, slots=True)
class AskResult:
    """Ask for this server's share of the result: of one session, or of the final one if empty."""

    session: bytes


@dataclass(frozen=True, slots=True)
class ReportMismatch:
    """Tell the server that the runs of this session do not come to the same result."""

    session: bytes


@dataclass(frozen=True, slots=True)
class RestartStudy:
    """An operator asks the own server to go on with a study that a mismatch has stopped."""


@dataclass(frozen=True, slots=True)
class ResultSaved:
    """Tell the server that this receiver has saved the result of the session."""

    session: bytes


# -- what P0 asks the other servers ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AskHoldings:
    """Ask a server for its uploads; tells P0's clock, sealed session and last stop."""

    clock: int
    sealed: bytes
    stopped: bytes = b""


@dataclass(frozen=True, slots=True)
class ProposeSession:
    """Ask a server to reserve itself for this session, over these uploads.

    P0 tells what it measured of the network, by which all three choose the sort, and in which slot
    of the study's link ports the session is to run. `keys` are those that P0, P1 and the helper
    use, in this order; there are none where the study names them all.
    """

    session: bytes
    roster: tuple[Holding, ...]
    round_trip_us: int = USUAL.round_trip_us
    megabits: int = USUAL.megabits
    slot: int = 0
    keys: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class StartSession:
    """Ask a server that has reserved itself to open its links and compute."""

    session: bytes


@dataclass(frozen=True, slots=True)
class AskStored:
    """Ask a server whether it has stored its shares of this session, sealed or not."""

    session: bytes


@dataclass(frozen=True, slots=True)
class SealSession:
    """Ask a server to keep its shares of this session for good; all others have stored theirs."""

    session: bytes


Reply = Done | Refused | Received | Document | ResultPart | Holdings
Request = (
    BeginUpload
    | SendChunk
    | CommitUpload
    | Withdraw
    | ConfirmUpload
    | AskStatus
    | AskCompute
    | AskResult
    | ReportMismatch
    | ResultSaved
    | AskHoldings
    | ProposeSession
    | StartSession
    | AskStored
    | SealSession
    | RestartStudy
)
_KNOWN: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (*get_args(Reply), *get_args(Request), Holding)
}


_MAX_BYTES: dict[type[Any], int] = {
    SendChunk: CHUNK_BYTES + (1 << 10),
    ProposeSession: MAX_MESSAGE_BYTES,
}


@dataclass(frozen=True, slots=True)
class Envelope:
    """A request with the study it is about: its id, and its hash, which must be equal too."""

    study_id: str
    study_hash: bytes
    request: Request

    def encode(self) -> bytes:
        """`[length of the head] [version, study, hash] [name, field, field, ...]`."""
        head = msgpack.packb([VERSION, self.study_id, self.study_hash])
        packed: bytes = bytes([len(head)]) + head + msgpack.packb(_flatten(self.request))
        return packed


@dataclass(frozen=True, slots=True)
class Opened:
    """An envelope of which the head and the request's kind were read, and nothing else yet."""

    study_id: str
    study_hash: bytes
    kind: type[Any]
    body: bytes = field(repr=False)

    def request(self) -> Request:
        """The request itself; raises `BadFrame` for anything that is not one of this kind.

        Only the names of uploads may come as lists, and the sizes of folds. Of any other kind, the
        first list among the fields ends the decoding, so that no message of many small lists takes
        long to read.
        """
        most = _MAX_BYTES.get(self.kind, MAX_REQUEST_BYTES)
        if len(self.body) > most:
            raise BadFrame(
                f"A {self.kind.__name__} message of {len(self.body)} bytes, at most {most}"
            )
        refuse = None if self.kind in (ProposeSession, BeginUpload) else _refuse_list
        unpacker = msgpack.Unpacker(
            max_buffer_size=most, max_map_len=0, max_ext_len=0, list_hook=refuse
        )
        unpacker.feed(self.body)
        try:
            count = unpacker.read_array_header()
            _check_count(self.kind, count - 1)
            content = [unpacker.unpack() for _ in range(count)]
        except BadFrame:
            raise
        except Exception:
            raise _not_msgpack() from None
        if unpacker.tell() != len(self.body):
            raise _not_msgpack()
        request: Request = _restore(content, (self.kind,))
        return request


def open_envelope(data: bytes) -> Opened:
    """The study and the kind of the request in `data`; raises `BadFrame` if there is none."""
    if len(data) > MAX_MESSAGE_BYTES:
        raise BadFrame(f"A message of {len(data)} bytes, at most {MAX_MESSAGE_BYTES} are allowed")
    length = data[0] if data else 0
    match _unpack(data[1 : 1 + length]):
        case [int(version), str(study_id), bytes(study_hash)]:
            if version != VERSION:
                raise BadFrame(f"A request of version {version}, this is version {VERSION}")
            body = data[1 + length :]
            return Opened(study_id, study_hash, _kind_of(body), body)
    raise BadFrame("A request that is not version, study, hash and message")


def _kind_of(body: bytes) -> type[Any]:
    """The request's kind, by its name, which stands first."""
    unpacker = msgpack.Unpacker(max_buffer_size=MAX_NAME_BYTES)
    unpacker.feed(body[:MAX_NAME_BYTES])
    try:
        unpacker.read_array_header()
        name = unpacker.unpack()
    except Exception:
        raise _not_msgpack() from None
    return _known(name, get_args(Request))


def _refuse_list(_: object) -> None:
    raise BadFrame("A message with a list where none may be")


def encode_reply(reply: Reply) -> bytes:
    packed: bytes = msgpack.packb(_flatten(reply))
    return packed


def decode_reply(data: bytes) -> Reply:
    content = _unpack(data)
    if not isinstance(content, list):
        raise BadFrame("A reply that is not a message")
    reply: Reply = _restore(content, get_args(Reply))
    return reply


def _unpack(data: bytes) -> Any:
    if len(data) > MAX_MESSAGE_BYTES:
        raise BadFrame(f"A message of {len(data)} bytes, at most {MAX_MESSAGE_BYTES} are allowed")
    try:
        return msgpack.unpackb(data, use_list=True, strict_map_key=True)
    except Exception:
        raise _not_msgpack() from None


def _not_msgpack() -> BadFrame:
    return BadFrame("A message that is not msgpack")


def _flatten(message: Any) -> list[Any]:
    values = [getattr(message, one.name) for one in fields(message)]
    return [type(message).__name__, *(_plain(value) for value in values)]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_flatten(item) if isinstance(item, Holding) else item for item in value]
    return value


def _restore(content: list[Any], allowed: tuple[type[Any], ...]) -> Any:
    kind = _known(content[0] if content else None, allowed)
    _check_count(kind, len(content) - 1)
    hints = _hints(kind.__name__)
    values = [_check(v, hint) for v, hint in zip(content[1:], hints.values(), strict=True)]
    return kind(*values)


@cache
def _hints(name: str) -> dict[str, Any]:
    """The type of each field of a kind, found when a message of this kind is first met."""
    return get_type_hints(_KNOWN[name])


def _known(name: object, allowed: tuple[type[Any], ...]) -> type[Any]:
    kind = _KNOWN.get(name) if isinstance(name, str) else None
    if kind is None or kind not in allowed:
        raise BadFrame("A message of an unknown kind")
    return kind


def _check_count(kind: type[Any], fields_found: int) -> None:
    if fields_found != len(_hints(kind.__name__)):
        raise BadFrame(f"A {kind.__name__} message with {fields_found} fields")


def _check(value: Any, hint: Any) -> Any:
    if get_origin(hint) is tuple:
        inner = get_args(hint)[0]
        if type(value) is not list:
            raise BadFrame("A message with a field that should be a list")
        if inner is Holding:
            return tuple(_restore(item if type(item) is list else [], (Holding,)) for item in value)
        return tuple(_check(item, inner) for item in value)
    if type(value) is not hint or (hint is int and value < 0):
        raise BadFrame("A message with a field of the wrong type")
    return value
