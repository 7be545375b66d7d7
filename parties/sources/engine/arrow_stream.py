"""A stream of Arrow columns as a table for queries, read by DuckDB itself.

The object only needs `__arrow_c_stream__`, which data frames and drivers of databases have; no
other package is needed here. Where it tells its columns without a stream, it is streamed once.
"""

from __future__ import annotations

import duckdb

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.engine.arrow_names import names_in_schema, names_in_stream

__all__ = ["STREAM", "is_stream", "show"]

STREAM = "__arrow_c_stream__"
SCHEMA = "__arrow_c_schema__"


class ArrowStream:
    """Nothing of the object but its stream, so that DuckDB treats all of them alike."""

    def __init__(self, of: object) -> None:
        self._of = of

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return getattr(self._of, STREAM)(requested_schema)


class ArrowStreamWithSchema(ArrowStream):
    """The same for an object that tells its columns without a stream."""

    def __init__(self, of: object, schema: object) -> None:
        super().__init__(of)
        self._schema = schema

    def __arrow_c_schema__(self) -> object:
        return getattr(self._schema, SCHEMA)()


def is_stream(given: object) -> bool:
    """Whether an object gives a stream of Arrow columns."""
    return hasattr(given, STREAM)


def show(connection: duckdb.DuckDBPyConnection, name: str, given: object, source: str) -> list[str]:
    """Let the connection see the columns of `given` as the table `name`; gives their names."""
    schemas = (one for one in (given, getattr(given, "schema", None)) if hasattr(one, SCHEMA))
    schema = next(schemas, None)
    try:
        if schema is None:
            names = names_in_stream(getattr(given, STREAM)())
            stream = ArrowStream(given)
        else:
            names = names_in_schema(getattr(schema, SCHEMA)())
            stream = ArrowStreamWithSchema(given, schema)
        connection.register(name, stream)
    except Exception:
        # whatever the object raises may repeat a value
        raise DataError(
            f"{source} gives no Arrow columns that can be read",
            advice="Give a data frame with columns of scores and labels, or arrays in `Labelled`.",
        ) from None
    return names
