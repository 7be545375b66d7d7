"""A copy of the program in which a test has changed something, and its commands in a folder."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from tests.mutants.mutant import Tree
from tests.one_interpreter import run_in_one


class ChangedProgram:
    """A copy of the program in the folder `program`; its commands run in the folder around it."""

    def __init__(self, folder: Path) -> None:
        self.tree = Tree(folder / "program")
        self.folder = folder

    def run(self, *commands: Sequence[str], fails: Collection[int] = ()) -> list[str]:
        """Run commands of the program, or Python by `-c`, one after another in one interpreter.

        Returns the output of each, or the errors of one that must fail, told by its number.
        """
        told = []
        for number, one in enumerate(
            run_in_one(commands, self.folder, self.tree.environment, forks=True)
        ):
            assert bool(one.code) == (number in fails), one.err
            told.append(one.err if one.code else one.out)
        return told
