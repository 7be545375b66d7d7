"""Messages on the wire: how they are written, and read strictly, whoever sent them.

A message is the msgpack list [name, field, field, ...]. Decoding is strict: known name, exact
number of fields, exact types, bounded sizes, no byte left.

A request stands behind a short head that says which study it is about. A server reads the head and
the request's name, decides whether whoever asks may ask that, and only then decodes the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

import msgpack

from ppaurora.mpc.errors import BadFrame
from ppaurora.parties.requests.messages import (
    CHUNK_BYTES,
    BeginUpload,
    KnownVerdict,
    ProposeSession,
    Reply,
    ReportMismatch,
    Request,
    SendChunk,
    Withdraw,
)
from ppaurora.parties.study.rule import StoredUpload

VERSION = 6
MAX_MESSAGE_BYTES = CHUNK_BYTES + (64 << 10)
MAX_NAME_BYTES = 40
MAX_REQUEST_BYTES = 4 << 10
"""Of a request that is neither a chunk, nor a list of uploads, nor a proof."""

_WITH_LISTS = (ProposeSession, BeginUpload, Withdraw)
_INNER = (StoredUpload, KnownVerdict)
"""The types in lists within messages."""
_KNOWN: dict[str, type[Any]] = {
    kind.__name__: kind for kind in (*get_args(Reply), *get_args(Request), *_INNER)
}


_MAX_BYTES: dict[type[Any], int] = {
    SendChunk: CHUNK_BYTES + (1 << 10),
    ProposeSession: MAX_MESSAGE_BYTES,
    ReportMismatch: MAX_MESSAGE_BYTES,
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
        refuse = None if self.kind in _WITH_LISTS else _refuse_list
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
        return [_flatten(item) if isinstance(item, _INNER) else item for item in value]
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
        if inner in _INNER:
            return tuple(_restore(item if type(item) is list else [], (inner,)) for item in value)
        return tuple(_check(item, inner) for item in value)
    if type(value) is not hint or (hint is int and value < 0):
        raise BadFrame("A message with a field of the wrong type")
    return value
