"""The lines of a report of peers: measured figures, estimates from them, and printed ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ppaurora.bench.measure.data import sizes_of, synthetic
from ppaurora.bench.measure.report import Figures, Report, load_of, spread, typical
from ppaurora.bench.peers.contestants import CONTESTANTS

MEGABYTE = 1e6
AGAINST = "ppaurora"
HEADERS = (
    "layout",
    "by",
    "s (range)",
    "×",
    "CPU s (range)",
    "×",
    "MB",
    "peak MB",
    "off by",
    "load",
)

PRINTED = (
    (
        "10^6 keys of 32 bits",
        "Asharov et al., CCS 2022",
        "2.26, printed",
        *[""] * (len(HEADERS) - 3),
    ),
)
"""Figures that others print, not measured here: the sort alone, on machines of many cores."""


@dataclass(frozen=True, slots=True)
class ListSizes:
    """The size of the synthetic lists of a layout: samples, and scores that differ."""

    samples: int
    scores: int


def list_sizes(layout: str) -> ListSizes:
    """The samples of a layout, and how many different scores they have."""
    samples = synthetic(sizes_of(layout))
    scores = np.concatenate([sample.scores for sample in samples])
    return ListSizes(len(scores), len(np.unique(scores)))


def lines(report: Report) -> Iterator[tuple[str, ...]]:
    """A line for each layout and contestant, the layouts as they grow; × is against this system."""
    rows = {(key["layout"], key["contestant"]): runs for key, runs in report}
    asked = report.head.get("layouts", [])
    layouts = {layout for layout, _ in rows} | set(asked)
    for layout in sorted(layouts, key=lambda one: sum(sizes_of(one))):
        own = _done(rows.get((layout, AGAINST), []))
        for (at, name), runs in rows.items():
            if at == layout:
                yield (layout, name, *_measured(runs, own))
        if layout in asked:
            for name in sorted({name for _, name in rows} & set(CONTESTANTS)):
                if (layout, name) not in rows and CONTESTANTS[name].fit:
                    yield (layout, name, *_estimated(rows, name, layout, own))
    yield from PRINTED


def _done(runs: list[Figures]) -> list[Figures]:
    return [run for run in runs if "failed" not in run]


def _measured(runs: list[Figures], own: list[Figures]) -> tuple[str, ...]:
    done = _done(runs)
    if not done:
        return (f"failed: {runs[-1]['failed']}", *[""] * 7)
    cells = []
    for name in ("seconds", "cpu_seconds"):
        value, (low, high) = typical(done, name), spread(done, name)
        cells += [
            f"{value:.3f} ({low:.3f}-{high:.3f})",
            f"{value / typical(own, name):.2f}" if own else "",
        ]
    return (
        *cells,
        f"{typical(done, 'bytes') / MEGABYTE:,.1f}",
        f"{typical(done, 'peak_bytes') / MEGABYTE:.0f}",
        f"{max(abs(run['value'] - run['exact']) for run in done):.0e}",
        load_of(done),
    )


def _estimated(
    rows: dict[tuple[str, str], list[Figures]], name: str, layout: str, own: list[Figures]
) -> tuple[str, ...]:
    measured = [
        (list_sizes(at), run)
        for (at, other), runs in rows.items()
        if other == name
        for run in _done(runs)
    ]
    cpu, sent = (
        estimate(measured, figure, list_sizes(layout)) for figure in ("cpu_seconds", "bytes")
    )
    against = f"{cpu / typical(own, 'cpu_seconds'):,.0f}" if own else ""
    return "", "", f"≈ {cpu:,.0f}", against, f"≈ {sent / MEGABYTE:,.0f}", "", "", ""


def estimate(measured: list[tuple[ListSizes, Figures]], figure: str, work: ListSizes) -> float:
    """A figure by two lines through the measured runs: that of the owners over the samples, and all
    others' over the scores that differ, each by least squares.
    """
    if len({at.samples for at, _ in measured}) < 2:
        return float("nan")
    owners = [run["owners"][figure] for _, run in measured]
    others = [run[figure] - run["owners"][figure] for _, run in measured]
    by_samples = np.polyfit([at.samples for at, _ in measured], owners, 1)
    by_scores = np.polyfit([at.scores for at, _ in measured], others, 1)
    return float(np.polyval(by_samples, work.samples) + np.polyval(by_scores, work.scores))
