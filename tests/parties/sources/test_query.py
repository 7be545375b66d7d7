"""A query over named files: its columns are a list like any other."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.sources.query import Query, check_query, named_tables
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from tests.parties.sources.writing import CANARY, parquet_file, refused, rows, text_file


def test_files_of_every_kind_can_be_joined(tmp_path: Path) -> None:
    tables = {
        "scores": text_file(tmp_path, "who;score\n1;0.5\n#2;0.25\n", "score=9.csv"),
        "labels": parquet_file(
            tmp_path, "SELECT * FROM (VALUES ('#2', 1), ('1', 0)) AS t(who, label)"
        ),
    }
    query = "SELECT score, label FROM scores JOIN labels USING (who) ORDER BY who DESC;"
    assert rows(read(Query(query, tables))) == [(0.5, 0), (0.25, 1)]


def test_the_columns_of_a_text_are_texts_and_empty_fields_are_null(tmp_path: Path) -> None:
    path = text_file(tmp_path, ',score,label\n007,0.1000,1\n1,,0\n1,"",0\n')
    query = "SELECT score, label FROM t WHERE column1 = '007' AND score = '0.1000'"
    assert rows(read(Query(query, {"t": path}))) == [(0.1, 1)]
    query = "SELECT count(*) AS score, 1 AS label FROM t WHERE score IS NULL"
    assert rows(read(Query(query, {"t": path}), range=("any",))) == [(2.0, 1)]


def test_numbers_of_every_type_are_read_without_loss() -> None:
    for value in ("0.3::DECIMAL(18, 3)", "'0.3'", "0.3::DOUBLE"):
        table = read(Query(f"SELECT {value} AS score, 1.0 AS label"))
        assert rows(table) == [(0.3, 1)]
    table = read(
        Query("SELECT 3::BIGINT AS score, 'b'::ENUM('b') AS label"),
        scores=Scores(negative="b"),
        range=("any",),
    )
    assert rows(table) == [(3.0, 0)]


def test_texts_of_a_query_are_read_by_the_strict_grammar(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score,label\n1_0e-1,1\n")
    told = refused(Query("SELECT score, label FROM t", {"t": path}))
    assert 'the query, column "score": a number with underscores in row 1.' in told


@pytest.mark.parametrize(
    ("query", "told", "advice"),
    [
        ("SELECT score, score, label FROM t", 'names column "score" more than once', "Rename"),
        ("SELECT score, label AS Score, label FROM t", "more than once (columns 1 and 2", "Rename"),
        ("SELECT score FROM t", 'the query has no column "label"; it has: score', "--label"),
        ("SELECT risk AS score, label FROM t", 'column "risk" not found', "--table"),
        ("SELECT nonsense(score) AS score, label FROM t", "nonsense", "--table"),
        ("SELECT current_date AS score, label FROM t", "DATE values are no scores", "--score"),
        ("SELECT score, [1] AS label FROM t", "INTEGER[] values are no labels", "--label"),
        (f"SELECT CAST('{CANARY}x' AS DOUBLE) AS score, 1 AS label", "cannot convert", "TRY_CAST"),
        ("SELECT 9007199254740993 AS score, 1 AS label", "2^53 or more) in row 1", "below 2^53"),
        ("SELECT NULL::DOUBLE AS score, 1 AS label", "no score in row 1.", "nothing is filled in"),
        ("SELECT 0.5 AS score, NULL::INT AS label", "no label in row 1.", "labels"),
        ("SELECT 'nan'::DOUBLE AS score, 1 AS label", "NaN, which is no score, in row 1", ""),
        ("SELECT 0.5 AS score, 3 AS label", "such labels here: 3", "--positive WORD"),
        ("SELECT 0.5 AS score, true AS label UNION SELECT 7, true", "between 0 and 1 in row", ""),
    ],
)
def test_a_faulty_query_is_told(tmp_path: Path, query: str, told: str, advice: str) -> None:
    path = text_file(tmp_path, f"score,label\n{CANARY},1\n")
    sentence = refused(Query(query, {"t": path}))
    assert told in sentence
    assert advice in sentence


@pytest.mark.parametrize(
    ("score", "told"),
    [
        ("CAST(word AS DOUBLE)", "a value that it cannot convert"),
        ("CAST(year(strptime(word, '%Y')) AS VARCHAR)", "cannot be read as a table"),
    ],
)
def test_a_value_far_down_that_cannot_be_computed_with_is_not_repeated(
    score: str, told: str
) -> None:
    words = f"(SELECT CASE WHEN i = 250000 THEN '{CANARY}x' ELSE '1' END FROM range(250001) r(i))"
    assert told in refused(Query(f"SELECT {score} AS score, 1 AS label FROM {words} AS t(word)"))


def test_the_old_form_is_told_the_new_one(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score,label\n0.5,1\n", "scores.csv")
    told = refused(Query(f"SELECT score, label FROM '{path}'"), error=ConfigurationError)
    assert "which no --table names" in told
    assert f"--table scores={path}" in told


def test_no_file_is_written_by_a_query(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score,label\n0.5,1\n")
    copy = f"COPY (SELECT 1) TO '{path}' (USE_TMP_FILE false)"
    query = Query(f"WITH x AS ({copy}) SELECT score, label FROM t", {"t": path})
    refused(query, error=ConfigurationError)
    assert path.read_text() == "score,label\n0.5,1\n"


def test_a_table_with_one_name_twice_is_no_table_for_a_query(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score,label,x,X\n0.5,1,2,3\n")
    told = refused(Query("SELECT score, label FROM t", {"t": path}))
    assert 'names column "x" more than once' in told
    assert "which a query cannot tell apart" in told


def test_a_stated_delimiter_holds_for_the_texts_of_a_query(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score;a,b;label\n0.5;x;1\n")
    query = Query("SELECT score, label FROM t", {"t": path}, Columns(delimiter=";"))
    assert rows(read(query)) == [(0.5, 1)]


def test_tables_are_named_one_by_one() -> None:
    assert named_tables(["a=x.csv", "b=y=z.csv"]) == {"a": Path("x.csv"), "b": Path("y=z.csv")}
    for faulty in ("x.csv", "=x.csv", "a=", "a b=x.csv", "1a=x.csv", "a;b=x.csv"):
        with pytest.raises(ConfigurationError, match="does not read NAME=FILE"):
            named_tables([faulty])
    with pytest.raises(ConfigurationError, match="names A twice"):
        named_tables(["a=x.csv", "A=y.csv"])


PLAIN = [
    "SELECT score, label FROM t",
    "  SELECT score, label FROM t;  ",
    "FROM t SELECT score, label",
    "TABLE t",
    "SELECT score, label FROM T -- a comment",
    'SELECT "score", label FROM "t" /* ; DROP TABLE t */',
    "SELECT ';' AS x, * FROM t",
    "VALUES (0.5, 1)",
    "SELECT DISTINCT ON (id) score, label FROM t ORDER BY id, day DESC NULLS LAST LIMIT 5 OFFSET 1",
    "SELECT a.score, b.label FROM t a LEFT JOIN u b USING (id)",
    "SELECT * FROM t, LATERAL (SELECT t.score + 1) AS q",
    "SELECT * FROM t ASOF JOIN u ON t.day >= u.day",
    "WITH x AS (SELECT * FROM t), y AS MATERIALIZED (SELECT * FROM x) SELECT * FROM y",
    "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 5) SELECT * FROM x",
    "SELECT score, label FROM t UNION ALL BY NAME SELECT score, label FROM u",
    "SELECT CAST(score AS DECIMAL(18, 4)), label::INT FROM t",
    "SELECT score, max(label) OVER (PARTITION BY id ORDER BY day) FROM t QUALIFY true",
    "SELECT CASE WHEN label > 1 THEN 1 ELSE 0 END AS label FROM t GROUP BY ALL HAVING count(*) > 1",
    "SELECT * EXCLUDE (id) REPLACE (score / 100 AS score) FROM t",
    "SELECT * FROM t WHERE id IN (SELECT id FROM u) AND EXISTS (SELECT 1 FROM u)",
    "SELECT * FROM t JOIN range(3) r ON true",
    "SELECT * FROM t UNPIVOT (score FOR name IN (a, b))",
]


@pytest.mark.parametrize("query", PLAIN)
def test_a_plain_select_is_taken(query: str) -> None:
    with duckdb.connect(":memory:") as connection:
        text = check_query(connection, query, ["t", "u"])
        (statement,) = connection.extract_statements(f"SELECT 1 FROM (\n{text}\n) AS chosen")
        assert statement.type == duckdb.StatementType.SELECT


ONE = "Give one SELECT statement"
NAMED = "--table"


@pytest.mark.parametrize(
    ("query", "told", "advice"),
    [
        ("", "no statement", ONE),
        ("-- nothing", "no statement", ONE),
        ("SELECT 1; SELECT 2", "2 statements", ONE),
        ("SELECT 1; DROP TABLE t", "2 statements", ONE),
        ("COPY t TO 'x.csv'", "of the kind COPY", ONE),
        ("ATTACH 'x.db'", "of the kind ATTACH", ONE),
        ("INSTALL httpfs", "not one SELECT", ONE),
        ("LOAD httpfs", "not one SELECT", ONE),
        ("SET threads = 1", "not one SELECT", ONE),
        ("RESET threads", "not one SELECT", ONE),
        ("PRAGMA version", "not one SELECT", ONE),
        ("CALL pragma_version()", "not one SELECT", ONE),
        ("EXPORT DATABASE 'x'", "not one SELECT", ONE),
        ("CREATE TABLE x AS SELECT 1", "not one SELECT", ONE),
        ("INSERT INTO t VALUES (1)", "not one SELECT", ONE),
        ("EXPLAIN SELECT 1", "not one SELECT", ONE),
        ("PREPARE x AS SELECT 1", "not one SELECT", ONE),
        ("SELEC", "cannot be understood: Parser Error", "Correct the query"),
        ("SELECT 1) t; COPY t TO 'x.csv'; SELECT (1", "cannot be understood", "Correct"),
        ("SELECT 1; -- more", "does not end with its statement", "follows the semicolon"),
        ("SHOW TABLES", "holds SHOW", ONE),
        ("DESCRIBE t", "holds SHOW", ONE),
        ("WITH x AS (COPY t TO 'x.csv') SELECT * FROM x", "holds COPY", ONE),
        ("WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x", "holds INSERT", ONE),
        ("SELECT * FROM (WITH x AS (DELETE FROM t RETURNING *) FROM x)", "holds DELETE", ONE),
        ("SELECT * FROM 'scores.parquet'", 'reads from "scores.parquet"', "scores=scores.parquet"),
        ("SELECT * FROM '/a b/x-1.csv'", 'reads from "/a b/x-1.csv"', "--table x_1=/a b/x-1.csv"),
        ("SELECT * FROM t WHERE id IN (SELECT id FROM 'v.csv')", 'reads from "v.csv"', NAMED),
        ("SELECT * FROM v", 'reads from "v", which no --table names', "Named so far: t, u."),
        ("SELECT * FROM main.t", 'reads from "main.t"', NAMED),
        ("SELECT * FROM read_csv('x.csv')", "the function read_csv", NAMED),
        ("SELECT * FROM t, read_text('/etc/passwd')", "the function read_text", NAMED),
        ("SELECT * FROM glob('*')", "the function glob", NAMED),
        ("SELECT * FROM query('SELECT 1')", "the function query", NAMED),
        ("SELECT (SELECT max(score) FROM query_table('x'))", "the function query_table", NAMED),
        ("SELECT * FROM duckdb_settings()", "the function duckdb_settings", NAMED),
    ],
)
def test_everything_else_is_refused_with_advice(query: str, told: str, advice: str) -> None:
    with duckdb.connect(":memory:") as connection, pytest.raises(ConfigurationError) as caught:
        check_query(connection, query, ["t", "u"])
    assert told in str(caught.value)
    assert advice in str(caught.value)
