"""Fixtures of the tests of the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.parties.server.keeping.store import Store
from tests.parties.server.stored import opened


@pytest.fixture(name="store")
def _store(tmp_path: Path) -> Store:
    return opened(tmp_path)
