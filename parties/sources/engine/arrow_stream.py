"""Streams of Arrow columns as tables for queries, read by DuckDB itself.

The object only needs `__arrow_c_stream__`, which data frames and drivers of databases have; no
other package is needed here. If it tells its columns without a stream, it is streamed once. DuckDB
renames a column whose name it finds twice, so the names are read from the structures of Arrow's C
data interface.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, ClassVar

import duckdb

from ppaurora.parties.errors import DataError

STREAM = "__arrow_c_stream__"

SCHEMA = "__arrow_c_schema__"


class ArrowStream:
    """Nothing of the object but its stream, so that DuckDB treats all of them alike."""

    def __init__(self, of: object) -> None:
        self._of = of

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return getattr(self._of, STREAM)(requested_schema)


class ArrowStreamWithSchema(ArrowStream):
    """An Arrow stream of an object that tells its columns without being read."""

    def __init__(self, of: object, schema: object) -> None:
        super().__init__(of)
        self._schema = schema

    def __arrow_c_schema__(self) -> object:
        return getattr(self._schema, SCHEMA)()


def is_stream(given: object) -> bool:
    """Return whether an object gives a stream of Arrow columns."""
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


class Schema(ctypes.Structure):
    """`struct ArrowSchema`."""


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))),
    ("private_data", ctypes.c_void_p),
]


class ArrayStream(ctypes.Structure):
    """`struct ArrowArrayStream`, as far as it is used here."""

    _fields_: ClassVar[Any] = [
        (
            "get_schema",
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Schema)),
        )
    ]


def names_in_schema(capsule: object) -> list[str]:
    """The names in what `__arrow_c_schema__` gives."""
    schema = ctypes.cast(_pointer(capsule, b"arrow_schema"), ctypes.POINTER(Schema))
    return _names(schema.contents)


def names_in_stream(capsule: object) -> list[str]:
    """The names in what `__arrow_c_stream__` gives; no row of it is asked for."""
    place = _pointer(capsule, b"arrow_array_stream")
    stream = ctypes.cast(place, ctypes.POINTER(ArrayStream)).contents
    schema = Schema()
    if stream.get_schema(place, ctypes.byref(schema)):
        raise ValueError("the stream does not tell its columns")
    try:
        return _names(schema)
    finally:
        schema.release(ctypes.byref(schema))


def _pointer(capsule: object, name: bytes) -> int:
    opened: Callable[[object, bytes], int] = ctypes.pythonapi.PyCapsule_GetPointer
    ctypes.pythonapi.PyCapsule_GetPointer.restype = ctypes.c_void_p
    ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return opened(capsule, name)


def _names(schema: Schema) -> list[str]:
    children = (schema.children[place].contents for place in range(schema.n_children))
    return [(one.name or b"").decode() for one in children]
