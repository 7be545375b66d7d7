"""Reading an owner's list of scores and labels: CSV, Parquet, or a SQL query over such files.

DuckDB reads; nothing is guessed about direction, classes or numbers. What cannot be used is
refused with row and column. No message repeats a score or a label, not even a faulty one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

from ppaurora.parties.errors import DataError
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.errors import Fault

__all__ = ["Labelled", "Source", "read"]

DELIMITERS = ",;\t|"
EXACT_TYPES = {"DOUBLE", "FLOAT", "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT"}
EXACT_TYPES |= {"UINTEGER", "VARCHAR"}
WHOLE_TYPES = {"BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT"}
EXACT_WHOLE = 2**53


@dataclass(frozen=True, slots=True)
class Source:
    """Where the list is, and which columns hold it."""

    path: Path | None = None
    sql: str = ""
    score: str = "score"
    label: str = "label"

    @property
    def name(self) -> str:
        return str(self.path) if self.path is not None else "the query"


@dataclass(frozen=True, slots=True, repr=False)
class Labelled:
    """Scores and labels (1 = positive) in the order of the source."""

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        return f"<Labelled, {len(self)} samples>"

    @property
    def one_class(self) -> bool:
        """Whether a class is missing."""
        return len(self) > 0 and (not self.labels.any() or bool(self.labels.all()))


def read(source: Source, scores: Scores) -> Labelled:
    """The list in `source`, read as the study's `scores` table says."""
    with _connect() as connection:
        table = _table_text(source)
        types = _column_types(connection, table, source)
        score = _column(source.score, types, source)
        label = _column(source.label, types, source)
        _check_type(types[score], score, source)
        query = (
            f"SELECT {_number(score, types[score])} AS score, "
            f"{_class(label, types[label], scores)} AS label, "
            f"{_quoted(score)} IS NULL AS empty, {_quoted(label)} IS NULL AS unlabelled "
            f"FROM {table}"
        )
        columns = _run(connection, query, source).fetchnumpy()
    _refuse_rows(_flags(columns["empty"]), "no score", score, source)
    values = columns["score"]
    _refuse_rows(np.ma.getmaskarray(values), "a score that is no number", score, source)
    _refuse_rows(_flags(columns["unlabelled"]), "no label", label, source)
    classes = np.ma.filled(columns["label"], 2)
    _refuse_rows(
        classes == 2,
        "a label that is neither of the study's two classes",
        label,
        source,
        "The study says under [scores] which word or number is positive and which is negative.",
    )
    plain = np.ascontiguousarray(np.ma.getdata(values), dtype=np.float64)
    if types[score] in WHOLE_TYPES:
        _refuse_rows(
            np.abs(plain) >= EXACT_WHOLE,
            "a whole number too large to be kept exactly (2^53 or more)",
            score,
            source,
        )
    return Labelled(plain, classes.astype(np.uint8))


def _connect() -> duckdb.DuckDBPyConnection:
    """A connection that reads local files and loads nothing from anywhere else."""
    return duckdb.connect(
        ":memory:",
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"},
    )


def _table_text(source: Source) -> str:
    if source.path is None:
        return f"({source.sql.strip().rstrip(';')})"
    if not source.path.is_file():
        raise DataError(
            f"There is no file {source.path}", advice="Check the path, and that you may read it."
        )
    path = str(source.path).replace("'", "''")
    if source.path.suffix.lower() in (".parquet", ".pq"):
        return f"read_parquet('{path}')"
    start = _first_bytes(source.path).lstrip(b"\xef\xbb\xbf")
    if not start.strip():
        raise DataError(f"{source.path} is empty", advice="Give the file that holds your list.")
    if b"\0" in start:
        raise DataError(
            f"{source.path} is not a text file",
            advice="Give a CSV file, or a Parquet file whose name ends in .parquet.",
        )
    first_line = start.splitlines()[0].decode("utf-8", "replace")
    delimiter = max(DELIMITERS, key=first_line.count)
    return (
        f"read_csv('{path}', all_varchar = true, header = true, skip = 0, "
        f"delim = '{delimiter}', quote = '\"')"
    )


