"""A query is one SELECT over named tables; everything else is refused before any file is opened."""

from __future__ import annotations

import duckdb
import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.sources.engine.one_select import check_query

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
