"""Soaks run only by name, and each has its line among the trials."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

HOME = Path(__file__).resolve().parents[1]
TRIALS = HOME / "bench" / "TRIALS.md"


def marked_as_soak() -> set[str]:
    """Every test under the marker, as `path::name`."""
    found = set()
    for path in (HOME / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                marks = {ast.unparse(mark).partition("(")[0] for mark in node.decorator_list}
                if "pytest.mark.soak" in marks:
                    found.add(f"{path.relative_to(HOME).as_posix()}::{node.name}")
    return found


def collected(*arguments: str) -> set[str]:
    """The tests that pytest would run in the files that have soaks."""
    files = sorted({soak.partition("::")[0] for soak in marked_as_soak()})
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", *arguments, *files],
        cwd=HOME,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert listed.returncode == 0, listed.stdout + listed.stderr
    return {line.partition("[")[0] for line in listed.stdout.splitlines() if "::" in line}


@pytest.mark.parametrize("chosen", [(), ("-m", "not slow")])
def test_no_soak_runs_unless_it_is_named(chosen: tuple[str, ...]) -> None:
    running = collected(*chosen)
    assert running
    assert not running & marked_as_soak()


def test_all_soaks_run_and_nothing_else_when_they_are_named() -> None:
    assert collected("-m", "soak") == marked_as_soak()


def test_every_soak_has_its_line_among_the_trials() -> None:
    lines = TRIALS.read_text(encoding="utf-8").splitlines()
    for soak in marked_as_soak():
        path, _, name = soak.partition("::")
        assert any(path in line and name in line for line in lines), soak
