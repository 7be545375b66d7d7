"""The compiled library, where an installation has one; without it numpy does the same work.

It is built at installation where there is a C compiler, from `native.c`. A call runs without
Python's lock; whoever calls keeps the arrays until it has returned.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CDLL, CFUNCTYPE, addressof, c_char_p, c_int, c_ssize_t, c_uint64, c_void_p
from functools import cache
from importlib.util import find_spec
from typing import Any

from ppaurora.mpc.errors import LocalProtocolError

VARIABLE = "PPAURORA_KERNELS"
"""In the environment: `numpy` to go without the library, `native` to insist on it."""

WIDE = "wide_"
"""What the names of functions for wide processors begin with."""
WORD, COUNT, NUMBER = c_uint64, c_ssize_t, c_int
WORDS, BYTES = c_void_p, c_char_p


@cache
def _loaded() -> CDLL | None:
    """The library, unless it is not there or is of no use on this machine."""
    found = find_spec("ppaurora.mpc.kernels._native")
    if found is None or found.origin is None:
        return None
    try:
        return CDLL(found.origin)
    except OSError:
        return None


def _is_wide() -> bool:
    """Whether this processor runs the functions for wide ones."""
    asked = _bound("wide_processor", (WORDS,))
    found = c_uint64()
    if asked is not None:
        asked(addressof(found))
    return bool(found.value)


class _Choice:
    """Whether the library is to be used, and its functions for wide processors."""

    def __init__(self) -> None:
        wanted = os.environ.get(VARIABLE, "")
        if wanted not in ("", "numpy", "native"):
            raise LocalProtocolError(
                f"{VARIABLE} is {wanted!r}", advice="Set it to numpy or native, or not at all."
            )
        self.native = wanted != "numpy" and _loaded() is not None
        self.wide = self.native and _is_wide()
        if wanted == "native" and not self.native:
            raise LocalProtocolError(
                "there are no native kernels in this installation",
                advice=f"Install it again where there is a C compiler, or unset {VARIABLE}.",
            )


@cache
def _choice() -> _Choice:
    return _Choice()


def native() -> bool:
    """Whether the library is in use."""
    return _choice().native


def in_use() -> str:
    """What computes, for people."""
    return "native kernels" if native() else "numpy"


@contextmanager
def without_library() -> Iterator[None]:
    """Numpy alone for this while, in the whole process."""
    choice = _choice()
    before, choice.native = choice.native, False
    try:
        yield
    finally:
        choice.native = before


@cache
def _bound(name: str, parameters: tuple[Any, ...]) -> Any:
    library = _loaded()
    if library is None or not hasattr(library, name):
        return None
    return CFUNCTYPE(None, *parameters)((name, library))


def function(name: str, *parameters: Any) -> Any:
    """The library's function of this name, the fastest that this processor runs; None if it is not
    in use or has no such function."""
    choice = _choice()
    if not choice.native:
        return None
    return (_bound(WIDE + name, parameters) if choice.wide else None) or _bound(name, parameters)
