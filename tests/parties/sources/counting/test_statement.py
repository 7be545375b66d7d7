"""A text is one query that may stand within another statement, or refused; no engine is asked."""

from __future__ import annotations

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.sources.counting.statement import one_query

PLAIN = [
    "SELECT score, label FROM t",
    "  select score, label from t ;\n",
    "(SELECT 1) UNION ALL (SELECT 2)",
    "WITH x AS (SELECT 1) SELECT * FROM x",
    "VALUES (0.5, 1)",
    "SELECT ';)' AS \"a(\", 'it''s' FROM `t`",
]


@pytest.mark.parametrize("query", PLAIN)
def test_a_plain_query_is_taken_without_its_semicolon(query: str) -> None:
    assert one_query(query) == query.strip().rstrip(";").rstrip()


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("", "does not begin with SELECT or WITH"),
        ("DROP TABLE t", "does not begin with SELECT or WITH"),
        ("SELECTED", "does not begin with SELECT or WITH"),
        ("-- nothing\nSELECT 1", "does not begin with SELECT or WITH"),
        ("SELECT 1; DROP TABLE t", "holds more than one statement"),
        ("SELECT 1;;", "holds more than one statement"),
        ("SELECT 1) SELECT 1; DROP TABLE t; SELECT (1", "closes a parenthesis"),
        ("SELECT (1", "leaves a quote or a parenthesis open"),
        ("SELECT 'a", "leaves a quote or a parenthesis open"),
        ("SELECT 1 -- more", "holds a comment"),
        ("SELECT /* ) */ 1", "holds a comment"),
        ("SELECT '\\'); DROP TABLE t; --'", "holds a backslash within quotes"),
        ("SELECT $$'$$) SELECT 1; DROP TABLE t; SELECT ($$'$$", "holds a text within dollar signs"),
        ("SELECT $a$'$a$) SELECT 1; DROP TABLE t; SELECT '", "holds a text within dollar signs"),
    ],
)
def test_everything_else_is_refused_with_advice(query: str, told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        one_query(query)
    assert told in str(caught.value)
    assert "Give one SELECT statement" in caught.value.advice
