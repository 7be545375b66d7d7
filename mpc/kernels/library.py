"""The compiled library, where an installation has one; without it numpy does the same work.

It is built at installation where there is a C compiler, from `native.c`. A call runs without
Python's lock; whoever calls keeps the arrays until it has returned.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CDLL, CFUNCTYPE, c_int, c_ssize_t, c_uint64, c_void_p
from functools import cache
from importlib.util import find_spec
from typing import Any

from ppaurora.mpc.errors import LocalProtocolError

VARIABLE = "PPAURORA_KERNELS"
"""In the environment: `numpy` to go without the library, `native` to insist on it."""

WORD, COUNT, NUMBER, WORDS = c_uint64, c_ssize_t, c_int, c_void_p


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


class _Choice:
    """Whether the library is to be used."""

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
    """The library's function of this name; None if it is not in use or has no such function."""
    return _bound(name, parameters) if native() else None
