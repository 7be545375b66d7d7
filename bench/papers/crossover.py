"""The crossover of two sorts: hops, bytes and time, and the distance of `auto` to the better.

Real studies by three processes over links that delay and pace each frame. A row is measured by the
sort that runs; which one `auto` runs follows from the sizes and the conditions alone, so its curve
is that of the sort it chooses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from os.path import relpath
from pathlib import Path
from statistics import median
from typing import Any, ClassVar, Self

import numpy as np

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.evaluation import measured, outsourced
from ppaurora.bench.measure.scale import MEGABYTE, shared_out
from ppaurora.bench.networks.networks import Means, ServerNetwork, laid
from ppaurora.bench.papers.drawing import at_end
from ppaurora.bench.papers.experiment import (
    Cell,
    CellResult,
    Experiment,
    Planned,
    Results,
    ResultTable,
    Settings,
)
from ppaurora.bench.papers.kept import Kept
from ppaurora.bench.papers.page import as_markdown, at_commits
from ppaurora.protocols.options import Options
from ppaurora.protocols.sorting.auto import AutoSort, best_sort
from ppaurora.protocols.sorting.network import NetworkSort
from ppaurora.protocols.sorting.shuffled import ShuffledSort
from ppaurora.protocols.sorting.sort import Conditions, Sort

METRIC = "auroc"
ROUND_TRIPS = (0.18, 10.0, 80.0)
MEGABITS = (0, 1000)
"""The most that one host sends in a second; 0: as much as the loopback carries."""
LOOPBACK_MEGABITS = 10_000
"""The conditions for servers that nothing holds back."""
SAMPLES = (1000, 8000, 65_536, 262_144)
OWNERS = (3, 8, 32)
USUAL_OWNERS, USUAL_SAMPLES = 8, 8000
LONG_MS, FEW_SAMPLES, MANY_SAMPLES = 50.0, 8000, 100_000
"""Up to FEW_SAMPLES rows are measured three times; up to MANY_SAMPLES over long ones, twice."""
WORST = 1.15
FIGURES = {"hops": "hops", "megabytes": "MB, all servers", "seconds": "time [s]"}
COLOURS = {NetworkSort.name: "C0", ShuffledSort.name: "C1", AutoSort.name: "C3"}
LINES = {NetworkSort.name: "-", ShuffledSort.name: "-", AutoSort.name: ":"}


@dataclass(frozen=True, slots=True)
class Setup:
    """A network between the servers, and a study on it."""

    round_trip_ms: float
    megabits: int
    owners: int
    samples: int
    narrow: bool = False
    """True if keys have 32 bits."""

    @classmethod
    def of(cls, settings: Settings, *, narrow: bool = False) -> Self:
        round_trip, megabits, owners, samples, _ = settings
        return cls(float(round_trip), int(megabits), int(owners), int(samples), narrow)

    @property
    def sizes(self) -> tuple[int, ...]:
        return shared_out(self.samples, self.owners)

    @property
    def network(self) -> ServerNetwork:
        bandwidth = self.megabits * 1e6 if self.megabits else None
        return ServerNetwork(self.named, self.round_trip_ms / 1e3, bandwidth)

    @property
    def named(self) -> str:
        pace = f"{self.megabits} Mbit/s" if self.megabits else "loopback's pace"
        return f"{self.round_trip_ms:g} ms, {pace}"

    @property
    def conditions(self) -> Conditions:
        """The conditions for the servers: the round trip and the pace."""
        return Conditions(round(1e3 * self.round_trip_ms), self.megabits or LOOPBACK_MEGABITS)

    @property
    def runs(self) -> int:
        """The number of times each row is measured."""
        if self.round_trip_ms < LONG_MS and self.samples <= FEW_SAMPLES:
            return 3
        return 2 if self.round_trip_ms >= LONG_MS and self.samples <= MANY_SAMPLES else 1

    @property
    def chosen(self) -> Sort:
        """The sort that `auto` runs here."""
        return best_sort(self.sizes, self.conditions, narrow=self.narrow)

    def settings(self, sort: str) -> Settings:
        return self.round_trip_ms, self.megabits, self.owners, self.samples, sort


def text_of(sort: Sort) -> str:
    """The sort as a row has it: its name, and its rounds where `auto` alone runs so many.

    >>> text_of(ShuffledSort()), text_of(ShuffledSort(12))
    ('shuffled', 'shuffled in 12 rounds')
    """
    if isinstance(sort, ShuffledSort) and sort != ShuffledSort():
        return f"{sort.name} in {sort.rounds} rounds"
    return sort.name


def places(megabits: Sequence[int] = MEGABITS, *, narrow: bool = False) -> Iterator[Setup]:
    """Every network, with more and more samples and with more and more owners."""
    studies = [(USUAL_OWNERS, samples) for samples in SAMPLES]
    studies += [(owners, USUAL_SAMPLES) for owners in OWNERS if owners != USUAL_OWNERS]
    for pace, round_trip, study in product(megabits, ROUND_TRIPS, studies):
        yield Setup(round_trip, pace, *study, narrow)


class Crossover(Experiment):
    """Every place by both sorts, and by what `auto` chooses where that is neither."""

    __slots__ = ()

    name: ClassVar[str] = "crossover"
    paper: ClassVar[str] = "three processes, AUROC"
    what: ClassVar[str] = "network, shuffled, auto"
    title: ClassVar[str] = "Two sorts, and dotted the one that auto chooses"
    settings: ClassVar[str] = (
        "AUROC with ties; synthetic scores; uploads lie ready and are not checked. Three processes "
        "on one machine with encrypted links that delay each frame by half of the round trip and "
        "send no more than the pace (the shaper). Times are the least of the runs that are kept, "
        "three up to 8,000 samples, and two at 80 ms, elsewhere one: other work on the machine "
        "only adds to them. `auto` is told the round trip and the pace, as `[server] "
        "megabits` would tell it; where nothing holds the servers back, 10,000 megabits a second."
    )
    printed: ClassVar[str] = "Nothing: the paper has neither of these sorts."
    axes: ClassVar[tuple[str, ...]] = ("round trip (ms)", "Mbit/s", "owners", "samples", "sort")
    quick_runs: ClassVar[int] = 1
    quick_settings: ClassVar[Sequence[Settings]] = (
        (0.18, 0, 8, 1000, NetworkSort.name),
        (0.18, 0, 8, 1000, ShuffledSort.name),
    )
    weight: ClassVar[float] = 5.0
    resolution: ClassVar[str] = "full"
    places: ClassVar[tuple[Setup, ...]] = tuple(places())

    def plan(self) -> Sequence[Planned]:
        planned = []
        for place in self.places:
            sorts = [NetworkSort.name, ShuffledSort.name, text_of(place.chosen)]
            for sort in dict.fromkeys(sorts):
                weight = 1 + place.samples / 50_000
                planned.append(Planned(place.settings(sort), place.runs, weight=weight))
        return planned

    def cells(self, *, quick: bool = False) -> Iterator[tuple[Cell, float]]:
        """All first runs come before any second one: what disturbs the machine disturbs all."""
        return iter(sorted(super().cells(quick=quick), key=lambda one: one[0].part))

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        place, sort = Setup.of(cell.settings, narrow=self.narrow), cell.settings[-1]
        named = sort in (NetworkSort.name, ShuffledSort.name)
        merge = str(sort) if named else AutoSort.name
        options = Options(
            metrics=(METRIC,),
            merge=merge,
            resolution=self.resolution,
            conditions=place.conditions,
        )
        with (
            laid(place.network, Means.SHAPER) as hosts,
            outsourced(place.sizes, options, ties=True) as study,
        ):
            found = measured(hosts, study, options)
        if not found["correct"]:
            raise RunFailed(
                f"{place.named}, {sort} released another number than the clear",
                advice="This must never happen; keep the command and report it.",
            )
        figures = {
            "seconds": found["seconds"],
            "CPU seconds": found["cpu_seconds"],
            "megabytes": found["bytes"] / MEGABYTE,
            "hops": found["hops"],
        }
        return CellResult(points={name: [value] for name, value in figures.items()})

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        columns = (
            *("owners", "samples", "hops: network", "shuffled", "auto"),
            *("MB: network", "shuffled", "auto"),
            *("s: network", "shuffled", "auto", "auto runs", "auto to the best"),
        )
        rows: dict[str, list[tuple[str, ...]]] = {}
        for place in self.complete(results):
            rows.setdefault(place.named, []).append(_cells(place, results))
        sheets = [ResultTable(named, columns, tuple(found)) for named, found in rows.items()]
        fitted = [
            (sort, f"{1e3 * hop:.2f}", f"{1e3 * megabyte:.2f}", f"{off:.0%}")
            for sort in (NetworkSort.name, ShuffledSort.name)
            for hop, megabyte, off in [computing(sort, results)]
        ]
        caption = "Processor time of the three servers together, fitted to all rows of a sort"
        return [
            *sheets,
            ResultTable(caption, ("sort", "ms a hop", "ns a byte", "off by"), tuple(fitted)),
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        behind = {place: ratio(place, results) for place in self.complete(results)}
        if not behind:
            return []
        worst = max(behind, key=lambda place: behind[place])
        late = sum(found > WORST for found in behind.values())
        return [
            f"`auto` is behind the better of the two sorts by more than {WORST - 1:.0%} at {late} "
            f"of {len(behind)} places; at the most, {behind[worst]:.2f} times, at {worst.named}, "
            f"{worst.owners} owners, {worst.samples:,} samples.",
            "Where `auto` runs one of the two sorts its row is that sort's row; where it shuffles "
            "in another number of rounds, that was measured as well. So a ratio is what the choice "
            "costs, with the noise of the rows that are compared.",
            "The recorded rows were measured on two cores at a higher priority than the machine's "
            "other work.",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        panels_of = [one for one in PANELS if one[1] in {place.megabits for place in self.places}]
        figure.set_size_inches(9.6, 2.5 * len(panels_of))
        panels = figure.subplots(len(panels_of), len(ROUND_TRIPS))
        for column, round_trip in enumerate(ROUND_TRIPS):
            of_trip = [one for one in self.complete(results) if one.round_trip_ms == round_trip]
            for row, (quantity, megabits, against) in enumerate(panels_of):
                shown = [
                    one
                    for one in of_trip
                    if one.megabits == megabits and getattr(one, OTHER[against]) == USUAL[against]
                ]
                axes = panels[row][column]
                axes.set(xscale="log", yscale="log", xlabel=against, ylabel=FIGURES[quantity])
                _curves(axes, shown, results, quantity, against)
                pace = "" if quantity != "seconds" else f", {megabits or 'loopback'}"
                unit = " Mbit/s" if quantity == "seconds" and megabits else ""
                axes.set(title=f"{round_trip:g} ms{pace}{unit}")

    @property
    def narrow(self) -> bool:
        return self.resolution != "full"

    def complete(self, results: Results) -> list[Setup]:
        """The places of which all three curves were measured."""
        return [
            place
            for place in self.places
            if all(place.settings(sort) in results for sort in sorts_at(place).values())
        ]


class NarrowCrossover(Crossover):
    """The same of keys of 32 bits, where nothing holds the servers back but the round trip."""

    __slots__ = ()

    name: ClassVar[str] = "crossover-float32"
    title: ClassVar[str] = "Two sorts of 32 bits, and dotted the one that auto chooses"
    settings: ClassVar[str] = (
        "The same of `float32` scores, whose keys are sorted mod 2^32, over links that carry as "
        "much as the loopback does."
    )
    resolution: ClassVar[str] = "float32"
    places: ClassVar[tuple[Setup, ...]] = tuple(places([0], narrow=True))


HEAD = """# Where one sort overtakes the other

