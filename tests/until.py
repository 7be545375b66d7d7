"""Waiting for what has to happen, however fast this machine is, and moving its clock."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

SECONDS = 300.0
"""After which a test no longer waits: so long that only what hangs meets it, not a busy machine."""


def until(happened: Callable[[], object], seconds: float = SECONDS) -> None:
    """Wait until it has happened; fails after so many seconds."""
    end, pause = time.monotonic() + seconds, 0.01
    while not happened():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(pause)
        # many of those who wait ask servers, which costs them and this process some time
        pause = min(1.2 * pause, 0.05)


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """So much time has passed at once, for whoever looks at the steady clock."""
    now = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: now() + seconds)
