"""The SELECTs around an owner's own one, in the SQL that engines share: to count, and to list.

What a counting gives has one row for each bin and label that occurs, and no score:

    place    bin = FLOOR(score·bins), the last bin also for 1; where lower scores are positive,
             -FLOOR(-score·bins) - 1, the first bin also for 0; below 0 what can be no score
    label    as it stands in the data
    number   COUNT(*)

Multiplying a double by a power of two is exact, so every engine finds the same bin. Engines differ
in what they hold of NaN: for some it is larger than every number and equal to itself, for others
every comparison with it is false. The three comparisons below are false for it in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from ppaurora.protocols.grid.grid import Grid

__all__ = ["MOST_LABELS", "Unusable", "counting", "heading", "listing", "most_rows", "place"]

LARGEST = "1.7976931348623157E308"
MOST_LABELS = 16
"""So many different labels at most leave an engine; a study has two."""


class Unusable(IntEnum):
    """The place of a row whose score can be in no bin."""

    MISSING = -1
    NAN = -2
    INFINITE = -3
    OUTSIDE = -4
    NO_NUMBER = -5


def most_rows(grid: Grid) -> int:
    """How many rows of counts a list can have that is not refused."""
    return MOST_LABELS * (grid.bins + len(Unusable))


def place(x: str, grid: Grid, given: str = "") -> str:
    """The place of the double `x`, as an SQL expression.

    `given` is the value that `x` was made from, where an engine may have made it from a text that
    is no number: then they are not equal.
    """
    no_number = f"WHEN {given} <> {x} THEN {Unusable.NO_NUMBER:d} " if given else ""
    return (
        f"CASE WHEN {x} IS NULL THEN {Unusable.MISSING:d} "
        f"WHEN NOT ({x} < 0 OR -{x} < 0 OR {x} = 0) THEN {Unusable.NAN:d} "
        f"{no_number}"
        f"WHEN {x} < -{LARGEST} OR {x} > {LARGEST} THEN {Unusable.INFINITE:d} "
        f"WHEN {x} < 0 OR {x} > 1 THEN {Unusable.OUTSIDE:d} "
        f"{_bin(x, grid)} END"
    )


def _bin(x: str, grid: Grid) -> str:
    """The bin of a score, the edge between two bins in that of the positive ones."""
    if grid.higher:
        return f"WHEN {x} = 1 THEN {grid.bins - 1} ELSE CAST(FLOOR({x} * {grid.bins}) AS INTEGER)"
    return f"WHEN {x} = 0 THEN 0 ELSE -CAST(FLOOR(-({x} * {grid.bins})) AS INTEGER) - 1"


def heading(query: str) -> str:
    """The statement that gives the query's columns without a row."""
    return f"WITH chosen AS (\n{query}\n) SELECT * FROM chosen WHERE 1 = 0"


def listing(query: str, columns: int, places: Sequence[int]) -> str:
    """The statement that gives some columns of a query that has so many."""
    asked = ", ".join(f"c{place}" for place in places)
    return f"{_chosen(query, columns)} SELECT {asked} FROM chosen"


def counting(query: str, columns: int, places: Sequence[int], grid: Grid) -> str:
    """The statement that counts; label and score are at these places of so many columns.

    At most one row more comes out than a list can have that is not refused.
    """
    label, score = (f"c{place}" for place in places)
    return (
        f"{_chosen(query, columns)}, "
        f"doubles AS (SELECT {score} AS given, CAST({score} AS DOUBLE PRECISION) AS x, "
        f"{label} AS y FROM chosen), "
        f"placed AS (SELECT {place('x', grid, 'given')} AS k, y FROM doubles), "
        "counted AS (SELECT k, y, COUNT(*) AS n, ROW_NUMBER() OVER (ORDER BY k) AS nth "
        "FROM placed GROUP BY k, y) "
        f"SELECT k, y, n FROM counted WHERE nth <= {most_rows(grid) + 1}"
    )


def _chosen(query: str, columns: int) -> str:
    """The query's rows under names of our own, which need no quotes."""
    return f"WITH chosen({', '.join(f'c{place}' for place in range(columns))}) AS (\n{query}\n)"
