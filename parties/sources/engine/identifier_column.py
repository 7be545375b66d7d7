"""A column of a DuckDB table as identifiers, in the order of its rows."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from ppaurora.parties.sources.columns.header import NAME_FOLDS, place_of
from ppaurora.parties.sources.columns.identifiers import identifier_texts, no_identifiers
from ppaurora.parties.sources.engine.engine import run, tried

__all__ = ["identifier_column"]


def identifier_column(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    names: Sequence[str],
    column: str,
    source: str,
) -> list[str]:
    """The texts of the column of this name; `names` are those of all columns of the table."""
    place = place_of(column, names, source, NAME_FOLDS)
    shown = names[place].strip()
    renamed = ", ".join(f"c{number}" for number in range(len(names)))
    query = f"SELECT c{place} FROM {table} AS chosen({renamed})"
    kind = str(run(connection, f"DESCRIBE {query}", source).fetchall()[0][1])
    if "WITH TIME ZONE" in kind:
        raise no_identifiers(kind, source, shown)
    rows = tried(run(connection, query, source).fetchall, source)
    return identifier_texts([value for (value,) in rows], source, shown)
