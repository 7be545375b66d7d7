"""Lists of scores only, or of labels only: every source reads one column and looks for no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.simulation.plain_reading import plain_keys
from ppaurora.parties.sources.glob_files import GlobFiles
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import file_source, source_of, study_data
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.lists.tags import sides
from ppaurora.protocols.options import Options

PEOPLE = ["p1", "p2", "p3"]
SCORES, LABELS = [7.5, 12.25, 20.0], [1, 0, 1]
OPTIONS = Options(least_join=1, range=(5, 20), metrics=("auroc",))
BY = JoinBy(column="id")
KEY = bytes(32)
HELD: dict[str, list[Any]] = {"scores": SCORES, "labels": LABELS}
COLUMN = {"scores": "score", "labels": "label"}

Written = Callable[[str, Path], Any]


def frame(holds: str) -> pd.DataFrame:
    return pd.DataFrame({"id": PEOPLE, COLUMN[holds]: HELD[holds]})


def text(holds: str, folder: Path) -> Path:
    path = folder / "list.csv"
    frame(holds).to_csv(path, index=False)
    return path


def parquet(holds: str, folder: Path) -> Path:
    path = folder / "list.parquet"
    with duckdb.connect(":memory:") as connection:
        connection.register("held", frame(holds))
        connection.sql("FROM held").write_parquet(str(path))
    return path


FORMS: dict[str, Written] = {
    "delimited text": text,
    "Parquet": parquet,
    "pandas": lambda holds, _: frame(holds),
    "pandas, true and false": lambda holds, _: (
        frame(holds) if holds == "scores" else frame(holds).astype({"label": bool})
    ),
    "polars": lambda holds, _: pl.DataFrame({"id": PEOPLE, COLUMN[holds]: HELD[holds]}),
    "polars, true and false": lambda holds, _: (
        pl.DataFrame(frame(holds).to_dict("list"))
        if holds == "scores"
        else pl.DataFrame({"id": PEOPLE, "label": [True, False, True]})
    ),
}


@pytest.mark.parametrize("holds", HELD)
@pytest.mark.parametrize("form", FORMS)
def test_every_source_reads_what_a_list_holds(holds: str, form: str, tmp_path: Path) -> None:
    given, columns = FORMS[form](holds, tmp_path), Columns(holds=holds)
    words = Scores(positive="True", negative="False") if "true" in form else Scores()
    table = study_data(source_of(given, columns), words, OPTIONS, (BY,))
    assert isinstance(table, Labelled)
    assert (len(table), table.holds, table.notes) == (3, holds, ())
    assert table.extra["id"] == PEOPLE
    held = table.scores if holds == "scores" else table.labels
    assert held.tolist() == HELD[holds]
    # what it does not hold is within the range, so that its key is one
    assert not table.labels.any() if holds == "scores" else set(table.scores.tolist()) == {5.0}
    if holds == "scores":
        assert not table.one_class


@pytest.mark.parametrize("holds", HELD)
@pytest.mark.parametrize("form", ["delimited text", "Parquet", "pandas", "polars"])
def test_the_plain_reader_makes_the_same_keys(holds: str, form: str, tmp_path: Path) -> None:
    given, columns = FORMS[form](holds, tmp_path), Columns(holds=holds)
    rows, tagged = plain_keys(given, Scores(), columns, OPTIONS, (BY,), KEY)
    found = encode(
        np.array(SCORES if holds == "scores" else [5.0] * 3),
        np.array(LABELS if holds == "labels" else [0] * 3, np.uint8),
        OPTIONS.scale,
    )
    assert rows.tolist() == found.tolist()
    assert set(sides(tagged).tolist()) == {0 if holds == "scores" else 1}


def test_a_list_in_memory_is_read_with_what_it_holds() -> None:
    scores = Labelled(SCORES, [], extra={"id": PEOPLE}, holds="scores")
    labels = Labelled([], LABELS, extra={"id": PEOPLE}, holds="labels")
    for one in (scores, labels):
        table = study_data(source_of(one), Scores(), OPTIONS, (BY,))
        assert isinstance(table, Labelled)
        assert table.holds == one.holds
        assert len(table) == 3
    with pytest.raises(DataError, match='holds "neither"'):
        Labelled(SCORES, LABELS, holds="neither")


def test_several_files_of_a_pattern_are_one_list(tmp_path: Path) -> None:
    for name, row in (("a", "p1,7.5"), ("b", "p2,9")):
        (tmp_path / f"{name}.csv").write_text(f"id,score\n{row}\n")
    source = GlobFiles(str(tmp_path / "*.csv"), Columns(holds="scores"))
    table = study_data(source, Scores(), OPTIONS, (BY,))
    assert isinstance(table, Labelled)
    assert (table.holds, table.scores.tolist()) == ("scores", [7.5, 9.0])


def test_faults_of_what_is_there_are_told_and_missing_rows_left_out_if_asked_for(
    tmp_path: Path,
) -> None:
    path = tmp_path / "list.csv"
    path.write_text("id,score\np1,7.5\np2,\np3,21\n")
    with pytest.raises(DataError, match="row 2"):
        study_data(file_source(path, Columns(holds="scores")), Scores(), OPTIONS, (BY,))
    path.write_text("id,label\np1,1\np2,\np3,0\n")
    source = file_source(path, Columns(holds="labels", drop_missing=True))
    table = study_data(source, Scores(), OPTIONS, (BY,))
    assert isinstance(table, Labelled)
    assert (table.labels.tolist(), table.extra["id"]) == ([1, 0], ["p1", "p3"])
    path.write_text("id,label\np1,1\np2,sick\n")
    with pytest.raises(DataError, match="row 2"):
        study_data(file_source(path, Columns(holds="labels")), Scores(), OPTIONS, (BY,))


def test_a_study_that_joins_nothing_refuses_such_a_list(tmp_path: Path) -> None:
    source = file_source(text("scores", tmp_path), Columns(holds="scores"))
    with pytest.raises(ConfigurationError, match=r"holds scores only.*joins no lists"):
        study_data(source, Scores(), Options())


def test_a_query_gives_the_same_list_as_the_file_that_it_reads(tmp_path: Path) -> None:
    file = text("scores", tmp_path)
    statement = "SELECT id, CAST(score AS DOUBLE) AS score FROM t"
    query = Query(statement, {"t": file}, Columns(holds="scores"))
    found = study_data(query, Scores(), OPTIONS, (BY,))
    wanted = study_data(file_source(file, Columns(holds="scores")), Scores(), OPTIONS, (BY,))
    assert isinstance(found, Labelled)
    assert isinstance(wanted, Labelled)
    assert found.extra["id"] == wanted.extra["id"]
    assert found.scores.tolist() == wanted.scores.tolist()
