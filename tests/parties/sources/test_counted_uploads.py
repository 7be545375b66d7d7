"""Counts that an engine makes give the upload that the list itself does, part by part."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

from ppaurora.bench.sources.own_postgres import OwnPostgres
from ppaurora.parties.errors import DataError
from ppaurora.parties.participant.upload_words import upload_words
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.database import DatabaseQuery
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.postgres import Postgres
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import source_of, study_data
from ppaurora.parties.sources.source import Columns, Source
from ppaurora.parties.sources.spark import Spark
from ppaurora.parties.study.study import Scores, Study
from tests.parties.sample import study
from tests.parties.sources.engines import postgres, spark
from tests.parties.sources.writing import parquet_file, text_file

__all__ = ["postgres", "spark"]

AT = "confusion:at=0.2/0.5"
ALL = ("auroc_ci", "average_precision", "brier", "log_loss", "calibration_slope", AT)
STUDIES: dict[str, dict[str, Any]] = {
    "validation of three decimals": {"analysis": "validation", "resolution": "decimals:3"},
    "all parts, lower": {"metrics": ALL, "resolution": "decimals:2", "direction": "lower"},
    "replicates": {"metrics": ("bootstrap:replicates=20,of=auroc",), "resolution": "decimals:2"},
    "rows left out": {"metrics": ("class_counts", "left_out"), "resolution": "decimals:1"},
    "a range of its own": {
        "metrics": ("auroc", "confusion:at=0/7.5"),
        "resolution": "decimals:1",
        "range": (-5, 20),
    },
    "nine decimals between thresholds": {"metrics": (AT,), "resolution": "decimals:9"},
    "any number between thresholds": {"metrics": ("ppv:at=-3.5/0.1",), "range": ("any",)},
    "bins of a range": {"metrics": ("auroc",), "resolution": "bins:7", "range": (0, 20)},
    "bins of powers": {"metrics": ("auroc",), "resolution": "bins:64", "direction": "lower"},
}
SECRET = bytes(range(16))
COLUMNS = Columns(drop_missing=True)


Make = Callable[[list[float | None], list[int]], Source]


def study_of(name: str) -> Study:
    return study(**{"metrics": (), **STUDIES[name]})


def drawn(of: Study, seed: int) -> tuple[list[float | None], list[int]]:
    """Scores that fit, ends and neighbours of thresholds among them, some missing; and labels."""
    rng = np.random.default_rng(seed)
    scale = of.options.scale
    low, high = (float(end) for end in scale.ends) if scale.bounded else (-9.0, 9.0)
    scores = np.concatenate([[low, high, 0.0, 0.2, 0.5], rng.uniform(low, high, 60)])
    scores = np.clip(scale.nearest(scores), low, high)
    scores = rng.permutation(np.concatenate([scores, rng.choice(scores, 20)]))
    given: list[float | None] = [*scores.tolist(), None, None]
    return given, rng.integers(0, 2, len(given)).tolist()


def words(of: Study, table: Labelled | Counted) -> list[int]:
    found, _ = upload_words(of, table, None, SECRET)
    return list(map(int, found.tolist()))


def check(
    name: str, make: Callable[[list[float | None], list[int]], Source], seed: int = 5
) -> None:
    of = study_of(name)
    scores, labels = drawn(of, seed)
    source = make(scores, labels)
    counted = study_data(source, Scores(), of.options)
    assert isinstance(counted, Counted)
    listed = source.read(Scores(), of.options.scale)
    assert (listed.left_out, counted.left_out) == (2, 2)
    assert len(counted) == len(listed) == len(scores) - 2
    assert words(of, counted) == words(of, listed)


def in_sqlite(scores: list[float | None], labels: list[int]) -> DatabaseQuery:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE list (score REAL, label INTEGER)")
    connection.executemany("INSERT INTO list VALUES (?, ?)", zip(scores, labels, strict=True))
    return DatabaseQuery(connection, "SELECT score, label FROM list", COLUMNS)


@pytest.fixture
def makers(tmp_path: Path) -> dict[str, Make]:
    def rows(scores: list[float | None], labels: list[int]) -> str:
        lines = (
            f"{'' if score is None else repr(score)},{label}\n"
            for score, label in zip(scores, labels, strict=True)
        )
        return "score,label\n" + "".join(lines)

    def query(scores: list[float | None], labels: list[int]) -> Source:
        path = text_file(tmp_path, rows(scores, labels))
        text = "SELECT CAST(score AS DOUBLE) AS score, label FROM list"
        return Query(text, {"list": path}, COLUMNS)

    def parquet(scores: list[float | None], labels: list[int]) -> Source:
        path = text_file(tmp_path, rows(scores, labels))
        made = f"SELECT CAST(score AS DOUBLE) AS score, label FROM read_csv('{path}')"
        return source_of(parquet_file(tmp_path, made), COLUMNS)

    def frame(scores: list[float | None], labels: list[int]) -> Source:
        return source_of(polars.DataFrame({"score": scores, "label": labels}), COLUMNS)

    return {"DuckDB": query, "Parquet": parquet, "polars": frame, "SQLite": in_sqlite}


@pytest.mark.parametrize("name", STUDIES)
def test_counts_make_the_upload_of_the_list(name: str, makers: dict[str, Make]) -> None:
    for make in makers.values():
        check(name, make)


def in_postgres(postgres: OwnPostgres, scores: list[float | None], labels: list[int]) -> Postgres:
    values = ", ".join(
        f"({'NULL' if score is None else repr(score)}::float8, {label})"
        for score, label in zip(scores, labels, strict=True)
    )
    query = f"SELECT score, label FROM (VALUES {values}) AS list(score, label)"
    return Postgres(postgres.address, query, COLUMNS)


@pytest.mark.engines
@pytest.mark.parametrize("name", STUDIES)
def test_postgres_makes_it_too(postgres: OwnPostgres, name: str) -> None:
    check(name, lambda scores, labels: in_postgres(postgres, scores, labels))


@pytest.mark.engines
@pytest.mark.parametrize("name", STUDIES)
def test_spark_makes_it_too(spark: Any, name: str) -> None:
    def make(scores: list[float | None], labels: list[int]) -> Spark:
        rows = [*zip(scores, labels, strict=True)]
        return Spark(spark.createDataFrame(rows, "score DOUBLE, label INT"), COLUMNS)

    check(name, make)


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT", "DECIMAL(9, 4)"])
def test_every_score_of_four_decimals_is_counted_by_itself(kind: str) -> None:
    of = study(metrics=("auroc",), resolution="decimals:4", table="counted")
    query = (
        f"SELECT CAST(i / 10000.0 AS {kind}) AS score, i % 2 AS label FROM range(0, 10001) AS t(i)"
    )
    counted = study_data(Query(query), Scores(), of.options)
    assert isinstance(counted, Counted)
    assert (counted.positives + counted.negatives).tolist() == [1] * 10_001
    assert counted.positives.tolist() == [i % 2 for i in range(10_001)]


@pytest.mark.parametrize(
    ("score", "told"),
    [
        ("CAST(0.12345 AS DOUBLE)", "a number with more than 4 decimals in 1 row"),
        ("CAST(0.12345 AS FLOAT)", "a number with more than 4 decimals in 1 row"),
        ("0.12345", "a number with more than 4 decimals in 1 row"),
        ("CAST(1.0001 AS DOUBLE)", "a number that is not a score between 0 and 1 in 1 row"),
        ("nextafter(CAST(0.5 AS DOUBLE), 1)", "with more than 4 decimals"),
    ],
)
def test_scores_that_do_not_fit_are_refused_with_their_number(score: str, told: str) -> None:
    of = study(metrics=("auroc",), resolution="decimals:4", table="counted")
    query = f"SELECT {score} AS score, 1 AS label"
    with pytest.raises(DataError, match=told):
        study_data(Query(query), Scores(), of.options)
    with pytest.raises(DataError, match=r"decimals|between"):
        Query(query).read(Scores(), of.options.scale)


def test_a_million_rows_make_a_validation_in_one_pass() -> None:
    of = study_of("validation of three decimals")
    query = (
        "SELECT CAST(i % 1001 AS DOUBLE) / 1000 AS score, i % 3 = 0 AS label "
        "FROM range(0, 1000000) AS t(i)"
    )
    source = Query(query, columns=Columns(positive="true", negative="false"))
    counted = study_data(source, Scores(), of.options)
    assert isinstance(counted, Counted)
    assert len(counted) == 1_000_000
    small = Labelled([k / 1000 for k in range(1001)], [0] * 1001)
    assert len(words(of, counted)) == len(words(of, small))


def test_rounding_and_float32_need_the_rows() -> None:
    of = study(metrics=("auroc",), resolution="decimals:1", table="counted")
    source = Query("SELECT 0.25 AS score, 1 AS label", columns=Columns(round=True))
    assert isinstance(study_data(source, Scores(), of.options), Labelled)
    single = study(metrics=(AT,), resolution="float32")
    assert single.options.pipeline.counting_grid is None
