"""The result of one SELECT in a database, over any connection of PEP 249 that its owner made."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.columns.collector import Collector, collected
from ppaurora.parties.sources.columns.objects import ObjectLabels, identifier_texts, values_of
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.counting.statement import (
    counting,
    heading,
    listing,
    one_query,
    refusal,
)
from ppaurora.parties.sources.counting.tally import tally
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import NAME_EXTRA, Columns, Source, find, place_of
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale

PART = 1 << 16
RENAMING = {"sqlite3": ":", "duckdb": "_"}
"""The mark that some engines put between a repeated name and a number."""
Row = Sequence[object]


@dataclass(frozen=True, slots=True)
class DatabaseQuery(Source):
    """One SELECT over a connection: sqlite3, psycopg, and whatever else keeps to PEP 249.

    The engine counts with `WITH`, `CASE`, `FLOOR`, `GROUP BY` and `ROW_NUMBER`. The connection is
    left as it is: no transaction is ended, since it may hold somebody's work, and none is opened
    but the one that the driver opens by itself.

    >>> import sqlite3
    >>> connection = sqlite3.connect(":memory:")
    >>> source = DatabaseQuery(connection, "SELECT 0.75 AS score, 1 AS label")
    >>> source.read(Scores())
    <Labelled, 1 samples>
    """

    title: ClassVar[str] = "a query in a database"
    leaks: ClassVar[str] = "two or three columns travel from the database to this program"
    cost: ClassVar[str] = "one query; about 200 bytes of memory a row while reading"
    counting: ClassVar[str] = (
        "the database counts; nothing leaves it but a number for each bin and label"
    )

    connection: Any = field(repr=False)
    query: str
    columns: Columns = field(default_factory=Columns)
    rows: tuple[list[Row], ...] | None = field(default=None, repr=False, kw_only=True)
    """All rows of the query, while they are kept."""

    def __post_init__(self) -> None:
        self.columns.check_no_text("a database")

    @property
    def name(self) -> str:
        return "the query"

    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        query = one_query(self.query)
        names = [name for name, _ in self._columns(query)]
        places = find(self.columns, names, self.name, extra)
        shown_label, *shown = (names[place] for place in places)
        lists = [
            Collector(self.name, self.columns, scores, scale, one, shown_label) for one in shown
        ]
        labels = [ObjectLabels(rows.classes, self.name, shown_label) for rows in lists]
        with contextlib.closing(self._chosen(query, len(names), places)) as parts:
            for part in parts:
                label, *columns = zip(*part, strict=True)
                for rows, known, one, column in zip(lists, labels, shown, columns, strict=True):
                    values, faults = values_of(column, self.name, one)
                    classes, unlabelled = known.column(label)
                    rows.add(values, faults, classes, rows.classes.faults(classes, unlabelled))
        return collected(lists, extra)

    @contextlib.contextmanager
    def kept(self) -> Iterator[Source]:
        query = one_query(self.query)
        count = len(self._columns(query))
        with contextlib.closing(self._parts(listing(query, count, range(count)))) as parts:
            yield replace(self, rows=tuple(parts))

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        if self.rows is None:
            with self.kept() as rows:
                return rows.texts(column, numbers=numbers)
        names = [name for name, _ in self._columns(one_query(self.query))]
        place = place_of(self.columns.own_name(column), names, self.name, NAME_EXTRA)
        values = [row[place] for part in self.rows for row in part]
        return identifier_texts(values, self.name, names[place], numbers=numbers)

    def _chosen(
        self, query: str, count: int, places: Sequence[int]
    ) -> Generator[list[Row], None, None]:
        """These of the query's columns, of the rows that are kept or as the query gives them."""
        if self.rows is None:
            yield from self._parts(listing(query, count, places))
            return
        for part in self.rows:
            yield [[row[place] for place in places] for row in part]

    def count(self, scores: Scores, grid: Grid, scale: Scale = PROBABILITIES) -> Counted:
        query = one_query(self.query)
        described = self._columns(query)
        names = [name for name, _ in described]
        label, score = places = find(self.columns, names, self.name)
        self._check_number(names[score], described[score][1])
        statement = counting(query, len(names), places, grid, scale)
        with contextlib.closing(self._parts(statement)) as parts:
            rows = ((k, y, n) for part in parts for k, y, n in part)
            return tally(
                rows,
                self.name,
                self.columns,
                scores,
                grid,
                scale,
                score=names[score],
                label=names[label],
            )

    def _columns(self, query: str) -> list[tuple[str, object]]:
        """The names of the query's columns, and what the driver calls their types.

        A name that an engine has made of one that it found twice is that one again.
        """
        with self._executed(heading(query)) as cursor:
            described = [(str(one[0]), one[1]) for one in cursor.description]
        if mark := RENAMING.get(self._driver):
            names = {name for name, _ in described}
            firsts = [name.rpartition(mark) for name, _ in described]
            described = [
                (first if first in names and number.isdecimal() else name, kind)
                for (name, kind), (first, _, number) in zip(described, firsts, strict=True)
            ]
        return described

    def _check_number(self, name: str, kind: object) -> None:
        """Refuse texts, as far as the driver tells them: some engines make 0 of any text."""
        module = sys.modules.get(self._driver)
        if kind is not None and kind == getattr(module, "STRING", None):
            raise DataError(
                f'{self.name}, column "{name}": texts are no scores that a database can count',
                advice="Cast them to numbers in the query.",
            )

    @property
    def _driver(self) -> str:
        """The name of the driver's package."""
        return type(self.connection).__module__.partition(".")[0].lstrip("_")

    def _parts(self, statement: str) -> Generator[list[Row], None, None]:
        with self._executed(statement) as cursor:
            while part := self._tried(lambda: list(cursor.fetchmany(PART))):
                yield part

    @contextlib.contextmanager
    def _executed(self, statement: str) -> Iterator[Any]:
        cursor = self.connection.cursor()
        try:
            self._tried(lambda: cursor.execute(statement))
            yield cursor
        finally:
            cursor.close()

    def _tried(self, action: Any) -> Any:
        try:
            return action()
        except Exception as error:
            raise refusal(error, "The query") from None
