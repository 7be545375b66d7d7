"""[tpAUC, Figure 5, Table 1]: the two estimators of the two-way partial area beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

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
from ppaurora.bench.papers.experiments.tpauc_bias import DECIMALS, ESTIMATORS, MIXES
from ppaurora.bench.papers.laws import binormal
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options

SIZES = {100: 400, 1000: 400, 10_000: 150}


class TwoEstimates(Experiment):
    """Nine sizes and mixes, every replication with parameters and bounds of its own."""

    __slots__ = ()

    name: ClassVar[str] = "tpauc-estimates"
    paper: ClassVar[str] = "tpAUC"
    what: ClassVar[str] = "Figure 5 and Table 1"
    title: ClassVar[str] = "The two estimates of the two-way partial area, study by study"
    settings: ClassVar[str] = (
        "As printed: μ_y from U(0, 2), μ_x - μ_y from U(.1, 1.1), both σ from U(.5, 1.5), both "
        "bounds from U(.2, .8), here rounded to three decimals because a study states them as "
        "decimals. 400 replications, 150 with 10,000 samples (printed: 1,000)."
    )
    printed: ClassVar[str] = (
        "Scatterplots without numbers. The text: close for larger samples, a fair amount of "
        "discrepancy for small and unbalanced ones."
    )
    axes: ClassVar[tuple[str, ...]] = ("samples", "positives")
    quick_settings: ClassVar[Sequence[Settings]] = ((100, 10), (1000, 500))
    weight: ClassVar[float] = 3e-6

    def plan(self) -> Sequence[Planned]:
        return [
            Planned((n, round(mix * n)), runs, 50, 300 + n)
            for n, runs in SIZES.items()
            for mix in MIXES
        ]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        n, P = int(cell.settings[0]), int(cell.settings[1])
        points: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
        gaps, agreed = [], []
        for number in range(cell.runs):
            low = generator.uniform(0, 2)
            law = binormal(
                (low + generator.uniform(0.1, 1.1), generator.uniform(0.5, 1.5)),
                (low, generator.uniform(0.5, 1.5)),
            )
            tpr, tnr = generator.uniform(0.2, 0.8, 2)
            texts = tuple(f"{name}:min_tpr={tpr:.3f},max_fpr={1 - tnr:.3f}" for name in ESTIMATORS)
            options = Options(metrics=texts, decimals=DECIMALS, range=("any",))
            scores, labels = law.drawn(generator, P, n - P)
            found = [
                words[0] / 10**DECIMALS
                for words in SimulatedStudy(options, scores, labels, owners=1).plaintext_words()
            ]
            for name, value in zip(ESTIMATORS, found, strict=True):
                points[name].append(round(value, 5))
            gaps.append(abs(found[0] - found[1]))
            if cell.part == 0 and number == 0 and n <= 1000:
                agreed.append(SimulatedStudy(options, scores, labels).agrees())
        tallies = {"distance": Tally.of(gaps)}
        if agreed:
            tallies[ALSO_IN_PRIVATE] = Tally.of(agreed)
        return CellResult(tallies, points)

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        rows = []
        for (n, P), found in results.items():
            pair = np.array([found.points[name] for name in ESTIMATORS])
            related = float(np.corrcoef(pair)[0, 1]) if pair.std(axis=1).min() > 0 else 1.0
            distance = found["distance"]
            rows.append(
                (
                    f"{n:,}",
                    f"{P:,}",
                    f"{distance.runs}",
                    f"{related:.4f}",
                    f"{distance.mean:.5f}",
                    f"{distance.error:.5f}",
                    "fair discrepancy" if n == 100 else "close",
                )
            )
        columns = (
            "samples",
            "positives",
            "studies",
            "correlation",
            "mean distance",
            "simulation error",
            "printed",
        )
        return [
            ResultTable(
                "Figure 5: how far the two estimates are from each other", columns, tuple(rows)
            )
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        return [
            "As printed: the distance falls with the samples, and is largest with a class of 10."
        ]

    def draw(self, figure: Any, results: Results) -> None:
        panels = figure.subplots(len(SIZES), len(MIXES), sharex=True, sharey=True)
        for row, n in zip(panels, SIZES, strict=True):
            for panel, mix in zip(row, MIXES, strict=True):
                P = round(mix * n)
                panel.set_title(f"{n:,} samples, {P:,} positive", fontsize=7)
                if (n, P) in results:
                    points = results[n, P].points
                    trimmed, trapezoids = points["tpauc_trimmed"], points["tpauc"]
                    panel.plot(
                        trimmed, trapezoids, ".", markersize=1.5, color="C0", rasterized=True
                    )
                panel.axline((0, 0), slope=1, color="0.3", linewidth=0.6)
        for row in panels:
            row[0].set_ylabel("trapezoids")
        for panel in panels[-1]:
            panel.set_xlabel("trimmed U")
