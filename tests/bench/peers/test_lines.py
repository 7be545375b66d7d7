"""Lines of a report of peers: medians, estimates, and figures that are only printed."""

from __future__ import annotations

import pytest

from ppaurora.bench.measure.report import Figures, Report
from ppaurora.bench.peers import lines
from ppaurora.bench.peers.lines import HEADERS, ListSizes


def run(cpu: float, sent: float = 2e6, **more: object) -> Figures:
    figures = {"seconds": 2 * cpu, "cpu_seconds": cpu, "bytes": sent, "peak_bytes": 1e6}
    return {**figures, "value": 0.75, "exact": 0.75, **more}


def row(layout: str, name: str) -> dict[str, str]:
    return {"layout": layout, "contestant": name}


def test_a_line_has_the_median_the_range_and_the_ratio_to_this_system() -> None:
    report = Report("peers")
    report.head["layouts"] = ["3x64"]
    for cpu in (1.0, 3.0, 2.0):
        report.add(row("3x64", "ppaurora"), run(cpu))
        report.add(row("3x64", "spu merge"), run(4 * cpu))
    shown = list(lines.lines(report))
    assert [len(line) for line in shown] == [len(HEADERS)] * 3
    assert shown[1][:6] == (
        "3x64",
        "spu merge",
        "16.000 (8.000-24.000)",
        "4.00",
        "8.000 (4.000-12.000)",
        "4.00",
    )


def test_a_run_that_failed_says_why() -> None:
    report = Report("peers")
    report.add(row("3x64", "spu merge"), {"failed": "not done after 1 s"})
    assert next(lines.lines(report))[2] == "failed: not done after 1 s"


def test_estimates_follow_samples_for_owners_and_scores_for_the_others() -> None:
    def figures(samples: int, scores: int) -> Figures:
        owners, others = 1 + 0.5 * samples, 2 + 0.25 * scores
        return run(owners + others, owners={"cpu_seconds": owners})

    measured = [(ListSizes(*work), figures(*work)) for work in ((24, 24), (48, 47), (96, 90))]
    large = ListSizes(1_000_000, 1_001)
    assert lines.estimate(measured, "cpu_seconds", large) == pytest.approx(1 + 500_000 + 2 + 250.25)


def test_what_is_beyond_a_contestant_is_estimated_and_marked() -> None:
    report = Report("peers")
    report.head["layouts"] = ["8x1000"]
    report.add(row("8x1000", "ppaurora"), run(0.25))
    for layout in ("3x8", "3x16", "3x32"):
        work = lines.list_sizes(layout)
        owners = {"cpu_seconds": 1.0 * work.samples, "bytes": 1e6 * work.samples}
        sent = 2e6 * work.samples
        report.add(row(layout, "pp-auc"), run(2.0 * work.samples, sent, owners=owners))
    [estimated] = [line for line in lines.lines(report) if line[:2] == ("8x1000", "pp-auc")]
    assert estimated[4].startswith("≈ ")
    cpu = float(estimated[4].removeprefix("≈ ").replace(",", ""))
    assert 8_000 < cpu < 9_200, "a line over 8,000 samples, and one over at most 1,001 scores"
    assert estimated[2] == ""


def test_a_single_size_gives_no_line() -> None:
    one = run(2.0, owners={"cpu_seconds": 1.0, "bytes": 1e6})
    assert str(lines.estimate([(ListSizes(24, 24), one)], "cpu_seconds", ListSizes(9, 9))) == "nan"


def test_scores_that_differ_are_at_most_those_of_three_decimals() -> None:
    assert lines.list_sizes("3x64").samples == 192
    assert lines.list_sizes("8x1000").scores <= 1_001


def test_printed_figures_are_marked_as_printed() -> None:
    *_, last = lines.lines(Report("peers"))
    assert "printed" in last[2]
