"""Computing the cells that are missing, with progress and the time left."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from ppaurora.bench.measure.rows import progress_of_rows
from ppaurora.bench.papers.experiment import Cell, Experiment
from ppaurora.bench.papers.kept import Kept


def compute_missing(
    experiments: Sequence[Experiment], folder: Path, *, quick: bool, console: Console | None = None
) -> bool:
    """Compute every cell that the folder does not have; False if that was interrupted."""
    missing = [
        (experiment, cell, weight)
        for experiment in experiments
        for known in [Kept(folder, experiment).found()]
        for cell, weight in _cells(experiment, quick=quick)
        if cell.name not in known
    ]
    with progress_of_rows(console) as progress:
        overall = progress.add_task(
            "", total=sum(weight for *_, weight in missing), done=0, runs=len(missing)
        )
        try:
            for done, (experiment, cell, weight) in enumerate(missing, start=1):
                told = ", ".join(f"{name} {value}" for name, value in cell.described.items())
                progress.update(overall, description=f"{experiment.name}  {told}")
                before = time.process_time()
                found = experiment.compute(cell, cell.generator)
                Kept(folder, experiment).add(cell, found, time.process_time() - before)
                progress.update(overall, advance=weight, done=done)
        except KeyboardInterrupt:
            return False
    return True


def _cells(experiment: Experiment, *, quick: bool) -> Iterable[tuple[Cell, float]]:
    """All that are shown and, of the full count, those that a test computes again."""
    if quick:
        return experiment.cells(quick=True)
    both = (*experiment.cells(), *experiment.recomputed())
    return {cell.name: (cell, weight) for cell, weight in both}.values()
