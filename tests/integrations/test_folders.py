"""Every integration is small, and has its page, its test and its place in the script."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tests.docs.tree import HOME, page

FOLDERS = sorted(path for path in (HOME / "integrations").iterdir() if path.is_dir())
CODE = (".py", ".R")
MOST_LINES = 150


def test_the_script_and_the_page_know_every_integration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HOME / "scripts")
    names = {folder.name for folder in FOLDERS}
    assert {*runpy.run_path(str(HOME / "scripts" / "integrations.py"))["NEEDED"]} == {
        *names,
        "mlflow",
        "second_client",
    }
    told = page("integrations/README.md")
    assert [name for name in names if f"({name}/README.md)" not in told] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_integration_is_small_and_has_its_page_and_its_test(folder: Path) -> None:
    lines = [
        line
        for path in folder.rglob("*")
        if path.suffix in CODE
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert 0 < len(lines) < MOST_LINES
    for part in ("## At a hospital", "## Not tested"):
        assert part in (folder / "README.md").read_text(encoding="utf-8")
    assert (HOME / "tests" / "integrations" / f"test_{folder.name}.py").is_file()
