"""The choice of a source by what is given, and the contract that every source keeps."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.sources.database import DatabaseQuery
from ppaurora.parties.sources.delimited_text import DelimitedText
from ppaurora.parties.sources.frame import Frame
from ppaurora.parties.sources.glob_files import GlobFiles
from ppaurora.parties.sources.in_memory import InMemory
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.parquet_files import ParquetFiles
from ppaurora.parties.sources.postgres import Postgres
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import file_source, read, source_of, sources
from ppaurora.parties.sources.source import Columns, FileSource
from ppaurora.parties.sources.spark import Spark
from ppaurora.parties.study.study import Scores
from tests.parties.sources.writing import parquet_file, refused, rows, text_file

TABLE = Labelled(np.array([0.25]), np.array([1], np.uint8))


def test_the_sources_are_those_that_the_package_holds() -> None:
    assert sources() == (
        DatabaseQuery,
        DelimitedText,
        Frame,
        GlobFiles,
        InMemory,
        ParquetFiles,
        Postgres,
        Query,
        Spark,
    )


@pytest.mark.parametrize("source", sources())
def test_every_source_says_its_name_its_leak_and_its_cost(source: type) -> None:
    for word in (source.title, source.leaks, source.cost, source.counting):  # type: ignore[attr-defined]
        assert word
        assert not word.endswith(".")


def test_no_two_sources_read_files_with_one_ending() -> None:
    endings = [ending for one in sources() if issubclass(one, FileSource) for ending in one.endings]
    assert len(endings) == len(set(endings))
    assert "" in endings


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("list.csv", DelimitedText),
        ("LIST.TSV", DelimitedText),
        ("list", DelimitedText),
        ("parquet.txt", DelimitedText),
        ("list.parquet", ParquetFiles),
        ("LIST.PQ", ParquetFiles),
    ],
)
def test_the_ending_of_a_name_chooses_the_source(name: str, source: type) -> None:
    assert type(file_source(Path(name))) is source


def test_a_folder_is_read_as_parquet_whatever_its_name(tmp_path: Path) -> None:
    assert type(file_source(tmp_path)) is ParquetFiles


def test_a_source_is_its_own_and_a_labelled_is_data_in_memory(tmp_path: Path) -> None:
    query = Query("SELECT 1 AS score, 1 AS label")
    assert source_of(query) is query
    assert source_of(TABLE) == InMemory(TABLE)
    assert source_of(tmp_path / "a.csv") == DelimitedText(tmp_path / "a.csv")


@pytest.mark.parametrize("given", [{"score": [0.5]}, np.array([0.5]), None])
def test_what_no_source_reads_is_refused_by_its_type(given: object) -> None:
    told = refused(given)
    assert f"A list of type {type(given).__name__} is not understood" in told
    assert "the path of a CSV or Parquet file" in told
    assert "Labelled(scores, labels)" in told


def test_columns_beside_a_source_that_has_its_own_are_refused() -> None:
    for given in (Query("SELECT 1 AS risk, 1 AS label"), TABLE):
        told = refused(given, columns=Columns("risk"), error=ConfigurationError)
        assert "Columns are named for a file or a data frame, not for" in told


def test_the_same_list_is_read_alike_from_every_source(tmp_path: Path) -> None:
    dice = random.Random(5)
    wanted = [
        (dice.random() * 10.0 ** dice.randint(-300, 0), dice.randint(0, 1)) for _ in range(99)
    ]
    text = "score,label\n" + "".join(f"{score!r},{label}\n" for score, label in wanted)
    path = text_file(tmp_path, text)
    table = f"SELECT score::DOUBLE AS score, label::INT AS label FROM '{path}'"
    given = [
        path,
        parquet_file(tmp_path, table),
        Query("SELECT * FROM t", {"t": path}),
        Labelled(np.array([one for one, _ in wanted]), np.array([one for _, one in wanted])),
    ]
    for one in given:
        assert rows(read(one)) == wanted


def test_a_list_prints_its_length_only() -> None:
    assert repr(TABLE) == "<Labelled, 1 samples>"
    assert TABLE.one_class


def test_the_columns_are_those_that_are_asked_for(tmp_path: Path) -> None:
    path = text_file(tmp_path, "id,risk,outcome\n1,0.25,1\n2,0.75,0\n")
    table = read(path, Columns("risk", "outcome"), Scores())
    assert rows(table) == [(0.25, 1), (0.75, 0)]


def test_a_path_may_be_a_text_and_columns_come_before_the_labels(tmp_path: Path) -> None:
    path = text_file(tmp_path, "risk,outcome\n0.5,sick\n")
    columns, scores = Columns("risk", "outcome"), Scores(positive="sick", negative="well")
    assert rows(read(str(path), columns, scores)) == [(0.5, 1)]


def test_an_argument_of_another_type_is_told_what_to_pass(tmp_path: Path) -> None:
    path = text_file(tmp_path, "score,label\n0.5,1\n")
    with pytest.raises(ConfigurationError, match="`columns` of read is of the type Scores"):
        read(path, Scores())  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r'read\(path, Columns\("score", "label"\)'):
        read(path, scores=Columns())  # type: ignore[arg-type]
