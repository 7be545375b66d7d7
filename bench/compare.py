"""Two reports of one benchmark, row by row: what became slower, larger or wrong, by ratio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.table import Table

from ppaurora.bench.errors import ReportRefused
from ppaurora.bench.measure import alone, primitives, scale
from ppaurora.bench.measure.report import Figures, Key, Report, typical
from ppaurora.bench.papers import tables
from ppaurora.bench.peers import side_by_side
from ppaurora.bench.sources import measuring as sources
from ppaurora.bench.sources import outsourcing
from ppaurora.bench.studies import many

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


def table_of(report: Report) -> Table:
    """Any report as its own benchmark shows it."""
    bench = report.head["bench"]
    if bench == "peers":
        return side_by_side.table(report, report.head.get("absent", {}))
    rooms = {
        "tables": tables.table,
        "scale": scale.table,
        "primitives": primitives.table,
        "outsource": outsourcing.table,
        "sources": sources.table,
        "studies": many.table,
        "threads": alone.table,
    }
    if bench not in rooms:
        raise ReportRefused(f"a report of an unknown benchmark, {bench}")
    return rooms[bench](report)
