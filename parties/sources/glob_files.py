"""All files whose names fit a pattern, where somebody states that it is one: one list."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.counted import Counted, added
from ppaurora.parties.sources.labelled import Labelled, joined
from ppaurora.parties.sources.reader import file_source
from ppaurora.parties.sources.source import Columns, FileSource, Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale


@dataclass(frozen=True, slots=True)
class GlobFiles(Source):
    """Files such as scores-*.csv, in the order of their names; ** stands for folders of any depth.

    Each is read as if it were given alone. As in a shell, * and ? fit no dot at a name's beginning.

    >>> GlobFiles("scores-*.csv", Columns("risk", "outcome")).name
    'scores-*.csv'
    """

    title: ClassVar[str] = "files by a pattern"
    leaks: ClassVar[str] = "nothing leaves this machine; the files are read here"
    cost: ClassVar[str] = "what each file takes by itself, one after the other"
    counting: ClassVar[str] = "each file is counted here"

    pattern: str
    columns: Columns = field(default_factory=Columns)

    @property
    def name(self) -> str:
        return self.pattern

    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        return joined([file.read(scores, scale, extra) for file in self.files()])

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        return [text for file in self.files() for text in file.texts(column, numbers=numbers)]

    def count(self, scores: Scores, grid: Grid, scale: Scale = PROBABILITIES) -> Counted:
        return added([file.count(scores, grid, scale) for file in self.files()])

    def files(self) -> list[FileSource]:
        """The files that fit, each as its own source."""
        paths = [Path(one) for one in sorted(glob.glob(self.pattern, recursive=True))]
        if not paths:
            raise DataError(
                f"No file fits the pattern {self.pattern}",
                advice="Check it, and put it in quotes so that the shell leaves it as it is.",
            )
        for path in paths:
            if path.is_dir():
                raise DataError(
                    f"The pattern {self.pattern} fits the folder {path}",
                    advice=f"Give a pattern that fits files only, such as {path}/*.parquet",
                )
        return [file_source(path, self.columns) for path in paths]
