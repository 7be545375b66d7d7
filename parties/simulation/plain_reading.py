"""The lists of a simulation once more, read by plainer means than the owners': for the pooled side.

A fault of the owners' reader then shows as a difference between the private and the pooled values.
Texts go through Python's `csv` and `float`, one row after the other. A Parquet file is opened under
a name of our own, so that nothing in its path can matter, and leaves DuckDB as Python objects. What
is faulty has been refused by the owners' reader before; this one only reads.
"""

from __future__ import annotations

import csv
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.words import Words
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import UNIT, Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.encoding import encode

__all__ = ["plain_identifiers", "plain_keys", "read_plainly"]

PARQUET = (".parquet", ".pq")
FETCHED_ROWS = 100_000
LONGEST_FIELD = 1 << 24

Row = Sequence[object]


def plain_keys(
    given: Labelled | Path, scores: Scores, columns: Columns, code: str = UNIT
) -> list[Words]:
    """The keys of one list, a column for each score, in the order of its rows."""
    table = given if isinstance(given, Labelled) else read_plainly(given, scores, columns)
    return [
        encode(column, table.labels, code=code, direction=scores.direction)
        for column in table.columns
    ]


def plain_identifiers(given: Labelled | Path, columns: Columns, column: str) -> list[str]:
    """The identifiers by which the rows come into folds, in the order of the rows."""
    if isinstance(given, Labelled):
        return [str(one) for one in given.identifiers or ()]
    return [str(one) for (one,) in _rows(given, columns.delimiter, (column,))]


def read_plainly(path: Path, scores: Scores, columns: Columns) -> Labelled:
    """The list in a file or a folder of Parquet files."""
    values, labels, against = array("d"), array("B"), array("d")
    second = columns.against or scores.against
    names = (columns.label, columns.score, *([second] if second else []))
    try:
        for label, score, *others in _rows(path, columns.delimiter, names):
            values.append(float(str(score)))
            against.extend(float(str(other)) for other in others)
            labels.append(_class(label, scores))
    except (ValueError, LookupError, csv.Error) as error:
        raise LocalProtocolError(
            f"The owners' reader takes {path}, but the plain one does not "
            f"({type(error).__name__}): this is a bug",
            advice="Please report it with your command line.",
        ) from None
    return Labelled(
        np.array(values, np.float64),
        np.array(labels, np.uint8),
        against=np.array(against, np.float64) if second else None,
    )


def _rows(path: Path, delimiter: str, columns: Sequence[str]) -> Iterator[Row]:
    """These columns of each row."""
    if path.is_dir():
        for file in sorted(one for one in path.iterdir() if one.name[0] not in "_."):
            yield from _parquet_rows(file, columns)
    elif path.name.lower().endswith(PARQUET):
        yield from _parquet_rows(path, columns)
    else:
        yield from _text_rows(path, delimiter, columns)


def _text_rows(path: Path, delimiter: str, columns: Sequence[str]) -> Iterator[Row]:
    csv.field_size_limit(LONGEST_FIELD)
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, delimiter=_delimiter(path, delimiter, columns))
        places = _places(next(reader, []), columns)
        for row in reader:
            if row:
                yield [row[place].strip() for place in places]


def _delimiter(path: Path, stated: str, columns: Sequence[str]) -> str:
    """The stated one, or else that which finds all columns in the header."""
    if stated:
        return {"tab": "\t", "\\t": "\t"}.get(stated, stated)
    for one in ",;\t|":
        with path.open(newline="", encoding="utf-8-sig") as file:
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
