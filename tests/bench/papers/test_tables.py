"""The paper's numbers and the rows that are measured beside them."""

from __future__ import annotations

import pytest

from ppaurora.bench.errors import LayoutRefused
from ppaurora.bench.measure.data import sizes_of
from ppaurora.bench.measure.report import Report
from ppaurora.bench.networks import networks
from ppaurora.bench.networks.networks import Means
from ppaurora.bench.papers import tables
from ppaurora.bench.papers.figures import drawn

HERE = networks.one_host(networks.LOOPBACK, Means.LOOPBACK)


def figures(seconds: float) -> dict[str, object]:
    parties = {role: {"bytes": 10**6} for role in ("P0", "P1", "helper")}
    return {
        "seconds": seconds,
        "cpu_seconds": seconds,
        "bytes": 3 * 10**6,
        "hops": 10,
        "parties": parties,
        "correct": True,
    }


def filled() -> Report:
    report = Report("tables")
    for row in tables.rows_to_measure(
        tables.paper_rows(), tables.METRICS, tables.MERGES, HERE, plain=False
    ):
        report.add(row.key, figures(row.weight))
    return report


def test_all_rows_of_both_tables_are_there() -> None:
    rows = tables.paper_rows()
    assert len(rows) == 15
    assert all(sum(sizes_of(row.layout)) == row.samples for row in rows)
    largest = next(row for row in rows if row.name == "8x1000")
    assert largest.megabytes["auroc"] == 7564.75
    assert largest.seconds["auroc"] == 1404.6


def test_rows_are_chosen_by_layout_and_delta() -> None:
    assert [row.delta for row in tables.chosen(["8x1000@25", "8x1000"])] == [25, 1]
    with pytest.raises(LayoutRefused, match="7x7"):
        tables.chosen(["7x7"])


def test_every_row_is_measured_once_and_merges_without_delta_once_a_layout() -> None:
    keys = [key for key, _ in filled()]
    assert len(keys) == 3 * (15 + 9 + 9)
    assert {key["delta"] for key in keys if key["merge"] != "delta"} == {1}


def test_the_table_has_a_line_for_each_measured_row() -> None:
    assert tables.table(filled()).row_count == 3 * (15 + 9 + 9)


def test_seconds_are_compared_over_the_papers_network_only() -> None:
    (paper,) = tables.chosen(["3x64"])
    key = tables.key_of(paper, "auroc", "network", HERE, plain=False)
    for network, shown in (("wan", True), ("lan", False)):
        report = Report("tables")
        report.add({**key, "network": network}, figures(1.0))
        cells = list(tables.table(report).columns[6].cells)
        assert (cells == ["24.7"]) is shown


def test_the_figures_of_the_paper_are_drawn(tmp_path) -> None:

    names = {path.name for path in drawn([filled()], tmp_path)}
    assert {"2a-time-against-samples.png", "2c-time-against-delta.svg", "bytes.png"} <= names
    assert all((tmp_path / name).stat().st_size > 1000 for name in names)
