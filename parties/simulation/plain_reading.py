"""The lists of a simulation once more, read by plainer means than the owners': for the pooled side.

A fault of the owners' reader then shows as a difference between the private and the pooled values.
Texts go through Python's `csv` and `float`, one row after the other. A Parquet file is opened under
a name of our own, so that nothing in its path can matter, and leaves DuckDB as Python objects. A
data frame gives its columns as Python lists. What is faulty has been refused by the owners' reader
before; this one only reads.
"""

from __future__ import annotations

import csv
import glob
import gzip
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any, TextIO, cast

import duckdb
import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn, Extras, of_list
from ppaurora.parties.sources.columns.numbers import NumberFormat
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import Resolution, Scale, encode
from ppaurora.protocols.lists.tags import Side, of_side, side_of
from ppaurora.protocols.options import Options

PARQUET = (".parquet", ".pq")
FETCHED_ROWS = 100_000
LISTING = ("to_pylist", "to_list", "tolist")
LONGEST_FIELD = 1 << 24

MISSING_WORDS = (
    "",
    "na",
    "n/a",
    "#n/a",
    "nan",
    "+nan",
    "-nan",
    "null",
    "none",
    "missing",
    ".",
    "?",
)

Row = Sequence[object]


def plain_keys(
    given: Any,
    scores: Scores,
    columns: Columns,
    options: Options,
    extra: Extras = (),
    shared_key: bytes = b"",
) -> list[Words]:
    """The keys of one list, of its scores and of each `extra` column, in the order of its rows."""
    holds = given.holds if isinstance(given, Labelled) else columns.holds
    there = of_list(extra, options, holds)
    table = given if isinstance(given, Labelled) else read_plainly(given, scores, columns, there)

    def canonical(column: NDArray[np.float64]) -> NDArray[np.floating]:
        return _narrowed(_nearest(column, options.scale) if columns.round else column)

    known = np.asarray(table.scores)
    if table.holds == Side.LABELS.word:
        # any score will do: a key of such a list counts for its label only
        known = np.full(len(table), float(options.scale.low or 0))
    keys = [encode(canonical(known), table.labels, options.scale)]
    for one in extra:
        if one not in there:
            keys.append(np.zeros(len(table), np.uint64))
            continue
        own = () if one.is_label else one.columns
        values: dict[str, Any] = {name: table.extra[name] for name in own}
        if one.numeric and one.scale is None:
            values = {
                name: canonical(np.asarray(column, np.float64)) for name, column in values.items()
            }
        keys.append(one.keys_in(values, table.labels, options, shared_key))
    return of_side(keys, side_of(table.holds)) if options.least_join else keys


def _nearest(column: NDArray[np.float64], scale: Scale) -> NDArray[np.float64]:
    """Each score as the resolution has it: by the decimal digits of the double, one by one."""
    if scale.kind is Resolution.DECIMALS:
        unit = Decimal(1).scaleb(-scale.number)
        near = (Decimal(score).quantize(unit, ROUND_HALF_EVEN) for score in column.tolist())
        return np.array([float(one) for one in near])
    return column.astype(np.float32).astype(np.float64) if scale.single else column


def _narrowed(column: NDArray[np.float64]) -> NDArray[np.floating]:
    """The scores as float32 where all of them are, as a column of float32 has them."""
    with np.errstate(over="ignore"):
        single = column.astype(np.float32)
    return single if (single == column).all() else column


def plain_left_out(given: Any, scores: Scores, columns: Columns, extra: Extras = ()) -> int:
    """The number of rows without a score or a label that an owner left out."""
    if isinstance(given, Labelled) or not columns.drop_missing:
        return given.left_out if isinstance(given, Labelled) else 0
    numbers = [columns.own_name(name) for name, one in _named(extra).items() if one.numeric]
    names = (*_own_columns(columns, extra), *numbers)
    return sum(any(map(_missing, row)) for row in _rows_of(given, columns, names))


def read_plainly(given: Any, scores: Scores, columns: Columns, extra: Extras = ()) -> Labelled:
    """The list in a file, a folder of Parquet files, all files of a pattern, or a data frame."""
    values, labels = array("d"), array("B")
    named = _named(extra)
    others: dict[str, list[Any]] = {name: [] for name in named}
    called = str(given) if isinstance(given, Path | str) else "a data frame"
    names = (*_own_columns(columns, extra), *map(columns.own_name, named))
    try:
        for label, score, *more in _rows_of(given, columns, names):
            beside = dict(zip(named, more, strict=True))
            numbers = [value for name, value in beside.items() if named[name].numeric]
            if columns.drop_missing and any(map(_missing, (label, score, *numbers))):
                continue
            labelled = columns.holds != Side.SCORES.word
            scored = columns.holds != Side.LABELS.word
            values.append(_score(score, columns.number_format) if scored else 0.0)
            for name, value in beside.items():
                others[name].append(_beside(named[name], value, columns.number_format))
            labels.append(_class(label, columns.words(scores)) if labelled else 0)
    except (ValueError, LookupError, csv.Error) as error:
        raise LocalProtocolError(
            f"The owners' reader takes {called}, but the plain one does not "
            f"({type(error).__name__}): this is a bug",
            advice="Please report it with your command line.",
        ) from None
    return Labelled(
        np.array(values, np.float64),
        np.array(labels, np.uint8),
        extra={
            name: np.array(found, np.float64) if named[name].numeric else found
            for name, found in others.items()
        },
        holds=columns.holds,
    )


def _named(extra: Extras) -> dict[str, ExtraColumn]:
    """The columns beside score and label, and of which kind each is."""
    return {name: one for one in extra if not one.is_label for name in one.columns}


