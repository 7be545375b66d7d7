"""[ppAURORA, Tables 1 and 2], row by row: its numbers, and the same work measured here.

The paper's megabytes are those of all three servers, its seconds those of a 10 ms round trip.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

from rich.table import Table

from ppaurora.bench.errors import LayoutRefused
from ppaurora.bench.measure.data import sizes_of
from ppaurora.bench.measure.evaluation import measured, outsourced
from ppaurora.bench.measure.report import Figures, Key, Report, load_of, spread, typical
from ppaurora.bench.measure.rows import Row
from ppaurora.bench.networks.networks import WAN, Hosts
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.sorted_list import Input

# The paper's three columns, by the metric that is the same here.
COLUMNS = {"aupr": "aupr", "auroc_no_ties": "auroc_no_tie", "auroc": "auroc_tie"}
METRICS = tuple(COLUMNS)
MERGES = ("network", "auto", "delta")
MEGABYTE = 1e6
# A row's expected seconds: the paper's for its own merge, by the size for the network.
DELTA_SHARE, NETWORK_SECONDS = 0.3, 3.0


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A layout and a delta, with the paper's megabytes and seconds of each metric."""

    layout: str
    samples: int
    delta: int
    megabytes: dict[str, float]
    seconds: dict[str, float]

    @property
    def name(self) -> str:
        """As rows are chosen: `8x1000`, or `8x1000@5` for another delta than 1."""
        return self.layout if self.delta == 1 else f"{self.layout}@{self.delta}"


def paper_rows() -> list[PaperRow]:
    """The rows of both tables, in the paper's order."""
    text = (files("ppaurora.bench.papers") / "paper_tables.csv").read_text(encoding="utf-8")
    return [
        PaperRow(
            row["layout"],
            int(row["samples"]),
            int(row["delta"]),
            {metric: float(row[f"{column}_mb"]) for metric, column in COLUMNS.items()},
            {metric: float(row[f"{column}_s"]) for metric, column in COLUMNS.items()},
        )
        for row in csv.DictReader(text.splitlines())
    ]


def chosen(names: Sequence[str]) -> list[PaperRow]:
    """The rows of these names; all when none is named."""
    rows = {row.name: row for row in paper_rows()}
    unknown = [name for name in names if name not in rows]
    if unknown:
        raise LayoutRefused(
            f"the paper has no row {unknown[0]}", advice=f"Choose from {', '.join(rows)}."
        )
    return [rows[name] for name in names] if names else list(rows.values())


def key_of(row: PaperRow, metric: str, merge: str, hosts: Hosts, *, plain: bool) -> Key:
    """The key of a measured row; the network merge has no delta."""
    return {
        "layout": row.layout,
        "metric": metric,
        "merge": merge,
        "delta": row.delta if merge == "delta" else 1,
        "network": hosts.network.name,
        "means": str(hosts.means),
        "channel": "plain" if plain else "curve",
    }


def rows_to_measure(
    rows: Sequence[PaperRow],
    metrics: Sequence[str],
    merges: Sequence[str],
    hosts: Hosts,
    *,
    plain: bool,
) -> Iterator[Row]:
    """Every row with every metric and merge, each once, cheap ones first."""
    found: dict[str, Row] = {}
    for row in rows:
        for metric in metrics:
            for merge in merges:
                key = key_of(row, metric, merge, hosts, plain=plain)
                long = DELTA_SHARE * row.seconds[metric]
                found.setdefault(
                    repr(key),
                    Row(
                        key,
                        f"{row.name} {metric} {merge}",
                        long if merge == "delta" else NETWORK_SECONDS,
                        _measure(key, hosts, plain=plain),
                    ),
                )
    return iter(sorted(found.values(), key=lambda one: one.weight))


def _measure(key: Key, hosts: Hosts, *, plain: bool) -> Callable[..., Figures]:
    def measure(on_phase: Callable[[str], None]) -> Figures:
        metric = key["metric"]
        options = Options(
            metrics=(metric,),
            merge=key["merge"],
            delta=key["delta"],
            conditions=hosts.network.conditions,
        )
        with outsourced(
            sizes_of(key["layout"]), options, ties=Input.GROUPS in options.inputs
        ) as study:
            return measured(hosts, study, options, plain=plain, on_phase=on_phase)

    return measure


def table(report: Report) -> Table:
    """Each measured row beside the paper's numbers."""
    shown = Table(title="Tables 1 and 2 of the paper; × is the paper's number over this one")
    for name in ("row", "metric", "merge", "network"):
        shown.add_column(name)
    for name in ("s", "range", "paper s", "×", "CPU s", "MB", "P0", "P1", "helper", "paper MB"):
        shown.add_column(name, justify="right")
    for name in ("×", "hops", "load", "value"):
        shown.add_column(name, justify="right")
    measured_rows = {repr(key): (key, runs) for key, runs in report}
    for paper in paper_rows():
        for key, runs in measured_rows.values():
            of_delta = key["merge"] == "delta"
            if key["layout"] != paper.layout or (of_delta and key["delta"] != paper.delta):
                continue
            if not of_delta and paper.delta != 1:
                continue
            shown.add_row(*_cells(paper, key, runs))
    return shown


def _cells(paper: PaperRow, key: Key, runs: list[Figures]) -> list[str]:
    seconds, total = typical(runs, "seconds"), typical(runs, "bytes") / MEGABYTE
    low, high = spread(runs, "seconds")
    of = runs[-1]["parties"]
    paper_megabytes = paper.megabytes[key["metric"]]
    # The paper's seconds are those of this one network.
    paper_seconds = paper.seconds[key["metric"]] if key["network"] == WAN.name else None
    return [
        paper.name,
        key["metric"],
        key["merge"],
        f"{key['network']} ({key['means']}, {key['channel']})",
        f"{seconds:.2f}",
        f"{low:.2f}-{high:.2f}",
        *(("", "") if paper_seconds is None else _beside(paper_seconds, seconds)),
        f"{typical(runs, 'cpu_seconds'):.2f}",
        f"{total:.2f}",
        *(f"{of[role]['bytes'] / MEGABYTE:.2f}" for role in ("P0", "P1", "helper")),
        *_beside(paper_megabytes, total),
        f"{runs[-1]['hops']}",
        load_of(runs),
        "exact" if all(run["correct"] for run in runs) else "WRONG",
    ]


def _beside(paper: float, here: float) -> tuple[str, str]:
    """The paper's number, and how many times the one here goes into it."""
    ratio = paper / here
    return f"{paper:.1f}", f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"
