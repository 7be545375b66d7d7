"""Measuring row after row: what is there already is kept, the rest is measured with progress shown.

An interruption loses nothing but the run that was under way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.report import Figures, Key, Report

Measure = Callable[[Callable[[str], None]], Figures]


@dataclass(frozen=True, slots=True)
class Row:
    """One row to measure: its key, its name, how long it takes against others, and how."""

    key: Key
    name: str
    weight: float
    measure: Measure


@dataclass(slots=True)
class MeasuringOutcome:
    """The outcome of measuring."""

    interrupted: bool = False
    failures: list[str] = field(default_factory=list)


def measure_rows(
    report: Report, rows: Sequence[Row], *, runs: int, console: Console | None = None
) -> MeasuringOutcome:
    """Measure until every row has so many runs; a run that fails is named and the others go on.

    The first run of all rows comes before the second of any: what disturbs the machine for a while
    then disturbs one run of many rows, not all runs of one.
    """
    missing = [row for turn in range(runs) for row in rows if len(report.runs(row.key)) <= turn]
    with progress_of_rows(console) as progress:
        outcome = MeasuringOutcome()
        overall = progress.add_task(
            "", total=sum(row.weight for row in missing), done=0, runs=len(missing)
        )
        try:
            for done, row in enumerate(missing, start=1):
                try:
                    report.add(row.key, row.measure(_shower(progress, overall, row)))
                except RunFailed as error:
                    outcome.failures.append(f"{row.name}: {error.what}")
                progress.update(overall, advance=row.weight, done=done)
        except KeyboardInterrupt:
            outcome.interrupted = True
    return outcome


def progress_of_rows(console: Console | None = None) -> Progress:
    """A bar with how many rows are done, the time since the start and the time left."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[done]} of {task.fields[runs]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console or Console(stderr=True),
        transient=True,
    )


def _shower(progress: Progress, task: TaskID, row: Row) -> Callable[[str], None]:
    def show(phase: str) -> None:
        progress.update(task, description=f"{row.name}  {phase}")

    show("")
    return show
