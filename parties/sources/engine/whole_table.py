"""A whole file as texts, for what copies it: every column, every row, in the order of the file."""

from __future__ import annotations

from ppaurora.parties.sources.engine.engine import engine, run, tried
from ppaurora.parties.sources.source import FileSource

__all__ = ["table_of"]


def table_of(source: FileSource) -> tuple[list[str], list[tuple[str, ...]]]:
    """The columns' names and the rows; what is missing is an empty text."""
    with engine({"list": source.relation()}) as connection:
        described = run(connection, "DESCRIBE SELECT * FROM list", source.name).fetchall()
        names = [str(row[0]) for row in described]
        places = [f"c{place}" for place in range(len(names))]
        texts = ", ".join(f"CAST({place} AS VARCHAR)" for place in places)
        query = f"SELECT {texts} FROM list AS chosen({', '.join(places)})"
        rows = tried(run(connection, query, source.name).fetchall, source.name)
    return names, [tuple(text or "" for text in row) for row in rows]
