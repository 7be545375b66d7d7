"""When a command looks for garbage: hardly ever, unless it lasts.

A short command makes its objects, mostly modules, and ends. To look through all of them again and
again would take a fifth of its time.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collect_as_usual", "collecting_rarely", "kept_for_good"]

MANY_OBJECTS = 200_000
"""More new objects at a time than a short command makes."""
USUAL = gc.get_threshold()


@contextmanager
def collecting_rarely() -> Iterator[None]:
    """Garbage is looked for in this while only once there are many new objects.

    What is left then is not looked through once more at the program's end.
    """
    before = gc.get_threshold()
    gc.set_threshold(MANY_OBJECTS, *before[1:])
    try:
        yield
    finally:
        _freeze()
        gc.set_threshold(*before)


def collect_as_usual() -> None:
    """From here on garbage is looked for as often as in any program: this one lasts."""
    gc.set_threshold(*USUAL)


@contextmanager
def kept_for_good() -> Iterator[None]:
    """What is made in this while is never looked at for garbage: not now, later, or at the end.

    Modules stay until the program ends.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        _freeze()
        if collecting:
            gc.enable()


def _freeze() -> None:
    """Never look again at what there is.

    DuckDB complains at the end about whatever of it is still there, so that where it is loaded all
    is looked through.
    """
    if "duckdb" not in sys.modules:
        gc.freeze()
