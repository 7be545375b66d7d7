"""The pooled side of a simulation reads by other means: a fault of the reader shows there."""

from __future__ import annotations

import inspect
import random
from pathlib import Path

import pytest

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.simulation import plain_reading
from ppaurora.parties.simulation.plain_reading import plain_keys, read_plainly
from ppaurora.parties.sources.glob_files import GlobFiles
from ppaurora.parties.sources.reader import read, source_of
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.options import Options
from tests.parties.sources.writing import parquet_file, rows, text_file

NOTED = 'Note,Risk,"label"\r\n#1,0.5,1\r\n"a\n""b""", 0.25 ,0.0\r\n#,1e-3, 1\r\n\r\n'


def test_it_shares_no_reading_with_the_owners() -> None:
    source = inspect.getsource(plain_reading)
    for line in source.splitlines():
        if line.startswith("from ppaurora.parties.sources"):
            assert line.split()[-1] in ("Labelled", "Columns", "NumberFormat")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_it_reads_what_the_owners_read(tmp_path: Path, delimiter: str) -> None:
    path = text_file(tmp_path, "\ufeff" + NOTED.replace(",", delimiter), "score=1/list[1].csv")
    wanted = [(0.5, 1), (0.25, 0), (0.001, 1)]
    for stated in ("", delimiter, *(["tab"] if delimiter == "\t" else [])):
        columns = Columns("risk", "label", stated)
        assert rows(read_plainly(path, Scores(), columns)) == wanted
        assert rows(read(path, columns, Scores())) == wanted


@pytest.mark.parametrize(
    ("query", "scores"),
    [
        ("SELECT 0.3::DECIMAL(18, 3) AS score, true AS label", Scores()),
        ("SELECT 0.1::FLOAT AS score, false AS label", Scores(positive="TRUE", negative="FALSE")),
        ("SELECT '0.25' AS \"Score \", ' sick ' AS label", Scores(positive="sick")),
        ("SELECT 3 AS score, 1.0 AS label, 7 AS more", Scores()),
    ],
)
def test_parquet_files_too_whatever_their_names(tmp_path: Path, query: str, scores: Scores) -> None:
    path = parquet_file(tmp_path, query, "score=0.5/label=0/list[1].parquet")
    parquet_file(tmp_path, "SELECT 0.9 AS score, 1 AS label", "score=0.5/label=0/list1.parquet")
    assert rows(read_plainly(path, scores, Columns())) == rows(
        read(path, scores=scores, range=("any",))
    )


def test_a_folder_of_parquet_files_too(tmp_path: Path) -> None:
    parquet_file(tmp_path, "SELECT 0.5 AS score, 0 AS label", "list/b.parquet")
    parquet_file(tmp_path, "SELECT 0.25::FLOAT AS score, 1 AS label", "list/a.parquet")
    text_file(tmp_path, "", "list/_SUCCESS")
    assert rows(read_plainly(tmp_path / "list", Scores(), Columns())) == [(0.25, 1), (0.5, 0)]


def test_the_keys_are_those_of_the_owners_list(tmp_path: Path) -> None:
    dice = random.Random(2)
    lines = [f"{dice.random()!r},{dice.randrange(2)}\n" for _ in range(500)]
    path = text_file(tmp_path, "score,label\n" + "".join(lines))
    turned = Scores(positive="0", negative="1")
    lower = Options(range=("any",), direction="lower")
    for scores, options in ((Scores(), Options()), (turned, lower)):
        table = source_of(path).read(scores, options.scale)
        [mine] = plain_keys(table, scores, Columns(), options)
        [plain] = plain_keys(path, scores, Columns(), options)
        assert (plain == mine).all()


@pytest.mark.parametrize(
    "text", ["score,label\nhigh,1\n", "score,label\n0.5,maybe\n", "score,label\n0.5\n", "a,b\n", ""]
)
def test_what_it_cannot_read_is_called_a_bug(tmp_path: Path, text: str) -> None:
    with pytest.raises(LocalProtocolError, match="the plain one does not") as caught:
        read_plainly(text_file(tmp_path, text), Scores(), Columns())
    assert "high" not in str(caught.value)


def test_all_files_of_a_pattern_too_in_the_order_of_their_names(tmp_path: Path) -> None:
    parquet_file(tmp_path, "SELECT 0.5 AS score, 0 AS label, 7 AS patient", "deep/b.parquet")
    text_file(tmp_path, "score,label,patient\n0.25,1,A\n0.125,0,B\n", "a.csv")
    text_file(tmp_path, "score,label\n0.25,1\n", ".hidden.csv")
    pattern = f"{tmp_path}/**/*.*"
    owners = GlobFiles(pattern)
    assert rows(read_plainly(pattern, Scores(), Columns())) == rows(read(owners))
    assert rows(read(owners)) == [(0.25, 1), (0.125, 0), (0.5, 0)]
    plain = read_plainly(pattern, Scores(), Columns(), (FoldBy(column="patient"),))
    for found in (plain.extra["patient"], owners.texts("Patient")):
        assert found == ["A", "B", "7"]
