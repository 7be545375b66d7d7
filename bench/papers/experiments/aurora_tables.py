"""[ppAURORA, Tables 1 and 2, Figure 2]: seconds and megabytes of real studies, WAN and LAN."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.data import sizes_of
from ppaurora.bench.measure.evaluation import counted, measured, outsourced
from ppaurora.bench.measure.report import Report
from ppaurora.bench.networks.networks import LAN, WAN, Means, laid
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
from ppaurora.mpc.role import Role
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.sorted_list import Input

BYTES, SECONDS, LAN_SECONDS = "bytes", "seconds", "LAN seconds"
RANGE = "range"
"""The points of seconds that are a median: the least and the most of the runs."""
RUNS = 3
"""The runs whose median the seconds of the sorts are; of the paper's merge there is one."""
DELTA_WORK = 0.02
"""Processor seconds of the paper's merge in memory, of a second that the paper prints."""
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
    title: ClassVar[str] = "Seconds and megabytes of AUPR and AUROC"
    settings: ClassVar[str] = (
        "As printed: owners x samples, synthetic scores, a round trip of 10 ms (WAN) and of .18 ms "
        "(LAN), megabytes of all three servers. Seconds are those of three processes on one "
        "machine with encrypted links that delay each frame (the shaper): the median of three "
        "runs with their range, of `delta` one run. Hops and megabytes are counted in a run of "
        "its own, over links in memory, with keys from the seed: payload and headers, without the "
        "few hundred bytes that keep links going. The round trip by which sort and scan are chosen "
        "is given, not measured. The uploads lie ready, without the check of the lists that "
        "the paper does not have. `network` is a sort that opens nothing; `auto`, the usual one, "
        "takes the better of it and of a shuffle with opened comparisons; `delta` is the paper's "
        "own merge."
    )
    printed: ClassVar[str] = "Every row: seconds and megabytes, in the columns named so."
    axes: ClassVar[tuple[str, ...]] = ("row", "metric", "merge", "figure")
    branches: ClassVar[tuple[str, ...]] = ("metric", "merge")
    revision: ClassVar[int] = 2
    quick_runs: ClassVar[int] = 1
    quick_settings: ClassVar[Sequence[Settings]] = (
        ("3x64", "auroc", "network", BYTES),
        ("3x64", "auroc", "network", SECONDS),
    )

    def plan(self) -> Sequence[Planned]:
        rows = [
            Planned((row.name, metric, merge, figure), weight=_weight(row, metric, merge, figure))
            for merge in MERGES
            for row in paper_rows()
            for metric in METRICS
            for figure in (BYTES, SECONDS, LAN_SECONDS)
            if row.delta == 1 or (merge == "delta" and figure != LAN_SECONDS)
        ]
        return sorted(rows, key=lambda one: one.weight)

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        name, metric, merge, figure = map(str, cell.settings)
        [row] = chosen([name])
        delta = row.delta if merge == "delta" else 1
        network = LAN if figure == LAN_SECONDS else WAN
        options = Options(
            metrics=(metric,), merge=merge, delta=delta, conditions=network.conditions
        )
        with outsourced(
            sizes_of(row.layout), options, ties=Input.GROUPS in options.inputs
        ) as study:
            if figure == BYTES:
                found = [counted(study, options, generator)]
            else:
                with laid(network, Means.SHAPER) as hosts:
                    runs = 1 if merge == "delta" else RUNS
                    found = [measured(hosts, study, options) for _ in range(runs)]
        if not all(run["correct"] for run in found):
            raise RunFailed(
                f"{name}, {metric}, {merge} released another number than the clear",
                advice="This must never happen; keep the command and report it.",
            )
        figures_of = {"hops": found[0]["hops"]}
        if figure == BYTES:
            of = {"all": found[0]["bytes"]}
            of |= {role: one["bytes"] for role, one in found[0]["parties"].items()}
            figures_of |= {f"megabytes, {who}": sent / MEGABYTE for who, sent in of.items()}
        else:
            each = [run["seconds"] for run in found]
            figures_of |= {"seconds": median(each)}
            figures_of |= {"CPU seconds": median(run["cpu_seconds"] for run in found)}
        tallies = {told: Tally.of([value]) for told, value in figures_of.items()}
        points = {} if figure == BYTES else {RANGE: (min(each), max(each))}
        return CellResult({**tallies, ALSO_IN_PRIVATE: Tally.of([True])}, points)

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        columns = (
            *("row", "merge", "s (range)", "s, printed", "less time", "MB", "MB, printed"),
            *("less bytes", "MB of P0 / P1 / helper", "hops", "CPU s", "s, LAN", "WAN / LAN"),
        )
        by_metric = {
            metric: tuple(
                _cells(row, metric, merge, *found)
                for row in paper_rows()
                for merge in MERGES
                if (found := _found(results, row.name, metric, merge))
            )
            for metric in METRICS
        }
        return [
            ResultTable(TITLES[metric], columns, rows) for metric, rows in by_metric.items() if rows
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        told = [
            "These are no simulations: seconds depend on the machine and on what else it does, "
            "bytes and hops do not. The sort by a network compares all of a layer at once, where "
            "the paper's merge makes one comparison after another. Processor seconds of the three "
            "parties stand in the table.",
            "The machine has two cores for the three servers and did other work at a lower "
            "priority beside these runs: seconds are at most what a machine of its own would take. "
            "With `delta` nearly all of them are hops.",
            "AUPR steps along the recall [ppAURORA, erratum 1] and takes no division for each "
            "sample [ppAURORA, erratum 2]; ties are found without what Algorithm 3 shows the "
            "helper [ppAURORA, erratum 3]. `auroc_no_ties` also finds privately whether classes "
            "are tied, which the paper does not.",
        ]
        ends = [_found(results, name, "auroc", "delta") for name in ("8x1000", "8x1000@101")]
        if all(ends):
            told.append(_against_delta(*(one for pair in ends for one in pair[:2])))
        nearer = [
            found[1]["seconds"].mean / found[2]["seconds"].mean
            for one in self.plan()
            for name, metric, merge, figure in [one.settings]
            if (merge, figure) == ("delta", LAN_SECONDS)
            and len(found := _found(results, str(name), str(metric), "delta")) == 3
        ]
        if nearer:
            told.append(
                "Printed for the LAN: 12 to 14 times faster than the WAN. Here the paper's merge "
                f"is {min(nearer):.0f} to {max(nearer):.0f} times faster."
            )
        missing = len({one.settings for one in self.plan()} - set(results))
        if missing:
            told.append(f"{missing} of {len(self.plan())} cells are not computed.")
        return told

    def draw(self, figure: Any, results: Results) -> None:
        report = Report("tables")
        for (name, metric, merge, what), found in results.items():
            [row] = chosen([str(name)])
            key = {"layout": row.layout, "metric": metric, "merge": merge, "delta": row.delta}
            if what == SECONDS:
                for seconds in (found["seconds"].mean, *found.points[RANGE]):
                    report.add(key, {"seconds": seconds})
        figure.set_size_inches(7.2, 11)
        panels = figure.subplots(3, 1)
        kinds = (figures.samples, figures.owners, figures.deltas)
        for panel, kind in zip(panels, kinds, strict=True):
            if not kind(panel, report):
                panel.set(xlabel="not measured", ylabel=figures.FIGURES["seconds"])


def _weight(row: PaperRow, metric: str, merge: str, figure: str) -> float:
    if merge == "delta":
        return (DELTA_SHARE if figure == SECONDS else DELTA_WORK) * row.seconds[metric]
    return NETWORK_SECONDS if figure != BYTES else 0.1 + row.samples / 50_000


def _found(results: Results, name: str, metric: str, merge: str) -> tuple[CellResult, ...]:
    """A row's bytes, its seconds and those of a LAN if any; nothing where one is missing."""
    found = [results.get((name, metric, merge, figure)) for figure in (BYTES, SECONDS)]
    lan = results.get((name, metric, merge, LAN_SECONDS))
    there = tuple(one for one in found if one is not None)
    return (*there, *([] if lan is None else [lan])) if all(found) else ()


def _cells(row: PaperRow, metric: str, merge: str, *found: CellResult) -> tuple[str, ...]:
    counted_there, timed, *near = found
    seconds, megabytes = timed["seconds"].mean, counted_there["megabytes, all"].mean
    each = [counted_there.tallies[f"megabytes, {role}"] for role in Role]
    lan = near[0]["seconds"].mean if near else None
    return (
        row.name,
        merge,
        _with_range(timed),
        f"{row.seconds[metric]:g}",
        f"{row.seconds[metric] / seconds:.1f} times",
        f"{megabytes:.2f}",
        f"{row.megabytes[metric]:g}",
        f"{row.megabytes[metric] / megabytes:.1f} times",
        " / ".join(f"{one.mean:.2f}" for one in each),
        f"{counted_there['hops'].mean:.0f}",
        f"{timed['CPU seconds'].mean:.2f}",
        "" if lan is None else _with_range(near[0]),
        "" if lan is None else f"{seconds / lan:.1f}",
    )


def _with_range(timed: CellResult) -> str:
    least, most = timed.points[RANGE]
    told = f"{timed['seconds'].mean:.2f}"
    return told + (f" ({least:.2f}-{most:.2f})" if f"{least:.2f}" < f"{most:.2f}" else "")


def _against_delta(
    few: CellResult, few_timed: CellResult, many: CellResult, many_timed: CellResult
) -> str:
    """The reason why Figure 2c is another one here."""
    return (
        "Figure 2c is not reproduced: the paper's time falls as δ grows, ours rises. AUROC with "
        f"ties took {few_timed['seconds'].mean:.0f} s at δ = 1 and "
        f"{many_timed['seconds'].mean:.0f} s at δ = 101, in {few['hops'].mean:,.0f} and "
        f"{many['hops'].mean:,.0f} hops. A shuffle of both lists takes 4 hops here, since CMP and "
        "MUX are one compare-exchange, and a comparison of two tops takes 4 as well. So δ > 1 "
        "saves no hop where it leaves shuffles out, and costs more, because P0 tells the helper "
        "for each element how many to deal for; at 10 ms hops are nearly all of the time. What "
        f"falls are the bytes, from {few['megabytes, all'].mean:,.0f} to "
        f"{many['megabytes, all'].mean:.0f} MB. As δ > 1 also opens how the lists interleave "
        "[ppAURORA, erratum 4], it pays only where a line is slow and its round trip short."
    )
