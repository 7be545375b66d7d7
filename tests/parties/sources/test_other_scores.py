"""Two columns of scores from one source: both read alike, each fault told with its own column."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ppaurora.parties.columns.other_scores import OtherScores
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.simulation.plain_reading import plain_keys
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import file_source, read, study_data
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.scale import PROBABILITIES, encode
from ppaurora.protocols.options import Options
from tests.parties.sources.writing import CANARY, parquet_file, refused, text_file

RIVAL = (OtherScores(names=("rival",)),)
OF_TWO = Options(metrics=("auroc_differs",))
SECOND = ["rival"]
TEXT = "id,rival,label,score\n1,0.125,1,0.5\n2,0.25,0,0.75\n3,0.25,1,1\n"
SELECTED = (
    "SELECT * FROM (VALUES (0.125, 1, 0.5), (0.25, 0, 0.75), (0.25, 1, 1)) t(rival, label, score)"
)
WANTED = [(0.5, 1, 0.125), (0.75, 0, 0.25), (1.0, 1, 0.25)]


def rows(table: Labelled) -> list[tuple[float, int, float]]:
    columns = (table.scores, table.labels, np.asarray(table.extra["rival"]))
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_every_source_reads_both_columns(tmp_path: Path) -> None:
    text, parquet = text_file(tmp_path, TEXT), parquet_file(tmp_path, SELECTED)
    for given in (text, parquet, Query("SELECT * FROM t", {"t": parquet})):
        assert rows(read(given, extra=SECOND)) == WANTED
    scores, labels, against = (np.array(column) for column in zip(*WANTED, strict=True))
    assert rows(read(Labelled(scores, labels, extra={"rival": against}), extra=SECOND)) == WANTED


def test_a_folder_of_parquet_files_is_one_list(tmp_path: Path) -> None:
    for name in ("a", "b"):
        parquet_file(tmp_path / "list", SELECTED, f"{name}.parquet")
    assert rows(read(tmp_path / "list", extra=SECOND)) == WANTED * 2


def test_an_owner_may_call_the_second_column_otherwise(tmp_path: Path) -> None:
    path = text_file(tmp_path, TEXT.replace("rival", "Ours"))
    assert rows(read(path, Columns(renamed=("rival=ours",)), extra=SECOND)) == WANTED
    told = refused(path, extra=SECOND)
    assert 'has no column "rival"; it has: id, Ours, label, score' in told
    assert "--column" in told


def test_two_columns_are_two(tmp_path: Path) -> None:
    path = text_file(tmp_path, TEXT)
    told = refused(path, columns=Columns(renamed=("rival=score",)), extra=SECOND)
    assert '"rival" is asked for in column "score", which holds the scores' in told
    told = refused(path, columns=Columns(renamed=("rival = label",)), extra=SECOND)
    assert 'in column "label", which holds the labels' in told


def test_a_study_of_one_score_reads_no_second_column(tmp_path: Path) -> None:
    path = text_file(tmp_path, TEXT)
    assert not read(path).extra
    with pytest.raises(ConfigurationError, match='own name is given for "rival"'):
        study_data(file_source(path, Columns(renamed=("rival=b",))), Scores(), Options())


@pytest.mark.parametrize("text", ["rival", "=b", "rival=", "rival= "])
def test_an_own_name_says_both_names(text: str) -> None:
    with pytest.raises(OptionRefused, match="does not read STUDY'S NAME=OWN NAME"):
        Columns(renamed=(text,))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("NA", 'column "rival": a word for a missing score in row 2 (line 3)'),
        ("", 'column "rival": no score in row 2 (line 3)'),
        (f"1{CANARY}", 'column "rival": a number that is not a score between 0 and 1 in row 2'),
    ],
)
def test_a_fault_of_the_second_column_is_told_with_its_place(
    tmp_path: Path, wrong: str, told: str
) -> None:
    path = text_file(tmp_path, TEXT.replace("2,0.25", f"2,{wrong}"))
    assert told in refused(path, extra=SECOND)


def test_faults_of_the_first_column_are_told_first(tmp_path: Path) -> None:
    path = text_file(tmp_path, TEXT.replace("2,0.25,0,0.75", "2,x,0,y"))
    assert 'column "score": a score that is no number in row 2' in refused(path, extra=SECOND)


def test_typed_columns_are_checked_by_their_own_option(tmp_path: Path) -> None:
    path = parquet_file(
        tmp_path, SELECTED.replace("* FROM", "score, label, DATE '2020-01-01' AS rival FROM")
    )
    told = refused(path, extra=SECOND)
    assert 'column "rival": DATE values are no scores' in told
    assert "--column" in told


def test_data_in_memory_have_second_scores_if_and_only_if_the_study_takes_them() -> None:
    one = Labelled(np.array([0.5]), np.array([1]))
    text = Labelled(np.array([0.5]), np.array([1]), extra={"rival": ["0.5"]})
    assert 'has no column "rival", which the study takes' in refused(one, extra=SECOND)
    assert 'values of "rival" in the list in memory are of type <U3' in refused(text, extra=SECOND)


def test_second_scores_that_can_be_no_column_are_refused_when_the_list_is_made() -> None:
    scores, labels = np.array([0.5, 0.5]), np.array([1, 0])
    with pytest.raises(DataError, match='1 values of "rival" and 2 rows'):
        Labelled(scores, labels, extra={"rival": np.array([0.25])})
    with pytest.raises(DataError, match='The values of "rival" of this list have 2 dimensions'):
        Labelled(scores, labels, extra={"rival": np.array([[0.25, 0.5]])})


def test_the_plain_reader_gives_the_keys_of_both_columns(tmp_path: Path) -> None:
    scores, labels, against = (list(column) for column in zip(*WANTED, strict=True))
    wanted = [encode(column, labels, PROBABILITIES) for column in (scores, against)]
    text, parquet = text_file(tmp_path, TEXT), parquet_file(tmp_path, SELECTED)
    for given in (text, parquet, read(text, extra=SECOND)):
        first, others = plain_keys(given, Scores(), Columns(), OF_TWO, RIVAL)
        assert np.array_equal([first, *others.T], wanted)
    renamed = text_file(tmp_path, TEXT.replace("rival", "ours"), "other.csv")
    columns = Columns(renamed=("rival=ours",))
    first, others = plain_keys(renamed, Scores(), columns, OF_TWO, RIVAL)
    assert np.array_equal([first, *others.T], wanted)
