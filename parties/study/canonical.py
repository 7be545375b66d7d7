"""The canonical form of a study: one text for one meaning, its hash, and where two studies differ.

A study's content is what study.toml holds, as plain nested tables. Comments and the order of keys
leave the canonical form as it is; any single option changes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Value: TypeAlias = "str | int | float | bool | Sequence[Value] | Mapping[str, Value]"
Content: TypeAlias = Mapping[str, Value]

HASH_DOMAIN = b"ppaurora study 1\n"


def canonical_text(content: Content) -> bytes:
    """The one JSON text that stands for `content`: sorted keys, no spaces, ASCII."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return text.encode("ascii")


def content_of(text: bytes) -> dict[str, Any]:
    """The nested tables that a canonical text stands for; raises `ValueError` for other texts."""
    content = json.loads(text)
    if not isinstance(content, dict) or canonical_text(content) != text:
        raise ValueError("not a canonical text")
    return content


def content_hash(content: Content) -> bytes:
    """SHA-256 of the canonical text: equal if and only if every option is equal."""
    return hashlib.sha256(HASH_DOMAIN + canonical_text(content)).digest()


def differences(mine: Content, theirs: Content, place: str = "") -> list[str]:
    """The full names of the options in which two studies' contents differ."""
    names: list[str] = []
    for key in sorted({*mine, *theirs}):
        path = f"{place}.{key}" if place else key
        a, b = mine.get(key), theirs.get(key)
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            names += differences(a, b, path)
        elif a != b:
            names.append(path)
    return names
