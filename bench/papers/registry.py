"""All experiments by name: who adds a file to their room changes no list elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from rich.table import Table

import ppaurora.bench.papers.experiments as room
from ppaurora.bench.errors import LayoutRefused
from ppaurora.bench.papers.experiment import Cell, Experiment
from ppaurora.protocols.discovery import implementations

PAPERS = ("ppAURORA", "ROC-GLM", "Thesis", "tpAUC", "Folds", "FedCurve")
"""The five papers, and one beside which a statistic of this system stands."""


@cache
def experiments() -> Mapping[str, Experiment]:
    """Every experiment, paper by paper."""
    found = [kind() for kind in implementations(room, Experiment)]  # type: ignore[type-abstract]
    found.sort(key=lambda one: (PAPERS.index(one.paper), one.name))
    return {one.name: one for one in found}


def chosen(names: Sequence[str]) -> list[Experiment]:
    """The experiments of these names, or of a paper; all where none is named."""
    known = experiments()
    of_paper = {
        paper.lower(): [one for one in known.values() if one.paper == paper] for paper in PAPERS
    }
    listed: list[Experiment] = []
    for name in names or tuple(known):
        if name not in known and name.lower() not in of_paper:
            raise LayoutRefused(
                f'there is no experiment "{name}"',
                advice=f"Choose from {', '.join([*known, *of_paper])}.",
            )
        listed += [known[name]] if name in known else of_paper[name.lower()]
    return list(dict.fromkeys(listed))


def table(listed: Sequence[Experiment]) -> Table:
    """The experiments for people: name, what it is of, how many cells, about how long."""
    shown = Table(title="the papers' tables and figures, computed again")
    for column in ("experiment", "paper", "of", "title"):
        shown.add_column(column)
    for column in ("cells", "processor seconds, about"):
        shown.add_column(column, justify="right")
    for one in listed:
        weights = [weight for _, weight in one.cells()]
        shown.add_row(
            one.name, one.paper, one.what, one.title, str(len(weights)), f"{sum(weights):.0f}"
        )
    return shown


def named(listed: Sequence[Experiment], text: str) -> list[tuple[Experiment, Cell, float]]:
    """The cells whose names hold this text, and how long each takes, about."""
    found = {
        cell.name: (one, cell, weight)
        for one in listed
        for cell, weight in (*one.cells(), *one.recomputed())
        if text in cell.name
    }
    if not found:
        raise LayoutRefused(
            f'no cell has "{text}" in its name',
            advice='A name is such as ["thesis-curves", {"curves": "all"}, 0, 1].',
        )
    return list(found.values())


def cells_table(listed: Sequence[Experiment], text: str) -> Table:
    """The names of these cells for people."""
    shown = Table(title="cells")
    shown.add_column("cell")
    shown.add_column("processor seconds, about", justify="right")
    for _, cell, weight in named(listed, text):
        shown.add_row(cell.name, f"{weight:.1f}")
    return shown
