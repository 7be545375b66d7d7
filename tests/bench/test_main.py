"""The command line of the benchmark: what it writes, what it shows, how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppaurora.bench.errors import LayoutRefused, MeansRefused
from ppaurora.bench.main import app
from ppaurora.bench.measure.report import Report
from ppaurora.bench.papers import tables
from ppaurora.mpc.committed import commitment_cost

RUNNER = CliRunner()


def figures(seconds: float) -> dict[str, object]:
    return {
        "seconds": seconds,
        "fastest_seconds": seconds,
        "slowest_seconds": seconds,
        "cpu_seconds": seconds,
        "elements_per_second": 1 / seconds,
        "cpu_ns_per_element": 1e9 * seconds,
        "bytes": 16,
        "declared_bytes": 16,
        "hops": 1,
        "declared_hops": 1,
    }


def written(path: Path, seconds: float) -> str:
    Report("primitives", path).add({"call": "open", "n": 1, "channel": "plain"}, figures(seconds))
    return str(path)


def test_a_comparison_ends_with_one_when_something_became_slower(tmp_path: Path) -> None:
    slow, fast = written(tmp_path / "slow.json", 2.0), written(tmp_path / "fast.json", 1.0)
    assert RUNNER.invoke(app, ["compare", slow, fast]).exit_code == 0
    outcome = RUNNER.invoke(app, ["compare", fast, slow])
    assert outcome.exit_code == 1
    assert "seconds" in outcome.output


def test_a_report_is_shown_as_a_table(tmp_path: Path) -> None:
    outcome = RUNNER.invoke(app, ["show", written(tmp_path / "report.json", 1.0)])
    assert outcome.exit_code == 0
    assert "open" in outcome.output


def test_unknown_rows_and_networks_are_refused() -> None:
    outcome = RUNNER.invoke(app, ["tables", "--rows", "7x7"])
    assert isinstance(outcome.exception, LayoutRefused)
    outcome = RUNNER.invoke(app, ["tables", "--network", "moon"])
    assert isinstance(outcome.exception, MeansRefused)


def test_primitives_in_memory_are_measured_and_resumed(tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    asked = ["primitives", "--only", "open,square", "--lengths", "10", "--channels", "memory"]
    assert RUNNER.invoke(app, [*asked, "--out", str(out)]).exit_code == 0
    before = out.read_text()
    assert len(Report.read(out)) == 2
    assert RUNNER.invoke(app, [*asked, "--out", str(out)]).exit_code == 0
    assert out.read_text() == before


@pytest.mark.zeromq
def test_a_small_scale_run_is_exact_and_shown(tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    asked = ["scale", "--owners", "2,3", "--samples", "20", "--runs", "1", "--out", str(out)]
    outcome = RUNNER.invoke(app, asked)
    assert outcome.exit_code == 0, outcome.output
    assert outcome.output.count("exact") == 2
    assert all(run["correct"] for _, runs in Report.read(out) for run in runs)


@pytest.mark.zeromq
def test_a_run_of_a_covert_study_takes_the_declared_hops_and_bytes_more(tmp_path: Path) -> None:
    asked = ["scale", "--owners", "2", "--samples", "20", "--runs", "1", "--check", "--out"]
    plain, assured = tmp_path / "plain.json", tmp_path / "assured.json"
    for more in ([str(plain)], [str(assured), "--dealings", "3"]):
        assert RUNNER.invoke(app, [*asked, *more]).exit_code == 0
    [(_, [before])], [(key, [after])] = Report.read(plain), Report.read(assured)
    assert key["dealings"] == 3
    assert after["correct"]
    cost = commitment_cost(3)
    assert after["hops"] - before["hops"] == cost.hops
    assert after["payload_bytes"] - before["payload_bytes"] == cost.payload


@pytest.mark.zeromq
def test_a_row_of_the_paper_is_measured_beside_its_numbers(tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    asked = ["tables", "--rows", "3x64", "--metrics", "auroc", "--merges", "network"]
    asked += ["--network", "loopback", "--out", str(out)]
    outcome = RUNNER.invoke(app, asked)
    assert outcome.exit_code == 0, outcome.output
    (line,) = [line for line in outcome.output.splitlines() if "3x64" in line]
    (paper,) = tables.chosen(["3x64"])
    cells = [cell.strip() for cell in line.split("│")]
    assert f"{paper.megabytes['auroc']:.1f}" in cells
    assert "exact" in cells


def test_the_papers_experiments_are_listed_computed_shown_and_kept(tmp_path: Path) -> None:
    listed = RUNNER.invoke(app, ["papers", "--list"])
    assert listed.exit_code == 0
    assert "thesis-small-list" in listed.output
    asked = ["papers", "--only", "thesis-small-list", "--out", str(tmp_path)]
    outcome = RUNNER.invoke(app, asked)
    assert outcome.exit_code == 0, outcome.output
    assert "0.558824" in outcome.output
    made = {path.name for path in tmp_path.iterdir()}
    names = (f"thesis-small-list.{kind}" for kind in ("jsonl", "svg", "pdf"))
    assert made == {"PAPERS.md", *names}
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert RUNNER.invoke(app, asked).exit_code == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    unknown = RUNNER.invoke(app, ["papers", "--only", "moon"])
    assert isinstance(unknown.exception, LayoutRefused)
