"""What is imported late is imported when it is used, and not before."""

from __future__ import annotations

import sys

import pytest

from ppaurora.mpc.lazily import Later


def test_a_module_is_imported_when_something_of_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    colorsys = Later("colorsys")
    assert "colorsys" not in sys.modules
    assert colorsys.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
    assert "colorsys" in sys.modules


def test_a_module_that_is_not_there_is_missed_where_it_is_used() -> None:
    nothing = Later("no_such_module")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        _ = nothing.name
