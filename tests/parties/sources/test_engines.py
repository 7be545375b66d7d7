"""PostgreSQL and Spark themselves: the awkward rows, what is refused, and that nothing changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ppaurora.bench.sources.own_postgres import OwnPostgres
from ppaurora.bench.sources.rows import counted_by_numpy, select
from ppaurora.bench.sources.task import digest
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.database import DatabaseQuery
from ppaurora.parties.sources.postgres import Postgres
from ppaurora.parties.sources.reader import read, source_of
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.sources.spark import Spark
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Bins
from tests.parties.sources.awkward import GRID, NUMBERS, TABLES, Table, hold, tables
from tests.parties.sources.engines import postgres, spark
from tests.parties.sources.test_conformance import parquet
from tests.parties.sources.writing import CANARY, refused, rows
from tests.parties.world import World

__all__ = ["postgres", "spark"]

pytestmark = pytest.mark.engines
TYPES = {str: "text", int: "integer", bool: "boolean"}
SELECT = "SELECT score, label FROM {}"


@pytest.fixture(scope="module")
def connection(postgres: OwnPostgres) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(postgres.address, autocommit=True) as made:
        for table in TABLES:
            label = next(type(one) for one in table.labels if one is not None)
            score = "numeric" if table.decimal else "double precision"
            name = stored(table)
            made.execute(f"CREATE TABLE {name} (score {score}, label {TYPES[label]})")
            with made.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for row in zip(table.scores, table.labels, strict=True):
                    copy.write_row(row)
        yield made


def stored(table: Table) -> str:
    """The name of the table in a database."""
    return table.name.replace(" ", "_")


@tables
def test_postgres_gives_the_same_list_or_refusal(
    postgres: OwnPostgres, connection: object, table: Table
) -> None:
    hold(table, lambda one: Postgres(postgres.address, SELECT.format(stored(one))))


@tables
def test_a_connection_of_another_driver_does_so_too(
    connection: psycopg.Connection[Any], table: Table
) -> None:
    hold(table, lambda one: DatabaseQuery(connection, SELECT.format(stored(one))))


@tables
def test_spark_gives_the_same_list_or_refusal(spark: Any, table: Table, tmp_path: Path) -> None:
    path = parquet(table, tmp_path)
    hold(table, lambda _: source_of(spark.read.parquet(str(path))))


def test_the_engines_count_generated_rows_alike(postgres: OwnPostgres, spark: Any) -> None:
    numbered = "generate_series(0::bigint, 49999) AS numbered(i)"
    in_postgres = Postgres(postgres.address, select(numbered, "DOUBLE PRECISION"))
    in_spark = Spark(spark.sql(select("(SELECT id AS i FROM range(50000)) AS numbered")))
    wanted = digest(counted_by_numpy(50000, GRID))
    assert digest(in_postgres.count(NUMBERS, GRID)) == wanted
    assert digest(in_spark.count(NUMBERS, GRID)) == wanted


def test_a_query_of_postgres_changes_nothing(
    postgres: OwnPostgres, connection: psycopg.Connection[Any]
) -> None:
    connection.execute("CREATE SEQUENCE counter")
    query = "SELECT 0.5 AS score, nextval('counter')::int AS label"
    refused(Postgres(postgres.address, query))
    off = "SELECT 0.5 AS score, set_config('transaction_read_only', 'off', true) AS label"
    refused(Postgres(postgres.address, off))
    assert connection.execute("SELECT nextval('counter')").fetchone() == (1,)
    for text in ("DROP SEQUENCE counter", "SELECT 1; DROP SEQUENCE counter"):
        refused(Postgres(postgres.address, text), error=ConfigurationError)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT risk FROM doubles_and_words", 'column "risk" does not exist'),
        ("SELECT score FROM doubles_and_words", 'has no column "label"; it has: score'),
        ("SELECT score, score AS label, label FROM doubles_and_words", "more than once"),
        (f"SELECT '{CANARY}x'::float8 AS score, 1 AS label", "it says DataError 22P02"),
        ("SELECT 1 / (x - 2)::float8 AS score, 1 AS label FROM generate_series(1, 3) x", ""),
        ("SELECT now() AS score, 1 AS label", "values are no scores"),
    ],
)
def test_a_wrong_query_is_told_without_a_value(
    postgres: OwnPostgres, connection: object, query: str, told: str
) -> None:
    assert told in refused(Postgres(postgres.address, query))


def test_texts_are_not_counted_as_numbers(postgres: OwnPostgres) -> None:
    query = "SELECT '0.5'::text AS score, 1 AS label"
    assert rows(read(Postgres(postgres.address, query), scores=NUMBERS)) == [(0.5, 1)]
    with pytest.raises(DataError, match="cast them to numbers"):
        Postgres(postgres.address, query).count(NUMBERS, GRID)


def test_columns_and_second_scores_are_named(postgres: OwnPostgres) -> None:
    query = 'SELECT 0.5 AS "The Risk", 0.25 AS rival, true AS outcome, now() AS more;'
    given = Postgres(postgres.address, query, Columns("the risk", "outcome"))
    table = read(given, extra=["rival"])
    assert rows(table) == [(0.5, 1)]
    assert [*table.extra["rival"]] == [0.25]


def test_a_wrong_password_or_server_is_told_without_the_password(
    postgres: OwnPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = Postgres(postgres.address, "SELECT 0.5 AS score, 1 AS label")
    assert postgres.password not in repr(given)
    monkeypatch.setitem(os.environ, "PGPASSWORD", CANARY)
    told = refused(given)
    assert "cannot be reached: connection to server on socket" in told
    assert "password authentication failed" in told
    told = refused(Postgres("postgresql://owner@127.0.0.1:9/name", "SELECT 1"))
    assert "postgresql://owner@127.0.0.1:9/name cannot be reached" in told


@pytest.mark.zeromq
def test_the_command_line_takes_a_query_of_postgres(postgres: OwnPostgres, tmp_path: Path) -> None:
    query = "SELECT x / 50.0 AS score, x % 2 AS label FROM generate_series(0, 49) AS t(x)"
    with World(tmp_path) as world:
        done = world.run(
            "outsource", "--check-only", "--site=ann.toml",
            f"--database={postgres.address}", f"--sql={query}",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "reading postgresql://owner@/postgres (a query in PostgreSQL)" in done.stderr
    assert "your list has 50 samples" in done.stderr
    assert postgres.password not in done.stderr + done.stdout


def test_a_query_of_spark_leaves_its_session_as_it_was(spark: Any) -> None:
    frame = spark.sql("SELECT 0.5D AS `a.score`, 'sick' AS `the ``label`")
    given = Spark(frame, Columns("a.score", "the `label"))
    words = Scores(positive="sick", negative="well")
    assert rows(read(given, scores=words)) == [(0.5, 1)]
    assert given.count(words, Bins(2)).positives.tolist() == [0, 1]
    assert spark.catalog.listTables() == []


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT '1.0d' AS score, 1 AS label", "string values are no scores that Spark can count"),
        ("SELECT CAST(id AS DOUBLE) / 9 AS score, id AS label FROM range(1000)", "more than 16"),
        ("SELECT 0.5D AS score, raise_error('0.73100981') AS label", "cannot be run"),
    ],
)
def test_what_spark_cannot_count_is_told(spark: Any, query: str, told: str) -> None:
    with pytest.raises(DataError) as caught:
        Spark(spark.sql(query)).count(NUMBERS, Bins(2))
    assert told in str(caught.value)
    assert CANARY not in str(caught.value)
