"""The examples in docstrings give what they show."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

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


@pytest.mark.parametrize("module", modules())
def test_examples_give_what_they_show(module: str) -> None:
    done = doctest.testmod(import_module(module))
    assert done.attempted > 0
    assert done.failed == 0
