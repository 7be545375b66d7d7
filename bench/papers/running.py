"""Computing the cells that are missing, with progress and the time left."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.rows import progress_of_rows
from ppaurora.bench.papers import registry
from ppaurora.bench.papers.experiment import Cell, Experiment
from ppaurora.bench.papers.kept import Kept


def announced(experiments: Sequence[Experiment], folder: Path, *, quick: bool) -> str:
    """The number of cells that are missing, and how long they take, about."""
    missing = _missing(experiments, folder, quick=quick)
    seconds = sum(weight for *_, weight in missing)
    if not missing:
        return "all cells are there"
    cells = "1 cell is" if len(missing) == 1 else f"{len(missing):,} cells are"
    return f"{cells} missing: about {seconds / 60:,.1f} minutes on one processor"


def compute_again(
    experiments: Sequence[Experiment], folder: Path, text: str, *, console: Console | None = None
) -> int:
    """Compute kept cells again whose names hold this text; returns how many.

    Each must be what is kept; its line then names the commit that runs now. Cells of times are left
    out, since no two runs have the same.
    """
    chosen = registry.named(experiments, text)
    same = 0
    with progress_of_rows(console) as progress:
        overall = progress.add_task(
            "", total=sum(weight for *_, weight in chosen), done=0, runs=len(chosen)
        )
        for done, (experiment, cell, weight) in enumerate(chosen, start=1):
            progress.update(overall, description=cell.name)
            kept = Kept(folder, experiment)
            before = kept.found().get(cell.name)
            if before is not None and not before.is_timed:
                began = time.process_time()
                found = experiment.compute(cell, cell.generator)
                if not found.same_as(before):
                    raise RunFailed(
                        f"{cell.name} is another one than what is kept of {before.commits}",
                        advice="Raise the experiment's revision, and compute all of it again.",
                    )
                kept.renew(cell, before, time.process_time() - began)
                same += 1
            progress.update(overall, advance=weight, done=done)
    return same


def compute_missing(
    experiments: Sequence[Experiment], folder: Path, *, quick: bool, console: Console | None = None
) -> bool:
    """Compute every cell that the folder does not have; False if that was interrupted."""
    missing = _missing(experiments, folder, quick=quick)
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


def _missing(
    experiments: Sequence[Experiment], folder: Path, *, quick: bool
) -> list[tuple[Experiment, Cell, float]]:
    return [
        (experiment, cell, weight)
        for experiment in experiments
        for known in [Kept(folder, experiment).found()]
        for cell, weight in _cells(experiment, quick=quick)
        if cell.name not in known
    ]


def _cells(experiment: Experiment, *, quick: bool) -> Iterable[tuple[Cell, float]]:
    """All that are shown and, of the full count, those that a test computes again."""
    if quick:
        return experiment.cells(quick=True)
    both = (*experiment.cells(), *experiment.recomputed())
    return {cell.name: (cell, weight) for cell, weight in both}.values()
