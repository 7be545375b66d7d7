"""Two columns of scores from one source: both read alike, each fault told with its own column."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.simulation.plain_reading import plain_keys
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.lists.scale import PROBABILITIES, encode
from tests.parties.sources.writing import CANARY, parquet_file, refused, text_file

SCORES = Scores(against="rival")
TEXT = "id,rival,label,score\n1,0.125,1,0.5\n2,0.25,0,0.75\n3,0.25,1,1\n"
SELECTED = (
    "SELECT * FROM (VALUES (0.125, 1, 0.5), (0.25, 0, 0.75), (0.25, 1, 1)) t(rival, label, score)"
)
WANTED = [(0.5, 1, 0.125), (0.75, 0, 0.25), (1.0, 1, 0.25)]


def rows(table: Labelled) -> list[tuple[float, int, float]]:
    assert table.against is not None
    columns = (table.scores, table.labels, table.against)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_every_source_reads_both_columns(tmp_path: Path) -> None:
    text, parquet = text_file(tmp_path, TEXT), parquet_file(tmp_path, SELECTED)
    for given in (text, parquet, Query("SELECT * FROM t", {"t": parquet})):
        assert rows(read(given, scores=SCORES)) == WANTED
    scores, labels, against = (np.array(column) for column in zip(*WANTED, strict=True))
    assert rows(read(Labelled(scores, labels, against=against), scores=SCORES)) == WANTED


def test_a_folder_of_parquet_files_is_one_list(tmp_path: Path) -> None:
    for name in ("a", "b"):
        parquet_file(tmp_path / "list", SELECTED, f"{name}.parquet")
    assert rows(read(tmp_path / "list", scores=SCORES)) == WANTED * 2


def test_an_owner_may_call_the_second_column_otherwise(tmp_path: Path) -> None:
    path = text_file(tmp_path, TEXT.replace("rival", "Ours"))
    assert rows(read(path, Columns(against="ours"), SCORES)) == WANTED
    told = refused(path, SCORES)
    assert 'has no column "rival"; it has: id, Ours, label, score' in told
    assert "--against COLUMN" in told


def test_two_columns_are_two(tmp_path: Path) -> None:
    path = text_file(tmp_path, TEXT)
    told = refused(path, SCORES, Columns(against="score"))
    assert 'the second scores are asked for in column "score", which holds the scores' in told
    told = refused(path, SCORES, Columns(against="label"))
    assert 'in column "label", which holds the labels' in told


def test_a_study_of_one_score_reads_no_second_column(tmp_path: Path) -> None:
    path = text_file(tmp_path, TEXT)
    assert read(path).against is None
    told = refused(path, Scores(), Columns(against="rival"), ConfigurationError)
    assert "the study takes one score" in told


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
    assert told in refused(path, SCORES)


def test_faults_of_the_first_column_are_told_first(tmp_path: Path) -> None:
    path = text_file(tmp_path, TEXT.replace("2,0.25,0,0.75", "2,x,0,y"))
    assert 'column "score": a score that is no number in row 2' in refused(path, SCORES)


def test_typed_columns_are_checked_by_their_own_option(tmp_path: Path) -> None:
    path = parquet_file(
        tmp_path, SELECTED.replace("* FROM", "score, label, DATE '2020-01-01' AS rival FROM")
    )
    told = refused(path, SCORES)
    assert 'column "rival": DATE values are no scores' in told
    assert "--against COLUMN" in told


def test_data_in_memory_have_second_scores_if_and_only_if_the_study_takes_them() -> None:
    one = Labelled(np.array([0.5]), np.array([1]))
    two = Labelled(np.array([0.5]), np.array([1]), against=np.array([0.25]))
    assert "has 1 columns of scores, and the study compares two" in refused(one, SCORES)
    assert "has 2 columns of scores, and the study takes one" in refused(two)


def test_second_scores_that_can_be_no_column_are_refused_when_the_list_is_made() -> None:
    scores, labels = np.array([0.5, 0.5]), np.array([1, 0])
    with pytest.raises(DataError, match="1 scores and 2 labels"):
        Labelled(scores, labels, against=np.array([0.25]))
    with pytest.raises(DataError, match="The second scores of this list are of type <U3"):
        Labelled(scores, labels, against=np.array(["0.5", "0.5"]))


def test_the_plain_reader_gives_the_keys_of_both_columns(tmp_path: Path) -> None:
    scores, labels, against = (list(column) for column in zip(*WANTED, strict=True))
    wanted = [encode(column, labels, PROBABILITIES) for column in (scores, against)]
    text, parquet = text_file(tmp_path, TEXT), parquet_file(tmp_path, SELECTED)
    for given in (text, parquet, read(text, scores=SCORES)):
        assert np.array_equal(plain_keys(given, SCORES, Columns()), wanted)
    renamed = text_file(tmp_path, TEXT.replace("rival", "ours"), "other.csv")
    found = plain_keys(renamed, SCORES, Columns(against="ours"))
    assert np.array_equal(found, wanted)
