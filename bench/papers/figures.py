"""[ppAURORA, Fig. 2a to 2c] from real reports, and three more: bytes, growth, time by phase.

A mark is the median of the runs, and its bar goes from the smallest to the largest. Every line is
named at its right end. The paper's own numbers are grey; they were printed without an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppaurora.bench.errors import ReportRefused, ToolAbsent
from ppaurora.bench.measure import scale
from ppaurora.bench.measure.report import Figures, Key, Report, spread, typical
from ppaurora.bench.papers import tables

KINDS = ("png", "svg")
PLAIN = {"svg": {"Date": None}}
PAPER = {"aupr": ("0.15", "s"), "auroc": ("0.45", "^"), "auroc_no_ties": ("0.7", "v")}
"""The grey and the mark of the paper's numbers, by metric."""
LINES = {"network": "-", "delta": "--", "shuffled": ":", "auto": "-."}
COLOURS = {"auroc": "C0", "auroc_no_ties": "C2", "aupr": "C1"}
MEGABYTE = 1e6
ROOM = 0.055
"""Of the height of the axes, for one name of a line."""

FIGURES = {"seconds": "time [s]", "bytes": "sent by the three servers together [MB]"}


@dataclass(frozen=True, slots=True)
class Point:
    """A place, and the middle, the smallest and the largest of what was measured there."""

    place: float
    middle: float
    least: float
    most: float

    @classmethod
    def of(cls, place: float, runs: list[Figures], figure: str) -> Point:
        """The point of these runs; bytes are told in megabytes."""
        unit = MEGABYTE if figure == "bytes" else 1.0
        least, most = spread(runs, figure)
        return cls(place, typical(runs, figure) / unit, least / unit, most / unit)


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
        figure, axes = plot.subplots(figsize=(7.2, 4.4), layout="constrained")
        if draw(axes):
            for kind in KINDS:
                path = folder / f"{name}.{kind}"
                figure.savefig(path, dpi=150, metadata=PLAIN.get(kind))
                yield path
        plot.close(figure)


def pyplot() -> Any:
    """matplotlib without a screen; the same data make the same file."""
    try:
        import matplotlib
    except ImportError:
        raise ToolAbsent(
            "figures need matplotlib", advice="Install it with: pip install matplotlib"
        ) from None
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "ppaurora"
    import matplotlib.pyplot as plot

    return plot


def samples(axes: Any, report: Report) -> bool:
    """Figure 2a: three owners, more and more samples."""
    rows = [row for row in tables.paper_rows() if row.layout.startswith("3x")]
    axes.set(title="Time against samples [ppAURORA, Fig. 2a]", xscale="log")
    axes.set(xlabel="samples of three owners together")
    return _paper_figure(axes, report, rows, lambda row: row.samples)


def owners(axes: Any, report: Report) -> bool:
    """Figure 2b: a thousand samples an owner, more and more owners."""
    rows = [row for row in tables.paper_rows() if "x1000" in row.layout and row.delta == 1]
    axes.set(title="Time against owners [ppAURORA, Fig. 2b]")
    axes.set(xlabel="owners of 1000 samples each")
    return _paper_figure(axes, report, rows, lambda row: int(row.layout.split("x")[0]))


def deltas(axes: Any, report: Report) -> bool:
    """Figure 2c: eight owners of a thousand samples, larger and larger delta."""
    rows = [row for row in tables.paper_rows() if row.layout == "8x1000"]
    axes.set(title="Time against δ, 8 owners of 1000 samples [ppAURORA, Fig. 2c]", xscale="log")
    axes.set(xlabel="δ of the delta merge; the others have none")
    return _paper_figure(axes, report, rows, lambda row: row.delta, level=("network", "auto"))


def megabytes(axes: Any, report: Report) -> bool:
    """Bytes of all servers, three owners."""
    rows = [row for row in tables.paper_rows() if row.layout.startswith("3x")]
    axes.set(title="Bytes against samples [ppAURORA, Table 1]", xscale="log")
    axes.set(xlabel="samples of three owners together")
    return _paper_figure(axes, report, rows, lambda row: row.samples, figure="bytes")


