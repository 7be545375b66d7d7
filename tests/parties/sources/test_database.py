"""A query over a connection of PEP 249: here sqlite3, whose columns have no types at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import duckdb
import pytest

import tests
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.sources.database import DatabaseQuery
from ppaurora.parties.sources.reader import read, source_of
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Bins
from tests.parties.sources.writing import CANARY, refused, rows

LIST = [(0.5, 1), (0.25, 0), (0.0, 1), (1.0, 1), (5e-324, 0)]
SELECT = "SELECT * FROM t ORDER BY place"


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(":memory:")
    made.execute("CREATE TABLE t (place INTEGER, score, label)")
    yield made
    made.close()


def filled(connection: sqlite3.Connection, listed: list[tuple[Any, Any]]) -> DatabaseQuery:
    lines = [(place, *row) for place, row in enumerate(listed)]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", lines)
    connection.commit()
    return DatabaseQuery(connection, SELECT)


def refused_twice(database: DatabaseQuery) -> tuple[str, str]:
    """The refusals of the list and of its counts."""
    with pytest.raises(DataError) as caught:
        database.count(Scores(), Bins(4))
    assert CANARY not in str(caught.value)
    return refused(database), str(caught.value)


def test_the_list_and_its_counts(connection: sqlite3.Connection) -> None:
    database = filled(connection, LIST)
    assert source_of(database) is database
    assert rows(read(database)) == LIST
    counted = database.count(Scores(), Bins(4))
    assert (counted.positives.tolist(), counted.negatives.tolist()) == ([1, 0, 1, 1], [1, 1, 0, 0])


def test_where_lower_scores_are_positive_an_edge_belongs_to_the_bin_below(
    connection: sqlite3.Connection,
) -> None:
    at = [0.0, 0.25, 0.5, 0.75, 1.0]
    above = [0.25000000000000006, 0.5000000000000001]
    database = filled(connection, [*((score, 1) for score in at), *((score, 0) for score in above)])
    counted = database.count(Scores(), Bins(4, direction="lower"))
    assert (counted.positives.tolist(), counted.negatives.tolist()) == ([2, 1, 1, 1], [0, 1, 1, 0])


def test_labels_may_be_words_and_columns_are_named(connection: sqlite3.Connection) -> None:
    filled(connection, [(0.5, "sick"), (0.25, " well ")])
    query = 'SELECT score AS "Risk, now", label AS outcome FROM t'
    database = DatabaseQuery(connection, query, Columns("risk, now", "Outcome"))
    words = Scores(positive="sick", negative="well")
    assert rows(read(database, scores=words)) == [(0.5, 1), (0.25, 0)]
    assert database.count(words, Bins(2)).positives.tolist() == [0, 1]


def test_second_scores(connection: sqlite3.Connection) -> None:
    query = "SELECT 0.5 AS score, 1 AS label, 0.75 AS rival"
    table = read(DatabaseQuery(connection, query), extra=["rival"])
    assert [*table.extra["rival"]] == [0.75]


@pytest.mark.parametrize(
    ("row", "listed", "counted"),
    [
        ((None, 1), "no score in row 2", "no score in 1 row"),
        ((float("inf"), 1), "an infinite number in row 2", "an infinite number in 1 row"),
        ((1.5, 1), "between 0 and 1 in row 2", "between 0 and 1 in 1 row"),
        (("abc", 1), "a score that is no number in row 2", "a score that is no number in 1 row"),
        ((CANARY + "x", 1), "a score that is no number", "a score that is no number in 1 row"),
        ((0.5, None), "no label in row 2", "no label in 1 row"),
        ((0.5, 7), "such labels here: 7", "such labels here: 7"),
        ((0.5, b"1"), "values of the type bytes are no labels", "type bytes are no labels"),
    ],
)
def test_every_fault_is_told(
    connection: sqlite3.Connection, row: tuple[Any, Any], listed: str, counted: str
) -> None:
    of_list, of_counts = refused_twice(filled(connection, [(0.5, 1), row]))
    assert listed in of_list
    assert counted in of_counts


def test_a_wrong_query_is_told_without_a_value(connection: sqlite3.Connection) -> None:
    told = refused(DatabaseQuery(connection, f"SELECT risk, '{CANARY}' AS label FROM t"))
    assert "The query cannot be run by the database: it says OperationalError" in told
    told = refused(DatabaseQuery(connection, "SELECT score FROM t"))
    assert 'the query has no column "label"; it has: score' in told
    twice = "SELECT 0.5 AS score, 1 AS label, 0 AS label"
    with duckdb.connect(":memory:") as other:
        for made in (connection, other):
            told = refused(DatabaseQuery(made, twice))
            assert 'names column "label" more than once (columns 2 and 3' in told
            once = twice.replace("0 AS label", "0 AS a_1")
            assert len(read(DatabaseQuery(made, once))) == 1
    refused(DatabaseQuery(connection, "DELETE FROM t"), error=ConfigurationError)


def test_words_of_duckdb_about_a_value_are_not_repeated() -> None:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT '{CANARY}' AS word")
        query = "SELECT year(strptime(word, '%Y')) AS score, 1 AS label FROM t"
        told, _ = refused_twice(DatabaseQuery(connection, query))
    assert "it says InvalidInputException" in told


def test_the_session_goes_on_as_it_was(connection: sqlite3.Connection) -> None:
    filled(connection, LIST)
    connection.execute("INSERT INTO t VALUES (9, 0.5, 1)")
    database = DatabaseQuery(connection, SELECT)
    assert len(read(database)) == len(database.count(Scores(), Bins(2))) == len(LIST) + 1
    assert connection.in_transaction
    connection.rollback()
    assert len(read(database)) == len(LIST)


class Driver:
    """A driver whose engine makes doubles of everything, and whose values are of every type."""

    def __init__(self, kind: str, found: list[tuple[Any, ...]]) -> None:
        self._kind = kind
        self._found = found
        self.description = [("score", kind), ("label", "number")]

    def cursor(self) -> Driver:
        return self

    def execute(self, statement: str) -> None:
        pass

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        part, self._found = self._found[:size], self._found[size:]
        return part

    def close(self) -> None:
        pass


def test_decimals_are_rounded_once_and_whole_numbers_are_exact() -> None:
    driver = Driver("number", [(1, Decimal("0.1000000000000000055511151231257827"))])
    assert rows(read(DatabaseQuery(driver, "SELECT 1"))) == [(0.1, 1)]
    driver = Driver("number", [(1, 2**53 + 1)])
    assert "too large to be kept exactly" in refused(DatabaseQuery(driver, "SELECT 1"))
    driver = Driver("number", [(10**400, 10**400)])
    assert "too large to be kept exactly" in refused(DatabaseQuery(driver, "SELECT 1"))


def test_texts_are_not_counted_where_an_engine_could_make_zeros_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # as PEP 249 has a driver's module name its type of texts
    monkeypatch.setattr(tests, "STRING", "text", raising=False)
    with pytest.raises(DataError, match="texts are no scores that a database can count"):
        DatabaseQuery(Driver("text", []), "SELECT 1").count(Scores(), Bins(2))
