"""[tpAUC, Figures 6 to 8]: the cost of three estimators of the two-way partial area."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import log
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.data import sizes_of
from ppaurora.bench.measure.evaluation import counted, outsourced
from ppaurora.bench.networks.networks import WAN
from ppaurora.bench.papers.drawing import ends_named
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
from ppaurora.bench.papers.experiments.tpauc_bias import ONE_LAW
from ppaurora.bench.papers.partial_areas import by_one_area, by_three_areas, over_pairs
from ppaurora.bench.papers.study import Labels, Scores
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.sorted_list import Input

Estimator = Callable[[Scores, Labels, float, float], float]
CLEAR: dict[str, Estimator] = {
    "every pair (Eq. 14)": over_pairs,
    "three areas (Eq. 24)": by_three_areas,
    "one area (Eq. 26)": by_one_area,
}
PAIRS = next(iter(CLEAR))
PRIVATE = {"tpauc": "trapezoids", "tpauc_trimmed": "trimmed U"}
IN_CLEAR, IN_PRIVATE = "clear", "private"
LEAST_TPR, MOST_FPR = 0.6, 0.4
SAMPLES = (100, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000)
EACH = (16, 32, 64, 128, 256, 512, 1024)
"""Samples of each of three owners."""
CPU = "CPU seconds"
MEGABYTE = 1e6
COLOURS = ("C3", "C0", "C2")


class AreaCosts(Experiment):
    """Processor seconds in the clear, and hops and megabytes of three parties."""

    __slots__ = ()

    name: ClassVar[str] = "tpauc-times"
    paper: ClassVar[str] = "tpAUC"
    what: ClassVar[str] = "Figures 6 to 8, Eq. 25 and 26"
    title: ClassVar[str] = "The cost of three estimators of the two-way partial area"
    settings: ClassVar[str] = (
        "As printed: positives N(2, 1.5²), negatives N(0, 1), equally many, both bounds .6, 100 to "
        "100,000 samples. Processor seconds of numpy instead of R: the mean of 5 runs and its "
        "simulation error, as this machine had them; they are the only numbers of this page, with "
        "those of ppAURORA's tables, that another run does not have again. In private: three "
        "owners, hops and megabytes of all servers, counted over links in memory, by the sort "
        "that opens nothing (`network`), a round trip of 10 ms given."
    )
    printed: ClassVar[str] = (
        "Boxplots without numbers. The text: over 1 minute for Eq. 14 with 20,000 samples and over "
        "25 minutes (1,500 s) with 100,000; Eq. 24 a fraction of a second; Eq. 26 only slightly "
        "faster."
    )
    axes: ClassVar[tuple[str, ...]] = ("where", "estimator", "samples")
    quick_runs: ClassVar[int] = 2
    quick_settings: ClassVar[Sequence[Settings]] = (
        (IN_CLEAR, PAIRS, 100),
        (IN_PRIVATE, "tpauc", 48),
    )
    small: ClassVar[Planned | None] = Planned((IN_PRIVATE, "tpauc", 48))
    weight: ClassVar[float] = 0.2

    def plan(self) -> Sequence[Planned]:
        clear = [
            Planned((IN_CLEAR, name, n), 5, 5, 0.01 + (n / 2e4) ** 2 * (name == PAIRS))
            for name in CLEAR
            for n in SAMPLES
        ]
        private = [
            Planned((IN_PRIVATE, name, 3 * each), weight=1 + each / 200)
            for name in PRIVATE
            for each in EACH
        ]
        return [*clear, *private]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        where, name, n = str(cell.settings[0]), str(cell.settings[1]), int(cell.settings[2])
        if where == IN_PRIVATE:
            return in_private(name, n, generator)
        seconds, values = [], []
        for _ in range(cell.runs):
            scores, labels = ONE_LAW.drawn(generator, n // 2, n - n // 2)
            began = time.process_time()
            values.append(CLEAR[name](scores, labels, LEAST_TPR, MOST_FPR))
            seconds.append(time.process_time() - began)
            if name != PAIRS:
                other = next(CLEAR[one] for one in CLEAR if one not in (name, PAIRS))
                if abs(other(scores, labels, LEAST_TPR, MOST_FPR) - values[-1]) > 1e-12:
                    raise RunFailed("Eq. 24 and Eq. 26 gave two values")
        return CellResult({CPU: Tally.of(seconds), "value": Tally.of(values)})

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        seconds = tuple(
            (
                f"{n:,}",
                *(_seconds(results.get((IN_CLEAR, name, n))) for name in CLEAR),
                f"{n // 2 * (n - n // 2):.1e}",
                f"{n * log(n, 2):.1e}",
            )
            for n in SAMPLES
            if any((IN_CLEAR, name, n) in results for name in CLEAR)
        )
        private = tuple(
            (
                f"3 x {n // 3:,}",
                *(
                    told
                    for name in PRIVATE
                    for told in _counted(results.get((IN_PRIVATE, name, n)))
                ),
            )
            for n in (3 * each for each in EACH)
            if any((IN_PRIVATE, name, n) in results for name in PRIVATE)
        )
        return [
            ResultTable(
                "Figures 6 to 8 in the clear: processor seconds ± simulation error",
                ("samples", *CLEAR, "pairs", "n·log₂ n"),
                seconds,
            ),
            ResultTable(
                "The same in private",
                (
                    "owners x samples",
                    *(f"{name}, {what}" for name in PRIVATE for what in ("hops", "MB")),
                ),
                private,
            ),
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        told = []
        for name in CLEAR:
            slope = growth(results, name)
            if slope:
                told.append(f"{name}: seconds grow as n^{slope:.2f} from 10,000 samples on.")
        return [
            *told,
            "The paper's claim holds: the older estimator compares every pair, the others sort. "
            "With 100,000 samples numpy compares all pairs in a fraction of a second where the R "
            "package is printed with 1,500 s, so here the two part later, from some 5,000 samples "
            "on; what is alike is how they grow.",
            "In private both are computed from the one sorted list, so that hops and bytes of both "
            "grow alike, with the sort: n·log² n for this one. The older estimator is cheap there "
            "too, because the pairs that it counts are sums along the sorted list.",
            "Eq. 24 and Eq. 26 gave the same value in each study, as printed; this system has "
            "Eq. 24 alone (`tpauc`).",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        left, right = figure.subplots(1, 2)
        ends = []
        for name, colour in zip(CLEAR, COLOURS, strict=True):
            found = [
                (n, results[IN_CLEAR, name, n][CPU])
                for n in SAMPLES
                if (IN_CLEAR, name, n) in results
            ]
            if found:
                places = [n for n, _ in found]
                heights = [tally.mean for _, tally in found]
                bars = [1.96 * tally.error if tally.runs > 1 else 0 for _, tally in found]
                left.errorbar(places, heights, yerr=bars, color=colour, marker="o", markersize=2.5)
                ends.append((float(places[-1]), heights[-1], name, colour))
        left.set(xscale="log", yscale="log", xlabel="samples, half positive")
        left.set(ylabel="processor seconds, numpy", xlim=(70, 6e6))
        left.set_xticks([100, 1000, 10_000, 100_000])
        left.set_title("Figures 6 to 8, in the clear", fontsize=8)
        ends_named(left, ends)
        ends = []
        for name, colour in zip(PRIVATE, ("C0", "C3"), strict=True):
            points = [
                (3 * each, results[IN_PRIVATE, name, 3 * each]["megabytes"].mean)
                for each in EACH
                if (IN_PRIVATE, name, 3 * each) in results
            ]
            if points:
                right.plot(*zip(*points, strict=True), "o-", color=colour, markersize=2.5)
                ends.append((float(points[-1][0]), points[-1][1], name, colour))
        right.set(xscale="log", yscale="log", xlabel="samples of three owners")
        right.set(ylabel="MB of all servers", xlim=(35, 30_000))
        right.set_title("the same in private", fontsize=8)
        ends_named(right, ends)


def in_private(name: str, n: int, generator: np.random.Generator) -> CellResult:
    """Hops and megabytes of the statistic over three owners' lists."""
    text = f"{name}:min_tpr={LEAST_TPR},max_fpr={MOST_FPR}"
    options = Options(metrics=(text,), merge="network", conditions=WAN.conditions)
    ties = Input.GROUPS in options.inputs
    with outsourced(sizes_of(f"3x{n // 3}"), options, ties=ties) as study:
        found = counted(study, options, generator)
    if not found["correct"]:
        raise RunFailed(f"{text} released another number than the clear")
    figures = {"hops": found["hops"], "megabytes": found["bytes"] / MEGABYTE}
    return CellResult(
        {**{told: Tally.of([one]) for told, one in figures.items()}, ALSO_IN_PRIVATE: Tally.of([1])}
    )


def growth(results: Results, name: str) -> float | None:
    """The slope of log seconds against log samples, from 10,000 samples on."""
    found = [
        (log(n), log(results[IN_CLEAR, name, n][CPU].mean))
        for n in SAMPLES
        if n >= 10_000
        and (IN_CLEAR, name, n) in results
        and results[IN_CLEAR, name, n][CPU].mean > 0
    ]
    if len(found) < 2:
        return None
    x, y = np.array(found).T
    return float(np.polyfit(x, y, 1)[0])


def _seconds(found: CellResult | None) -> str:
    return f"{found[CPU].mean:.4f} ± {found[CPU].error:.4f}" if found is not None else ""


def _counted(found: CellResult | None) -> tuple[str, str]:
    if found is None:
        return "", ""
    return f"{found['hops'].mean:.0f}", f"{found['megabytes'].mean:.3f}"
