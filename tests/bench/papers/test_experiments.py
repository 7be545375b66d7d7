"""Every experiment runs in its quick form, says what it found, and draws it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.bench.errors import LayoutRefused
from ppaurora.bench.papers.experiment import ALSO_IN_PRIVATE, Experiment
from ppaurora.bench.papers.figures import pyplot
from ppaurora.bench.papers.kept import Kept
from ppaurora.bench.papers.page import in_private, page
from ppaurora.bench.papers.registry import PAPERS, chosen, experiments
from ppaurora.bench.papers.running import compute_missing

# Real studies of three processes.
OVER_SOCKETS = ("aurora-tables",)
WEEKLY = ("aurora-tables", "folds-strategies", "rocglm-breast-cancer", "rocglm-table")
"""Those that take long; `test_recorded` computes cells of each in every run of CI."""
EACH = [
    pytest.param(
        one,
        id=name,
        marks=[pytest.mark.zeromq] * (name in OVER_SOCKETS)
        + [pytest.mark.weekly] * (name in WEEKLY),
    )
    for name, one in experiments().items()
]


@pytest.mark.parametrize("experiment", EACH)
def test_an_experiment_runs_in_its_quick_form(experiment: Experiment, tmp_path: Path) -> None:
    assert compute_missing([experiment], tmp_path, quick=True)
    results = experiment.gathered(Kept(tmp_path, experiment).found(), quick=True)
    planned = dict.fromkeys(cell.settings for cell, _ in experiment.cells(quick=True))
    assert list(results) == list(planned)
    for sheet in experiment.sheets(results):
        assert sheet.rows
        assert {len(row) for row in sheet.rows} == {len(sheet.columns)}
    told = page([experiment], tmp_path, tmp_path / "PAPERS.md", quick=True)
    for said in (experiment.settings, experiment.printed, *experiment.deviations(results)):
        assert said in told
    assert in_private(results) in told
    for found in results.values():
        agreed = found.tallies.get(ALSO_IN_PRIVATE)
        assert agreed is None or agreed.mean == 1
    figure = pyplot().figure()
    experiment.draw(figure, results)
    for axes in figure.axes:
        place = axes.get_subplotspec()
        assert axes.get_xlabel() or not place.is_last_row()
        assert axes.get_ylabel() or not place.is_first_col()
    pyplot().close(figure)


def test_every_paper_has_an_experiment_and_every_plan_is_of_whole_cells() -> None:
    assert {one.paper for one in experiments().values()} == set(PAPERS)
    for one in experiments().values():
        planned = {planned.settings: planned.runs for planned in one.plan()}
        assert len(planned) == len(one.plan())
        cells = [cell for cell, _ in one.cells()]
        assert (
            len({cell.name for cell in cells}) == len({cell.seed for cell in cells}) == len(cells)
        )
        for settings, runs in planned.items():
            assert sum(cell.runs for cell in cells if cell.settings == settings) == runs


def test_experiments_are_chosen_by_name_and_by_paper() -> None:
    [one] = chosen(["thesis-guessing"])
    assert one.name == "thesis-guessing"
    assert {one.paper for one in chosen(["tpauc"])} == {"tpAUC"}
    assert chosen(["thesis", "thesis-guessing"]) == chosen(["thesis"])
    assert chosen([]) == list(experiments().values())
    with pytest.raises(LayoutRefused, match="thesis-guess"):
        chosen(["thesis-guess"])