Made by `ppaurora bench crossover --out bench/recorded` from the rows that it keeps
({source}); the same command goes on where it was interrupted.
"""


EXPERIMENTS: tuple[Crossover, ...] = (Crossover(), NarrowCrossover())


def page(folder: Path, at: Path) -> str:
    """The text of the page at `at`, from what `folder` keeps."""
    source = relpath(folder, at.parent)
    lines = [HEAD.format(source=f"[{source}]({source})")]
    for experiment in EXPERIMENTS:
        kept = Kept(folder, experiment)
        results = experiment.gathered(kept.found())
        heading = "Keys of 32 bits" if experiment.narrow else "Keys of 64 bits"
        lines += [f"## {heading}", "", f"At {at_commits(kept.commits())}.", experiment.settings, ""]
        lines += [f"- {told}" for told in experiment.deviations(results)]
        for sheet in experiment.sheets(results):
            lines += ["", *as_markdown(sheet)]
        figure = relpath(folder / f"{experiment.name}.svg", at.parent)
        lines += ["", f"![{experiment.title}]({figure})", ""]
    return "\n".join(lines)


PANELS = (
    ("hops", 0, "samples"),
    ("megabytes", 0, "samples"),
    ("seconds", 0, "samples"),
    ("seconds", 1000, "samples"),
    ("seconds", 0, "owners"),
)
OTHER = {"samples": "owners", "owners": "samples"}
USUAL = {"samples": USUAL_OWNERS, "owners": USUAL_SAMPLES}


def sorts_at(place: Setup) -> dict[str, str]:
    """The three curves, and the row that each has here."""
    return {
        NetworkSort.name: NetworkSort.name,
        ShuffledSort.name: ShuffledSort.name,
        AutoSort.name: text_of(place.chosen),
    }


def value(place: Setup, curve: str, results: Results, quantity: str) -> float:
    """The least time of the runs, the median of what the machine's other work does not change."""
    found = results[place.settings(sorts_at(place)[curve])].points[quantity]
    return min(found) if quantity == "seconds" else float(median(found))


