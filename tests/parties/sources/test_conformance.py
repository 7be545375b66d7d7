"""Every source that needs no server gives the same list of the same awkward rows, or refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from ppaurora.parties.sources.database import DatabaseQuery
from ppaurora.parties.sources.frame import Frame
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import source_of
from ppaurora.parties.sources.source import Source
from tests.parties.sources.awkward import NUMBERS, ROWS, TABLES, Table, hold, tables
from tests.parties.sources.writing import text_file


def text(table: Table, folder: Path) -> Path:
    """The rows as CSV, numbers with all their digits."""

    def field(cell: Any) -> str:
        if cell is None:
            return ""
        if isinstance(cell, bool):
            return str(cell).lower()
        return repr(cell) if isinstance(cell, float) else str(cell)

    rows = zip(table.scores, table.labels, strict=True)
    lines = "".join(f"{field(score)},{field(label)}\n" for score, label in rows)
    return text_file(folder, "score,label\n" + lines)


def parquet(table: Table, folder: Path, name: str = "list.parquet") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    with duckdb.connect(":memory:") as connection:
        connection.register("awkward", table.arrow)
        connection.sql("FROM awkward").write_parquet(str(path))
    return path


def parquet_folder(table: Table, folder: Path) -> Path:
    """The rows in two files."""
    for name, rows in (("a", slice(0, ROWS // 2)), ("b", slice(ROWS // 2, None))):
        part = Table("", table.scores[rows], table.labels[rows], decimal=table.decimal)
        parquet(part, folder / "list", f"{name}.parquet")
    return folder / "list"


def pandas(table: Table, folder: Path) -> pd.DataFrame:
    """A frame whose columns have gaps only where they are objects."""
    gaps = None in table.scores or table.decimal
    scores = pd.Series(table.scores, dtype=object if gaps else np.float64)
    return pd.DataFrame({"score": scores, "label": table.labels})


FORMS: dict[str, Callable[[Table, Path], Any]] = {
    "delimited text": text,
    "Parquet": parquet,
    "query over Parquet": lambda table, folder: Query(
        "SELECT * FROM t", {"t": parquet(table, folder)}
    ),
    "query over text": lambda table, folder: Query("SELECT * FROM t", {"t": text(table, folder)}),
    "pandas": pandas,
    "pandas, by Arrow": lambda table, folder: table.arrow.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda table, folder: pl.from_arrow(table.arrow),
    "pyarrow": lambda table, folder: table.arrow,
    "an Arrow stream": lambda table, folder: table.arrow.to_reader(),
}


@tables
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_the_same_list_or_the_same_refusal(
    table: Table, form: Callable[[Table, Path], Any], tmp_path: Path
) -> None:
    hold(table, lambda rows: source_of(form(rows, tmp_path)))


@pytest.mark.parametrize(
    "table", [one for one in TABLES if not one.faults], ids=lambda one: one.name
)
def test_the_same_list_from_arrays(table: Table) -> None:
    sound = table.sound

    def made(_: Table) -> Source:
        scores = np.array([float(score) for score, _ in sound])
        return source_of(Labelled(scores, np.array([label for _, label in sound])))

    hold(table, made)


@tables
def test_the_same_list_or_refusal_over_a_connection(table: Table) -> None:
    with duckdb.connect(":memory:") as connection:
        connection.register("given", table.arrow)
        connection.execute("CREATE TABLE awkward AS FROM given")
        hold(table, lambda _: DatabaseQuery(connection, "SELECT score, label FROM awkward"))


def test_a_folder_of_files_is_one_list(tmp_path: Path) -> None:
    hold(TABLES[0], lambda table: source_of(parquet_folder(table, tmp_path)))


def test_what_a_study_does_not_name_is_no_class() -> None:
    words = TABLES[0]
    with pytest.raises(Exception, match="such labels here: sick, well"):
        Frame(words.arrow).read(NUMBERS)
