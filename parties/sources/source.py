"""The contract of a source: where an owner's list lies, its columns, what reading shows and costs.

A source gives a list, for studies that need every score, or counts on a grid, made where the data
lie, for those that need no more.

A source is one file of this package, found there by `reader.py`; nobody else lists it. It says its
own name in messages, what leaves the place where the data lie, and what reading costs.

Columns are found by name, each name once, and never two in one column.
"""

from __future__ import annotations

import contextlib
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.columns.numbers import NumberFormat
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.text.text_file import ENCODINGS
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale
from ppaurora.protocols.lists.tags import HOLDINGS, Side
from ppaurora.protocols.option import OptionSet, option

MOST_LISTED = 20

LONGEST_LISTED = 40

VALUE = re.compile(r"\s*[+-]?([0-9]*[.,][0-9].*|[0-9]+([eE].*)?\s*)", re.DOTALL)

NAME_THEM = "Name the right ones with --score COLUMN and --label COLUMN."

NAME_EXTRA = (
    'The study names this column; say what yours is called with --column "ITS NAME=YOUR NAME".'
)


def find(
    columns: Columns, names: Sequence[str], source: str, extra: Sequence[str] = ()
) -> tuple[int, ...]:
    """The places of the label and the score among the names of the columns.

    Behind them those of the `extra` columns, by the names that the study gives them. Case and outer
    blanks do not count, so names that differ in nothing else are one name twice. Of a list that
    holds one of them only, its column stands for both.
    """
    asked = {Side.SCORES.word: [columns.score], Side.LABELS.word: [columns.label]}
    there = asked.get(columns.holds, [columns.score, columns.label])
    score, *others_than_score = (place_of(one, names, source) for one in there)
    label = others_than_score[0] if others_than_score else score
    if others_than_score and score == label:
        raise DataError(
            f'{source}: score and label are both asked for in column "{_shown(names[score])}"',
            advice=NAME_THEM,
        )
    others = [place_of(columns.own_name(one), names, source, NAME_EXTRA) for one in extra]
    for called, place in zip(extra, others, strict=True):
        if place in (score, label):
            raise DataError(
                f'{source}: "{_shown(called)}" is asked for in column "{_shown(names[place])}", '
                f"which holds the {'scores' if place == score else 'labels'}",
                advice=NAME_EXTRA,
            )
    return label, score, *others


def check_unique(names: Sequence[str], source: str) -> None:
    """Refuse names that a query cannot tell apart: SQL ignores case."""
    counted = Counter(map(_plain, names))
    twice = next((name for name in names if counted[_plain(name)] > 1), None)
    if twice is not None:
        raise DataError(
            f'{source} names column "{_shown(twice)}" more than once (case and blanks around '
            "a name do not count), which a query cannot tell apart",
            advice="Rename all but one of them.",
        )


def looks_like_a_value(name: str) -> bool:
    """Return whether a name looks like a number: it may be a score and is not repeated."""
    return VALUE.fullmatch(name) is not None


def place_of(asked: str, names: Sequence[str], source: str, advice: str = NAME_THEM) -> int:
    """The place of the one column of this name; case and outer blanks do not count."""
    alike = [place for place, name in enumerate(names) if _plain(name) == _plain(asked)]
    if len(alike) == 1:
        return alike[0]
    if alike:
        places = " and ".join(str(place + 1) for place in alike)
        raise DataError(
            f'{source} names column "{_shown(asked)}" more than once (columns {places}; '
            "case and blanks around a name do not count)",
            advice="Rename all but the one that is meant.",
        )
    if any(map(looks_like_a_value, names)):
        raise DataError(
            f"{source} has no header: its first line holds numbers",
            advice="Put a first line with the columns' names, for example: score,label",
        )
    listing = f"{len(names)} others"
    if len(names) <= MOST_LISTED:
        listing = ", ".join(_shown(name) or "(a column without a name)" for name in names)
    raise DataError(f'{source} has no column "{_shown(asked)}"; it has: {listing}', advice=advice)


def _plain(name: str) -> str:
    return name.strip().casefold()


def _shown(name: str) -> str:
    """A name as it may be printed: one line, no control characters, not too long."""
    plain = "".join(one if one.isprintable() else " " for one in name).strip()
    return plain if len(plain) <= LONGEST_LISTED else plain[: LONGEST_LISTED - 1] + "…"


