"""The benchmark of an owner's part: real servers store what it sends, and every stage is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.bench.compare import table_of
from ppaurora.bench.errors import LayoutRefused
from ppaurora.bench.measure.report import Report
from ppaurora.bench.networks.networks import LOOPBACK, Means, one_host
from ppaurora.bench.sources import outsourcing
from ppaurora.bench.sources.owner_task import STAGES

HERE = one_host(LOOPBACK, Means.LOOPBACK)


@pytest.mark.zeromq
def test_an_owner_is_measured_stage_by_stage_against_servers_that_store_its_list(
    tmp_path: Path,
) -> None:
    report = Report.resumed("outsource", tmp_path / "report.json", "a test", fresh=True)
    with outsourcing.laid_out(HERE) as site:
        for row in outsourcing.rows_to_measure(["csv", "parquet"], [3000], site):
            report.add(row.key, row.measure(lambda _: None))
    for _, [run] in report:
        assert run["correct"]
        assert [one["stage"] for one in run["stages"]] == [*STAGES]
        read, split, sent = run["stages"]
        assert read["bytes"] > 0
        assert split["bytes"] == sent["bytes"] == 8 * 3000 + 32
        assert all(one["peak_bytes"] >= 1 << 20 for one in run["stages"])
    shown = table_of(report)
    assert [*shown.columns[3].cells] == [*STAGES] * 2
    assert [*shown.columns[-1].cells] == ["right"] * 6


def test_a_format_that_is_not_measured_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LayoutRefused, match="no format"):
        outsourcing.rows_to_measure(["xlsx"], [10], outsourcing.OwnerSite(tmp_path, HERE))


def test_a_report_from_before_the_network_was_chosen_says_that_it_is_unknown() -> None:
    stage = {"seconds": 2.0, "cpu_seconds": 1.0, "bytes": 1 << 20, "peak_bytes": 1 << 20}
    report = Report("outsource")
    figures = {"correct": True, "load": None, "stages": [stage] * len(STAGES)}
    report.add({"format": "csv", "rows": 1000}, figures)
    report.add({"format": "csv", "rows": 1000, "network": "lan", "means": "cable"}, figures)
    shown = table_of(report)
    assert [*shown.columns[2].cells] == ["unknown"] * 3 + ["lan (cable)"] * 3
