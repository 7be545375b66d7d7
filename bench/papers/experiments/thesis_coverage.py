"""[Thesis, Figures 4.5, 4.7, 4.8]: how often intervals cover the true area under the PR curve.

Average precision and two more estimators, with their binomial and logit intervals at 95%. The
formulas take an area for a share among P trials; they know neither of the error of the precision
nor, where each class is drawn by itself, of that of P.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

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
from ppaurora.protocols.release.curve_areas import interpolated_median
from ppaurora.protocols.statistics.average_precision_ci import METHODS

SHARE = 0.1
DECIMALS = 9
TAIL = Fraction(1, 40)
ESTIMATORS = ("average precision", "lower trapezoid", "interpolated median")
RELEASED = ("average_precision", "aupr_lower_trapezoid")
SIZES = {200: 3000, 500: 3000, 1000: 3000, 5000: 600, 10_000: 400}
"""Samples, and the studies of each law."""
PRINTED = "at least .95 (Fig. 4.7)"


class Coverage(Experiment):
    """Coverage and width of the two intervals that the thesis recommends."""

    __slots__ = ()

    name: ClassVar[str] = "thesis-coverage"
    paper: ClassVar[str] = "Thesis"
    what: ClassVar[str] = "Figures 4.7 and 4.8, binomial and logit"
    title: ClassVar[str] = "Coverage, width and bias of estimates of the area under the PR curve"
    settings: ClassVar[str] = (
        "As printed: binormal N(1, 1) and N(0, 1), bibeta Beta(5, 2) and Beta(2, 5), offset "
        "uniform U(.5, 1.5) and U(0, 1); a tenth of the samples positive, 95% intervals. The "
        "thesis draws 10,000 studies for each point. Bootstrap and cross-validation, which the "
        "thesis advises against, are in thesis-resampling."
    )
    printed: ClassVar[str] = (
        "Figures without numbers. The text: binomial and logit are consistently above .95; the "
        "estimators are unbiased in the limit (bias ratio 1)."
    )
    axes: ClassVar[tuple[str, ...]] = ("law", "samples", "positives")
    quick_runs: ClassVar[int] = 3
    quick_settings: ClassVar[Sequence[Settings]] = (("binormal", 200, "a tenth"),)
    weight: ClassVar[float] = 9e-6

    def plan(self) -> Sequence[Planned]:
        fixed = [
            Planned((law, n, "a tenth"), runs, min(runs, 500 if n <= 1000 else 100), n)
            for law in THESIS
            for n, runs in SIZES.items()
        ]
        return [*fixed, Planned(("binormal", 1000, "each drawn"), 3000, 500, 1000)]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        name, n, positives = cell.settings
        law, size = THESIS[str(name)], int(n)
        true = Fraction(law.area_of_precision(SHARE))
        values: dict[str, list[float]] = {}
        for number in range(cell.runs):
            P = round(SHARE * size) if positives == "a tenth" else generator.binomial(size, SHARE)
            scores, labels = law.drawn(generator, P, size - P)
            study = SimulatedStudy(
                Options(metrics=RELEASED, decimals=DECIMALS, range=("any",)),
                scores,
                labels,
                owners=1,
            )
            for estimator, area in zip(ESTIMATORS, _areas(study), strict=True):
                values.setdefault(f"{estimator}: estimate", []).append(float(area))
                for method, limits in METHODS.items():
                    lower, upper = limits(TAIL).plaintext(area, P)
                    lower, upper = max(lower, Fraction(0)), min(upper, Fraction(1))
                    covered = lower <= true <= upper
                    values.setdefault(f"{estimator}, {method}: covered", []).append(covered)
                    width = f"{estimator}, {method}: width"
                    values.setdefault(width, []).append(float(upper - lower))
            if cell.part == 0 and number == 0 and size <= 1000:
                values[ALSO_IN_PRIVATE] = [_also_in_private(scores, labels)]
        return CellResult({name: Tally.of(listed) for name, listed in values.items()})

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        coverage, widths, bias = [], [], []
        for (law, n, positives), found in results.items():
            where = (str(law), f"{n:,}", str(positives), f"{found[_covered(0)].runs:,}")
            cells = [
                f"{found[f'{estimator}, {method}: covered'].mean:.3f}"
                for estimator in ESTIMATORS
                for method in METHODS
            ]
            error = max(found[f"{estimator}, logit: covered"].error for estimator in ESTIMATORS)
            coverage.append((*where, *cells, f"{error:.3f}", PRINTED))
            ratios = []
            for estimator in ESTIMATORS:
                ratios += [f"{width_ratio(found, estimator, method):.2f}" for method in METHODS]
            # the deviation of the estimates is known to one part in the root of twice their number
            error = max(map(float, ratios)) / (2 * (found[_covered(0)].runs - 1)) ** 0.5
            widths.append((*where, *ratios, f"{error:.2f}"))
            true = THESIS[str(law)].area_of_precision(SHARE)
            estimates = [found[f"{estimator}: estimate"] for estimator in ESTIMATORS]
            bias.append(
                (
                    *where,
                    f"{true:.6f}",
                    *(f"{estimate.mean / true:.3f}" for estimate in estimates),
                    f"{max(estimate.error for estimate in estimates) / true:.3f}",
                )
            )
        columns = ("law", "samples", "positives", "studies")
        both = tuple(f"{estimator}, {method}" for estimator in ESTIMATORS for method in METHODS)
        return [
            ResultTable(
                "Figure 4.7: how often 95% intervals cover the true area",
                (*columns, *both, "simulation error", "printed"),
                tuple(coverage),
            ),
            ResultTable(
                "Figure 4.8: mean width over the ideal width (3.92 standard deviations of the "
                "estimates; printed: about 1 or above)",
                (*columns, *both, "simulation error, at most"),
                tuple(widths),
            ),
            ResultTable(
                "Figure 4.5: mean estimate over the true area (printed: towards 1)",
                (*columns, "true area", *ESTIMATORS, "simulation error"),
                tuple(bias),
            ),
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        low = [
            f"{law}, {n:,} samples ({positives}), {estimator}, {method}: {tally.mean:.3f}"
            for (law, n, positives), found in results.items()
            for estimator in ESTIMATORS
            for method in METHODS
            if (tally := found[f"{estimator}, {method}: covered"]).mean + 2 * tally.error < 0.95
        ]
        told = "; ".join(low) if low else "none"
        small = " These have 20 positives, and the estimator itself is too low there (Figure 4.5)."
        return [
            f"Coverage below .95 by more than twice the simulation error: {told}."
            + (small if low and all("200 samples" in one for one in low) else ""),
            "The logit interval uses the inverse of the normal distribution function, where the "
            "thesis prints the function itself [Thesis, erratum 5].",
            "With the class of each sample drawn by itself, the interval is not wider and the "
            "estimate varies more: coverage falls to its level.",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        figure.set_size_inches(7.2, 5.8)
        rows = figure.subplots(2, len(THESIS), sharey="row")
        for place, (law, panel, below) in enumerate(zip(THESIS, *rows, strict=True)):
            for estimator, colour in zip(ESTIMATORS, ("C0", "C1", "C2"), strict=True):
                for method, line, mark in zip(METHODS, ("-", "--"), ("o", "s"), strict=True):
                    at = [n for n in SIZES if (law, n, "a tenth") in results]
                    one = [results[law, n, "a tenth"] for n in at]
                    name = f"{estimator}, {method}"
                    found = [
                        (float(n), cell[f"{name}: covered"])
                        for n, cell in zip(at, one, strict=True)
                    ]
                    label = name if place == 0 else ""
                    with_errors(panel, found, line, colour=colour, label=label)
                    below.plot(
                        [width_ratio(cell, estimator, method) for cell in one],
                        [cell[f"{name}: covered"].mean for cell in one],
                        mark,
                        color=colour,
                        markersize=3,
                        fillstyle="none" if mark == "s" else "full",
                    )
            for axes in (panel, below):
                axes.axhline(0.95, color="0.3", linewidth=0.8)
            below.axvline(1, color="0.3", linewidth=0.8)
            panel.set(xscale="log", xlabel="samples, a tenth positive")
            panel.set_title(f"Figure 4.7, {law}", fontsize=8)
            below.set_title(f"Figure 4.8, {law}", fontsize=8)
            below.set(xlabel="mean width / ideal width")
            ticks_at(panel, list(SIZES), names=[f"{n:g}" for n in SIZES])
            panel.tick_params(axis="x", labelrotation=60)
        for row in rows:
            row[0].set(ylabel="coverage of 95% intervals")
        figure.legend(
            loc="outside lower center",
            ncols=3,
            fontsize="small",
            title="below: filled {}, open {}; a point for each number of samples".format(*METHODS),
            title_fontsize="small",
        )


def width_ratio(found: CellResult, estimator: str, method: str) -> float:
    """The mean width over that of an interval made of the deviation of all estimates."""
    ideal = 2 * 1.96 * found[f"{estimator}: estimate"].deviation
    return found[f"{estimator}, {method}: width"].mean / ideal


def _areas(study: SimulatedStudy) -> list[Fraction]:
    """The three estimates: two that servers release, one that a receiver makes of all points."""
    released = [Fraction(words[0], 10**DECIMALS) for words in study.plaintext_words()]
    points = [(j, t) for _, t, _, j in study.pooled().steps]
    median: Decimal = interpolated_median(points)
    return [*released, Fraction(median)]


def _also_in_private(scores: Any, labels: Any) -> bool:
    n = len(labels)
    texts = (
        *RELEASED,
        *(f"average_precision_ci:method={method}" for method in METHODS),
        f"aupr_interpolated_median:samples={n}",
    )
    return SimulatedStudy(
        Options(metrics=texts, decimals=6, range=("any",), least_cell=1), scores, labels
    ).agrees()


def _covered(place: int) -> str:
    return f"{ESTIMATORS[place]}, logit: covered"
