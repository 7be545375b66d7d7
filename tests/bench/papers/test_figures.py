"""What the figures show: marks where something was measured, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import MagicMock

from ppaurora.bench.measure.report import Report
from ppaurora.bench.papers.figures import deltas


def test_a_merge_without_delta_has_no_marks_at_deltas_that_were_never_measured(
    tmp_path: Path,
) -> None:
    report = Report("tables", tmp_path / "report.json")
    for merge, delta in (("network", 1), ("delta", 1), ("delta", 5)):
        key = {"metric": "auroc", "merge": merge, "delta": delta, "layout": "8x1000"}
        report.add(key, {"seconds": 1.0, "bytes": 10})
    axes = MagicMock()
    assert deltas(axes, report)
    marks = {call.kwargs["label"]: call.kwargs["marker"] for call in axes.plot.call_args_list}
    assert marks["auroc, network"] == ""
    assert marks["auroc, delta"] == "o"
