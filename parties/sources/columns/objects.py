"""Columns of Python objects, as drivers of databases and data frames give them.

None and pandas' NA are missing values. Numbers are the doubles nearest to them, and whole numbers
that a double may not hold are refused; texts are read by the grammar of `numbers.py`. Any other
type is refused: it is neither a score nor a label.

An identifier assigns a row to its fold, so a patient must have the same text in every hospital,
whatever program holds it there. Texts stay as they are, whole numbers are written in digits and
days as YYYY-MM-DD, also where a program knows only points in time and gives midnight for a day.
Other numbers are refused: some programs turn a column of whole numbers with a gap into one of
123.0, which is another text than 123.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.columns.classes import UNKNOWN, Classes
from ppaurora.parties.sources.columns.faults import FaultKind
from ppaurora.parties.sources.columns.fields import Fields
from ppaurora.parties.sources.columns.numbers import EMPTY, EXACT_WHOLE, TOO_WIDE, numbers

Number: TypeAlias = "float | int | Decimal | np.floating | np.integer"

NUMBERS = float | int | Decimal | np.floating | np.integer

Masks = dict[FaultKind, NDArray[np.bool_]]


def is_missing(value: object) -> bool:
    """Return whether a value is a missing value."""
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def values_of(
    column: Sequence[object], source: str, name: str
) -> tuple[NDArray[np.float64], Masks]:
    """The doubles of a column of scores, and which rows have none, by kind of fault."""
    values = np.full(len(column), np.nan)
    empty, wide, text = (np.zeros(len(column), np.bool_) for _ in range(3))
    for row, value in enumerate(column):
        if is_missing(value):
            empty[row] = True
        elif isinstance(value, str):
            text[row] = True
        elif isinstance(value, NUMBERS) and not isinstance(value, bool):
            wide[row] = isinstance(value, int | np.integer) and abs(int(value)) >= EXACT_WHOLE
            values[row] = np.nan if wide[row] else float(value)
        else:
            raise _no(value, source, name, "scores", "--score")
    faults = {EMPTY: empty, TOO_WIDE: wide}
    if text.any():
        places = np.flatnonzero(text)
        read, of_texts = numbers(Fields.of([str(column[row]) for row in places.tolist()]))
        values[places] = read
        for kind, marked in of_texts.items():
            faults.setdefault(kind, np.zeros(len(column), np.bool_))[places[marked]] = True
    return values, faults


class ObjectLabels:
    """The classes of labels that are Python objects; each label that occurs is judged once."""

    def __init__(self, classes: Classes, source: str, name: str) -> None:
        self._classes = classes
        self._source = source
        self._name = name
        self._known: dict[tuple[type, object], int | None] = {}

    def of(self, value: object) -> int | None:
        """The class of one label: 1, 0, or 2 for neither; None where there is no label."""
        if is_missing(value):
            return None
        if not isinstance(value, str | bool | np.bool_ | NUMBERS):
            raise _no(value, self._source, self._name, "labels", "--label")
        key = (type(value), value)
        if key not in self._known:
            self._known[key] = self._judged(value)
        return self._known[key]

    def column(self, values: Sequence[object]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
        """The class of each row, and which rows have no label."""
        classes = [self.of(value) for value in values]
        unlabelled = np.array([one is None for one in classes], np.bool_)
        return np.array([UNKNOWN if one is None else one for one in classes], np.uint8), unlabelled

    def _judged(self, value: str | bool | np.bool_ | Number) -> int | None:
        if isinstance(value, str):
            fields = Fields.of([value])
            return int(self._classes.of_texts(fields)[0]) if fields.lengths[0] else None
        if isinstance(value, bool | np.bool_):
            return int(self._classes.of_truths(np.array([bool(value)]))[0])
        return int(self._classes.of_numbers(np.array([float(str(value))]))[0])


def _no(value: object, source: str, name: str, what: str, option: str) -> DataError:
    return DataError(
        f'{source}, column "{name}": values of the type {type(value).__name__} are no {what}',
        advice=f"Name the column that holds the {what} with {option} COLUMN, or cast it.",
    )


def identifier_texts(
    values: Sequence[object], source: str, name: str, *, numbers: bool = False
) -> list[str]:
    """The text of each value, empty where there is none; of `numbers` they may have decimals.

    >>> identifier_texts(["A-1", 7, date(1967, 3, 9), None], "the list", "patient")
    ['A-1', '7', '1967-03-09', '']
    """
    return [
        ""
        if is_missing(value)
        else str(value)
        if numbers and isinstance(value, float | Decimal)
        else _text(value, source, name)
        for value in values
    ]


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
