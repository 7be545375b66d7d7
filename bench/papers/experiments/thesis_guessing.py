"""[Thesis, Figure 5.1]: how often one label is guessed from a released AUROC and all other rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.bench.papers.drawing import ticks_at, with_errors
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
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.label_guessing import WAYS, released_auroc, success

SIZES = (10, 30, 100, 300, 1000)
DECIMALS = (2, 3, 4, 6, 8)
HALF, DRAWN = "exactly half", "each drawn"


def drawn(
    n: int, generator: np.random.Generator, positives: str = HALF
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Normal scores, the positives' higher by a standard deviation, and labels."""
    P = n // 2 if positives == HALF else int(generator.binomial(n, 0.5))
    return THESIS["binormal"].drawn(generator, P, n - P)


def guesses(
    n: int,
    decimals: int,
    way: str,
    trials: int,
    generator: np.random.Generator,
    positives: str = HALF,
) -> list[float]:
    """Trial by trial whether the label was guessed, 1/2 for a toss of a coin."""
    return [
        success(
            lambda: drawn(n, generator, positives),
            decimals,
            trials=1,
            generator=generator,
            way=way,
        )
        for _ in range(trials)
    ]


class Guessing(Experiment):
    """Success against samples, decimals and the attacker's way of deciding."""

    __slots__ = ()

    name: ClassVar[str] = "thesis-guessing"
    paper: ClassVar[str] = "Thesis"
    what: ClassVar[str] = "Figure 5.1"
    title: ClassVar[str] = "Guessing one label from a released AUROC and all other rows"
    settings: ClassVar[str] = (
        "As printed: half of the rows positive, the attacker knows all rows but one and the "
        "rounded AUROC of all. The thesis draws from the UCI adult data, which need a download; "
        "here scores are normal, the positives' higher by a standard deviation. Also with the "
        "class of each row drawn by itself, which the thesis does not have."
    )
    printed: ClassVar[str] = (
        "A figure without numbers. The text: to many decimals the class is recovered with high "
        "probability; fewer decimals or more rows lower the success towards 1/2."
    )
    axes: ClassVar[tuple[str, ...]] = ("samples", "positives", "decimals", "way")
    branches: ClassVar[tuple[str, ...]] = ("way",)
    quick_settings: ClassVar[Sequence[Settings]] = tuple(
        (10, DRAWN, decimals, way) for way in WAYS for decimals in DECIMALS
    )
    weight: ClassVar[float] = 1e-6

    def plan(self) -> Sequence[Planned]:
        return [
            Planned((n, positives, decimals, way), 2000, 1000, 150 + n)
            for way in WAYS
            for decimals in DECIMALS
            for positives in (HALF, DRAWN)
            for n in SIZES
        ]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        n, positives = int(cell.settings[0]), str(cell.settings[1])
        decimals, way = int(cell.settings[2]), str(cell.settings[3])
        guessed = guesses(n, decimals, way, cell.runs, generator, positives)
        found = {"guessed": Tally.of(guessed)}
        if cell.part == 0 and way == WAYS[0] and n <= 300:
            scores, labels = drawn(n, generator)
            study = SimulatedStudy(
                Options(metrics=("auroc",), decimals=decimals, range=("any",)), scores, labels
            )
            agrees = study.agrees() and study.plaintext_words() == [
                [released_auroc(scores, labels, decimals)]
            ]
            found[ALSO_IN_PRIVATE] = Tally.of([agrees])
        return CellResult(found)

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        told = {
            "closest": "the closest candidates decide, as printed",
            "fitting": "all that fit do",
        }
        columns = (
            "samples",
            *(f"{decimals} decimals" for decimals in DECIMALS),
            "simulation error, at most",
            "trials",
        )
        sheets = []
        for positives in (HALF, DRAWN):
            for way in WAYS:
                found = {
                    n: [results[n, positives, decimals, way]["guessed"] for decimals in DECIMALS]
                    for n in SIZES
                    if all((n, positives, decimals, way) in results for decimals in DECIMALS)
                }
                rows = tuple(
                    (
                        f"{n:,}",
                        *(f"{tally.mean:.3f}" for tally in tallies),
                        f"{max(tally.error for tally in tallies):.3f}",
                        f"{tallies[0].runs:,}",
                    )
                    for n, tallies in found.items()
                )
                if rows:
                    caption = f"Share of labels guessed right; {told[way]}; classes: {positives}"
                    sheets.append(ResultTable(caption, columns, rows))
        return sheets

    def deviations(self, results: Results) -> Sequence[str]:
        return [
            "There are about n² candidates in the unit interval for either class: where the "
            "decimals tell them apart, n² ≤ 10^decimals, nearly every guess is right. This is "
            "what the warning beside a released AUROC says.",
            "With exactly half of the rows positive the closest candidate may always be one of "
            "the balanced class counts, whatever the data say: at 1,000 rows any number with 4 "
            "decimals is a share of 500·500 pairs, and hardly one of 499·501. The attacker is then "
            "right because every simulated data set is balanced, not because of the AUROC. Where "
            "each class is drawn by itself this is gone.",
            "Counting all candidates that fit the released number is the better guess where many "
            "do; the thesis does not have it.",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        for panel, positives in zip(panels, (HALF, DRAWN), strict=True):
            for place, decimals in enumerate(DECIMALS):
                found = [
                    (float(n), results[n, positives, decimals, WAYS[0]]["guessed"])
                    for n in SIZES
                    if (n, positives, decimals, WAYS[0]) in results
                ]
                with_errors(
                    panel, found, colour=f"C{place}", label=f"{decimals} decimals", share=True
                )
            panel.axhline(0.5, color="0.3", linewidth=0.8)
            panel.set(xscale="log", title=f"positives: {positives}", xlabel="samples")
            ticks_at(panel, list(SIZES))
        panels[0].set_ylabel("share of labels guessed right")
        handles, labels = panels[1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(DECIMALS))
