"""A DuckDB in memory that sees the files it is given and nothing else.

It guesses nothing: names of files and folders are taken letter by letter, no column comes from a
folder's name. It opens no other file, writes none, spills nothing to a disk, loads no extension,
sees no object of this Python process, and its settings cannot be changed any more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import duckdb

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.source import FileSource, Relation

Given = TypeVar("Given")

CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "temp_directory": "",
}


@contextlib.contextmanager
def engine(tables: Mapping[str, Relation]) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection in which each name is a view of its file, with every other door shut."""
    paths = [path for table in tables.values() for path in table.paths]
    # DuckDB asks twice: for the text that it is given, and for the path that it finds by it
    allowed = {literal(str(path.absolute())) for path in paths} | {*map(path_text, paths)}
    with duckdb.connect(":memory:", config=CLOSED) as connection:
        connection.execute(f"SET allowed_paths = [{', '.join(sorted(allowed))}]")
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        for name, one in tables.items():
            source = str(one.paths[0])
            run(connection, f"CREATE VIEW {quoted(name)} AS SELECT * FROM {one.expression}", source)
            if one.rows is None:
                continue
            counted = run(connection, f"SELECT count(*) FROM {quoted(name)}", source).fetchone()
            if counted != (one.rows,):
                raise DataError(
                    f"{source} cannot be used in a query: DuckDB finds another number of rows",
                    advice="Give the list without --sql, or write the file as Parquet.",
                )
        yield connection


def run(
    connection: duckdb.DuckDBPyConnection, statement: str, source: str
) -> duckdb.DuckDBPyConnection:
    """Execute a statement of ours; of many rows the last ones may be computed only when fetched."""
    return tried(lambda: connection.execute(statement), source)


def tried(action: Callable[[], Given], source: str) -> Given:
    """The result of an action of DuckDB, whose own messages may repeat a value and are replaced."""
    try:
        return action()
    except duckdb.ConversionException:
        raise DataError(
            f"{source} meets a value that it cannot convert",
            advice="Find such values with TRY_CAST, which makes them NULL.",
        ) from None
    except duckdb.Error:
        raise DataError(
            f"{source} cannot be read as a table",
            advice="Check that the file is whole and is what its name says, or that the query "
            "runs to its end by itself.",
        ) from None


def path_text(path: Path) -> str:
    """The path as DuckDB takes it letter by letter: absolute, and no sign is a pattern."""
    letters = (f"[{one}]" if one in "*?[" else one for one in str(path.absolute()))
    return literal("".join(letters))


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def table_of(
    source: FileSource, most: int | None = None
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The columns' names and the rows, so many at most; what is missing is an empty text."""
    with engine({"list": source.relation()}) as connection:
        described = run(connection, "DESCRIBE SELECT * FROM list", source.name).fetchall()
        names = [str(row[0]) for row in described]
        places = [f"c{place}" for place in range(len(names))]
        texts = ", ".join(f"CAST({place} AS VARCHAR)" for place in places)
        query = f"SELECT {texts} FROM list AS chosen({', '.join(places)})"
        query += "" if most is None else f" LIMIT {most}"
        rows = tried(run(connection, query, source.name).fetchall, source.name)
    return names, [tuple(text or "" for text in row) for row in rows]
