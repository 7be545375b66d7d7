"""bench/PAPERS.md is what the recorded cells say, and holds all experiments of all papers."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.bench.papers.experiment import ALSO_IN_PRIVATE, Experiment
from ppaurora.bench.papers.kept import Kept
from ppaurora.bench.papers.page import page
from ppaurora.bench.papers.registry import experiments

BENCH = Path(__file__).resolve().parents[3] / "bench"
RECORDED = BENCH / "papers" / "recorded"
AGAIN = "ppaurora bench papers --out bench/papers/recorded --page bench/PAPERS.md"


def test_the_page_is_made_of_the_recorded_cells() -> None:
    at = BENCH / "PAPERS.md"
    made = page(list(experiments().values()), RECORDED, at)
    assert made == at.read_text(encoding="utf-8"), f"run `{AGAIN}`"


@pytest.mark.parametrize("experiment", experiments().values(), ids=list(experiments()))
def test_an_experiment_is_recorded_with_its_figure_and_all_of_it_agreed(
    experiment: Experiment,
) -> None:
    results = experiment.gathered(Kept(RECORDED, experiment).found())
    left_out = len(experiment.plan()) - len(results)
    assert results
    assert left_out == 0
    assert (RECORDED / f"{experiment.name}.svg").stat().st_size > 1000
    for found in results.values():
        agreed = found.tallies.get(ALSO_IN_PRIVATE)
        assert agreed is None or agreed.mean == 1
