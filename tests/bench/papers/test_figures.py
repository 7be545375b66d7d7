"""Figures show the measurements with spread, unit and name, and nothing else."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ppaurora.bench.errors import ToolAbsent
from ppaurora.bench.measure import scale
from ppaurora.bench.measure.report import Report
from ppaurora.bench.papers.figures import deltas, drawn, growth, owners, phases, pyplot, samples


@pytest.fixture
def axes() -> Any:
    plot = pyplot()
    figure, made = plot.subplots()
    yield made
    plot.close(figure)


@pytest.fixture
def measured(tmp_path: Path) -> Report:
    """Rows of the paper, each with three runs of 1, 2 and 4 seconds."""
    report = Report("tables", tmp_path / "tables.json")
    for layout, merge, delta in (
        ("8x1000", "network", 1),
        ("8x1000", "delta", 1),
        ("8x1000", "delta", 5),
        ("3x64", "network", 1),
    ):
        for seconds in (1.0, 2.0, 4.0):
            key = {"metric": "auroc", "merge": merge, "delta": delta, "layout": layout}
            report.add(key, {"seconds": seconds, "bytes": 10_000_000})
    return report


@pytest.fixture
def grown(tmp_path: Path) -> Report:
    report = Report("scale", tmp_path / "scale.json")
    for count in (2, 8):
        for size in (1024, 2048):
            phase = {"name": "sort", "seconds": 1.0, "cpu_seconds": 1.0}
            run = {"seconds": size / 1024, "phases": [phase]}
            report.add({"owners": count, "samples": size}, run)
    return report


def drawn_line(axes: Any, name: str) -> Any:
    (found,) = [one for one in axes.containers if one.get_label() == name]
    return found


def test_a_merge_without_delta_has_no_marks_at_deltas_that_were_never_measured(
    axes: Any, measured: Report
) -> None:
    assert deltas(axes, measured)
    level, *_ = drawn_line(axes, "auroc, network")
    assert level.get_marker() == ""
    line, *_ = drawn_line(axes, "auroc, delta")
    assert line.get_marker() == "o"
    assert list(line.get_xdata()) == [1, 5]


def test_a_bar_goes_from_the_smallest_to_the_largest_run(axes: Any, measured: Report) -> None:
    assert deltas(axes, measured)
    line, _, (bars,) = drawn_line(axes, "auroc, delta")
    assert list(line.get_ydata()) == [2, 2]
    assert [[at for _, at in one] for one in bars.get_segments()] == [[1, 4], [1, 4]]
    assert not drawn_line(axes, "auroc, network").has_yerr


@pytest.mark.parametrize("draw", [samples, owners, deltas])
def test_every_line_of_the_papers_figures_is_named_at_its_end(
    axes: Any, measured: Report, draw: Any
) -> None:
    assert draw(axes, measured)
    names = [one.get_text() for one in axes.texts]
    papers = [f"{metric}, the paper" for metric in ("auroc", "auroc_no_ties", "aupr")]
    assert {*papers, "auroc, network"} <= set(names)
    heights = sorted(one.xyann[1] for one in axes.texts)
    assert all(above - below > 0.05 for below, above in pairwise(heights))
    assert axes.get_legend() is None
    assert "Fig. 2" in axes.get_title()
    assert axes.get_ylabel() == "time [s]"
    assert axes.get_xlabel()


def test_growth_and_phases_have_titles_units_and_names(axes: Any, grown: Report) -> None:
    assert growth(axes, grown)
    assert [one.get_text() for one in axes.texts] == ["2 owners", "8 owners"]
    axes.clear()
    assert phases(axes, grown)
    assert {one.get_text() for one in axes.texts} == set(scale.PHASES)
    assert axes.get_ylabel().endswith("[s]")
    assert "2,048 samples" in axes.get_title()


def test_the_same_report_makes_the_same_files(tmp_path: Path, measured: Report) -> None:
    first, second = (list(drawn([measured], tmp_path / name)) for name in ("a", "b"))
    assert {path.suffix for path in first} == {".png", ".svg"}
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_without_matplotlib_the_advice_names_the_package_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ToolAbsent) as caught:
        pyplot()
    assert "pip install matplotlib" in caught.value.advice