def _paper_figure(
    axes: Any,
    report: Report,
    rows: Sequence[tables.PaperRow],
    place: Callable[[tables.PaperRow], float],
    *,
    figure: str = "seconds",
    level: Sequence[str] = (),
) -> bool:
    """The paper's numbers and the measured ones over the same rows.

    A merge that is `level` was measured once: its line has no marks where nothing was measured.
    """
    series: Series = {}
    for row in rows:
        for key, runs in report:
            if _belongs(key, row):
                point = Point.of(place(row), runs, figure)
                series.setdefault((key["metric"], key["merge"]), []).append(point)
    if not series:
        return False
    axes.set(yscale="log", ylabel=FIGURES[figure])
    names = []
    for metric in tables.METRICS:
        theirs = sorted(
            (place(row), (row.megabytes if figure == "bytes" else row.seconds)[metric])
            for row in rows
        )
        grey, mark = PAPER[metric]
        axes.plot(*zip(*theirs, strict=True), color=grey, marker=mark, markersize=3, linewidth=1)
        names.append((theirs[-1][1], f"{metric}, the paper", grey))
    for (metric, merge), points in series.items():
        name = f"{metric}, {merge}"
        _line(axes, points, COLOURS[metric], name, LINES[merge], marked=merge not in level)
        names.append((max(points, key=_place).middle, name, COLOURS[metric]))
    places = sorted({place(row) for row in rows})
    axes.set_xticks(places, [f"{at:g}" for at in places])
    axes.set_xticks([], minor=True)
    axes.grid(alpha=0.3)
    _name_lines(axes, names)
    return True


def _belongs(key: Key, row: tables.PaperRow) -> bool:
    same_delta = key["merge"] != "delta" or key["delta"] == row.delta
    return bool(key["layout"] == row.layout and same_delta)


def _place(point: Point) -> float:
    return point.place


def _line(
    axes: Any, points: list[Point], colour: str, name: str, line: str = "-", *, marked: bool = True
) -> None:
    """A line through what was measured, with a mark and a bar from least to most at each point."""
    ordered = sorted(points, key=_place)
    bars = [[one.middle - one.least for one in ordered], [one.most - one.middle for one in ordered]]
    axes.errorbar(
        [one.place for one in ordered],
        [one.middle for one in ordered],
        yerr=bars if marked else None,
        linestyle=line,
        color=colour,
        marker="o" if marked else "",
        markersize=4,
        capsize=2,
        label=name,
    )


def _name_lines(axes: Any, names: Sequence[tuple[float, str, str]]) -> None:
    """Each line's name to the right of the axes, at its last height or as near as there is room."""
    to_axes = axes.transAxes.inverted()
    ends = sorted(
        (to_axes.transform(axes.transData.transform((axes.get_xlim()[1], height)))[1], name, colour)
        for height, name, colour in names
    )
    lowest = -1.0
    for end, name, colour in ends:
        lowest = max(end, lowest + ROOM)
        axes.annotate(
            name,
            (1.0, end),
            (1.03, lowest),
            xycoords="axes fraction",
            textcoords="axes fraction",
            color=colour,
            fontsize="small",
            va="center",
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5, "relpos": (0, 0.5)},
        )


def growth(axes: Any, report: Report) -> bool:
    """Time against samples, a line for each number of owners."""
    series: dict[int, list[Point]] = {}
    for key, runs in report:
        series.setdefault(key["owners"], []).append(Point.of(key["samples"], runs, "seconds"))
    axes.set(title="Time against samples", xlabel="samples of all owners together")
    axes.set(xscale="log", yscale="log", ylabel=FIGURES["seconds"])
    names = []
    for at, (count, points) in enumerate(sorted(series.items())):
        _line(axes, points, f"C{at}", f"{count} owners")
        names.append((max(points, key=_place).middle, f"{count} owners", f"C{at}"))
    axes.grid(alpha=0.3)
    _name_lines(axes, names)
    return bool(series)


def phases(axes: Any, report: Report) -> bool:
    """CPU time of all three parties by phase, for the most samples, by number of owners."""
    most = max((key["samples"] for key, _ in report), default=0)
    found = {key["owners"]: runs[-1] for key, runs in report if key["samples"] == most}
    bottom = dict.fromkeys(found, 0.0)
    axes.set(title=f"CPU time by phase, {most:,} samples, the last run", xlabel="owners")
    axes.set(ylabel="CPU time of the three servers together [s]")
    names = []
    for at, phase in enumerate(scale.PHASES):
        heights = {d: scale.grouped_phases(run, "cpu_seconds")[phase] for d, run in found.items()}
        axes.bar([str(d) for d in found], list(heights.values()), bottom=list(bottom.values()))
        if found:
            last = list(found)[-1]
            names.append((bottom[last] + heights[last] / 2, phase, f"C{at}"))
        bottom = {d: bottom[d] + heights[d] for d in found}
    _name_lines(axes, names)
    return bool(found)
