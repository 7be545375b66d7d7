"""The contract of an experiment: one table or figure of a paper, computed again cell by cell.

An experiment is a class in a module of `ppaurora.bench.papers.experiments`, with everything that is
known of it: the paper's settings, what it prints, how a cell is computed, how the result is shown.
The runner, the page and the command read this contract and know no experiment by name.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from hashlib import sha256
from operator import add
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.papers.tally import Tally

Settings = tuple[str | int | float, ...]
"""The setting of a cell, in the order of the experiment's `axes`."""

ALSO_IN_PRIVATE = "also in private"
"""The tally of the simulated studies that three parties computed as well: 1 where they agreed."""


TIMES = frozenset({"seconds", "CPU seconds"})
"""The tallies that no other run has again."""
HARDLY = 1e-9
"""Libraries sum doubles in another order on another processor."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of the repetitions of one setting: computed by itself, from a seed of its own."""

    experiment: str
    axes: tuple[str, ...]
    settings: Settings
    runs: int
    part: int

    @property
    def described(self) -> dict[str, str | int | float]:
        """The settings by the names of the axes."""
        return dict(zip(self.axes, self.settings, strict=True))

    @property
    def name(self) -> str:
        return json.dumps([self.experiment, self.described, self.part, self.runs])

    @property
    def seed(self) -> int:
        """The first 48 bits of the SHA-256 of its name."""
        return int.from_bytes(sha256(self.name.encode()).digest()[:6])

    @property
    def generator(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)


@dataclass(frozen=True, slots=True)
class CellResult:
    """The result of a cell: tallies of many values, and points that are shown one by one.

    What was kept also says the commits whose code computed it.
    """

    tallies: Mapping[str, Tally] = field(default_factory=dict)
    points: Mapping[str, Sequence[float]] = field(default_factory=dict)
    commits: tuple[str, ...] = ()

    def __add__(self, other: CellResult) -> CellResult:
        tallies, points = dict(self.tallies), {name: [*of] for name, of in self.points.items()}
        for name, one in other.tallies.items():
            tallies[name] = tallies.get(name, Tally()) + one
        for name, listed in other.points.items():
            points[name] = [*points.get(name, ()), *listed]
        return CellResult(tallies, points, tuple(dict.fromkeys(self.commits + other.commits)))

    def __getitem__(self, name: str) -> Tally:
        return self.tallies[name]

    @property
    def is_timed(self) -> bool:
        """True if it holds times, which no other run has again."""
        return bool(TIMES & {*self.tallies, *self.points})

    def same_as(self, other: CellResult) -> bool:
        """True if all numbers are the same, but for the order in which doubles were summed."""
        mine, theirs = self._numbers(), other._numbers()
        return mine.keys() == theirs.keys() and all(
            len(of) == len(theirs[name]) and np.allclose(of, theirs[name], HARDLY, HARDLY, True)
            for name, of in mine.items()
        )

    def _numbers(self) -> dict[tuple[str, str], list[float]]:
        tallies = {
            ("tally", name): [one.runs, one.total, one.squares]
            for name, one in self.tallies.items()
        }
        return {**tallies, **{("points", name): [*of] for name, of in self.points.items()}}


Results = Mapping[Settings, CellResult]


@dataclass(frozen=True, slots=True)
class Planned:
    """A setting, and its repetitions in all and in one cell."""

    settings: Settings
    runs: int = 1
    per_cell: int = 1
    weight: float = 1.0
    """The time of one repetition relative to others of the same experiment."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table for people: its caption, its columns, its rows."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Experiment(ABC):
    """One table or figure of a paper."""

    __slots__ = ()

    name: ClassVar[str]
    """The name by which it is chosen: the paper's key in small letters, and a word."""
    paper: ClassVar[str]
    what: ClassVar[str]
    """The paper's tables and figures."""
    title: ClassVar[str]
    settings: ClassVar[str]
    """The paper's settings, and where these differ."""
    printed: ClassVar[str]
    """The part of the paper that prints it, with the place."""
    axes: ClassVar[tuple[str, ...]]
    branches: ClassVar[tuple[str, ...]] = ()
    """The axes that choose between different code: a test computes a cell of each value again."""
    revision: ClassVar[int] = 1
    """Raised when a cell comes to mean something else: what was kept of it is computed anew."""
    quick_runs: ClassVar[int] = 2
    quick_settings: ClassVar[Sequence[Settings]] = ()
    """The settings of `quick` where the planned ones take long even once."""
    small: ClassVar[Planned | None] = None
    """A setting for that test alone, not shown, where every planned cell takes long."""
    weight: ClassVar[float] = 1.0
    """Processor seconds of one repetition of weight 1, about: for the time left."""

    @abstractmethod
    def plan(self) -> Sequence[Planned]:
        """Every setting, with the repetitions of the full count."""

    @abstractmethod
    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        """Compute the cell; the result is the same for the same generator."""

    @abstractmethod
    def sheets(self, results: Results) -> Sequence[ResultTable]:
        """The tables, with the printed numbers beside those found."""

    @abstractmethod
    def deviations(self, results: Results) -> Sequence[str]:
        """The differences from the print, and their explanations."""

    @abstractmethod
    def draw(self, figure: Any, results: Results) -> None:
        """The figure, on an empty one of matplotlib."""

    def cells(self, *, quick: bool = False) -> Iterator[tuple[Cell, float]]:
        """Every cell and how long it takes, about, in processor seconds."""
        planned = self.plan()
        if quick and self.quick_settings:
            few = self.quick_runs
            planned = [Planned(settings, few, few) for settings in self.quick_settings]
        for one in planned:
            left, part = min(one.runs, self.quick_runs) if quick else one.runs, 0
            while left:
                runs = min(left, one.per_cell)
                cell = Cell(self.name, self.axes, one.settings, runs, part)
                yield cell, self.weight * one.weight * runs
                left, part = left - runs, part + 1

    def recomputed(self) -> Sequence[tuple[Cell, float]]:
        """The cells that a test computes again: the small one, or the cheapest of each branch."""
        if (small := self.small) is not None:
            cell = Cell(self.name, self.axes, small.settings, small.runs, 0)
            return [(cell, self.weight * small.weight * small.runs)]
        found: dict[Settings, tuple[Cell, float]] = {}
        for cell, weight in self.cells():
            branch = tuple(cell.described[axis] for axis in self.branches)
            if branch not in found or weight < found[branch][1]:
                found[branch] = cell, weight
        return list(found.values())

    def gathered(self, found: Mapping[str, CellResult], *, quick: bool = False) -> Results:
        """The results by setting, of those settings that were computed to the end."""
        by_settings: dict[Settings, list[CellResult | None]] = {}
        for cell, _ in self.cells(quick=quick):
            by_settings.setdefault(cell.settings, []).append(found.get(cell.name))
        return {
            settings: reduce(add, [part for part in parts if part is not None])
            for settings, parts in by_settings.items()
            if all(part is not None for part in parts)
        }
