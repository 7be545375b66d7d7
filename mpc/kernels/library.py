"""The compiled library, where an installation has one, and arrays as C reads and writes them.

It is built at installation, where there is a C compiler, from the C files of this folder. Without
it numpy does the same work. A call runs without Python's lock; the caller keeps the arrays until it
has returned.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import (
    CDLL,
    CFUNCTYPE,
    addressof,
    c_char,
    c_int,
    c_ssize_t,
    c_uint64,
    c_void_p,
)
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.words import Column, Halves, Shape, Words

Numbers = TypeVar("Numbers", Words, Halves, Column)

VARIABLE = "PPAURORA_KERNELS"
"""In the environment: `numpy` to go without the library, `native` to insist on it."""

WORD, COUNT, NUMBER, WORDS = c_uint64, c_ssize_t, c_int, c_void_p
SOURCES = tuple(sorted(Path(__file__).parent.glob("*.[ch]")))
"""The C files, of which setup.py makes the library."""
_NO_BYTES = c_char * 0
LINE = 8
"""Words in a line of the processor's cache."""


def source_digest() -> int:
    """A digest of the C files, which setup.py writes into the library that it makes of them."""
    text = b"".join(path.read_bytes().replace(b"\r\n", b"\n") for path in SOURCES)
    return int.from_bytes(sha256(text).digest()[:8])


@cache
def _loaded() -> CDLL | None:
    """The library, unless there is none, or one of other sources, or of another kind of machine."""
    spec = find_spec("ppaurora.mpc.kernels._native")
    if spec is None or spec.origin is None:
        return None
    try:
        library = CDLL(spec.origin)
        made_of = c_uint64.in_dll(library, "source_digest").value
    except (OSError, ValueError):
        return None
    return library if made_of == source_digest() else None


class _Use:
    """The library's use in this process: wanted and there, or not."""

    def __init__(self) -> None:
        wanted = os.environ.get(VARIABLE, "")
        if wanted not in ("", "numpy", "native"):
            raise LocalProtocolError(
                f"{VARIABLE} is {wanted!r}", advice="Set it to numpy or native, or not at all."
            )
        self.native = wanted != "numpy" and _loaded() is not None
        if wanted == "native" and not self.native:
            raise LocalProtocolError(
                "there are no native kernels in this installation",
                advice=f"Install it again where there is a C compiler, or unset {VARIABLE}.",
            )


@cache
def _use() -> _Use:
    return _Use()


def native() -> bool:
    """True if the library is in use."""
    return _use().native


def in_use() -> str:
    """The name, for people, of what computes."""
    return "native kernels" if native() else "numpy"


@contextmanager
def without_library() -> Iterator[None]:
    """Have numpy alone compute for this while, in the whole process."""
    use = _use()
    before, use.native = use.native, False
    try:
        yield
    finally:
        use.native = before


@cache
def _bound(name: str, parameters: tuple[Any, ...]) -> Any:
    library = _loaded()
    if library is None or not hasattr(library, name):
        return None
    return CFUNCTYPE(None, *parameters)((name, library))


def function(name: str, *parameters: Any) -> Any:
    """The library's function of this name; None if it is not in use or has no such function."""
    return _bound(name, parameters) if native() else None


def contiguous(words: Numbers) -> Numbers:
    """The same words as C reads them: one after the other, in rows."""
    return np.ascontiguousarray(words)


def at(words: Column) -> int:
    """The address of these words, which are contiguous and outlive the call."""
    if words.flags.writeable:  # a third of the time
        return addressof(_NO_BYTES.from_buffer(words.data))
    address: int = words.ctypes.data
    return address


def room_for(shape: Shape) -> Words:
    """Make an array, of any content, that begins with a line of the cache.

    A store across two lines takes twice as long, and into planes as far apart as those of a block
    it takes longer still: they share the same lines of the cache.
    """
    count = prod(shape)
    room = np.empty(count + LINE, np.uint64)
    first = -(at(room) // room.itemsize) % LINE
    return room[first : first + count].reshape(shape)
