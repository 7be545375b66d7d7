"""Data frames of every kind are lists like any other, with faults told by column and row."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ppaurora import Options, Scores, simulate
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.errors import DataError
from ppaurora.parties.simulation.plain_reading import read_plainly
from ppaurora.parties.sources.engine.arrow_stream import STREAM
from ppaurora.parties.sources.frame import Frame
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import read, source_of, study_data
from ppaurora.parties.sources.source import Columns
from ppaurora.protocols.grid.grid import Bins
from tests.parties.sources.writing import CANARY, refused, rows

Make = Callable[[dict[str, list[Any]]], Any]


class OnlyAStream:
    """An object that can give a stream and nothing else, as drivers of databases do."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return getattr(self._frame, STREAM)(requested_schema)


KINDS: dict[str, Make] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "a reader": lambda columns: pa.table(columns).to_reader(),
    "a stream": lambda columns: OnlyAStream(pl.DataFrame(columns)),
}
kinds = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())
WORDS = Scores(positive="sick", negative="well")
LIST = [(0.5, 1), (0.25, 0), (-0.0, 1), (5e-324, 0)]


@kinds
def test_columns_are_read_and_counted(make: Make) -> None:
    frame = {
        "id": ["a", "b", "c", "d"],
        "Risk": [score for score, _ in LIST],
        "outcome": ["sick", "well", "sick", "well"],
    }
    columns = Columns("risk", "Outcome")
    assert rows(read(make(frame), columns, WORDS)) == LIST
    counted = source_of(make(frame), columns).count(WORDS, Bins(2))
    assert (counted.positives.tolist(), counted.negatives.tolist()) == ([1, 1], [2, 0])


@kinds
@pytest.mark.parametrize(
    "labels", [[True, False], [1, 0], [1.0, 0.0], ["1", "0"], [Decimal(1), Decimal(0)]]
)
def test_labels_may_be_truths_numbers_or_texts(make: Make, labels: list[Any]) -> None:
    frame = make({"score": [0.5, 0.25], "label": labels})
    assert rows(read(frame)) == [(0.5, 1), (0.25, 0)]


@kinds
@pytest.mark.parametrize(
    "scores",
    [[Decimal("0.3"), Decimal("0.1")], ["0.3", " 0.1 "], np.array([0.3, 0.1]), [0.3, 0.1]],
)
def test_scores_of_every_type_are_the_nearest_doubles(make: Make, scores: Any) -> None:
    assert rows(read(make({"score": scores, "label": [1, 0]}))) == [(0.3, 1), (0.1, 0)]


@kinds
def test_whole_numbers_are_exact_or_refused(make: Make) -> None:
    frame = make({"score": [3, 2**53 - 1], "label": [1, 0]})
    assert rows(read(frame, range=("any",))) == [(3.0, 1), (2.0**53 - 1, 0)]
    told = refused(make({"score": [2, 2**53], "label": [1, 0]}))
    assert "too large to be kept exactly (2^53 or more) in row 2" in told


@kinds
@pytest.mark.parametrize(
    ("frame", "told"),
    [
        ({"score": [0.5, float(CANARY) + 1], "label": [1, 0]}, 'column "score": a number that'),
        ({"score": [0.5, np.inf], "label": [1, 0]}, "an infinite number in row 2"),
        ({"score": [0.5, 0.5], "label": ["1", None]}, 'column "label": no label in row 2'),
        ({"score": [0.5, 0.5], "label": [1, 7]}, "such labels here: 7"),
        ({"score": ["0.5", CANARY + "?"], "label": [1, 0]}, "a score that is no number in row 2"),
        ({"score": ["0.5", None], "label": [1, 0]}, "no score in row 2"),
        ({"score": [True, False], "label": [1, 0]}, 'column "score"'),
        ({"score": [[0.5], [0.5]], "label": [1, 0]}, "are no scores"),
        ({"score": [0.5, 0.5], "label": [[1], [0]]}, "are no labels"),
        ({"risk": [0.5], "label": [1]}, 'the data frame has no column "score"; it has: risk, lab'),
    ],
)
def test_every_fault_is_told(make: Make, frame: dict[str, list[Any]], told: str) -> None:
    assert told in refused(make(frame))


def test_pandas_columns_with_gaps_of_their_own() -> None:
    for scores in (pd.array([0.5, None], dtype="Float64"), pd.array([0.5, None], dtype="object")):
        assert "no score in row 2" in refused(pd.DataFrame({"score": scores, "label": [1, 0]}))
    frame = pd.DataFrame({"score": [0.5, np.nan], "label": [1, 0]})
    assert "NaN, which is no score, in row 2" in refused(frame)
    for labels in (pd.array([1, None], dtype="Int64"), [1.0, np.nan], pd.Categorical(["1", None])):
        frame = pd.DataFrame({"score": [0.5, 0.5], "label": labels})
        assert "no label in row 2" in refused(frame)


def test_second_scores_are_read_too() -> None:
    columns = {"score": [0.5], "rival": [0.25], "label": [1]}
    for make in KINDS.values():
        table = read(make(columns), extra=["rival"])
        assert np.asarray(table.extra["rival"]).tolist() == [0.25]


def test_a_stream_that_breaks_is_refused_without_its_words() -> None:
    class Broken:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise ValueError(CANARY)

    assert "the data frame" in refused(Broken())


def test_the_data_do_not_show_where_a_frame_is_printed() -> None:
    assert "0.73" not in repr(Frame(pd.DataFrame({"score": [0.73], "label": [1]})))


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_plain_reader_reads_frames_by_other_means(kind: str) -> None:
    frame = KINDS[kind]({"score": [score for score, _ in LIST], "label": ["sick", "well"] * 2})
    assert rows(read_plainly(frame, WORDS, Columns())) == LIST
    with pytest.raises(LocalProtocolError, match="takes a data frame, but the plain one does not"):
        read_plainly(frame, Scores(), Columns())


