"""Columns of a DuckDB table or query as scores, labels and identifiers, without loss or refused.

Whole and floating numbers are the doubles that they are, decimals go through their text and are
rounded once, texts are read by the grammar of `numbers.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import duckdb
import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import blocks
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.columns.classes import UNKNOWN
from ppaurora.parties.sources.columns.collector import Collector, collected
from ppaurora.parties.sources.columns.faults import FaultKind
from ppaurora.parties.sources.columns.fields import Fields
from ppaurora.parties.sources.columns.numbers import (
    EMPTY,
    EXACT_WHOLE,
    TOO_WIDE,
    NumberFormat,
    numbers,
)
from ppaurora.parties.sources.columns.objects import identifier_texts, no_identifiers
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.counting.statement import most_rows, place
from ppaurora.parties.sources.counting.tally import tally
from ppaurora.parties.sources.engine.engine import run, tried
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import NAME_EXTRA, Columns, find, place_of
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale
from ppaurora.protocols.lists.tags import Side

NUMBERS = {"DOUBLE", "FLOAT", "TINYINT", "SMALLINT", "INTEGER"}

NUMBERS |= {"UTINYINT", "USMALLINT", "UINTEGER"}

WHOLE = {"BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT"}

PART = 1 << 16

Masked: TypeAlias = "np.ma.MaskedArray[tuple[int], np.dtype[np.generic]]"


@dataclass(frozen=True, slots=True)
class Typed:
    """One column: its name as it is shown, its name inside the query, its type."""

    shown: str
    name: str
    type: str

    @property
    def is_text(self) -> bool:
        return self.type == "VARCHAR" or self.type.startswith("ENUM")

    @property
    def is_number(self) -> bool:
        return self.type in NUMBERS | WHOLE or self.type.startswith("DECIMAL")

    @property
    def expression(self) -> str:
        """The column as a text, a double or a whole number."""
        if self.is_text:
            return f"CAST({self.name} AS VARCHAR)"
        if self.type == "BOOLEAN":
            return f"CAST({self.name} AS UTINYINT)"
        if self.type.startswith("DECIMAL"):
            return f"CAST(CAST({self.name} AS VARCHAR) AS DOUBLE)"
        return f"CAST({self.name} AS DOUBLE)"


def labelled(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    source: str,
    columns: Columns,
    scores: Scores,
    scale: Scale,
    header: Sequence[str] = (),
    extra: Sequence[str] = (),
) -> Labelled:
    """The columns of the query as a list.

    `header` are the columns' names where the file's own may differ from those that DuckDB gives.
    """
    label, of_scores, chosen = _columns(connection, query, source, columns, header, extra)
    # of a list of scores or of labels one column stands for both
    typed = [*dict.fromkeys([label, *of_scores])]
    asked = ", ".join(f"{one.expression} AS {one.name}" for one in typed)
    result = run(connection, f"SELECT {asked} FROM {chosen}", source)
    lists = [
        Collector(source, columns, scores, scale, score.shown, label.shown) for score in of_scores
    ]
    for part in _parts(result, source, typed):
        by_column = dict(zip(typed, part, strict=True))
        labels, score_columns = by_column[label], [by_column[one] for one in of_scores]
        for rows, score, values in zip(lists, of_scores, score_columns, strict=True):
            numbers_found, faults = _values(score, values, columns.number_format)
            classes, unlabelled = _classes(label, labels, rows)
            rows.add(
                numbers_found,
                faults,
                classes,
                rows.classes.faults(classes, unlabelled),
                single=score.type == "FLOAT",
            )
    return collected(lists, extra)


def counted(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    source: str,
    columns: Columns,
    scores: Scores,
    grid: Grid,
    header: Sequence[str] = (),
    *,
    scale: Scale = PROBABILITIES,
) -> Counted:
    """The counts of the query's rows on the grid, made by DuckDB.

    Scores that are texts are read by our own grammar, and so as a list.
    """
    label, [score], chosen = _columns(connection, query, source, columns, header)
    if score.is_text:
        table = labelled(connection, query, source, columns, scores, scale, header)
        return Counted.of(table, grid)
    cell = place("x", grid, scale, single=score.type == "FLOAT")
    statement = (
        f"SELECT k, y, count(*) FROM (SELECT {cell} AS k, y FROM "
        f"(SELECT {score.expression} AS x, {label.name} AS y FROM {chosen})) "
        f"GROUP BY k, y LIMIT {most_rows(grid) + 1}"
    )
    result = run(connection, statement, source)
    return tally(
        _rows(result, source),
        source,
        columns,
        scores,
        grid,
        scale,
        score=score.shown,
        label=label.shown,
    )


def _columns(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    source: str,
    columns: Columns,
    header: Sequence[str],
    extra: Sequence[str] = (),
) -> tuple[Typed, list[Typed], str]:
    """The label's column, those of numbers, and what they are selected from."""
    described = run(connection, f"DESCRIBE {query}", source).fetchall()
    header = header or [str(row[0]) for row in described]
    places = find(columns, header, source, extra)
    names = [f"c{place}" for place in range(len(described))]
    label, *of_scores = [
        Typed(header[place].strip(), names[place], str(described[place][1])) for place in places
    ]
    scored = of_scores[1:] if columns.holds == Side.LABELS.word else of_scores
    _check_types(scored, label, source)
    if columns.number_format.percent and not all(score.is_text for score in of_scores):
        raise ConfigurationError(
            f"--percent states how texts are written, and {source} holds numbers",
            advice="Leave it out, or divide by 100 with --sql.",
        )
    return label, of_scores, f"(\n{query}\n) AS chosen({', '.join(names)})"


