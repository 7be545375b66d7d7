"""Figures fit for print: SVG and PDF, the simulation error at each point, no point unmeasured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ppaurora.bench.papers.experiment import Experiment, Results
from ppaurora.bench.papers.figures import pyplot
from ppaurora.bench.papers.tally import Tally

KINDS = ("svg", "pdf")
# Without a date and the version of the library the same results make the same file.
PLAIN = {"svg": {"Date": None, "Creator": None}, "pdf": {"CreationDate": None, "Producer": None}}
SIZE = (7.2, 3.8)
# Text stays text.
STYLE = {"font.size": 8, "axes.grid": True, "grid.alpha": 0.3, "svg.fonttype": "none"}
ERRORS = 1.96


def drawn(experiment: Experiment, results: Results, folder: Path) -> Iterator[Path]:
    """The experiment's figure in every kind of file; the paths."""
    plot = pyplot()
    with plot.rc_context(STYLE):
        figure = plot.figure(figsize=SIZE, layout="constrained")
        experiment.draw(figure, results)
        figure.suptitle(f"{experiment.title} [{experiment.paper}]")
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
) -> None:
    """Means with bars of 1.96 simulation errors, and a line between them."""
    if not found:
        return
    places, tallies = zip(*found, strict=True)
    axes.errorbar(
        places,
        [tally.mean for tally in tallies],
        yerr=[ERRORS * tally.error if tally.runs > 1 else 0 for tally in tallies],
        linestyle=line,
        color=colour,
        marker="o",
        markersize=2.5,
        linewidth=1,
        elinewidth=0.8,
        capsize=1.5,
        label=label or None,
    )


def at_end(axes: Any, place: float, height: float, text: str, colour: str) -> None:
    """A line's name beside its last point."""
    axes.annotate(
        text, (place, height), (4, 0), textcoords="offset points", color=colour, va="center"
    )