@dataclass(frozen=True, slots=True)
class Columns(OptionSet):
    """The form of an owner's own list: its columns, its words for the classes, its writing.

    What is not said is as the study says it: the words for the classes, the names of the columns
    beside score and label. Without a delimiter the header must show it. A site says it once, under
    `[list]` in its site file.

    >>> Columns("risk", "outcome", delimiter=";").label
    'outcome'
    """

    score: str = option("score", "the column of scores", table="list")
    label: str = option("label", "the column of labels", table="list")
    delimiter: str = option(
        "",
        "what separates the columns",
        table="list",
        detail="one of , ; | and tab, for texts whose header shows none of them or several",
    )
    renamed: tuple[str, ...] = option(
        (),
        "the list's own name of another column that the study names",
        table="list",
        key="columns",
        flag="column",
        detail='"patient=pat_id": what the study calls patient is pat_id here',
    )
    encoding: str = option(
        ENCODINGS[0],
        "the encoding of a text",
        table="list",
        detail=f"one of {', '.join(ENCODINGS)}",
    )
    decimal_comma: bool = option(False, "scores in a text have a comma: 0,25", table="list")
    percent: bool = option(False, "scores in a text are percentages: 25 or 25 %", table="list")
    thousands: str = option(
        "", "what separates thousands", table="list", detail="one of , . ' and a blank, in a text"
    )
    positive: str = option("", "the list's own word for the positive class", table="list")
    negative: str = option("", "the list's own word for the negative class", table="list")
    drop_missing: bool = option(
        False, "leave out rows without a score or without a label", table="list"
    )

    round: bool = option(
        False, "round scores to the nearest one that the study's resolution has", table="list"
    )
    holds: str = option(
        HOLDINGS[0],
        "what the list holds, where a study joins lists: scores, labels, or both",
        table="list",
        choices=HOLDINGS,
    )

    def check(self) -> None:
        """Refuse one word of a class without the other, and a name without the study's."""
        for text in self.renamed:
            if not all(part.strip() for part in text.partition("=")):
                raise OptionRefused(
                    "renamed",
                    f'has "{text}", which does not read STUDY\'S NAME=OWN NAME',
                    advice='For example "patient=pat_id".',
                )
        if bool(self.positive) != bool(self.negative):
            raise OptionRefused(
                "positive" if self.negative else "negative",
                "is missing, and the other class has a word of the list's own",
                advice="Say both, for example --positive True --negative False.",
            )

    @property
    def number_format(self) -> NumberFormat:
        """The writing of the numbers in a text."""
        return NumberFormat(self.decimal_comma, self.percent, self.thousands)

    def words(self, scores: Scores) -> Scores:
        """The labels as this list writes them."""
        if not self.positive:
            return scores
        return replace(scores, positive=self.positive, negative=self.negative)

    def check_no_text(self, source: str) -> None:
        """Refuse statements about texts for a source that reads none: they would do nothing."""
        encoding = ("--encoding",) if self.encoding != ENCODINGS[0] else ()
        if stated := (*self.number_format.stated, *encoding):
            raise ConfigurationError(
                f"{', '.join(stated)}: this states how a text is written, and {source} is no text",
                advice="Leave it out; numbers that need it are computed in the query or frame.",
            )

    @property
    def _own_names(self) -> dict[str, str]:
        named = (text.partition("=") for text in self.renamed)
        return {name.strip(): own.strip() for name, _, own in named}

    def own_name(self, column: str) -> str:
        """The list's own name of a column that the study calls so.

        >>> Columns(renamed=("patient=pat_id",)).own_name("patient")
        'pat_id'
        """
        return self._own_names.get(column, column)

    def of_labels(self, column: str) -> Columns:
        """The same where the study names the column of the labels."""
        return replace(self, label=self.own_name(column))

    def of_numbers(self, column: str) -> Columns:
        """The same with another column of numbers, as the study calls it, in place of the scores.

        Its numbers are no percentages, and none is rounded.
        """
        return replace(self, score=self.own_name(column), percent=False, round=False)

    def check_renamed(self, columns: Collection[str]) -> None:
        """Refuse an own name of a column that is none of these, the study's."""
        if unknown := [name for name in self._own_names if name not in columns]:
            named = f"it names {', '.join(columns)}" if columns else "it names none"
            raise ConfigurationError(
                f'An own name is given for "{unknown[0]}", which is no column that the study '
                f"names beside score and label ({named})",
                advice="Leave out --column, or see what study.toml says under [scores] and the "
                "tables of its other columns.",
            )


class Source(ABC):
    """A place where an owner's list lies.

    `title` says what kind of place it is, `leaks` what leaves it when the list is read, `cost` how
    much time and memory that takes, and `counting` both of these where the list is only counted.

    >>> from ppaurora.parties.sources.delimited_text import DelimitedText
    >>> source: Source = DelimitedText(Path("scores.csv"))
    >>> source.name, source.leaks
    ('scores.csv', 'nothing leaves this machine; the whole file is read here')
    """

    __slots__ = ()

    title: ClassVar[str]
    leaks: ClassVar[str]
    cost: ClassVar[str]
    counting: ClassVar[str] = "the list is read and then counted here"

    @classmethod
    def for_object(cls, given: object, columns: Columns) -> Source | None:
        """The source that reads a Python object of this kind; None where this one does not."""
        return None

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of this place in messages, for example the file's path."""

    @abstractmethod
    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        """The list, with the labels that `scores` names and scores that `scale` holds.

        The `extra` columns, as the study calls them, are read as scores are. A fault is told with
        its place.
        """

    @contextlib.contextmanager
    def kept(self) -> Iterator[Source]:
        """This source, of which `read` and `texts` give the same rows in the same order.

        A query need not, if it runs twice: its rows are kept.
        """
        yield self

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        """The texts of the column that the study calls so, row by row as `read` gives the list.

        They are identifiers, or `numbers`, which may have decimals and are then written plainly.
        """
        raise DataError(
            f'The texts of column "{column}" cannot be read row by row from {self.name} '
            f"({self.title})",
            advice="Give a CSV or Parquet file or a data frame of the rows.",
        )

    @property
    def counts(self) -> bool:
        """True if an engine counts, so that no row has to be read."""
        return type(self).count is not Source.count

    def count(self, scores: Scores, grid: Grid, scale: Scale = PROBABILITIES) -> Counted:
        """The number of samples of each class in each cell, for a study that needs no more.

        What has no row for each sample on this machine tells how many rows are faulty, and not
        where they are.
        """
        return Counted.of(self.read(scores, scale), grid)


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
