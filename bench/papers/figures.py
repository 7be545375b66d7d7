"""[ppAURORA, Fig. 2a to 2c] from real reports, and two more: bytes, and time by phase.

What is drawn is the median of the runs; the paper's own numbers are grey.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ppaurora.bench.errors import ReportRefused, ToolAbsent
from ppaurora.bench.measure import scale
from ppaurora.bench.measure.report import Key, Report, typical
from ppaurora.bench.papers import tables

KINDS = ("png", "svg")
PAPER = "0.6"
LINES = {"network": "-", "delta": "--", "shuffled": ":", "auto": "-."}
COLOURS = {"auroc": "C0", "auroc_no_ties": "C2", "aupr": "C1"}
MEGABYTE = 1e6

Point = tuple[float, float]
Series = dict[tuple[str, str], list[Point]]


def drawn(reports: Sequence[Report], folder: Path) -> Iterator[Path]:
    """Every figure that the reports have data for, each as PNG and SVG; their paths."""
    plot = pyplot()
    drawings: list[tuple[str, Any]] = []
    for report in reports:
        bench = report.head["bench"]
        if bench == "tables":
            drawings += [
                ("2a-time-against-samples", lambda axes, r=report: samples(axes, r)),
                ("2b-time-against-owners", lambda axes, r=report: owners(axes, r)),
                ("2c-time-against-delta", lambda axes, r=report: deltas(axes, r)),
                ("bytes", lambda axes, r=report: megabytes(axes, r)),
            ]
        elif bench == "scale":
            drawings += [
                ("scale", lambda axes, r=report: growth(axes, r)),
                ("phases", lambda axes, r=report: phases(axes, r)),
            ]
        else:
            raise ReportRefused(f"no figure shows a report of {bench}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in drawings:
        figure, axes = plot.subplots(figsize=(6.4, 4.4), layout="constrained")
        if draw(axes):
            for kind in KINDS:
                path = folder / f"{name}.{kind}"
                figure.savefig(path, dpi=150)
                yield path
        plot.close(figure)


def pyplot() -> Any:
    """matplotlib without a screen; the same data make the same file."""
    try:
        import matplotlib
    except ImportError:
        raise ToolAbsent(
            "figures need matplotlib", advice="Install it with: pip install 'ppaurora[bench]'"
        ) from None
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "ppaurora"
    import matplotlib.pyplot as plot

    return plot


def samples(axes: Any, report: Report) -> bool:
    """Figure 2a: three owners, more and more samples."""
    rows = [row for row in tables.paper_rows() if row.layout.startswith("3x")]
    return _paper_figure(
        axes, report, rows, lambda row: row.samples, "samples of three owners in all", scale="log"
    )


def owners(axes: Any, report: Report) -> bool:
    """Figure 2b: a thousand samples an owner, more and more owners."""
    rows = [row for row in tables.paper_rows() if "x1000" in row.layout and row.delta == 1]
    return _paper_figure(
        axes, report, rows, lambda row: int(row.layout.split("x")[0]), "owners of 1000 samples"
    )


def deltas(axes: Any, report: Report) -> bool:
    """Figure 2c: eight owners of a thousand samples, larger and larger delta."""
    rows = [row for row in tables.paper_rows() if row.layout == "8x1000"]
    return _paper_figure(
        axes,
        report,
        rows,
        lambda row: row.delta,
        "δ (8 owners of 1000 samples)",
        scale="log",
        level="network",
    )


def megabytes(axes: Any, report: Report) -> bool:
    """Bytes of all servers, three owners."""
    rows = [row for row in tables.paper_rows() if row.layout.startswith("3x")]
    return _paper_figure(
        axes,
        report,
        rows,
        lambda row: row.samples,
        "samples of three owners in all",
        scale="log",
        figure="bytes",
    )


def _paper_figure(
    axes: Any,
    report: Report,
    rows: Sequence[tables.PaperRow],
    place: Callable[[tables.PaperRow], float],
    label: str,
    *,
    scale: str = "linear",
    figure: str = "seconds",
    level: str = "",
) -> bool:
    """The paper's numbers and the measured ones over the same rows.

    A merge that is `level` was measured once: its line has no marks where nothing was measured.
    """
    series: Series = {}
    for row in rows:
        for key, runs in report:
            if _belongs(key, row):
                value = typical(runs, figure) / (MEGABYTE if figure == "bytes" else 1)
                series.setdefault((key["metric"], key["merge"]), []).append((place(row), value))
    if not series:
        return False
    for metric in tables.METRICS:
        theirs = [
            (place(row), (row.megabytes if figure == "bytes" else row.seconds)[metric])
            for row in rows
        ]
        label_once = "the paper" if metric == "auroc" else None
        axes.plot(*_columns(theirs), color=PAPER, marker=".", label=label_once)
    for (metric, merge), points in series.items():
        axes.plot(
            *_columns(points),
            LINES[merge],
            color=COLOURS[metric],
            marker="" if merge == level else "o",
            label=f"{metric}, {merge}",
        )
    axes.set(xlabel=label, ylabel="MB, all servers" if figure == "bytes" else "seconds")
    axes.set(xscale=scale, yscale="log")
    places = sorted({place(row) for row in rows})
    axes.set_xticks(places, [f"{at:g}" for at in places])
    axes.set_xticks([], minor=True)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return True


def _belongs(key: Key, row: tables.PaperRow) -> bool:
    same_delta = key["merge"] == "network" or key["delta"] == row.delta
    return bool(key["layout"] == row.layout and same_delta)


def _columns(points: Iterable[Point]) -> tuple[list[float], list[float]]:
    ordered = sorted(points)
    return [x for x, _ in ordered], [y for _, y in ordered]


def growth(axes: Any, report: Report) -> bool:
    """Time against samples, a line for each number of owners."""
    series: dict[int, list[Point]] = {}
    for key, runs in report:
        point = (key["samples"], typical(runs, "seconds"))
        series.setdefault(key["owners"], []).append(point)
    for count, points in sorted(series.items()):
        axes.plot(*_columns(points), marker="o", label=f"{count} owners")
    axes.set(xlabel="samples in all", ylabel="seconds", xscale="log", yscale="log")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    return bool(series)


def phases(axes: Any, report: Report) -> bool:
    """CPU time of all three parties by phase, for the most samples, by number of owners."""
    most = max((key["samples"] for key, _ in report), default=0)
    found = {key["owners"]: runs[-1] for key, runs in report if key["samples"] == most}
    bottom = dict.fromkeys(found, 0.0)
    for phase in scale.PHASES:
        heights = {d: scale.grouped_phases(run, "cpu_seconds")[phase] for d, run in found.items()}
        axes.bar(
            [str(d) for d in found],
            list(heights.values()),
            bottom=list(bottom.values()),
            label=phase,
        )
        bottom = {d: bottom[d] + heights[d] for d in found}
    axes.set(xlabel=f"owners ({most:,} samples in all)", ylabel="CPU seconds, all three parties")
    axes.legend(fontsize="small")
    return bool(found)