def test_a_simulation_refuses_what_can_be_read_once_only() -> None:
    reader = KINDS["a reader"]({"score": [0.5], "label": [1]})
    with pytest.raises(DataError, match="List 1, a RecordBatchReader, can be read only once"):
        simulate([reader])


@pytest.mark.zeromq
def test_a_simulation_takes_frames_and_has_them_counted() -> None:
    dice = np.random.default_rng(3)
    columns = {"risk": dice.random(300), "sick": dice.integers(0, 2, 300)}
    frames = [KINDS[kind](columns) for kind in ("pandas", "polars", "pyarrow")]
    options = Options(metrics=("auroc",), resolution="bins:64")
    assert simulate(frames, options, score="risk", label="sick").equal


def test_a_column_that_is_there_twice_is_refused() -> None:
    twice = pa.Table.from_arrays(
        [pa.array([0.5]), pa.array([1]), pa.array([0])], ["score", "label", "Label"]
    )
    for frame in (twice, twice.to_reader(), OnlyAStream(twice)):
        assert 'names column "label" more than once (columns 2 and 3' in refused(frame)
    pandas = pd.DataFrame([[0.5, 1, 0]], columns=["score", "label", "label"])
    assert 'names column "label" more than once (columns 2 and 3' in refused(pandas)


again = pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
DAYS = [date(1967, 3, 9), None, date(1899, 12, 31)]


@again
@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (["A-1", None, " b "], ["A-1", "", " b "]),
        ([7, 10**18, 0], ["7", str(10**18), "0"]),
        (DAYS, ["1967-03-09", "", "1899-12-31"]),
        ([one and datetime.combine(one, time()) for one in DAYS], ["1967-03-09", "", "1899-12-31"]),
    ],
)
def test_identifiers_are_the_same_texts_in_every_kind(
    kind: str, values: list[Any], texts: list[str]
) -> None:
    frame = KINDS[kind]({"score": [0.5, 0.25, 0.1], "label": [1, 0, 1], "Patient ": values})
    assert source_of(frame).texts("patient") == texts
    plain = read_plainly(frame, Scores(), Columns(), (FoldBy(column="patient"),))
    assert plain.extra["patient"][::2] == texts[::2]


def test_categories_are_the_texts_that_they_stand_for() -> None:
    values = ["b", "a", "b"]
    for frame in (
        pd.DataFrame({"patient": pd.Categorical(values)}),
        pl.DataFrame({"patient": pl.Series(values, dtype=pl.Categorical)}),
        pa.table({"patient": pa.array(values).dictionary_encode()}),
    ):
        assert source_of(frame).texts("patient") == values


@again
def test_whole_numbers_that_a_gap_made_floating_are_no_identifiers(kind: str) -> None:
    frame = KINDS[kind]({"score": [0.5, 0.25], "label": [1, 0], "patient": [1234.0, 5.0]})
    with pytest.raises(DataError, match="float are no identifiers") as caught:
        source_of(frame).texts("patient")
    assert "1234" not in str(caught.value)


def test_points_in_time_of_a_zone_are_no_identifiers() -> None:
    moment = datetime(1967, 3, 9, tzinfo=UTC)
    for kind in ("pandas", "polars", "pyarrow"):
        with pytest.raises(DataError, match="are no identifiers"):
            source_of(KINDS[kind]({"patient": [moment]})).texts("patient")


@again
def test_a_column_of_identifiers_that_is_not_there_is_missed(kind: str) -> None:
    frame = KINDS[kind]({"score": [0.5], "label": [1]})
    with pytest.raises(DataError, match='no column "patient"') as caught:
        source_of(frame).texts("patient")
    assert "The study names this column" in caught.value.advice


@again
def test_identifiers_stay_beside_their_scores_in_long_lists(kind: str) -> None:
    rows = np.arange(130_000)
    labels = np.arange(len(rows)) % 2
    frame = KINDS[kind]({"score": rows / len(rows), "label": labels, "patient": rows})
    by = FoldBy(column="patient", form="number", cuts=("5",))
    options = Options(metrics=("auroc_folds",), folds=2)
    table = study_data(source_of(frame), Scores(), options, (by,))
    assert isinstance(table, Labelled)
    assert [*map(int, table.extra["patient"])] == np.rint(table.scores * len(rows)).tolist()


@pytest.mark.parametrize("kind", ["a reader", "a stream"])
def test_a_stream_that_may_be_read_only_once_gives_no_identifiers(kind: str) -> None:
    stream = KINDS[kind]({"score": [0.5], "label": [1], "patient": ["A"]})
    with pytest.raises(DataError, match="only once") as caught:
        source_of(stream).texts("patient")
    assert "Collect it" in caught.value.advice


@pytest.mark.slow
@pytest.mark.zeromq
def test_a_simulation_of_folds_takes_frames_beside_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    lists = [
        {
            "score": rng.random(60),
            "label": rng.integers(0, 2, 60),
            "patient": [date(1967, 3, 1 + place) for place in rng.integers(0, 30, 60).tolist()],
        }
        for _ in range(3)
    ]
    pd.DataFrame(lists[2]).to_csv(tmp_path / "list.csv", index=False)
    given = [
        pd.DataFrame(lists[0]).astype({"patient": "datetime64[ns]"}),
        pl.DataFrame(lists[1]),
        tmp_path / "list.csv",
    ]
    done = simulate(
        given,
        Options(metrics=("auroc_folds",), folds=2),
        extra=(FoldBy(column="patient", form="date"),),
    )
    assert done.equal
    assert "undefined" not in str(done.result.values["auroc_folds"])
