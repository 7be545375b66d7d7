"""Reading lists: exact, nothing guessed, every fault with row and column and without its value."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import numpy as np
import pytest

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.reader import Labelled, Source, read
from ppaurora.parties.study.study import Scores

CANARY = "0.73100981"


def csv(folder: Path, text: str, **columns: str) -> Source:
    (folder / "list.csv").write_text(text, encoding="utf-8")
    return Source(folder / "list.csv", **columns)  # type: ignore[arg-type]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_any_usual_delimiter_and_header(tmp_path: Path, delimiter: str) -> None:
    text = "\ufeffid,risk,outcome\n1,0.25,1\n2,0.75,0\n".replace(",", delimiter)
    table = read(csv(tmp_path, text, score="risk", label="outcome"), Scores())
    assert table.scores.tolist() == [0.25, 0.75]
    assert table.labels.tolist() == [1, 0]


def test_every_double_is_read_exactly(tmp_path: Path) -> None:
    dice = random.Random(3)
    wanted = [dice.random() * 10.0 ** dice.randint(-300, 0) for _ in range(5000)]
    wanted += [5e-324, 0.1, np.nextafter(0.1, 1), 1.7976931348623157e308, -0.0]
    text = "score,label\n" + "".join(f"{value!r},1\n" for value in map(float, wanted))
    assert read(csv(tmp_path, text), Scores()).scores.tolist() == wanted


def test_the_order_of_a_large_file_is_kept(tmp_path: Path) -> None:
    wanted = np.arange(300_000) / 300_000
    text = "score,label\n" + "".join(f"{value!r},0\n" for value in wanted.tolist())
    assert (read(csv(tmp_path, text), Scores()).scores == wanted).all()


def test_parquet_decimals_integers_and_booleans(tmp_path: Path) -> None:
    path = tmp_path / "list.parquet"
    duckdb.sql(
        "SELECT * FROM (VALUES (0.3::DECIMAL(18, 3), true), (0.7, false)) t(score, label)"
    ).write_parquet(str(path))
    table = read(Source(path), Scores())
    assert table.scores.tolist() == [0.3, 0.7]
    assert table.labels.tolist() == [1, 0]
    words = Scores(positive="true", negative="false")
    assert read(Source(path), words).labels.tolist() == [1, 0]
    integers = Source(sql="SELECT 3 AS score, 1.0 AS label UNION ALL SELECT 2, 0")
    assert read(integers, Scores()).scores.tolist() == [3.0, 2.0]


def test_a_query_over_files(tmp_path: Path) -> None:
    csv(tmp_path, "who,score\n1,0.5\n2,0.25\n")
    (tmp_path / "labels.csv").write_text("who,label\n2,1\n1,0\n")
    query = (
        f"SELECT score, label FROM '{tmp_path}/list.csv' JOIN '{tmp_path}/labels.csv' "
        "USING (who) ORDER BY who;"
    )
    table = read(Source(sql=query), Scores())
    assert (table.scores.tolist(), table.labels.tolist()) == ([0.5, 0.25], [0, 1])


def test_words_as_labels_where_the_study_names_them(tmp_path: Path) -> None:
    source = csv(tmp_path, "score,label\n0.5,sick\n0.25, well \n")
    assert read(source, Scores(positive="sick", negative="well")).labels.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("score,label\n0.5,1\n,0\n", r'column "score": no score in row 2'),
        ("score,label\n0.5,1\nhigh,0\nlow,1\n", r"no number in rows 2, 3"),
        ("score,label\n" + "x,1\n" * 9, r"no number in 9 rows, the first 1, 2, 3, 4, 5"),
        ("score,label\n0.5,1\n0.5,\n", r'column "label": no label in row 2'),
        ("score,label\n0.5,1\n0.5,2\n", r"neither of the study's two classes in row 2"),
        ("score,label\n0.5,yes\n", r"neither of the study's two classes in row 1"),
        ("score,label\n0.5,1\n0.5,1,0.7\n", r"not a well-formed table"),
        ("risk,label\n0.5,1\n", r'no column "score"; it has: risk, label'),
        (f"{CANARY},1\n0.5,0\n", r"no header"),
        ("", r"is empty"),
        ("score,label\n0.5,1\0\n", r"not a text file"),
        (f"score,label\n0.5,1\n{CANARY}!,0\n", r"no number in row 2"),
        (f"score,label\n0.5,1\n0.2,{CANARY}\n", r"two classes in row 2"),
    ],
)
def test_every_fault_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(csv(tmp_path, text), Scores())
    assert CANARY not in str(caught.value)
    assert caught.value.advice


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT 9007199254740993 AS score, 1 AS label", "too large to be kept exactly"),
        ("SELECT DATE '2020-01-01' AS score, 1 AS label", "DATE values are no scores"),
        ("SELECT risk AS score FROM 'nowhere.csv'", "cannot be read"),
        ("SELEC", "cannot be read"),
        (f"SELECT CAST('{CANARY}x' AS DOUBLE) AS score, 1 AS label", "cannot be read"),
    ],
)
def test_a_faulty_query_is_told(query: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(Source(sql=query), Scores())
    assert CANARY not in str(caught.value)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        read(Source(tmp_path / "none.csv"), Scores())


def test_a_list_prints_its_length_only() -> None:
    table = Labelled(np.array([0.25]), np.array([1], np.uint8))
    assert repr(table) == "<Labelled, 1 samples>"
    assert table.one_class
