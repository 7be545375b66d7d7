"""Differences between two groups of the samples as one table of a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ppaurora.parties.reports.model import Piece, Sheet
from ppaurora.parties.reports.names import HEADINGS, heading, label
from ppaurora.protocols.release.values import (
    UNDEFINED,
    WITHHELD,
    Interval,
    Released,
    Table,
)
from ppaurora.protocols.statistics.in_group import SIGN

PAIR = 2
DIFFERENCE, LOWER, UPPER = "_difference", "_lower", "_upper"
"""The ends of the names of columns that have a difference and its limits."""
NONE = "-"
COLUMNS = ("Difference", "Groups", "Value", "Interval", "z", "p")


def is_difference(name: str) -> bool:
    """True of the name of a number of two groups."""
    return name.count(SIGN) == PAIR


def differences(values: Mapping[str, Released]) -> list[Piece]:
    """The table of all differences between groups; nothing where none are released."""
    rows = [
        row for name, value in values.items() if is_difference(name) for row in _rows(name, value)
    ]
    caption = "Differences between groups, of the first less the second"
    numbers = frozenset({COLUMNS.index("Value")})
    sheet = Sheet("group-differences", caption, COLUMNS, tuple(rows), numbers, brief=True)
    return [sheet] if rows else []


def _rows(name: str, value: Released) -> Iterator[tuple[str, ...]]:
    of, *pair = name.split(SIGN)
    groups = " less ".join(pair)
    if isinstance(value, Interval) and not value.missing:
        limits = f"{value.lower} to {value.upper}{', no width' if value.note else ''}"
        yield label(of, value), groups, str(value.value), limits, value.z or NONE, value.p or NONE
    elif isinstance(value, Table) and value.rows:
        for row in value.rows:
            cells = dict(zip(value.columns, row, strict=True))
            at = cells[value.columns[0]]
            for column in value.columns:
                rate = column.removesuffix(DIFFERENCE)
                if rate != column:
                    own = [cells.get(rate + end) for end in (DIFFERENCE, LOWER, UPPER)]
                    called = HEADINGS.get(rate) or heading(rate)
                    yield f"{called} at {at}", groups, *_cells(own), NONE, NONE
    else:
        yield label(of, value), groups, value.missing or str(value), NONE, NONE, NONE


def _cells(limits: list[str | None]) -> tuple[str, str]:
    """A difference and its interval, or the word for why there is none."""
    value, lower, upper = limits
    if value is None or value == WITHHELD:
        return value or UNDEFINED, NONE
    return value, f"{lower} to {upper}"
