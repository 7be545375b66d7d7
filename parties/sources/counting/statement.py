"""An owner's SELECT for any engine: checked, put into statements that count or list, or refused.

Engines differ in their SQL, so little is asked of the owner's query: parentheses close, texts end,
nothing follows a semicolon. Text that engines read differently is refused: comments, backslashes
within quotes, and texts within dollar signs. The engine has to ensure that the query changes
nothing, with a transaction that only reads where there is one.

A statement that counts has one row for each bin and label that occurs, and no score:

    place    the number of cut points that the score is at or above, or, where lower scores are
             positive, above; below 0 for an unusable score
    label    as it stands in the data
    number   COUNT(*)

Comparing doubles is exact, and so is multiplying one by a power of two, where there are as many
bins: every engine finds the same cell. A score x has at most d decimals if FLOOR(x·10^d + 1/2)/10^d
is x again: the product of a double that has is next to a whole number, and no other quotient is
that double. In some engines
NaN is larger than every number and equal to itself, in others every comparison with it is false.
The three comparisons below are false for it in both.

If an engine refuses, its words about a column or the grammar are repeated, since they repeat the
query, which its author knows. Its words about values are not, since they repeat the values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from fractions import Fraction

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.protocols.grid.grid import Bins, Grid
from ppaurora.protocols.lists.scale import MOST_CELLS, Resolution, Scale

BEGINS = re.compile(r"[\s(]*(SELECT|WITH|VALUES|TABLE|FROM)\b", re.IGNORECASE)

QUOTES = "'\"`"

COMMENTS = ("--", "/*", "*/")

DOLLARS = re.compile(r"\$\w*\$")

ADVICE = "Give one SELECT statement, which can be run by itself."


def one_query(text: str) -> str:
    """The query without a semicolon behind it; refused unless it is one, as far as can be seen."""
    query = text.strip().removesuffix(";").rstrip()
    if not BEGINS.match(query):
        raise ConfigurationError("The query does not begin with SELECT or WITH", advice=ADVICE)
    depth, quote = 0, ""
    for place, sign in enumerate(query):
        if quote:
            if sign == "\\":
                raise _refused("holds a backslash within quotes, which engines read differently")
            quote = "" if sign == quote else quote
        elif sign in QUOTES:
            quote = sign
        elif query.startswith(COMMENTS, place):
            raise _refused("holds a comment")
        elif DOLLARS.match(query, place):
            raise _refused("holds a text within dollar signs, which not all engines know")
        elif sign == ";":
            raise _refused("holds more than one statement")
        else:
            depth += (sign == "(") - (sign == ")")
            if depth < 0:
                raise _refused("closes a parenthesis that it has not opened")
    if quote or depth:
        raise _refused("leaves a quote or a parenthesis open")
    return query


def _refused(what: str) -> ConfigurationError:
    return ConfigurationError(f"The query {what}", advice=ADVICE)


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
    TOO_FINE = -6


def most_rows(grid: Grid) -> int:
    """The most rows of counts of a list that is not refused."""
    return MOST_LABELS * (len(grid) + len(Unusable))


def place(x: str, grid: Grid, scale: Scale, given: str = "", *, single: bool = False) -> str:
    """The place of the double `x` on a grid of scores of this scale, as an SQL expression.

    `given` is the value that `x` was made from, where an engine may have made it from a text that
    is no number: then they are not equal. `single` says that it is a float32, which stands for the
    nearest number with few decimals.
    """
    no_number = f"WHEN {given} <> {x} THEN {Unusable.NO_NUMBER:d} " if given else ""
    return (
        f"CASE WHEN {x} IS NULL THEN {Unusable.MISSING:d} "
        f"WHEN NOT ({x} < 0 OR -{x} < 0 OR {x} = 0) THEN {Unusable.NAN:d} "
        f"{no_number}"
        f"WHEN {x} < -{LARGEST} OR {x} > {LARGEST} THEN {Unusable.INFINITE:d} "
        f"{_unfit(x, scale, single=single)}"
        f"{_cell(x, grid, scale)} END"
    )


def _double(number: float) -> str:
    return f"CAST('{number!r}' AS DOUBLE PRECISION)"


def _steps(x: str, scale: Scale) -> str:
    """The whole number of steps of 10^-d that is next to x, as a double."""
    return f"FLOOR({x} * {_double(10.0**scale.number)} + 0.5)"


def _unfit(x: str, scale: Scale, *, single: bool) -> str:
    """The cases of a number that is no score of the study's range and resolution."""
    few = scale.kind is Resolution.DECIMALS
    room = Fraction(1, 10**scale.number) if few and single else 0
    beyond = [f"ABS({x}) >= {_double(2.0**256)}", f"{x} <> 0 AND ABS({x}) < {_double(2.0**-255)}"]
    if scale.bounded:
        low, high = (float(end) for end in scale.ends)
        sized = beyond if not scale.of_ordinals and not few else []
        beyond = [f"{x} < {_double(low - float(room))}", f"{x} > {_double(high + float(room))}"]
        beyond += sized
    told = f"WHEN {' OR '.join(beyond)} THEN {Unusable.OUTSIDE:d} "
    if not few:
        return told
    near = f"{_steps(x, scale)} / {_double(10.0**scale.number)}"
    fits = f"{near} = {x}"
    if single:
        digits = f"ABS({x}) < {_double(10.0 ** (6 - scale.number))}"
        fits = f"({fits} OR ({digits} AND CAST(CAST({near} AS REAL) AS DOUBLE PRECISION) = {x}))"
    return f"{told}WHEN NOT {fits} THEN {Unusable.TOO_FINE:d} "


