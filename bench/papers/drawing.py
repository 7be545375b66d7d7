"""Figures fit for print: SVG and PDF, the simulation error at each point, no point unmeasured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

from ppaurora.bench.papers.experiment import Experiment, Results
from ppaurora.bench.papers.figures import pyplot
from ppaurora.bench.papers.tally import Tally

KINDS = ("svg", "pdf")
# Without a date and the version of the library the same results make the same file.
PLAIN = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None, "Producer": None}}
SIZE = (7.2, 3.8)
# Text stays text.
STYLE = {
    "font.size": 8,
    "axes.titlesize": "medium",
    "axes.grid": True,
    "grid.alpha": 0.3,
    "svg.fonttype": "none",
}
ERRORS = 1.96


def drawn(experiment: Experiment, results: Results, folder: Path) -> Iterator[Path]:
    """The experiment's figure in every kind of file; the paths."""
    plot = pyplot()
    with plot.rc_context(STYLE):
        figure = plot.figure(figsize=SIZE, layout="constrained")
        experiment.draw(figure, results)
        figure.suptitle(f"{experiment.title}\n[{experiment.paper}, {experiment.what}]", fontsize=8)
        lettered(figure)
        folder.mkdir(parents=True, exist_ok=True)
        for kind in KINDS:
            path = folder / f"{experiment.name}.{kind}"
            figure.savefig(path, metadata=PLAIN[kind], dpi=300)
            yield path
        plot.close(figure)


def with_errors(
    axes: Any,
    found: Sequence[tuple[float, Tally]],
    line: str = "-",
    *,
    colour: str,
    label: str = "",
    share: bool | None = None,
) -> None:
    """Means with bars of 1.96 simulation errors, and a line between them; of shares Wilson's."""
    if not found:
        return
    places, tallies = zip(*found, strict=True)
    means = [tally.mean for tally in tallies]
    limits = [tally.limits(ERRORS, share=share) for tally in tallies]
    axes.errorbar(
        places,
        means,
        yerr=[
            [max(0.0, mean - low) for mean, (low, _) in zip(means, limits, strict=True)],
            [max(0.0, high - mean) for mean, (_, high) in zip(means, limits, strict=True)],
        ],
        linestyle=line,
        color=colour,
        marker="o",
        markersize=2.5,
        linewidth=1,
        elinewidth=0.8,
        capsize=1.5,
        label=label or None,
    )


def lettered(figure: Any) -> None:
    """A letter above the left end of every panel, where there are several."""
    panels = [axes for axes in figure.axes if axes.get_subplotspec() is not None and axes.axison]
    if len(panels) > 1:
        for letter, axes in zip(ascii_lowercase, panels, strict=False):
            axes.set_title(letter, loc="left", fontweight="bold", fontsize=8)


def ticks_at(axes: Any, places: Sequence[float], *, names: Sequence[str] = ()) -> None:
    """Ticks of the horizontal axis where the data are, and nowhere else."""
    axes.set_xticks(list(places), list(names) or [f"{place:,g}" for place in places])
    axes.set_xticks([], minor=True)


def ends_named(
    axes: Any, ends: Sequence[tuple[float, float, str, str]], *, room: float = 0.07
) -> None:
    """Names of lines beside their last points (place, height, name, colour), none over another.

    `room` is the height of a name, as a share of the axes'. To be called when the limits of the
    axes are set.
    """
    to_axes = axes.transData + axes.transAxes.inverted()
    found = sorted(
        (to_axes.transform((x, y))[1], x, y, name, colour) for x, y, name, colour in ends
    )
    heights: list[float] = []
    for height, *_ in found:
        heights.append(max(height, heights[-1] + room) if heights else height)
    highest = 0.95
    for place in reversed(range(len(heights))):
        heights[place] = min(heights[place], highest)
        highest = heights[place] - room
    for at, (_, x, y, name, colour) in zip(heights, found, strict=True):
        right = to_axes.transform((x, y))[0] + 0.02
        axes.annotate(
            name,
            (x, y),
            (right, at),
            textcoords="axes fraction",
            color=colour,
            va="center",
            fontsize="small",
        )


def at_end(axes: Any, place: float, height: float, text: str, colour: str) -> None:
    """A line's name beside its last point."""
    axes.annotate(
        text, (place, height), (4, 0), textcoords="offset points", color=colour, va="center"
    )