def ratio(place: Setup, results: Results) -> float:
    """The time of `auto` against that of the better of the two sorts."""
    auto, *others = (
        value(place, curve, results, "seconds")
        for curve in (AutoSort.name, NetworkSort.name, ShuffledSort.name)
    )
    return auto / min(others)


def computing(sort: str, results: Results) -> tuple[float, float, float]:
    """Seconds a hop and a megabyte, and by how much of its value a row is off, on average.

    By least squares of the relative differences, over whole studies.
    """
    rows = [found for key, found in results.items() if str(key[-1]).startswith(sort)]
    seconds, *of = (
        np.array([median(found.points[quantity]) for found in rows])
        for quantity in ("CPU seconds", "hops", "megabytes")
    )
    relative = np.stack(of, axis=1) / seconds[:, None]
    (hop, megabyte), *_ = np.linalg.lstsq(relative, np.ones(len(rows)))
    off = np.abs(relative @ [hop, megabyte] - 1).mean()
    return float(hop), float(megabyte), float(off)


def _cells(place: Setup, results: Results) -> tuple[str, ...]:
    told = {"hops": "{:.0f}", "megabytes": "{:.1f}", "seconds": "{:.2f}"}
    figures = (
        form.format(value(place, curve, results, quantity))
        for quantity, form in told.items()
        for curve in sorts_at(place)
    )
    return (
        f"{place.owners}",
        f"{place.samples:,}",
        *figures,
        text_of(place.chosen),
        f"{ratio(place, results):.2f}",
    )


def _curves(
    axes: Any, shown: Sequence[Setup], results: Results, quantity: str, against: str
) -> None:
    """A line for each sort, named at its end; where `auto` is another's line, it lies upon it."""
    ordered = sorted(shown, key=lambda place: int(getattr(place, against)))
    for curve, colour in COLOURS.items():
        if not ordered:
            return
        at = [int(getattr(place, against)) for place in ordered]
        heights = [value(place, curve, results, quantity) for place in ordered]
        wide = curve == AutoSort.name
        axes.plot(
            at,
            heights,
            linestyle=LINES[curve],
            color=colour,
            linewidth=2.4 if wide else 1.2,
            marker="o",
            markersize=2.5,
        )
        if not wide:
            at_end(axes, at[-1], heights[-1], curve, colour)
    places_at = sorted({int(getattr(place, against)) for place in ordered})
    axes.set_xticks(places_at, [f"{one:,}" for one in places_at], rotation=30, ha="right")
    axes.set_xticks([], minor=True)
    axes.margins(x=0.25)
