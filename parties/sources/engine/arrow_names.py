"""The columns' names of an Arrow stream as its maker gave them: DuckDB renames one it finds twice.

Read from the structures of Arrow's C data interface, which the object hands over in a capsule.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, ClassVar

__all__ = ["names_in_schema", "names_in_stream"]


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
