"""The engine opens the files that it is given, letter by letter, and nothing else."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.delimited_text import DelimitedText
from ppaurora.parties.sources.engine.engine import engine
from ppaurora.parties.sources.parquet_files import ParquetFiles
from ppaurora.parties.sources.source import FileSource, Relation
from tests.parties.sources.writing import parquet_file, text_file

NAMES = [
    "a*b",
    "**",
    "q?x",
    "list[1]",
    "[]]",
    "[!a]",
    "[^a]",
    "{a,b}",
    "back\\slash",
    "tick'q",
    'quote"q',
    "~home",
    "per%20",
    "s3:",
    "score=0.5",
    "line\nbreak",
    "ünï",
]


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        # each name once in CI, in one of the folders by turns
        pytest.param(name, folder, marks=[pytest.mark.weekly] * ((at + other) % 2))
        for at, name in enumerate(NAMES)
        for other, folder in enumerate(("plain", "score=0.9"))
    ],
)
def test_every_name_is_taken_letter_by_letter(tmp_path: Path, name: str, folder: str) -> None:
    text_file(tmp_path, "score,label\n0.5,0\n", f"{folder}/list1.csv")
    files: list[FileSource] = [
        DelimitedText(text_file(tmp_path, "score,label\n0.25,1\n", f"{folder}/{name}.csv")),
        ParquetFiles(
            parquet_file(tmp_path, "SELECT 0.25 AS score, 1 AS label", f"{folder}/{name}.parquet")
        ),
    ]
    for file in files:
        with engine({"t": file.relation()}) as connection:
            ((score, label),) = connection.execute("SELECT * FROM t").fetchall()
            assert (float(score), int(label)) == (0.25, 1)


def test_it_opens_no_other_file_and_writes_none(tmp_path: Path) -> None:
    mine = text_file(tmp_path, "score,label\n0.25,1\n", "mine.csv")
    other = text_file(tmp_path, "score,label\n0.5,0\n", "other.csv")
    python_list = ["an object of this process"]
    with engine({"t": DelimitedText(mine).relation()}) as connection:
        for statement in (
            f"SELECT * FROM '{other}'",
            f"SELECT * FROM read_text('{other}')",
            f"SELECT * FROM glob('{tmp_path}/*')",
            f"COPY t TO '{other}'",
            f"COPY t TO '{tmp_path}/new.csv'",
            f"ATTACH '{tmp_path}/new.db'",
            "SELECT * FROM python_list",
            "SET enable_external_access = true",
            "SET allowed_paths = ['/']",
            "SET temp_directory = '/tmp'",
            "INSTALL httpfs",
            "LOAD httpfs",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(statement)
    assert python_list
    assert other.read_text() == "score,label\n0.5,0\n"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["mine.csv", "other.csv"]


def test_a_text_in_which_duckdb_finds_other_rows_is_refused(tmp_path: Path) -> None:
    right = DelimitedText(text_file(tmp_path, "score,label\n0.25,1\n")).relation()
    wrong = Relation(right.expression, right.paths, rows=2)
    with pytest.raises(DataError, match="finds another number of rows"), engine({"t": wrong}):
        pass
