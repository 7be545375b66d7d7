"""Two reports of one benchmark, row by row: what became slower, larger or wrong, by ratio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec

from rich.table import Table

from ppaurora.bench.checkout import EXPERIMENTS, refuse_experiment
from ppaurora.bench.errors import ReportRefused
from ppaurora.bench.measure.report import Figures, Key, Report, typical

COMPARED = ("seconds", "cpu_seconds", "bytes", "hops", "peak_bytes")
# Bytes and hops do not vary from run to run: any growth is a change.
STEADY = ("bytes", "hops")


@dataclass(frozen=True, slots=True)
class Compared:
    """One row in both reports: new over old, and what counts as worse."""

    key: Key
    old: dict[str, float]
    new: dict[str, float]
    worse: tuple[str, ...] = field(default=())

    def ratio(self, name: str) -> float | None:
        """None where there is nothing to divide."""
        return self.new[name] / self.old[name] if self.old.get(name) else None


def compared(old: Report, new: Report, *, factor: float) -> list[Compared]:
    """The rows that both reports have."""
    if old.head["bench"] != new.head["bench"]:
        raise ReportRefused(
            f"a report of {old.head['bench']} and one of {new.head['bench']}",
            advice="Give two reports of the same benchmark.",
        )
    rows = []
    for key, runs in new:
        before = old.runs(key)
        if before:
            rows.append(_row(key, before, runs, factor))
    if not rows:
        raise ReportRefused("the two reports have no row in common")
    return rows


def _row(key: Key, before: list[Figures], after: list[Figures], factor: float) -> Compared:
    names = [name for name in COMPARED if all(name in run for run in before + after)]
    row = Compared(
        key,
        {name: typical(before, name) for name in names},
        {name: typical(after, name) for name in names},
    )
    worse = [
        name
        for name in names
        if (ratio := row.ratio(name)) is not None and ratio > (1.0 if name in STEADY else factor)
    ]
    right, wrong = (all(run.get("correct", True) for run in runs) for runs in (before, after))
    if right and not wrong:
        worse.append("value")
    return Compared(key, row.old, row.new, tuple(worse))


def table(rows: Sequence[Compared]) -> Table:
    """New over old; what became worse is named."""
    shown = Table(title="new / old")
    shown.add_column("row")
    for name in COMPARED:
        shown.add_column(name.replace("_", " "), justify="right")
    shown.add_column("worse")
    for row in rows:
        ratios = [row.ratio(name) if name in row.new else None for name in COMPARED]
        shown.add_row(
            ", ".join(str(value) for value in row.key.values()),
            *("" if ratio is None else f"{ratio:.2f}" for ratio in ratios),
            ", ".join(row.worse),
        )
    return shown


TABLES = {
    "outsource": "sources.outsourcing",
    "peers": "peers.side_by_side",
    "primitives": "measure.primitives",
    "scale": "measure.scale",
    "sources": "sources.measuring",
    "studies": "studies.many",
    "tables": "papers.tables",
    "threads": "measure.alone",
}
"""The module with the table of each benchmark."""


def table_of(report: Report) -> Table:
    """Any report as its own benchmark shows it."""
    bench = report.head["bench"]
    if bench not in TABLES:
        raise ReportRefused(f"a report of an unknown benchmark, {bench}")
    module = f"ppaurora.bench.{TABLES[bench]}"
    if bench in EXPERIMENTS and find_spec(module.rpartition(".")[0]) is None:
        refuse_experiment()
    shown: Table = import_module(module).table(report)
    return shown
