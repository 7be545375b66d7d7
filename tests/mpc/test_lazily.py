"""Late imports happen when a name is used, and not before."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from ppaurora.mpc.lazily import Called, Later, import_all


def test_a_module_is_imported_when_something_of_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    colorsys = Later("colorsys")
    assert "colorsys" not in sys.modules
    assert colorsys.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
    assert "colorsys" in sys.modules


ROOM = {
    "__init__.py": "from ppaurora.mpc.lazily import when_called\n"
    'when_called(__name__, {"twice": "twice", "thrice": "twice", "half": "parts"})\n',
    "twice.py": "def twice(x):\n    return 2 * x\ndef thrice(x):\n    return 3 * x\n",
    "parts.py": "def half(x):\n    'One of two parts.'\n    return x // 2\nhalf.cost = 1\n",
}


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package of three functions in two files, one of them called as its file."""
    (tmp_path / "sums").mkdir()
    for name, text in ROOM.items():
        (tmp_path / "sums" / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield import_module("sums")
    for name in [name for name in sys.modules if name.partition(".")[0] == "sums"]:
        del sys.modules[name]


def test_a_function_is_imported_when_it_is_called(room: ModuleType) -> None:
    thrice = room.thrice
    assert "sums.twice" not in sys.modules
    assert thrice(3) == 9
    assert "sums.twice" in sys.modules
    assert "sums.parts" not in sys.modules


def test_a_function_is_imported_when_it_is_asked_for_what_it_has(room: ModuleType) -> None:
    half = room.half
    assert "sums.parts" not in sys.modules
    assert (half.cost, half.__doc__) == (1, "One of two parts.")


def test_a_function_keeps_its_name_where_its_file_is_called_the_same(room: ModuleType) -> None:
    before = room.twice
    home = import_module("sums.twice")
    assert isinstance(home, ModuleType)
    assert room.twice is home.twice
    assert room.thrice is home.thrice
    assert before(4) == 8


def test_all_functions_of_a_package_can_be_imported_at_once(room: ModuleType) -> None:
    import_all(room)
    assert {"sums.twice", "sums.parts"} <= sys.modules.keys()
    assert not isinstance(room.half, Called)


def test_a_module_that_is_not_there_is_missed_where_it_is_used() -> None:
    nothing = Later("no_such_module")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        _ = nothing.name
