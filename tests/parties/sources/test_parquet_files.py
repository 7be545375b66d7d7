"""Parquet files and folders of them: types without loss, nothing from names, faults with places."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from tests.parties.sources.writing import CANARY, parquet_file, refused, rows, text_file


def test_decimals_integers_texts_and_booleans(tmp_path: Path) -> None:
    decimals = "SELECT * FROM (VALUES (0.3::DECIMAL(18, 3), true), (0.7, false)) t(score, label)"
    path = parquet_file(tmp_path, decimals)
    assert rows(read(path)) == [(0.3, 1), (0.7, 0)]
    assert rows(read(path, scores=Scores(positive="true", negative="FALSE"))) == [
        (0.3, 1),
        (0.7, 0),
    ]
    path = parquet_file(tmp_path, "SELECT 2::UTINYINT AS score, ' sick ' AS label")
    assert rows(read(path, scores=Scores(positive="sick"), range=("any",))) == [(2.0, 1)]
    path = parquet_file(tmp_path, 'SELECT 0.1::FLOAT AS Score, 0.0::FLOAT AS "label "')
    assert rows(read(path)) == [(0.10000000149011612, 0)]


def test_nothing_comes_from_the_names_of_folders(tmp_path: Path) -> None:
    query = "SELECT 0.25 AS score, 0 AS label"
    path = parquet_file(tmp_path, query, "score=0.5/label=1/list[1].parquet")
    parquet_file(tmp_path, "SELECT 0.9 AS score, 1 AS label", "score=0.5/label=1/list1.parquet")
    assert rows(read(path)) == [(0.25, 0)]
    table = Query("SELECT score, label FROM t", {"t": path})
    assert rows(read(table)) == [(0.25, 0)]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT NULL::DOUBLE AS score, 1 AS label", 'column "score": no score in row 1.'),
        (
            "SELECT 0.5::DOUBLE AS score, 1 AS label UNION ALL SELECT 'nan', 1 UNION ALL SELECT "
            "'-inf', 1",
            "NaN, which is no score, in row 2; an infinite number in row 3.",
        ),
        ("SELECT 3.5 AS score, 1 AS label", "between 0 and 1 in row 1."),
        (f"SELECT '{CANARY}x' AS score, 1 AS label", "a score that is no number in row 1."),
        (f"SELECT 0.5 AS score, {CANARY} AS label", "neither of the study's two classes in row 1."),
        ("SELECT 0.5 AS score, 'yes' AS label", "in row 1; such labels here: yes."),
        ("SELECT 9007199254740993 AS score, 1 AS label", "too large to be kept exactly"),
        ("SELECT DATE '2020-01-01' AS score, 1 AS label", "DATE values are no scores"),
        ("SELECT true AS score, 1 AS label", "BOOLEAN values are no scores"),
        ("SELECT 0.5 AS score, 'a'::BLOB AS label", "BLOB values are no labels"),
        ("SELECT 0.5 AS risk, 1 AS label", 'has no column "score"; it has: risk, label'),
    ],
)
def test_every_fault_is_told_with_its_place(tmp_path: Path, query: str, told: str) -> None:
    sentence = refused(parquet_file(tmp_path, query))
    assert told in sentence
    assert "list.parquet" in sentence


@pytest.mark.parametrize("other", [b"riska", b"RISKA"])
def test_a_column_that_a_file_names_twice_is_refused(tmp_path: Path, other: bytes) -> None:
    query = "SELECT 0.5 AS riska, {'riska': 1} AS nested, 0.25 AS riskb, 1 AS label"
    path = parquet_file(tmp_path, query)
    path.write_bytes(path.read_bytes().replace(b"riskb", other))
    told = refused(path, columns=Columns("riska"))
    assert 'names column "riska" more than once (columns 1 and 3' in told
    told = refused(Query("SELECT riska AS score, label FROM t", {"t": path}))
    assert "which a query cannot tell apart" in told


def test_a_folder_is_read_file_by_file_in_order_of_names(tmp_path: Path) -> None:
    folder = tmp_path / "export"
    parquet_file(tmp_path, "SELECT 0.2::FLOAT AS score, 0 AS label", "export/part-2.parquet")
    parquet_file(tmp_path, "SELECT 0.5::DOUBLE AS score, '1' AS label", "export/part-1.parquet")
    text_file(tmp_path, "", "export/_SUCCESS")
    text_file(tmp_path, "", "export/.part-1.crc")
    assert rows(read(folder)) == [(0.5, 1), (0.20000000298023224, 0)]
    told = refused(Query("SELECT score, label FROM t", {"t": folder}))
    assert "do not all have the same columns of the same types" in told
    parquet_file(tmp_path, "SELECT 0.25::DOUBLE AS score, '0' AS label", "export/part-2.parquet")
    table = read(Query("SELECT score, label FROM t ORDER BY 1", {"t": folder}))
    assert rows(table) == [(0.25, 0), (0.5, 1)]
    parquet_file(tmp_path, "SELECT 7.5 AS score, '0' AS label", "export/part-3.parquet")
    assert "part-3.parquet, column" in refused(folder)


def test_a_folder_that_holds_anything_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "is a folder without Parquet files" in refused(tmp_path / "empty")
    parquet_file(tmp_path, "SELECT 0.5 AS score, 1 AS label", "mixed/a.parquet")
    text_file(tmp_path, "score,label\n", "mixed/b.csv")
    assert "holds b.csv, which is no Parquet file by its name" in refused(tmp_path / "mixed")
    parquet_file(tmp_path, "SELECT 0.5 AS score", "parts/label=1/a.parquet")
    told = refused(tmp_path / "parts")
    assert "holds the folder label=1" in told
    assert "without partitions" in told


def test_what_is_no_parquet_file_is_told(tmp_path: Path) -> None:
    told = refused(text_file(tmp_path, f"score,label\n{CANARY},1\n", "list.parquet"))
    assert "is no Parquet file, whatever its name says" in told
    told = refused(text_file(tmp_path, b"PAR1 and no more", "list.parquet"))
    assert "list.parquet cannot be read as a table" in told
    assert "There is no file" in refused(tmp_path / "none.parquet")


def test_a_file_without_rows_is_an_empty_list(tmp_path: Path) -> None:
    path = parquet_file(tmp_path, "SELECT 0.5 AS score, 1 AS label LIMIT 0")
    assert len(read(path)) == 0