def _cell(x: str, grid: Grid, scale: Scale) -> str:
    """The cell of a score that fits."""
    if scale.kind is not Resolution.DECIMALS:
        return _bin(x, grid)
    if scale.top < MOST_CELLS and grid == scale.cells:
        first = int(scale.ends[0] * 10**scale.number)
        return f"ELSE CAST({_steps(x, scale)} AS BIGINT) - {first}"
    canonical = f"({_steps(x, scale)} / {_double(10.0**scale.number)})"
    return f"ELSE {_among(canonical, grid, 0, len(grid) - 1)}"


def _bin(x: str, grid: Grid) -> str:
    """The cell of a score, the cut point between two of them in that of the positive ones."""
    if not isinstance(grid, Bins) or not grid.of_powers:
        return f"ELSE {_among(x, grid, 0, len(grid) - 1)}"
    if grid.higher:
        return f"WHEN {x} = 1 THEN {grid.bins - 1} ELSE CAST(FLOOR({x} * {grid.bins}) AS INTEGER)"
    return f"WHEN {x} = 0 THEN 0 ELSE -CAST(FLOOR(-({x} * {grid.bins})) AS INTEGER) - 1"


def _among(x: str, grid: Grid, first: int, last: int) -> str:
    """The cell of a score among some, by halves."""
    if first == last:
        return str(first)
    middle = (first + last + 1) // 2
    sign, edge = ">=" if grid.higher else ">", float(grid.edges()[middle - 1])
    return (
        f"CASE WHEN {x} {sign} {_double(edge)} "
        f"THEN {_among(x, grid, middle, last)} ELSE {_among(x, grid, first, middle - 1)} END"
    )


def heading(query: str) -> str:
    """The statement that gives the query's columns without a row."""
    return f"WITH chosen AS (\n{query}\n) SELECT * FROM chosen WHERE 1 = 0"


def listing(query: str, columns: int, places: Sequence[int]) -> str:
    """The statement that gives some columns of a query that has so many."""
    asked = ", ".join(f"c{place}" for place in places)
    return f"{_chosen(query, columns)} SELECT {asked} FROM chosen"


def counting(
    query: str,
    columns: int,
    places: Sequence[int],
    grid: Grid,
    scale: Scale,
    *,
    single: bool = False,
) -> str:
    """The statement that counts; label and score are at these places of so many columns.

    `single` says that scores are of float32. At most one row more comes out than a list can have
    that is not refused.
    """
    label, score = (f"c{at}" for at in places)
    cell = place("x", grid, scale, "given", single=single)
    return (
        f"{_chosen(query, columns)}, "
        f"doubles AS (SELECT {score} AS given, CAST({score} AS DOUBLE PRECISION) AS x, "
        f"{label} AS y FROM chosen), "
        f"placed AS (SELECT {cell} AS k, y FROM doubles), "
        "counted AS (SELECT k, y, COUNT(*) AS n, ROW_NUMBER() OVER (ORDER BY k) AS nth "
        "FROM placed GROUP BY k, y) "
        f"SELECT k, y, n FROM counted WHERE nth <= {most_rows(grid) + 1}"
    )


def _chosen(query: str, columns: int) -> str:
    """The query's rows under names of our own, which need no quotes."""
    return f"WITH chosen({', '.join(f'c{place}' for place in range(columns))}) AS (\n{query}\n)"


OF_THE_QUERY = "42"
"""The class of SQLSTATE for faults of grammar, names and rights."""
READ_ONLY = "25006"


def refusal(error: Exception, source: str) -> DataError:
    """The error for whatever a driver raised."""
    state = str(getattr(error, "sqlstate", None) or getattr(error, "pgcode", None) or "")
    if state == READ_ONLY:
        return DataError(
            f"{source} would change something in the database",
            advice="Give a SELECT that only reads.",
        )
    speaks = state.startswith(OF_THE_QUERY) if state else _is_about_the_query(error)
    words = _first_line(error) if speaks else f"it says {type(error).__name__} {state}".rstrip()
    return DataError(
        f"{source} cannot be run by the database: {words}",
        advice="Run it by itself to see why; where scores are texts, cast them to numbers in it.",
    )


def _is_about_the_query(error: Exception) -> bool:
    """Return whether PEP 249 has this error for a wrong name or wrong grammar.

    DuckDB has as such a fault also a value that a function does not take.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    return "ProgrammingError" in kinds and "InvalidInputException" not in kinds


def _first_line(error: Exception) -> str:
    """Without what a driver puts before the engine's own words."""
    line = next(iter(str(error).splitlines()), type(error).__name__)
    return line.rpartition("ERROR:")[2].strip().rstrip(".")
