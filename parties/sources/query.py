"""The result of one SELECT over files that are named beside it.

DuckDB's own parse shows that the query is one SELECT over these tables. A statement that is a
SELECT by its type may still write: DuckDB lets a WITH hold COPY, INSERT or DELETE. So every part of
the parsed tree must be one of those known here, every table one that has been named, every table
function one that reads nothing. Anything unknown is refused.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, ClassVar

import duckdb

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.engine.engine import engine, run
from ppaurora.parties.sources.engine.kept_rows import keep
from ppaurora.parties.sources.engine.typed_columns import counted, labelled
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import file_source
from ppaurora.parties.sources.source import Columns, Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale

TABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Query(Source):
    """One SELECT in DuckDB's SQL; `tables` gives each name in it a file or folder.

    The columns of a delimited text are texts, so a query casts them where it computes with them.

    >>> source = Query("SELECT risk / 100 AS score, 1 AS label FROM range(75, 76) AS list(risk)")
    >>> source.read(Scores()).scores.tolist()
    [0.75]
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

    def read(
        self, scores: Scores, scale: Scale = PROBABILITIES, extra: Sequence[str] = ()
    ) -> Labelled:
        with self._running() as (connection, query):
            return labelled(connection, query, self.name, self.columns, scores, scale, (), extra)

    @contextlib.contextmanager
    def kept(self) -> Iterator[Source]:
        with self._running() as (connection, query):
            described = run(connection, f"DESCRIBE {query}", self.name).fetchall()
            names = [str(row[0]) for row in described]
            yield keep(connection, query, names, self.name, self.columns)

    def texts(self, column: str, *, numbers: bool = False) -> list[str]:
        with self.kept() as rows:
            return rows.texts(column, numbers=numbers)

    def count(self, scores: Scores, grid: Grid, scale: Scale = PROBABILITIES) -> Counted:
        with self._running() as (connection, query):
            return counted(connection, query, self.name, self.columns, scores, grid, scale=scale)

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
                repeated = (
                    duckdb.BinderException,
                    duckdb.CatalogException,
                    duckdb.PermissionException,
                )
                words = first_line(error) if isinstance(error, repeated) else "DuckDB refuses it"
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
        if name.casefold() in {table.casefold() for table in tables}:
            raise ConfigurationError(
                f"--table names {name} twice", advice="Give each file a name of its own."
            )
        tables[name] = Path(path)
    return tables


NODES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
TABLES = {"BASE_TABLE", "SUBQUERY", "JOIN", "EXPRESSION_LIST", "EMPTY", "TABLE_FUNCTION", "PIVOT"}
MODIFIERS = {"ORDER_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "DISTINCT_MODIFIER"}
ORDERS = {"ASCENDING", "DESCENDING", "ORDER_DEFAULT"}
PARTS = NODES | TABLES | MODIFIERS | ORDERS
TABLE_FUNCTIONS = ("generate_series", "range", "unnest")
EXAMPLE = "scores.parquet"
ONE_SELECT = "Give one SELECT statement; it can neither write nor change anything."


def check_query(connection: duckdb.DuckDBPyConnection, query: str, tables: Sequence[str]) -> str:
    """The query without what follows its statement; refused unless it is one SELECT of `tables`."""
    try:
        statements = connection.extract_statements(query)
    except duckdb.Error as error:
        raise ConfigurationError(
            f"The query cannot be understood: {first_line(error)}", advice="Correct the query."
        ) from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise ConfigurationError(
            f"The query is {_kinds(statements)}, not one SELECT statement", advice=ONE_SELECT
        )
    answer = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchone()
    tree = json.loads(answer[0]) if answer else {}
    if tree.get("error") is not False or len(tree.get("statements", [])) != 1:
        raise ConfigurationError("The query is not one plain SELECT", advice=ONE_SELECT)
    parts = list(_dictionaries(tree))
    named = {table.casefold() for table in tables}
    named |= {str(part["key"]).casefold() for part in parts if "key" in part}
    named |= {str(part["cte_name"]).casefold() for part in parts if "cte_name" in part}
    for part in parts:
        _check_part(part, named, tables)
    text = query.strip().rstrip(";")
    try:
        statements = connection.extract_statements(f"SELECT 1 FROM (\n{text}\n) AS chosen")
    except duckdb.Error:
        statements = []
    if len(statements) != 1:
        raise ConfigurationError(
            "The query does not end with its statement",
            advice="Leave out what follows the semicolon.",
        )
    return text


def first_line(error: duckdb.Error) -> str:
    """DuckDB's own words about a query, in one line."""
    return str(error).splitlines()[0].rstrip("!. ")


def _check_part(part: dict[str, Any], named: set[str], tables: Sequence[str]) -> None:
    kind = part.get("type")
    if not isinstance(kind, str) or "class" in part or kind.endswith("_TYPE_INFO"):
        return
    if kind not in PARTS:
        raise ConfigurationError(
            f"The query holds {kind.partition('_')[0]}, which is not part of a plain SELECT",
            advice=ONE_SELECT,
        )
    if kind == "TABLE_FUNCTION":
        function = str(part.get("function", {}).get("function_name", "")).lower()
        if function not in TABLE_FUNCTIONS:
            raise ConfigurationError(
                f"The query reads from the function {function}, not from a named table",
                advice=_naming(EXAMPLE, tables),
            )
    if kind == "BASE_TABLE":
        name = str(part.get("table_name", ""))
        elsewhere = part.get("schema_name") or part.get("catalog_name")
        if elsewhere or name.casefold() not in named:
            full = ".".join(filter(None, (part.get("catalog_name"), part.get("schema_name"), name)))
            raise ConfigurationError(
                f'The query reads from "{full}", which no --table names',
                advice=_naming(EXAMPLE if elsewhere else name, tables),
            )


def _naming(file: str, tables: Sequence[str]) -> str:
    stem = "".join(one if one.isalnum() else "_" for one in PurePath(file).stem) or "list"
    known = f" Named so far: {', '.join(tables)}." if tables else ""
    return (
        "A query reads only files that are named beside it, for example "
        f'--sql "SELECT score, label FROM {stem}" --table {stem}={file}.{known}'
    )


def _dictionaries(tree: object) -> Iterator[dict[str, Any]]:
    """Every dictionary of a JSON document."""
    if isinstance(tree, dict):
        yield tree
    values = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    for value in values:
        yield from _dictionaries(value)


def _kinds(statements: Sequence[Any]) -> str:
    if len(statements) == 1:
        return f"of the kind {statements[0].type.name}"
    return f"{len(statements)} statements" if statements else "no statement"
