"""docs/API.md is what the docstrings say now."""

from __future__ import annotations

import re
import runpy
from importlib import import_module

import pytest

from tests.docs.tree import HOME, page

API = runpy.run_path(str(HOME / "docs" / "api.py"))
PAGE = page("docs/API.md")


def test_the_page_is_up_to_date() -> None:
    assert API["text"]() == PAGE, "run `.venv/bin/python docs/api.py --write`"


@pytest.mark.parametrize("module", API["MODULES"])
def test_every_public_name_is_on_the_page(module: str) -> None:
    part = PAGE.partition(f"\n## `{module}`\n")[2].partition("\n## ")[0]
    names = {name for name in import_module(module).__all__ if not name.startswith("__")}
    own = set(re.findall(r"^### `(\w+)`$", part, re.M))
    elsewhere = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^Also here.*$", part, re.M))))
    assert own | elsewhere >= names
    assert own <= names


def test_there_is_an_example() -> None:
    assert "\n>>> " in PAGE