def _rows(
    result: duckdb.DuckDBPyConnection, source: str
) -> Iterator[tuple[object, object, object]]:
    while rows := tried(lambda: result.fetchmany(PART), source):
        yield from rows


def _parts(
    result: duckdb.DuckDBPyConnection, source: str, typed: Sequence[Typed]
) -> Iterator[list[Masked]]:
    """The columns in parts: fetched at once where all are numbers, else as Python's texts."""
    if not any(one.is_text for one in typed):
        columns = [np.ma.asarray(one) for one in tried(result.fetchnumpy, source).values()]
        for part in blocks(len(columns[0]), PART):
            yield [column[part] for column in columns]
        return
    while rows := tried(lambda: result.fetchmany(PART), source):
        yield [_masked(column) for column in zip(*rows, strict=True)]


def _masked(column: Sequence[object]) -> Masked:
    empty = [one is None for one in column]
    return np.ma.array(np.array(column, dtype=object), mask=empty)


def _check_types(scores: Sequence[Typed], label: Typed, source: str) -> None:
    for score in scores:
        if not (score.is_text or score.is_number):
            advice = "Name the column that holds the scores with --score COLUMN."
            raise DataError(
                f'{source}, column "{score.shown}": {score.type} values are no scores',
                advice=advice if score is scores[0] else NAME_EXTRA,
            )
    if not (label.is_text or label.is_number or label.type == "BOOLEAN"):
        raise DataError(
            f'{source}, column "{label.shown}": {label.type} values are no labels',
            advice="Name the column that holds the labels with --label COLUMN.",
        )


def _values(
    score: Typed, column: Masked, number_format: NumberFormat
) -> tuple[NDArray[np.float64], dict[FaultKind, NDArray[np.bool_]]]:
    if score.is_text:
        return numbers(_texts(column), number_format)
    empty = np.ma.getmaskarray(column)
    values = np.where(empty, np.nan, np.ma.getdata(column)).astype(np.float64)
    faults = {EMPTY: empty}
    if score.type in WHOLE:
        faults[TOO_WIDE] = np.abs(values) >= EXACT_WHOLE
    return values, faults


def _classes(
    label: Typed, column: Masked, rows: Collector
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    if label.is_text:
        fields = _texts(column)
        return rows.classes.of_texts(fields), fields.lengths == 0
    unlabelled = np.ma.getmaskarray(column)
    values = np.ma.getdata(column)
    classes = np.full(len(values), UNKNOWN, np.uint8)
    known = ~unlabelled
    if label.type == "BOOLEAN":
        classes[known] = rows.classes.of_truths(values[known].astype(np.bool_))
    else:
        classes[known] = rows.classes.of_numbers(values[known].astype(np.float64))
    return classes, unlabelled


def _texts(column: Masked) -> Fields:
    """The texts of a column, empty where it is NULL."""
    return Fields.of([one or "" for one in column.tolist()])


def identifier_column(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    names: Sequence[str],
    column: str,
    source: str,
    *,
    numbers: bool = False,
) -> list[str]:
    """The texts of the column of this name; `names` are those of all columns of the table.

    They are identifiers, or `numbers`.
    """
    place = place_of(column, names, source, NAME_EXTRA)
    shown = names[place].strip()
    renamed = ", ".join(f"c{number}" for number in range(len(names)))
    query = f"SELECT c{place} FROM {table} AS chosen({renamed})"
    kind = str(run(connection, f"DESCRIBE {query}", source).fetchall()[0][1])
    if "WITH TIME ZONE" in kind:
        raise no_identifiers(kind, source, shown)
    rows = tried(run(connection, query, source).fetchall, source)
    return identifier_texts([value for (value,) in rows], source, shown, numbers=numbers)
