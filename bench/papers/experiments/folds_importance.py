"""[Folds, Figure 4]: the pessimistic bias against the importance of the stratifying covariate."""

from __future__ import annotations

from collections.abc import Sequence
from math import atanh, sqrt, tanh
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.papers.duplicates import (
    COVARIATES,
    DUPLICATES,
    RECORDS,
    SMALL_DUPLICATES,
    SMALL_RECORDS,
    WEIGHTS,
    World,
    agrees_in_private,
    gathered,
    importance,
    iterations_of,
    mean_accuracy,
)
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
from ppaurora.bench.papers.tally import Tally

TREES = 50
PRINTED = -0.77


class Importance(Experiment):
    """Every data set with a Σ and an a of its own, and each covariate in turn."""

    __slots__ = ()

    name: ClassVar[str] = "folds-importance"
    paper: ClassVar[str] = "Folds"
    what: ClassVar[str] = "Figure 4"
    title: ClassVar[str] = "Bias of stratified folds against the importance of the covariate"
    settings: ClassVar[str] = (
        "As printed: eigenvalues from U(1, 3), a new orthogonal matrix, a0 to a6 from U(-5, 5); "
        "a7 stays 2, because the paper draws the first seven. 25 data sets (printed: 100), each "
        "with all ten covariates. Importance is the impurity removed by the splits of "
        f"scikit-learn's exact boosting with {TREES} trees on the records without duplicates."
    )
    printed: ClassVar[str] = "Pearson's correlation r = -0.77, over 1,000 models."
    axes: ClassVar[tuple[str, ...]] = ("records", "duplicates")
    quick_runs: ClassVar[int] = 1
    quick_settings: ClassVar[Sequence[Settings]] = ((SMALL_RECORDS, SMALL_DUPLICATES),)
    small: ClassVar[Planned | None] = Planned((SMALL_RECORDS, SMALL_DUPLICATES))
    weight: ClassVar[float] = 12.0

    def plan(self) -> Sequence[Planned]:
        return [Planned((RECORDS, DUPLICATES), 25)]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        records, duplicates = int(cell.settings[0]), int(cell.settings[1])
        points: dict[str, list[float]] = {"importance": [], "ratio": []}
        tallies, iterations = {}, iterations_of(records)
        for _ in range(cell.runs):
            eigenvalues = generator.uniform(1, 3, COVARIATES).tolist()
            weights = [*generator.uniform(-5, 5, len(WEIGHTS) - 1).tolist(), WEIGHTS[-1]]
            world = World.drawn(generator, eigenvalues, weights)
            plain = gathered(world, generator, records)
            unbiased = mean_accuracy(plain, plain.folds_at_random(generator), iterations)
            data = plain.with_duplicates(duplicates, generator)
            points["importance"] += importance(plain, TREES).round(6).tolist()
            points["ratio"] += [
                round(mean_accuracy(data, data.folds_by(covariate), iterations) / unbiased, 6)
                for covariate in range(COVARIATES)
            ]
            if cell.part == 0:
                agrees = agrees_in_private(data, data.folds_by(0), iterations)
                tallies[ALSO_IN_PRIVATE] = Tally.of([agrees])
        return CellResult(tallies, points)

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        related, low, high, count = _correlation(results)
        columns = ("models", "r", "95% interval of r", "r, printed")
        row = (f"{count}", f"{related:.2f}", f"{low:.2f} to {high:.2f}", f"{PRINTED}")
        return [
            ResultTable("Figure 4: importance and the ratio to unbiased accuracy", columns, (row,))
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        _, low, high, _ = _correlation(results)
        if low <= PRINTED <= high:
            return ["The printed correlation lies within the interval of simulation error."]
        return [
            "The printed correlation lies outside of the interval of simulation error: the ten "
            "models of a data set are not independent, importance is measured by another "
            "library, and one parameter is drawn as it was read. Sign and size are the paper's: "
            "the more important the covariate, the larger the bias."
        ]

    def draw(self, figure: Any, results: Results) -> None:
        [found] = results.values()
        axes = figure.subplots()
        axes.plot(found.points["importance"], found.points["ratio"], ".", color="C0", markersize=4)
        axes.axhline(1, color="0.3", linewidth=0.8)
        related, *_ = _correlation(results)
        axes.annotate(
            f"r = {related:.2f} (printed {PRINTED})",
            (0.98, 0.93),
            xycoords="axes fraction",
            ha="right",
        )
        axes.set(xlabel="importance of the stratifying covariate (share of 1)")
        axes.set(ylabel="accuracy / unbiased accuracy")


def _correlation(results: Results) -> tuple[float, float, float, int]:
    """Pearson's r, its 95% interval by Fisher's transformation, and the number of models."""
    [found] = results.values()
    pair = np.array([found.points["importance"], found.points["ratio"]])
    related = float(np.corrcoef(pair)[0, 1])
    half = 1.96 / sqrt(pair.shape[1] - 3)
    return related, tanh(atanh(related) - half), tanh(atanh(related) + half), pair.shape[1]
