"""Recorded hops, bytes and values are those of the code now, in the cheapest cells."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppaurora.bench.papers.experiment import Experiment
from ppaurora.bench.papers.kept import Kept
from ppaurora.bench.papers.registry import experiments

RECORDED = Path(__file__).resolve().parents[3] / "bench" / "papers" / "recorded"
AGAIN = "raise the experiment's revision and record it again, as CONTRIBUTING.md says"


WEEKLY = ("thesis-coverage", "thesis-resampling", "tpauc-power")
"""Those whose cheapest cells take long; `test_experiments` runs each of them in every run of CI."""


@pytest.mark.parametrize(
    "experiment",
    [
        pytest.param(one, id=name, marks=pytest.mark.weekly if name in WEEKLY else ())
        for name, one in experiments().items()
    ],
)
def test_the_cheapest_cells_computed_again_are_those_that_are_recorded(
    experiment: Experiment,
) -> None:
    recorded = Kept(RECORDED, experiment).found()
    again = [cell for cell, _ in experiment.recomputed()]
    assert again
    for cell in again:
        assert cell.name in recorded, f"{cell.name} is not recorded; {AGAIN}"
        found = experiment.compute(cell, cell.generator)
        assert not found.is_timed, "times are never compared"
        assert found.same_as(recorded[cell.name]), f"{cell.name}: {AGAIN}"


@pytest.mark.parametrize("experiment", experiments().values(), ids=list(experiments()))
def test_every_recorded_cell_is_of_a_commit(experiment: Experiment) -> None:
    for name, found in Kept(RECORDED, experiment).found().items():
        [commit] = found.commits
        assert re.fullmatch("[0-9a-f]{7,40}", commit), f"{name} was recorded at {commit}"
