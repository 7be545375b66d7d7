"""Texts that are packed, encoded or written otherwise, where that is stated; and patterns."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.simulation.plain_reading import read_plainly
from ppaurora.parties.sources.frame import Frame
from ppaurora.parties.sources.glob_files import GlobFiles
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.sources.text import text_file as text_room
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Bins
from tests.parties.sources.writing import CANARY, parquet_file, refused, rows, text_file


def packed(data: bytes) -> bytes:
    """The same in every process: the names of parametrized tests hold it."""
    return gzip.compress(data, mtime=0)


TEXT = "größe;score;label\r\nä;0.5;1\r\nö;0.25;0\r\n漢;1;1\r\n"
LIST = [(0.5, 1), (0.25, 0), (1.0, 1)]
LATIN = TEXT.replace("漢", "ü")
UTF16, LATIN1 = Columns(encoding="utf-16"), Columns(encoding="latin-1")
GERMAN = Columns(decimal_comma=True, percent=True, thousands=".")

HIGH_FIRST = "UTF-16, high byte first"
STATED = {
    "packed": ("list.csv.gz", packed(TEXT.encode()), Columns()),
    "packed in parts": ("LIST.GZ", packed(b"") + packed(TEXT.encode()), Columns()),
    "UTF-16": ("list.csv", TEXT.encode("utf-16"), UTF16),
    HIGH_FIRST: ("list.csv", f"\ufeff{TEXT}".encode("utf-16-be"), UTF16),
    "Latin-1": ("list.csv", LATIN.encode("latin-1"), LATIN1),
    "Latin-1, packed": ("list.csv.gz", packed(LATIN.encode("latin-1")), LATIN1),
}  # fmt: skip


@pytest.mark.parametrize("name", STATED)
@pytest.mark.parametrize("part", [1 << 20, 1, 7])
def test_what_is_stated_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, part: int
) -> None:
    monkeypatch.setattr(text_room, "PART", part)
    called, content, columns = STATED[name]
    path = text_file(tmp_path, content, called)
    assert rows(read(path, columns, Scores())) == LIST
    assert rows(read_plainly(path, Scores(), columns)) == LIST
    query = Query("SELECT * FROM t", {"t": path}, columns)
    if name == HIGH_FIRST:
        # DuckDB reads the low byte first whatever the mark says
        assert "cannot be" in refused(query)
    else:
        assert rows(read(query)) == LIST


def test_faults_keep_their_lines(tmp_path: Path) -> None:
    wrong = TEXT.replace("0.25", CANARY + "?")
    for name, content, columns in (
        ("a.csv.gz", packed(wrong.encode()), Columns()),
        ("a.csv", wrong.encode("utf-16"), UTF16),
    ):
        told = refused(text_file(tmp_path, content, name), columns=columns)
        assert "a score that is no number in row 2 (line 3)" in told


@pytest.mark.parametrize(
    ("name", "content", "columns", "told"),
    [
        ("a.csv.gz", TEXT.encode(), Columns(), "is not what its ending .gz says"),
        ("a.csv.gz", packed(TEXT.encode())[:-9], Columns(), "damaged or cut short"),
        ("a.csv", TEXT.encode(), UTF16, "is no text in UTF-16, as was stated"),
        ("a.csv", TEXT.encode("utf-16-le"), UTF16, "is no text in UTF-16, as was stated"),
        ("a.csv", TEXT.encode("utf-16")[:-1], UTF16, "is no text in UTF-16, as was stated"),
        ("a.csv", TEXT.encode("utf-16"), Columns(), "State it with --encoding utf-16"),
        ("a.csv", LATIN.encode("latin-1"), Columns(), "state --encoding latin-1"),
        ("a.csv", packed(TEXT.encode()), Columns(), "Give it a name that ends in .gz"),
    ],
)
def test_what_is_not_as_stated_is_refused(
    tmp_path: Path, name: str, content: bytes, columns: Columns, told: str
) -> None:
    assert told in refused(text_file(tmp_path, content, name), columns=columns)


def test_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    path = text_file(tmp_path, TEXT)
    told = refused(path, columns=Columns(encoding="ebcdic"), error=ConfigurationError)
    assert "Say utf-8 or utf-16 or latin-1" in told


def test_numbers_may_be_written_as_in_other_countries(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score;label\n50,0 %;1\n25;0\n0.100,0 %;1\n")
    assert rows(read(path, GERMAN, Scores())) == LIST
    assert rows(read_plainly(path, Scores(), GERMAN)) == LIST
    commas = Columns(decimal_comma=True)
    path = text_file(tmp_path, 'score,label\n"0,5",1\n"0,25",0\n1,1\n')
    assert rows(read(path, commas, Scores())) == LIST
    assert "State --decimal-comma" in refused(path)


def test_a_statement_about_texts_is_refused_where_there_are_none(tmp_path: Path) -> None:
    path = parquet_file(tmp_path, "SELECT 0.5 AS score, 1 AS label")
    told = refused(path, columns=GERMAN, error=ConfigurationError)
    assert "--percent states how texts are written" in told
    texts = parquet_file(tmp_path, "SELECT '50,0 %' AS score, 1 AS label")
    assert rows(read(texts, GERMAN, Scores())) == [(0.5, 1)]
    for columns, option in ((GERMAN, "--decimal-comma, --percent, --thousands"), (UTF16, "--enc")):
        with pytest.raises(ConfigurationError, match=f"{option}.*a data frame is no text"):
            Frame({}, columns)


def test_files_of_a_pattern_are_one_list_in_the_order_of_their_names(tmp_path: Path) -> None:
    text_file(tmp_path, "score;label\n0.25;0\n", "b.csv")
    text_file(tmp_path, packed(b"score,label\n0.5,1\n"), "a.csv.gz")
    text_file(tmp_path, "nothing", ".hidden.csv")
    parquet_file(tmp_path, "SELECT 1.0 AS score, 1 AS label", "deep/er/c.parquet")
    pattern = GlobFiles(f"{tmp_path}/**/*.*")
    assert rows(read(pattern)) == LIST
    assert pattern.count(Scores(), Bins(2)).positives.tolist() == [0, 2]
    assert "No file fits the pattern" in refused(GlobFiles(f"{tmp_path}/*.pq"))
    assert f"fits the folder {tmp_path}/deep" in refused(GlobFiles(f"{tmp_path}/*"))


def test_a_name_with_a_star_is_a_pattern_only_where_that_is_stated(tmp_path: Path) -> None:
    text_file(tmp_path, "score,label\n0.25,0\n", "a1.csv")
    star = text_file(tmp_path, "score,label\n0.5,1\n", "a*.csv")
    assert rows(read(star)) == [(0.5, 1)]
    assert len(read(GlobFiles(str(star)))) == 2
