"""Reports: kept after every run, resumed by the same code only, compared by ratio."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from ppaurora.bench import compare
from ppaurora.bench.errors import ReportRefused, RunFailed
from ppaurora.bench.measure import scale
from ppaurora.bench.measure.report import Report, machine, spread, typical
from ppaurora.bench.measure.rows import Row, measure_rows

KEY = {"row": 1}


def test_a_run_is_on_disk_as_soon_as_it_is_added(tmp_path: Path) -> None:
    report = Report("scale", tmp_path / "report.json")
    report.add(KEY, {"seconds": 1.0})
    report.add(KEY, {"seconds": 3.0})
    runs = Report.read(tmp_path / "report.json").runs(KEY)
    assert typical(runs, "seconds") == 2.0
    assert spread(runs, "seconds") == (1.0, 3.0)


def test_a_report_tells_machine_versions_commit_and_load(tmp_path: Path) -> None:
    report = Report("scale", tmp_path / "report.json", "scale --runs 1")
    report.add(KEY, {"seconds": 1.0})
    text = json.loads((tmp_path / "report.json").read_text())
    assert {"processor", "cores", "memory_bytes", "python", "versions"} <= set(text["machine"])
    assert {"commit", "code", "command", "started"} <= set(text)
    assert "load" in text["rows"][0]["runs"][0]
    assert "numpy" in machine()["versions"]


def test_rows_of_the_same_code_are_resumed_and_others_measured_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    Report("scale", path).add(KEY, {"seconds": 1.0})
    assert len(Report.resumed("scale", path)) == 1
    monkeypatch.setattr("ppaurora.bench.measure.report.fingerprint_of_code", lambda: "other code")
    assert len(Report.resumed("scale", path)) == 0
    assert len(Report.read(tmp_path / "report.old.json")) == 1, "set aside, not lost"


def test_rows_are_measured_anew_on_request(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    Report("scale", path).add(KEY, {"seconds": 1.0})
    assert len(Report.resumed("scale", path, fresh=True)) == 0
    assert len(Report.read(tmp_path / "report.old.json")) == 1


def test_what_is_there_is_not_measured_again(tmp_path: Path) -> None:
    report = Report("scale", tmp_path / "report.json")
    measured: list[int] = []

    def row(number: int) -> Row:
        def measure(show: Any) -> dict[str, Any]:
            show("sort")
            measured.append(number)
            return {"seconds": float(number)}

        return Row({"row": number}, f"row {number}", 1.0, measure)

    quiet = Console(quiet=True)
    measure_rows(report, [row(1), row(2)], runs=2, console=quiet)
    assert measured == [1, 2, 1, 2]
    measure_rows(report, [row(1), row(2), row(3)], runs=2, console=quiet)
    assert measured == [1, 2, 1, 2, 3, 3]


def test_an_interruption_keeps_what_was_measured(tmp_path: Path) -> None:
    report = Report("scale", tmp_path / "report.json")

    def interrupted(show: Any) -> dict[str, Any]:
        raise KeyboardInterrupt

    rows = [
        Row(KEY, "good", 1.0, lambda show: {"seconds": 1.0}),
        Row({"row": 2}, "bad", 1.0, interrupted),
    ]
    assert measure_rows(report, rows, runs=1, console=Console(quiet=True)).interrupted
    assert len(Report.read(tmp_path / "report.json")) == 1


def test_a_failed_run_is_named_and_the_others_go_on() -> None:
    report = Report("scale")

    def failing(show: Any) -> dict[str, Any]:
        raise RunFailed("P1 is gone")

    rows = [
        Row(KEY, "bad", 1.0, failing),
        Row({"row": 2}, "good", 1.0, lambda show: {"seconds": 1.0}),
    ]
    outcome = measure_rows(report, rows, runs=1, console=Console(quiet=True))
    assert outcome.failures == ["bad: P1 is gone"]
    assert len(report) == 1


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    for text in ("", "{}", "[]", '{"format": "ppaurora bench 0", "rows": []}'):
        path.write_text(text)
        with pytest.raises(ReportRefused):
            Report.read(path)


def test_a_file_that_is_not_there_is_told_as_that(tmp_path: Path) -> None:
    with pytest.raises(ReportRefused, match="there is no file"):
        Report.read(tmp_path / "none.json")


def two_reports(old: dict[str, Any], new: dict[str, Any]) -> list[compare.Compared]:
    reports = []
    for figures in (old, new):
        report = Report("scale")
        report.add(KEY, figures)
        reports.append(report)
    return compare.compared(*reports, factor=1.15)


def test_slower_by_more_than_the_factor_is_named() -> None:
    (row,) = two_reports({"seconds": 1.0, "hops": 10}, {"seconds": 1.1, "hops": 10})
    assert row.worse == ()
    (row,) = two_reports({"seconds": 1.0, "hops": 10}, {"seconds": 1.2, "hops": 10})
    assert row.worse == ("seconds",)
    assert row.ratio("seconds") == pytest.approx(1.2)


def test_one_more_hop_or_a_wrong_value_is_named() -> None:
    (row,) = two_reports({"hops": 100, "correct": True}, {"hops": 101, "correct": False})
    assert row.worse == ("hops", "value")


def test_reports_of_different_benchmarks_are_not_compared() -> None:
    with pytest.raises(ReportRefused):
        compare.compared(Report("scale"), Report("tables"), factor=1.1)
    with pytest.raises(ReportRefused):
        compare.compared(Report("scale"), Report("scale"), factor=1.1)


def test_growth_is_against_half_the_samples() -> None:
    report = Report("scale")
    for samples, seconds in ((1024, 1.0), (2048, 2.2), (8192, 9.0)):
        report.add({"owners": 8, "samples": samples}, {"seconds": seconds})
    assert list(scale.growth(report).values()) == [None, pytest.approx(2.2), None]


def test_samples_are_shared_out_evenly() -> None:
    assert scale.shared_out(10, 4) == (3, 3, 2, 2)
