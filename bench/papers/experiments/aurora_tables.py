"""[ppAURORA, Tables 1 and 2, Figure 2]: seconds and megabytes of real studies over 10 ms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.data import sizes_of
from ppaurora.bench.measure.evaluation import measured, outsourced
from ppaurora.bench.measure.report import Report
from ppaurora.bench.networks.networks import WAN, Means, laid
from ppaurora.bench.papers import figures
from ppaurora.bench.papers.experiment import (
    ALSO_IN_PRIVATE,
    Cell,
    CellResult,
    Experiment,
    Planned,
    Results,
    ResultTable,
    Settings,
)
from ppaurora.bench.papers.tables import (
    DELTA_SHARE,
    MEGABYTE,
    MERGES,
    METRICS,
    NETWORK_SECONDS,
    PaperRow,
    chosen,
    paper_rows,
)
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.sorted_list import Input

EARLIER = "measured earlier"
"""The tally of cells whose figures were taken over from bench/RESULTS.md."""
TITLES = {
    "aupr": "Table 1: AUPR",
    "auroc_no_ties": "Table 2: AUROC without ties",
    "auroc": "Table 2: AUROC with ties",
}


class Tables(Experiment):
    """Every row, by the sort that opens nothing and by the paper's own merge."""

    __slots__ = ()

    name: ClassVar[str] = "aurora-tables"
    paper: ClassVar[str] = "ppAURORA"
    what: ClassVar[str] = "Tables 1 and 2, Figure 2"
    title: ClassVar[str] = "Seconds and megabytes of AUPR and AUROC at a round trip of 10 ms"
    settings: ClassVar[str] = (
        "As printed: owners x samples, synthetic scores, a round trip of 10 ms, megabytes of all "
        "three servers. Here three processes on one machine with encrypted links that delay each "
        "frame (the shaper); the uploads lie ready, without the check of the lists that the paper "
        "does not have. `network` is a sort that opens nothing; `auto`, the usual one, takes the "
        "better of it and of a shuffle with opened comparisons; `delta` is the paper's own merge."
    )
    printed: ClassVar[str] = "Every row: seconds and megabytes, in the columns named so."
    axes: ClassVar[tuple[str, ...]] = ("row", "metric", "merge")
    quick_runs: ClassVar[int] = 1
    quick_settings: ClassVar[Sequence[Settings]] = (("3x64", "auroc", "network"),)

    def plan(self) -> Sequence[Planned]:
        rows = [
            Planned((row.name, metric, merge), weight=_seconds(row, metric, merge))
            for merge in MERGES
            for row in paper_rows()
            for metric in METRICS
            if merge == "delta" or row.delta == 1
        ]
        return sorted(rows, key=lambda one: one.weight)

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        name, metric, merge = map(str, cell.settings)
        [row] = chosen([name])
        delta = row.delta if merge == "delta" else 1
        options = Options(metrics=(metric,), merge=merge, delta=delta)
        with (
            laid(WAN, Means.SHAPER) as hosts,
            outsourced(sizes_of(row.layout), options, ties=Input.GROUPS in options.inputs) as study,
        ):
            figures_of = measured(hosts, study, options, plain=False, on_phase=lambda _: None)
        if not figures_of["correct"]:
            raise RunFailed(
                f"{name}, {metric}, {merge} released another number than the clear",
                advice="This must never happen; keep the command and report it.",
            )
        return CellResult(
            {
                "seconds": Tally.of([figures_of["seconds"]]),
                "CPU seconds": Tally.of([figures_of["cpu_seconds"]]),
                "megabytes": Tally.of([figures_of["bytes"] / MEGABYTE]),
                "hops": Tally.of([figures_of["hops"]]),
                ALSO_IN_PRIVATE: Tally.of([True]),
            }
        )

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        columns = (
            *("row", "merge", "s", "s, printed", "less time", "MB", "MB, printed", "less bytes"),
            *("hops", "CPU s", "measured"),
        )
        by_metric = {
            metric: tuple(
                _cells(row, metric, merge, results[row.name, metric, merge])
                for row in paper_rows()
                for merge in MERGES
                if (row.name, metric, merge) in results
            )
            for metric in METRICS
        }
        return [
            ResultTable(TITLES[metric], columns, rows) for metric, rows in by_metric.items() if rows
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        earlier = sum(EARLIER in found.tallies for found in results.values())
        told = [
            "These are no simulations: seconds depend on the machine, bytes and hops do not. The "
            "sort by a network compares all of a layer at once, where the paper's merge makes one "
            "comparison after another. Processor seconds of the three parties stand in the table.",
            "AUPR steps along the recall [ppAURORA, erratum 1] and takes no division for each "
            "sample [ppAURORA, erratum 2]; ties are found without what Algorithm 3 shows the "
            "helper [ppAURORA, erratum 3].",
        ]
        if earlier:
            told.append(
                f"{earlier} of these rows were measured earlier and are taken over from "
                "bench/RESULTS.md, `ppaurora bench tables --merges delta --metrics auroc` (10 ms "
                "by a cable in user space instead of the shaper); the others were run again."
            )
        left = len(self.plan()) - len(results)
        if left > 0:
            told.append(
                f"{left} rows, all of merge `delta`, were not measured for this page: the command "
                "takes some minutes for each."
            )
        return told

    def draw(self, figure: Any, results: Results) -> None:
        report = Report("tables")
        for (name, metric, merge), found in results.items():
            [row] = chosen([str(name)])
            report.add(
                {"layout": row.layout, "metric": metric, "merge": merge, "delta": row.delta},
                {"seconds": found["seconds"].mean, "bytes": MEGABYTE * found["megabytes"].mean},
            )
        figure.set_size_inches(7.2, 11)
        panels = figure.subplots(3, 1)
        kinds = (figures.samples, figures.owners, figures.deltas)
        for panel, kind in zip(panels, kinds, strict=True):
            if not kind(panel, report):
                panel.set(xlabel="not measured", ylabel=figures.FIGURES["seconds"])


def _seconds(row: PaperRow, metric: str, merge: str) -> float:
    return DELTA_SHARE * row.seconds[metric] if merge == "delta" else NETWORK_SECONDS


def _cells(row: PaperRow, metric: str, merge: str, found: CellResult) -> tuple[str, ...]:
    seconds, megabytes = found["seconds"].mean, found["megabytes"].mean
    return (
        row.name,
        merge,
        f"{seconds:.2f}",
        f"{row.seconds[metric]:g}",
        f"{row.seconds[metric] / seconds:.1f} times",
        f"{megabytes:.2f}",
        f"{row.megabytes[metric]:g}",
        f"{row.megabytes[metric] / megabytes:.1f} times",
        f"{found['hops'].mean:.0f}",
        f"{found['CPU seconds'].mean:.2f}",
        "earlier" if EARLIER in found.tallies else "again",
    )
