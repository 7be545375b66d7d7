"""Queries whose rows are kept: identifiers stand beside the scores of their own rows."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import numpy as np
import pytest

from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.sources.database import DatabaseQuery
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import study_data
from ppaurora.parties.sources.source import Columns, Source
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.options import Options

ROWS = 300
BY_CHANCE = "SELECT id, score, label FROM list ORDER BY random()"
"""A query that gives its rows in another order each time."""


def sources(folder: Path, columns: Columns) -> dict[str, Source]:
    file = folder / "list.csv"
    lines = [f"p{row},{row / ROWS},{row % 2}" for row in range(ROWS)]
    file.write_text("\n".join(["id,score,label", *lines]) + "\n", encoding="utf-8")
    cast = BY_CHANCE.replace("score", "CAST(score AS DOUBLE) AS score")
    in_sqlite = sqlite3.connect(":memory:")
    in_duckdb = duckdb.connect(":memory:")
    for one in (in_sqlite, in_duckdb):
        one.execute("CREATE TABLE list (id VARCHAR, score DOUBLE, label INTEGER)")
        values = [(f"p{row}", row / ROWS, row % 2) for row in range(ROWS)]
        one.executemany("INSERT INTO list VALUES (?, ?, ?)", values)
    return {
        "a query": Query(cast, {"list": file}, columns),
        "sqlite3": DatabaseQuery(in_sqlite, BY_CHANCE, columns),
        "duckdb": DatabaseQuery(in_duckdb, BY_CHANCE, columns),
    }


ENGINES = ("a query", "sqlite3", "duckdb")
each = pytest.mark.parametrize("engine", ENGINES)


@each
@pytest.mark.parametrize("holds", ["scores", "labels", "both"])
def test_tags_are_of_the_rows_that_have_the_scores_and_labels(
    tmp_path: Path, engine: str, holds: str
) -> None:
    source = sources(tmp_path, Columns(holds=holds))[engine]
    options = Options(metrics=("auroc",), least_join=5)
    table = study_data(source, Scores(), options, (JoinBy(column="id"),))
    assert isinstance(table, Labelled)
    rows = np.array([int(text[1:]) for text in table.extra["id"]])
    assert sorted(rows.tolist()) == [*range(ROWS)]
    if holds != "labels":
        assert table.scores.tolist() == (rows / ROWS).tolist()
    if holds != "scores":
        assert table.labels.tolist() == (rows % 2).tolist()


@each
def test_folds_and_groups_come_from_a_query_as_well(tmp_path: Path, engine: str) -> None:
    source = sources(tmp_path, Columns())[engine]
    folded = study_data(
        source, Scores(), Options(metrics=("auroc_folds",), folds=3), (FoldBy(column="id"),)
    )
    assert isinstance(folded, Labelled)
    assert [int(text[1:]) / ROWS for text in folded.extra["id"]] == folded.scores.tolist()
    grouped = study_data(
        sources(tmp_path, Columns())[engine],
        Scores(),
        Options(metrics=("auroc",), groups=("p1", "p2")),
        (GroupBy(column="id"),),
    )
    assert isinstance(grouped, Labelled)
    assert [int(text[1:]) / ROWS for text in grouped.extra["id"]] == grouped.scores.tolist()


@each
def test_texts_of_a_query_are_those_of_a_file(tmp_path: Path, engine: str) -> None:
    source = sources(tmp_path, Columns(renamed=("patient=id",)))[engine]
    assert sorted(source.texts("patient")) == sorted(f"p{row}" for row in range(ROWS))
