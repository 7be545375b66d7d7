"""The examples in docstrings give what they show."""

from __future__ import annotations

import doctest
from importlib import import_module

import numpy as np
import pytest

import ppaurora
from tests.docs.tree import HOME

FOLDERS = ("bench", "mpc", "parties", "ppaurora", "protocols")


def modules() -> list[str]:
    """The names of all modules that show an example."""
    paths = [path for folder in FOLDERS for path in sorted((HOME / folder).rglob("*.py"))]
    shown = [path for path in paths if ">>> " in path.read_text(encoding="utf-8")]
    parts = (path.relative_to(HOME).with_suffix("").parts for path in shown)
    return [
        ".".join(("ppaurora", *(part for part in names if part not in ("__init__", "ppaurora"))))
        for names in parts
    ]


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """The names that examples use without making them: a simulation, its result and its folder."""
    folder = tmp_path_factory.mktemp("simulated")
    first = ppaurora.Labelled(np.array([0.9, 0.8, 0.4, 0.3]), np.array([1, 0, 1, 0], np.uint8))
    second = ppaurora.Labelled(np.array([0.7, 0.6, 0.2, 0.1]), np.array([1, 1, 0, 0], np.uint8))
    options = ppaurora.Options(metrics=("auroc",))
    simulation = ppaurora.simulate([first, second], options, folder=folder)
    return {"simulation": simulation, "result": simulation.result, "folder": folder}


@pytest.mark.parametrize("module", modules())
def test_examples_give_what_they_show(module: str, simulated: dict[str, object]) -> None:
    done = doctest.testmod(import_module(module), extraglobs=simulated)
    assert done.attempted > 0
    assert done.failed == 0


@pytest.mark.parametrize("name", sorted({*ppaurora.__all__} - {"__version__"}))
def test_every_public_name_has_an_example(name: str) -> None:
    assert "\n    >>> " in getattr(ppaurora, name).__doc__
