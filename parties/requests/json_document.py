"""Typed documents as JSON: a frozen dataclass on both sides, and strict decoding in between.

A text becomes a document only if it holds exactly the document's fields, each of exactly its type:
nothing unknown, nothing missing, nothing twice, no number that is not finite, nothing longer than a
message may be. Whoever holds a document need not check it again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, NoReturn, Self, get_args, get_origin, get_type_hints

from ppaurora.mpc.printable import printable
from ppaurora.parties.errors import DocumentRefused

MOST_LETTERS = 1 << 20
MOST_NUMBER = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """The base of a frozen dataclass that travels as one JSON object.

    Its fields are texts, whole numbers from 0 up, finite floats, truth values, enums of texts,
    times with a zone, other frozen dataclasses, tuples and text-keyed mappings of such, or None.
    """

    def plain(self) -> dict[str, object]:
        """The document as JSON's own types."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    def to_json(self) -> str:
        """The document as one JSON text."""
        return json.dumps(self.plain(), sort_keys=True, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The document that `text` holds; raises `DocumentRefused` for anything else."""
        return cls.of_plain(json_object(text))

    @classmethod
    def of_plain(cls, content: object) -> Self:
        """The document that JSON's own types hold, inside another one perhaps."""
        document: Self = _restored(cls, content, cls.__name__)
        return document


def json_object(text: str, most: int = MOST_LETTERS) -> dict[str, Any]:
    """The JSON object that `text` is; raises `DocumentRefused` for anything else."""
    if len(text) > most:
        raise DocumentRefused(f"A document of {len(text)} letters, at most {most} may be")
    try:
        content = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise DocumentRefused("A document that is not JSON") from None
    if type(content) is not dict:
        raise DocumentRefused("A document that is not a JSON object")
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a name occurs twice")
    return content


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _plain(value: object) -> object:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="seconds")
    return value.value if isinstance(value, Enum) else value


@cache
def _types(kind: type[Any]) -> dict[str, Any]:
    """The type of each field, by name."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _restored(kind: Any, value: Any, place: str) -> Any:
    """`value` as a `kind`; `place` says where in the document it stands."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        (other,) = (one for one in inner if one is not NoneType)
        return None if value is None else _restored(other, value, place)
    if origin is tuple:
        return _tuple(inner, value, place)
    if origin is Mapping:
        items = _of_type(dict, value, place).items()
        return {name: _restored(inner[1], item, f"{place}.{name}") for name, item in items}
    if is_dataclass(kind):
        return _dataclass(kind, value, place)
    if kind is datetime or issubclass(kind, Enum):
        return _parsed(kind, value, place)
    return _simple(kind, value, place)


def _of_type(kind: type[Any], value: Any, place: str) -> Any:
    if type(value) is not kind:
        raise _refusal(place)
    return value


def _tuple(inner: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    items = _of_type(list, value, place)
    kinds = inner[:1] * len(items) if inner[-1] is Ellipsis else inner
    if len(kinds) != len(items):
        raise _refusal(place)
    pairs = zip(kinds, items, strict=True)
    return tuple(_restored(kind, item, f"{place}[{n}]") for n, (kind, item) in enumerate(pairs))


def _dataclass(kind: Any, value: Any, place: str) -> Any:
    content, types = _of_type(dict, value, place), _types(kind)
    if content.keys() != types.keys():
        raise _refusal(place)
    return kind(*(_restored(one, content[name], f"{place}.{name}") for name, one in types.items()))


def _parsed(kind: Any, value: Any, place: str) -> Any:
    """A text as the time or the member of an enum that it stands for."""
    text = _of_type(str, value, place)
    try:
        return _time(text) if kind is datetime else kind(text)
    except (ValueError, OverflowError):
        raise _refusal(place) from None


def _time(text: str) -> datetime:
    """The time in UTC; raises where the calendar has none, which can be so at its two ends."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError("a time without a zone")
    return time.astimezone(UTC)


def _simple(kind: type[Any], value: Any, place: str) -> Any:
    """A text, number or truth value, exactly of its type and within its range."""
    simple = _of_type(kind, value, place)
    if kind is int and not 0 <= simple <= MOST_NUMBER:
        raise _refusal(place)
    if kind is float and not math.isfinite(simple):
        raise _refusal(place)
    return simple


def _refusal(place: str) -> DocumentRefused:
    return DocumentRefused(f"A document whose {printable(place, 200)} is not what it should be")
