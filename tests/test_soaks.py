"""Soaks run only by name, and each has its line among the trials."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
TRIALS = HOME / "bench" / "TRIALS.md"


@cache
def marked_as_soak() -> set[str]:
    """Every test under the marker, as `path::name`."""
    found = set()
    for path in (HOME / "tests").rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if "mark.soak" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                marks = {ast.unparse(mark).partition("(")[0] for mark in node.decorator_list}
                if "pytest.mark.soak" in marks:
                    found.add(f"{path.relative_to(HOME).as_posix()}::{node.name}")
    return found


def collected(file: str, *arguments: str) -> set[str]:
    """The tests of a file that pytest would run."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", *arguments, file],
        cwd=HOME,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert listed.returncode == 0, listed.stdout + listed.stderr
    return {line.partition("[")[0] for line in listed.stdout.splitlines() if "::" in line}


def test_soaks_run_when_they_are_named_and_only_then() -> None:
    soak = "tests/mpc/link/test_garbage.py"
    own = {name for name in marked_as_soak() if name.startswith(soak)}
    assert own
    assert collected(soak, "-m", "soak") == own
    for chosen in ((), ("-m", "not slow")):
        running = collected(soak, *chosen)
        assert running
        assert not running & own


def test_every_soak_has_its_line_among_the_trials() -> None:
    lines = TRIALS.read_text(encoding="utf-8").splitlines()
    for soak in marked_as_soak():
        path, _, name = soak.partition("::")
        assert any(path in line and name in line for line in lines), soak
