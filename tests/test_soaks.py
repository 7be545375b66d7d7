"""Soaks run only by name, and each has its line among the trials."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

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


def collected(*arguments: str, of: str = "") -> set[str]:
    """The tests that pytest would run in one file, or in all files that have soaks."""
    files = [of] if of else sorted({soak.partition("::")[0] for soak in marked_as_soak()})
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


def test_all_soaks_run_when_they_are_named_and_only_then() -> None:
    soaks = marked_as_soak()
    assert collected("-m", "soak") == soaks
    running = collected("-m", "not slow")
    assert running
    assert not running & soaks


def test_without_a_choice_of_markers_no_soak_runs() -> None:
    one = min(marked_as_soak()).partition("::")[0]
    assert not collected(of=one) & marked_as_soak()


def test_every_soak_has_its_line_among_the_trials() -> None:
    lines = TRIALS.read_text(encoding="utf-8").splitlines()
    for soak in marked_as_soak():
        path, _, name = soak.partition("::")
        assert any(path in line and name in line for line in lines), soak