def _own_columns(columns: Columns, extra: Extras) -> tuple[str, str]:
    """The columns of the label, which the study may name, and of the score.

    One that a list has not is not read.
    """
    named = [columns.own_name(one.column) for one in extra if one.is_label]
    label = named[0] if named else columns.label
    if columns.holds == Side.SCORES.word:
        label = columns.score
    return label, label if columns.holds == Side.LABELS.word else columns.score


def _rows_of(given: Any, stated: Columns, columns: Sequence[str]) -> Iterator[Row]:
    """These columns of each row; a text is a pattern, whose files come in the order of names."""
    if isinstance(given, str):
        for one in sorted(glob.glob(given, recursive=True)):
            yield from _rows(Path(one), stated, columns)
    elif isinstance(given, Path):
        yield from _rows(given, stated, columns)
    else:
        yield from _of_frame(given, columns)


def _of_frame(frame: Any, columns: Sequence[str]) -> Iterator[Row]:
    """These columns of each row of a data frame: pandas, polars or pyarrow."""
    names = [*map(str, getattr(frame, "column_names", frame.columns))]
    columns_read = [frame[names[place]] for place in _places(names, columns)]
    listed = (
        getattr(one, next(way for way in LISTING if hasattr(one, way)))() for one in columns_read
    )
    yield from zip(*listed, strict=True)


def _rows(path: Path, stated: Columns, columns: Sequence[str]) -> Iterator[Row]:
    """These columns of each row."""
    if path.is_dir():
        for file in sorted(one for one in path.iterdir() if one.name[0] not in "_."):
            yield from _parquet_rows(file, columns)
    elif path.name.lower().endswith(PARQUET):
        yield from _parquet_rows(path, columns)
    else:
        yield from _text_rows(path, stated, columns)


def _text_rows(path: Path, stated: Columns, columns: Sequence[str]) -> Iterator[Row]:
    csv.field_size_limit(LONGEST_FIELD)
    with _opened(path, stated.encoding) as file:
        reader = csv.reader(file, delimiter=_delimiter(path, stated, columns))
        places = _places(next(reader, []), columns)
        for row in reader:
            if row:
                yield [row[place].strip() for place in places]


def _opened(path: Path, encoding: str) -> TextIO:
    opened = gzip.open if path.name.lower().endswith(".gz") else open
    encoding = "utf-8-sig" if encoding == "utf-8" else encoding
    return cast(TextIO, opened(path, "rt", newline="", encoding=encoding))


def _score(value: object, number_format: NumberFormat) -> float:
    """The double of a score, which may be a text that is written as stated."""
    if not isinstance(value, str) or not number_format.stated:
        return float(str(value))
    for mark in {"'": "'’", " ": " \u00a0\u202f"}.get(
        number_format.thousands, number_format.thousands
    ):
        value = value.replace(mark, "")
    number = Decimal(value.replace(number_format.mark, ".").rstrip("% \u00a0\u202f"))
    return float(number.scaleb(-2) if number_format.percent else number)


def _beside(one: ExtraColumn, value: object, number_format: NumberFormat) -> object:
    """The value of another column: a double, the text of a number, or a text."""
    if one.numeric:
        form = number_format if one.scale is None else replace(number_format, percent=False)
        return _score(value, form)
    if not one.decimals or not isinstance(value, str):
        return _text(value)
    for mark in number_format.thousands:
        value = value.replace(mark, "")
    return value.replace(number_format.mark, ".")


def _delimiter(path: Path, stated: Columns, columns: Sequence[str]) -> str:
    """The stated one, or else that which finds all columns in the header."""
    if stated.delimiter:
        return {"tab": "\t", "\\t": "\t"}.get(stated.delimiter, stated.delimiter)
    for one in ",;\t|":
        with _opened(path, stated.encoding) as file:
            names = next(csv.reader(file, delimiter=one), [])
        if set(map(_plain, columns)) <= set(map(_plain, names)):
            return one
    raise LookupError("no delimiter finds all columns")


def _parquet_rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    with (
        tempfile.TemporaryDirectory(prefix="ppaurora-") as folder,
        duckdb.connect(":memory:") as connection,
    ):
        link = Path(folder) / "list.parquet"
        link.symlink_to(path.resolve())
        rows = connection.execute(f"SELECT * FROM read_parquet('{link}')")
        names = [str(column[0]) for column in rows.description or ()]
        asked = ", ".join(f'"{names[place]}"' for place in _places(names, columns))
        rows = connection.execute(f"SELECT {asked} FROM read_parquet('{link}')")
        while fetched := rows.fetchmany(FETCHED_ROWS):
            yield from fetched


def _places(names: Sequence[str], columns: Sequence[str]) -> list[int]:
    plain = [_plain(name) for name in names]
    return [plain.index(_plain(column)) for column in columns]


def _plain(name: str) -> str:
    return name.strip().casefold()


def _text(value: object) -> str:
    """The text of a value; a point in time is a day at midnight."""
    return str(value)[:10] if isinstance(value, date) else str(value)


def _missing(value: object) -> bool:
    """Return whether there is nothing, or a word for it."""
    text = str(value).strip().casefold()
    return value is None or text in MISSING_WORDS or not text.strip("-")


def _class(label: object, scores: Scores) -> int:
    """1 for the positive label, 0 for the negative one."""
    words = (scores.negative.strip(), scores.positive.strip())
    if isinstance(label, bool) and str(label).lower() in map(str.lower, words):
        return [word.lower() for word in words].index(str(label).lower())
    text = str(int(label)) if isinstance(label, bool) else str(label).strip()
    if text in words:
        return words.index(text)
    return [_number(word) for word in words].index(float(text))


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None
