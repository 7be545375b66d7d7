"""Mutants: the program with one promise broken, which the tests of that promise must notice."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
COPIED = ("bench", "mpc", "parties", "ppaurora", "protocols", "tests", "pyproject.toml")
SECONDS = 600.0
"""Seconds that the tests of one mutant may take; a longer run has not noticed it."""
A_DAY = 86400


@dataclass(frozen=True, slots=True)
class Mutant:
    """A promise in words, the page that makes it, and an edit of one file that breaks it.

    Its kind is the name of the list in which it stands. `text` stands exactly once in the file.
    `killed_by` names the tests, as pytest does, of which at least one must fail once `instead`
    stands there.
    """

    kind: str
    promise: str
    page: str
    file: str
    text: str
    instead: str
    killed_by: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name by which people find it."""
        return f"{self.file}: {self.promise}"

    def applied(self, source: str) -> str:
        """The file's text with the promise broken; raises `ValueError` for an edit of nothing."""
        if source.count(self.text) != 1:
            raise ValueError(f"{self.name}: the text stands there {source.count(self.text)} times")
        mutated = source.replace(self.text, self.instead)
        tree, original = ast.parse(mutated).body, _parsed(source).body
        # what stands before and behind the edit is the same
        first = 1 + source[: source.index(self.text)].count("\n")
        last = first + self.text.count("\n")
        before = sum((one.end_lineno or 0) < first for one in original)
        behind = sum(one.lineno > last for one in original)
        edited = tree[before : len(tree) - behind]
        if _same(edited, original[before : len(original) - behind]):
            raise ValueError(f"{self.name}: the edit changes nothing that is run")
        compile(ast.Module(edited, []), self.file, "exec")
        return mutated


@lru_cache(maxsize=8)
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def _same(one: object, other: object) -> bool:
    """True if two parts of programs say the same, wherever they stand."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.AST):
        return all(_same(getattr(one, of, None), getattr(other, of, None)) for of in one._fields)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other


def mutants() -> list[Mutant]:
    """All that are listed, by kind."""
    return [
        Mutant(path.stem, **{**one, "killed_by": tuple(one["killed_by"])})
        for path in sorted(Path(__file__).parent.glob("*.toml"))
        for one in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    ]


class Fate(Enum):
    """The outcome of the tests on a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    FAULTY = "not tested: the tests did not run"
    TOO_LONG = "not noticed in time"


class Tree:
    """A copy of the program and its tests, in which one mutant at a time is tried."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        folder.mkdir()
        for name in COPIED:
            source = HOME / name
            if source.is_dir():
                # with what is compiled: only what a test changes is compiled again
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("*.egg-info"))
            else:
                shutil.copy2(source, folder / name)

    def fate(self, mutant: Mutant) -> tuple[Fate, str]:
        """The verdict of the mutant's own tests, and the text that pytest wrote."""
        path = self.home / mutant.file
        source, before = path.read_text(encoding="utf-8"), path.stat()
        path.write_text(mutant.applied(source), encoding="utf-8")
        # no compiled file that Python has kept is of this hour
        os.utime(path, (before.st_atime, before.st_mtime + A_DAY))
        try:
            return self.tested(mutant.killed_by)
        finally:
            path.write_text(source, encoding="utf-8")
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which Python runs the program of this tree."""
        # of a run of pytest around this one it must not hear
        outer = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
        return {**outer, "PYTHONPATH": str(self.home)}

    def tested(self, tests: Sequence[str], *, keep_compiled: bool = False) -> tuple[Fate, str]:
        """The fate of the tree as it stands, by these tests; what pytest wrote."""
        command = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests)
        environment = self.environment
        if not keep_compiled:
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        try:
            done = subprocess.run(
                command,
                cwd=self.home,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Fate.TOO_LONG, ""
        # 1: tests were run, and one has failed; anything from 2 on is no test's word
        fates = {0: Fate.SURVIVED, 1: Fate.KILLED}
        wrong = "error" in _last_line(done.stdout)
        fate = Fate.FAULTY if wrong else fates.get(done.returncode, Fate.FAULTY)
        return fate, done.stdout + done.stderr


def _last_line(text: str) -> str:
    """The summary of a run."""
    return (text.strip().splitlines() or [""])[-1]
