"""A copy of the program in which a test has changed something, and its commands in a folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.mutants.mutant import Tree


class ChangedProgram:
    """A copy of the program in the folder `program`; its commands run in the folder around it."""

    def __init__(self, folder: Path) -> None:
        self.tree = Tree(folder / "program")
        self.folder = folder

    def run(self, *arguments: str, fails: bool = False) -> str:
        """Run Python with these arguments; return its output, or its errors where it must fail."""
        done = subprocess.run(
            (sys.executable, *arguments),
            cwd=self.folder,
            env=self.tree.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert bool(done.returncode) == fails, done.stderr
        return done.stderr if fails else done.stdout
