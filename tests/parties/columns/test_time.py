"""The columns of times and events, from the owners' lists to the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars
import pytest
from jsonschema import Draft202012Validator

from ppaurora.parties.columns.event import EventColumn
from ppaurora.parties.columns.time import TimeColumn
from ppaurora.parties.commands.main import main
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.reports.schema import result_schema
from ppaurora.parties.reports.section_statistics import computed_section
from ppaurora.parties.simulation.plain_reading import plain_keys
from ppaurora.parties.simulation.simulate import time_steps
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import file_source, source_of, study_data
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores, Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.options import Options
from tests.parties.participant.test_participant import ANN, TABLE
from tests.parties.sample import study

EXTRA = (TimeColumn(column="days"), EventColumn(column="died"))
TIMED: dict[str, object] = {
    "metrics": ("c_index",),
    "decimals": 1,
    "resolution": "bins:10",
    "time_edges": ("30", "90.5"),
    "extra": EXTRA,
}
OPTIONS = Options(metrics=("c_index",), resolution="bins:10", time_edges=("30", "90.5"))
TEXT = "days,died,score,label\n30,1,0.5,x\n31,0,0.25,y\n0,1,0.75,z\n"
ROWS = [(0.5, 1, 30.0), (0.25, 0, 31.0), (0.75, 1, 0.0)]


def refused(**changes: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Study.parse(study_text(study(**{**TIMED, **changes})), "study.toml")
    assert caught.value.advice
    return str(caught.value)


def rows(table: object) -> list[tuple[float, int, float]]:
    assert isinstance(table, Labelled)
    columns = (table.scores, table.labels, np.asarray(table.extra["days"]))
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_times_are_part_of_the_study() -> None:
    asked = study(**TIMED)
    assert Study.parse(study_text(asked), "study.toml") == asked
    assert asked.content()["times"] == {
        "column": "days",
        "event": "died",
        "edges": ["30", "90.5"],
    }
    assert "times" not in study().content()


def test_a_column_without_a_metric_of_times_and_the_reverse_are_refused() -> None:
    assert "times.column must name the column of the times" in refused(extra=EXTRA[1:])
    assert "times.event must name the column of the events" in refused(extra=EXTRA[:1])
    bare = {"metrics": ("auroc",), "time_edges": ()}
    assert "times.column names the times of the samples" in refused(**bare, extra=EXTRA[:1])
    assert "times.event names the events of the samples" in refused(**bare, extra=EXTRA[1:])
    assert 'names the column "days" for two purposes' in refused(
        extra=(EXTRA[0], EventColumn(column="days"))
    )


def test_every_source_reads_times_as_numbers_and_events_as_labels(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(TEXT, encoding="utf-8")
    frame = polars.read_csv(path)
    frame.write_parquet(tmp_path / "list.parquet")
    for given in (path, tmp_path / "list.parquet", frame, frame.to_pandas()):
        assert rows(study_data(source_of(given), Scores(), OPTIONS, EXTRA)) == ROWS
    times = np.array([time for *_, time in ROWS])
    held = Labelled([0.5, 0.25, 0.75], [1, 0, 1], extra={"days": times})
    assert rows(study_data(source_of(held), Scores(), OPTIONS, EXTRA)) == ROWS


def test_a_list_has_names_and_words_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    text = TEXT.replace("days,died", "t;d").replace(",1,", ",dead,").replace(",0,", ",alive,")
    path.write_text(text.replace(",", ";").replace("0.", "0,"), encoding="utf-8")
    columns = Columns(
        renamed=("days=t", "died=d"), positive="dead", negative="alive", decimal_comma=True
    )
    table = study_data(file_source(path, columns), Scores(), OPTIONS, EXTRA)
    assert rows(table) == ROWS
    own, times, events = plain_keys(path, Scores(), columns, OPTIONS, EXTRA)
    assert (times.tolist(), events.tolist(), own.size) == ([0, 1, 0], [1, 0, 1], 3)


def test_scores_in_percent_leave_times_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("days,died,score\n30,1,50\n31,0,25\n", encoding="utf-8")
    columns = Columns(percent=True)
    assert rows(study_data(file_source(path, columns), Scores(), OPTIONS, EXTRA)) == ROWS[:2]
    assert plain_keys(path, Scores(), columns, OPTIONS, EXTRA)[1].tolist() == [0, 1]


def test_a_row_without_a_time_is_left_out_with_those_without_a_score(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    text = "days,died,score\n30,1,0.5\nNA,1,0.5\n31,,0.25\n31,0,0.25\n0,1,\n0,1,0.75\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match='column "score": no score in row 5'):
        study_data(file_source(path), Scores(), OPTIONS, EXTRA)
    columns = Columns(drop_missing=True)
    table = study_data(file_source(path, columns), Scores(), OPTIONS, EXTRA)
    assert rows(table) == ROWS
    assert isinstance(table, Labelled)
    assert table.left_out == 3
    assert plain_keys(path, Scores(), columns, OPTIONS, EXTRA)[1].tolist() == [0, 1, 0]


@pytest.mark.parametrize("wrong", ["-1", "soon", "nan", "inf"])
def test_a_time_that_is_none_is_refused_with_its_row_and_not_repeated(
    tmp_path: Path, wrong: str
) -> None:
    path = tmp_path / "list.csv"
    path.write_text(TEXT.replace("31", wrong), encoding="utf-8")
    with pytest.raises(DataError, match="row 2") as caught:
        study_data(file_source(path), Scores(), OPTIONS, EXTRA)
    assert 'column "days"' in str(caught.value)
    if wrong not in ("nan", "inf"):
        # the path of the file may well hold it
        assert wrong not in str(caught.value).replace(str(path), "")


def test_a_time_between_the_edges_is_refused_where_times_are_apart() -> None:
    times = np.array([30.0, 90.5] * 25)
    asked = study(**{**TIMED, "times_apart": True})
    Participant(ANN, asked).prepare(replace(TABLE, extra={"days": times}))
    times[3] = 31
    with pytest.raises(DataError, match="no edge of the study's grid in row 4") as caught:
        Participant(ANN, asked).prepare(replace(TABLE, extra={"days": times}))
    assert "without `apart`" in caught.value.advice
    Participant(ANN, study(**TIMED)).prepare(replace(TABLE, extra={"days": times}))
    with pytest.raises(DataError, match="below 0 or no number in 50 rows"):
        Participant(ANN, study(**TIMED)).prepare(replace(TABLE, extra={"days": -times}))


def test_steps_that_a_simulation_finds_hold_all_times() -> None:
    for times in ([0.0], [0.3, 0.04], [1.0, 50.0], [1.0, 51.0], [0.5, 50.0], [1e9], [12345.5]):
        options = Options(metrics=("c_index",), resolution="bins:4", **time_steps(times))
        assert options.times.horizon >= max(times)
        assert len(options.times) <= 51
        assert not options.times_apart or not options.times.between(np.array(times))[1:].any()


@pytest.mark.slow
@pytest.mark.zeromq
def test_a_simulation_of_times_goes_from_the_lists_to_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(3)
    paths = []
    for name in "ab":
        path = tmp_path / f"{name}.csv"
        scores = rng.random(40)
        times, events = rng.exponential(300 / (0.2 + scores)).round(), rng.integers(0, 2, 40)
        lines = zip(scores.tolist(), times.astype(int).tolist(), events.tolist(), strict=True)
        path.write_text("score,t,d\n" + "".join(f"{s},{t},{d}\n" for s, t, d in lines))
        paths.append(str(path))
    report = tmp_path / "report.html"
    given = ["simulate", "--time", "t", "--event", "d", *paths, "--report", str(report)]
    with pytest.raises(SystemExit) as left:
        main([*given, "--format", "json"])
    assert left.value.code == 0
    told = capsys.readouterr()
    result = json.loads(told.out)
    Draft202012Validator(result_schema()).validate(result)
    assert result["options"]["times"]["event"] == "d"
    assert "times are counted with --time-width=" in told.err
    assert "scores are counted with --resolution bins:100" in told.err
    page = report.read_text(encoding="utf-8")
    assert "Harrell&#x27;s C (certified bounds)" in page or "C (certified bounds)" in page
    facts = str(computed_section(SavedResult.from_json(told.out)))
    assert "('Times', 'column t')" in facts
    assert "('Events', 'column d')" in facts
