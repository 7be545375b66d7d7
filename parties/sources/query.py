"""The result of one SELECT over files that are named beside it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import duckdb

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.engine.engine import engine
from ppaurora.parties.sources.engine.one_select import check_query, first_line
from ppaurora.parties.sources.engine.typed_columns import counted, labelled
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import file_source
from ppaurora.parties.sources.source import UNIT, Columns, Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid

__all__ = ["Query", "named_tables"]

TABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Query(Source):
    """One SELECT in DuckDB's SQL; `tables` gives each name in it a file or folder.

    The columns of a delimited text are texts, so a query casts them where it computes with them.
    """

    title: ClassVar[str] = "a query"
    leaks: ClassVar[str] = "nothing leaves this machine; the query runs inside this program"
    cost: ClassVar[str] = "what DuckDB takes for the query, in memory only"
    counting: ClassVar[str] = "DuckDB counts here, in memory only"

    text: str
    tables: Mapping[str, Path] = field(default_factory=dict)
    columns: Columns = field(default_factory=Columns)

    @property
    def name(self) -> str:
        return "the query"

    def read(self, scores: Scores, code: str = UNIT) -> Labelled:
        with self._running() as (connection, query):
            return labelled(connection, query, self.name, self.columns, scores, code)

    def count(self, scores: Scores, grid: Grid) -> Counted:
        with self._running() as (connection, query):
            return counted(connection, query, self.name, self.columns, scores, grid)

    @contextlib.contextmanager
    def _running(self) -> Iterator[tuple[duckdb.DuckDBPyConnection, str]]:
        """An engine that sees the tables, and the query, which can be used there."""
        with engine({}) as connection:
            query = check_query(connection, self.text, list(self.tables))
        relations = {
            name: file_source(Path(path), self.columns).relation()
            for name, path in self.tables.items()
        }
        with engine(relations) as connection:
            try:
                connection.execute(f"DESCRIBE {query}")
            except duckdb.Error as error:
                told = (duckdb.BinderException, duckdb.CatalogException, duckdb.PermissionException)
                words = first_line(error) if isinstance(error, told) else "DuckDB refuses it"
                raise DataError(
                    f"The query cannot be used: {words}",
                    advice="Correct the query; its tables are the names given with --table.",
                ) from None
            yield connection, query


def named_tables(texts: list[str]) -> dict[str, Path]:
    """The tables that NAME=FILE texts name."""
    tables: dict[str, Path] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not (equals and path and TABLE_NAME.fullmatch(name)):
            raise ConfigurationError(
                f'--table "{text}" does not read NAME=FILE',
                advice="For example --table scores=scores.parquet; a name has letters, digits, _.",
            )
        if name.casefold() in {one.casefold() for one in tables}:
            raise ConfigurationError(
                f"--table names {name} twice", advice="Give each file a name of its own."
            )
        tables[name] = Path(path)
    return tables
