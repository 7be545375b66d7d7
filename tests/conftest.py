"""Settings of all tests: generated cases are the same on every run, some run only by name."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import pytest
from hypothesis import settings

from ppaurora.parties.simulation import processes
from tests import forked

settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=False)
settings.load_profile("repeatable")


BY_NAME = ("browser", "engines", "integrations", "soak", "weekly")
"""Markers of tests that run only if the command names them, and never by `-m "not slow"`."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the soaks and what needs a browser or engines unless the command names them."""
    unnamed = [mark for mark in BY_NAME if mark not in config.option.markexpr]
    left_out = [item for item in items if any(map(item.get_closest_marker, unnamed))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture(autouse=True, scope="session")
def _forked_servers() -> Iterator[None]:
    """The servers of simulations start without importing the program once more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "start_server", forked.start_server)
        yield


@pytest.fixture
def same_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """All keys and seeds are the same on every run, so that no test fails by chance."""
    monkeypatch.setattr(os, "urandom", random.Random(1).randbytes)
