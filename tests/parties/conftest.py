"""A real browser for the tests of pages, and the program that checks how accessible they are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parties.reports.browsing import Browsing


@pytest.fixture(scope="module", name="axe")
def _axe() -> str:
    place = os.environ.get("PPAURORA_AXE")
    assert place, "run these tests by `python3 scripts/browser.py`, which fetches axe-core"
    return Path(place).read_text(encoding="utf-8")


@pytest.fixture(scope="module", name="browsing")
def _browsing() -> Iterator[Browsing]:
    with Browsing() as made:
        yield made