def _first_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError:
        raise DataError(f"{path} cannot be read", advice="Check its permissions.") from None


def _column_types(
    connection: duckdb.DuckDBPyConnection, table: str, source: Source
) -> dict[str, str]:
    rows = _run(connection, f"DESCRIBE SELECT * FROM {table}", source).fetchall()
    return {str(row[0]): str(row[1]) for row in rows}


def _run(
    connection: duckdb.DuckDBPyConnection, query: str, source: Source
) -> duckdb.DuckDBPyConnection:
    """Run a query; DuckDB's own words are shown only where they cannot repeat a value."""
    try:
        return connection.execute(query)
    except (duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException) as error:
        first = (
            str(error).splitlines()[0].rstrip("!.")
            if source.sql
            else "its layout is not understood"
        )
        raise DataError(
            f"{source.name} cannot be read: {first}", advice="Correct the query or the file."
        ) from None
    except duckdb.Error as error:
        line = re.search(r"CSV Error on Line: (\d+)", str(error))
        where = f" at line {line.group(1)}" if line else ""
        raise DataError(
            f"{source.name} cannot be read{where}: it is not a well-formed table",
            advice="Check that it is a CSV or Parquet file, with the same columns in every row.",
        ) from None


def _column(name: str, types: dict[str, str], source: Source) -> str:
    if name in types:
        return name
    alike = [known for known in types if known.strip().lower() == name.strip().lower()]
    if len(alike) == 1:
        return alike[0]
    if any(_is_number(known) for known in types):
        raise DataError(
            f"{source.name} has no header: its first line holds numbers",
            advice="Put a first line with the columns' names, for example: score,label",
        )
    listing = ", ".join(types) if len(types) <= 20 else f"{len(types)} others"
    raise DataError(
        f'{source.name} has no column "{name}"; it has: {listing}',
        advice="Name the right ones with --score COLUMN and --label COLUMN.",
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_type(kind: str, column: str, source: Source) -> None:
    if kind not in EXACT_TYPES | WHOLE_TYPES and not kind.startswith("DECIMAL"):
        raise DataError(
            f'{source.name}, column "{column}": {kind} values are no scores',
            advice="Name the column that holds the scores with --score COLUMN.",
        )


def _number(column: str, kind: str) -> str:
    """The score as the nearest double; decimals go through text, which is rounded only once."""
    text = f"CAST({_quoted(column)} AS VARCHAR)"
    return f"TRY_CAST({text if kind.startswith('DECIMAL') else _quoted(column)} AS DOUBLE)"


def _class(column: str, kind: str, scores: Scores) -> str:
    """1 for the positive label, 0 for the negative one, NULL or 2 for anything else."""
    value = f"CAST({_quoted(column)} AS INTEGER)" if kind == "BOOLEAN" else _quoted(column)
    branches = [
        f"WHEN {_equals(value, word)} THEN {code}"
        for word, code in ((scores.positive, 1), (scores.negative, 0))
    ]
    if kind == "BOOLEAN":
        branches += [
            f"WHEN CAST({_quoted(column)} AS VARCHAR) = {_literal(word.lower())} THEN {code}"
            for word, code in ((scores.positive, 1), (scores.negative, 0))
        ]
    return f"CASE {' '.join(branches)} ELSE 2 END"


def _equals(value: str, word: str) -> str:
    """Equal as text, or as numbers where the study's word is a number (1, 1.0 and "1")."""
    equal = f"trim(CAST({value} AS VARCHAR)) = {_literal(word)}"
    if not _is_number(word):
        return equal
    return f"({equal} OR TRY_CAST({value} AS DOUBLE) = {float(word)!r})"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _flags(column: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.ma.filled(column, True).astype(np.bool_)


def _refuse_rows(
    faulty: NDArray[np.bool_], what: str, column: str, source: Source, advice: str = ""
) -> None:
    """Raise for the rows that are marked, by their number below the header."""
    fault = Fault.found(column, what, faulty)
    if fault is None:
        return
    raise DataError(
        f'{source.name}, column "{column}": {what} in {fault.where} (counted below the header)',
        advice=advice or "Correct or remove what is faulty there, then try again.",
    )
