"""The contract of a source: where an owner's list lies, what it gives, what that shows and costs.

A source gives a list, for studies that need every score, or counts on a grid, made where the data
lie, for those that need no more.

A source is one file of this package, found there by `reader.py`; nobody else lists it. It says its
own name in messages, what leaves the place where the data lie, and what reading costs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.columns.written import PLAINLY, Written
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid

__all__ = ["UNIT", "Columns", "FileSource", "Relation", "Source"]

UNIT = "unit"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns hold the list, and what is stated of a text.

    Without a delimiter the header must show it: see `text/dialect.py`. `against` is the column of
    the second scores, where it is not called as the study says. `encoding` is that of a text file,
    `written` how its numbers are written.
    """

    score: str = "score"
    label: str = "label"
    delimiter: str = ""
    against: str = ""
    encoding: str = "utf-8"
    written: Written = PLAINLY

    def check_no_text(self, source: str) -> None:
        """Refuse statements about texts for a source that reads none: they would do nothing."""
        encoding = ("--encoding",) if self.encoding != "utf-8" else ()
        if stated := (*self.written.stated, *encoding):
            raise ConfigurationError(
                f"{', '.join(stated)}: this states how a text is written, and {source} is no text",
                advice="Leave it out; numbers that need it are computed in the query or frame.",
            )

    def of_study(self, scores: Scores) -> Columns:
        """With the column of the second scores, by the study's name unless there is another."""
        if self.against and not scores.against:
            raise ConfigurationError(
                f'Second scores are named, "{self.against}", but the study takes one score',
                advice="Leave out --against, or see `against` under [scores] in study.toml.",
            )
        return replace(self, against=self.against or scores.against)


class Source(ABC):
    """Where an owner's list lies.

    `title` says what kind of place it is, `leaks` what leaves it when the list is read, `cost` how
    much time and memory that takes, and `counting` both of these where the list is only counted.
    """

    __slots__ = ()

    title: ClassVar[str]
    leaks: ClassVar[str]
    cost: ClassVar[str]
    counting: ClassVar[str] = "the list is read and then counted here"

    @classmethod
    def stored_upload(cls, given: object, columns: Columns) -> Source | None:
        """The source that reads a Python object of this kind; None where this one does not."""
        return None

    @property
    @abstractmethod
    def name(self) -> str:
        """What messages call this very place, for example the file's path."""

    @abstractmethod
    def read(self, scores: Scores, code: str = UNIT) -> Labelled:
        """The list, with the labels that `scores` names and scores that `code` holds.

        A fault is told with its place.
        """

    def identifiers(self, column: str) -> list[str]:
        """The texts of the column of identifiers, row by row as `read` gives the list."""
        raise DataError(
            f"Folds cannot be assigned to the rows of {self.name} ({self.title})",
            advice="Give a CSV or Parquet file or a data frame of the rows.",
        )

    def count(self, scores: Scores, grid: Grid) -> Counted:
        """How many samples of each class lie in each bin, for a study that needs no more.

        What has no row for each sample on this machine tells how many rows are faulty, and not
        where they are.
        """
        return Counted.of(self.read(scores), grid)


@dataclass(frozen=True, slots=True)
class Relation:
    """A file as DuckDB sees it: the expression after FROM, and the paths that it opens.

    `rows` is how many it must have, where that is known by other means.
    """

    expression: str
    paths: tuple[Path, ...]
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class FileSource(Source):
    """A list in a file. `endings` are those of the files that the source reads.

    Of several sources the one with the longest fitting ending is taken. "" fits every file, "/"
    every folder.
    """

    endings: ClassVar[tuple[str, ...]]

    path: Path
    columns: Columns = field(default_factory=Columns)

    @property
    def name(self) -> str:
        return str(self.path)

    @abstractmethod
    def relation(self) -> Relation:
        """The file as a table for queries; refuses a file that cannot be one."""
