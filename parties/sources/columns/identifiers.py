"""Columns of Python objects as the texts of identifiers, by which rows come into folds.

One patient must have one text in every hospital, whatever holds it there. So texts stay as they
are, whole numbers are written in digits and days as YYYY-MM-DD, also where a program knows points
in time only and gives midnight for a day. Other numbers are refused: a column of whole numbers
with a gap becomes one of 123.0 in some programs, which is another text than 123.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from uuid import UUID

import numpy as np

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.columns.objects import is_missing

__all__ = ["identifier_texts", "no_identifiers"]


def identifier_texts(values: Sequence[object], source: str, name: str) -> list[str]:
    """The text of each value, empty where there is none.

    >>> identifier_texts(["A-1", 7, date(1967, 3, 9), None], "the list", "patient")
    ['A-1', '7', '1967-03-09', '']
    """
    return ["" if is_missing(value) else _text(value, source, name) for value in values]


def no_identifiers(kind: str, source: str, name: str) -> DataError:
    """The refusal of a column of this type."""
    return DataError(
        f'{source}, column "{name}": values of the type {kind} are no identifiers',
        advice="Give them as texts, whole numbers or days, written alike by all owners.",
    )


def _text(value: object, source: str, name: str) -> str:
    match value:
        case bool():
            pass
        case str() | int() | np.integer() | UUID():
            return str(value)
        case Decimal() if value.is_finite() and value.as_tuple().exponent == 0:
            return str(value)
        case datetime():
            if value.tzinfo is None and value.time() == time():
                return value.date().isoformat()
        case date():
            return value.isoformat()
    raise no_identifiers(type(value).__name__, source, name)
