"""The contract of a source: where an owner's list lies, how it is read, what that shows and costs.

A source is one file of this package, found there by `reader.py`; nobody else lists it. It says its
own name in messages, what leaves the place where the data lie, and what reading costs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Scores

__all__ = ["UNIT", "Columns", "FileSource", "Relation", "Source"]

UNIT = "unit"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns hold the list, and which delimiter separates the columns of a text.

    Without a delimiter the header must show it: see `text/dialect.py`. `against` is the column of
    the second scores, where it is not called as the study says.
    """

    score: str = "score"
    label: str = "label"
    delimiter: str = ""
    against: str = ""

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
    much time and memory that takes. `holds` is the type of the Python object that the source
    reads, where it reads one.
    """

    __slots__ = ()

    title: ClassVar[str]
    leaks: ClassVar[str]
    cost: ClassVar[str]
    holds: ClassVar[type | None] = None

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
            advice="Write the rows to a CSV or Parquet file, and give that.",
        )


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
