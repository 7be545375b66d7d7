"""Waiting for what has to happen, however fast this machine is, and moving its clock."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

SECONDS = 300.0
"""After which a test no longer waits: so long that only what hangs meets it, not a busy machine."""


def until(happened: Callable[[], object], seconds: float = SECONDS) -> None:
    """Wait until it has happened; fails after so many seconds."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.01)


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """So much time has passed at once, for whoever looks at the steady clock."""
    now = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: now() + seconds)
