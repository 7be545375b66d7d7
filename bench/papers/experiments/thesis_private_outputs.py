"""[Thesis, Figure 5.6]: histograms of the average precision that is released with noise."""

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
from ppaurora.bench.papers.laws import THESIS
from ppaurora.bench.papers.private_error import DECIMALS, agrees_before_noise, released
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options

SIZES = (50, 100, 200, 500, 1000)
"""Samples of each class."""
SMOOTH = "average_precision_dp:epsilon=1,mechanism=smooth,delta=0.01"
TEXTS = {"as printed": f"{SMOOTH},sensitivity=printed", "sharp": SMOOTH}
"""By sensitivity: Theorem 5.3, and the sharp one of this system."""
RELEASES, DATA_SETS = 1000, 10
COLUMNS = 40
"""Of the histograms, from 0 to 1."""


class Outputs(Experiment):
    """A thousand releases for each size, at ε = 1 and δ = .01."""

    __slots__ = ()

    name: ClassVar[str] = "thesis-private-outputs"
    paper: ClassVar[str] = "Thesis"
    what: ClassVar[str] = "Figure 5.6"
    title: ClassVar[str] = "Average precision as it is released with noise, ε = 1, δ = .01"
    settings: ClassVar[str] = (
        "As printed: Laplace noise by the smooth sensitivity, ε = 1, δ = .01, as many negatives "
        "as positives. The sizes are not printed. The thesis takes the UCI adult data, which need "
        "a download (of them packages hold a sample of few rows only); here scores are N(1, 1) "
        "and N(0, 1). A thousand releases for each size, of ten data sets; noise that three "
        "parties draw, cut off at 0 and 1 by the receiver."
    )
    printed: ClassVar[str] = (
        "Histograms without numbers: wide for small data sets, with much at 0 and 1, and narrow "
        "around the true value for large ones."
    )
    axes: ClassVar[tuple[str, ...]] = ("sensitivity", "of each class")
    branches: ClassVar[tuple[str, ...]] = ("sensitivity",)
    quick_runs: ClassVar[int] = 5
    quick_settings: ClassVar[Sequence[Settings]] = tuple((one, 50) for one in TEXTS)
    weight: ClassVar[float] = 0.004

    def plan(self) -> Sequence[Planned]:
        return [
            Planned((one, n), RELEASES, RELEASES // DATA_SETS, 1 + n / 1000)
            for one in TEXTS
            for n in SIZES
        ]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        text, n = TEXTS[str(cell.settings[0])], int(cell.settings[1])
        scores, labels = THESIS["binormal"].drawn(generator, n, n)
        options = Options(metrics=(text,), decimals=DECIMALS, range=("any",))
        study = SimulatedStudy(options, scores, labels)
        shown = np.clip(released(study, cell.runs, generator), 0, 1)
        exact = Options(metrics=("average_precision",), decimals=9, range=("any",))
        [[word]] = SimulatedStudy(exact, scores, labels).plaintext_words()
        tallies = {
            "released": Tally.of(shown.tolist()),
            "without noise": Tally.of([word / 10**9]),
            "at 0 or 1": Tally.of(((shown == 0) | (shown == 1)).tolist()),
        }
        if cell.part == 0:
            tallies[ALSO_IN_PRIVATE] = Tally.of([agrees_before_noise(study)])
        return CellResult(tallies, {"outputs": shown.round(4).tolist()})

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        rows = []
        for (sensitivity, n), found in results.items():
            values = np.array(found.points["outputs"])
            low, middle, high = np.quantile(values, (0.05, 0.5, 0.95))
            rows.append(
                (
                    str(sensitivity),
                    f"{int(n):,}",
                    f"{found['without noise'].mean:.3f}",
                    f"{middle:.3f}",
                    f"{low:.3f} to {high:.3f}",
                    f"{found['at 0 or 1'].mean:.3f} ± {found['at 0 or 1'].error:.3f}",
                    f"{values.size:,}",
                )
            )
        columns = (
            "sensitivity",
            "of each class",
            "mean without noise",
            "median released",
            "90% of the releases",
            "share at 0 or 1",
            "releases",
        )
        return [ResultTable("Figure 5.6: the released numbers", columns, tuple(rows))]

    def deviations(self, results: Results) -> Sequence[str]:
        return [
            "As printed: with few samples the noise is wider than the range and much is cut off; "
            "with 1,000 of each class the releases lie around the true value.",
            "Theorem 5.3 is about twice too large [Thesis, erratum 8]: with the sharp sensitivity, "
            "which this system uses unless it is asked for the printed one, the releases lie twice "
            "as close.",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        figure.set_size_inches(7.2, 4.6)
        grid = figure.subplots(len(TEXTS), len(SIZES), sharex=True, sharey=True)
        for row, sensitivity in zip(grid, TEXTS, strict=True):
            for panel, n in zip(row, SIZES, strict=True):
                found = results.get((sensitivity, n))
                if found is not None:
                    values = found.points["outputs"]
                    share = np.full(len(values), 1 / len(values))
                    panel.hist(values, bins=COLUMNS, range=(0, 1), weights=share, color="C0")
                    panel.axvline(found["without noise"].mean, color="C3", linewidth=1)
                panel.set_title(f"{n:,} of each", fontsize=8)
                panel.set(xlim=(0, 1), yscale="log")
            row[0].set_ylabel(f"share, {sensitivity}")
        for panel in grid[-1]:
            panel.set_xlabel("released")
        figure.supxlabel(
            "red: mean without noise; the outermost columns hold what is cut off", fontsize="small"
        )
