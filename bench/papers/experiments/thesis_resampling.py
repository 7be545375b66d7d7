"""[Thesis, Figures 4.7, 4.8, 4.9]: the two intervals that the thesis advises against.

They resample the list that they judge. The other two, by formulas, are in
`ppaurora.bench.papers.experiments.thesis_coverage`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.papers.drawing import ERRORS, ticks_at, with_errors
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
from ppaurora.bench.papers.experiments.thesis_coverage import (
    DECIMALS,
    ESTIMATORS,
    RELEASED,
    SHARE,
)
from ppaurora.bench.papers.laws import THESIS, Doubles
from ppaurora.bench.papers.resampling import bootstrapped, estimates, of_folds
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.curve_areas import interpolated_median

REPLICATES, FOLDS = 1000, 10
LEVEL = 0.95
METHODS = ("bootstrap", "cross-validation")
SIZES = {200: 2000, 500: 400, 1000: 200, 5000: 40, 10_000: 20}
"""Samples, and the studies of each law."""
PRINTED = {"bootstrap": "below .95", "cross-validation": "below .95, some below .75"}


class ResampledIntervals(Experiment):
    """Coverage, width and place of the intervals by bootstrap and by cross-validation."""

    __slots__ = ()

    name: ClassVar[str] = "thesis-resampling"
    paper: ClassVar[str] = "Thesis"
    what: ClassVar[str] = "Figures 4.7, 4.8, 4.9 (bootstrap, cross-validation)"
    title: ClassVar[str] = "Intervals for the area under the PR curve by resampling"
    settings: ClassVar[str] = (
        "As printed: the laws, sizes and estimators of thesis-coverage, a tenth of the samples "
        "positive, 95% intervals. Bootstrap: 1000 replicates that keep both class counts, and "
        "their quantiles at .025 and .975. Cross-validation: 10 folds that keep the share of "
        "positives, the mean of their estimates and 1.96 of its standard errors to each side (the "
        "thesis: a normal approximation by their mean and variance). The thesis draws 10,000 "
        "studies for each point. Neither interval is offered here for these estimators; they are "
        "computed in the clear, and the estimate of each first study also by three parties."
    )
    printed: ClassVar[str] = (
        "Figures without numbers. The text: both tend to cover less than .95 and come near it as "
        "the samples grow; some points of cross-validation lie below .75; the widths of the "
        "bootstrap are about the ideal one or smaller, those of cross-validation larger; "
        "cross-validation is far more biased, the bootstrap somewhat."
    )
    axes: ClassVar[tuple[str, ...]] = ("law", "samples")
    quick_settings: ClassVar[Sequence[Settings]] = (("binormal", 200),)
    weight: ClassVar[float] = 7e-5

    def plan(self) -> Sequence[Planned]:
        return [
            Planned((law, n), runs, min(runs, 100_000 // n), n)
            for n, runs in SIZES.items()
            for law in THESIS
        ]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        name, n = str(cell.settings[0]), int(cell.settings[1])
        law, P = THESIS[name], round(SHARE * n)
        true = law.area_of_precision(SHARE)
        values: dict[str, list[float]] = {}
        for number in range(cell.runs):
            scores, labels = law.drawn(generator, P, n - P)
            order = np.argsort(-scores)
            scores, labels = scores[order], labels[order]
            [whole] = estimates(np.ones((1, n), np.int64), labels)
            if cell.part == 0 and number == 0 and n <= 1000:
                values[ALSO_IN_PRIVATE] = [_is_released(whole, scores, labels)]
            found = _intervals(labels, generator)
            for place, estimator in enumerate(ESTIMATORS):
                values.setdefault(f"{estimator}: estimate", []).append(whole[place])
                for method, (lower, at, upper) in found.items():
                    told = {
                        "covered": lower[place] <= true <= upper[place],
                        "width": upper[place] - lower[place],
                        "place": at[place],
                    }
                    for what, one in told.items():
                        values.setdefault(f"{estimator}, {method}: {what}", []).append(one)
        return CellResult({name: Tally.of(listed) for name, listed in values.items()})

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        coverage, widths, places = [], [], []
        for (law, n), found in results.items():
            where = (str(law), f"{n:,}", f"{found[_name(ESTIMATORS[0], METHODS[0])].runs:,}")
            true = THESIS[str(law)].area_of_precision(SHARE)
            both = [(estimator, method) for method in METHODS for estimator in ESTIMATORS]
            tallies = [found[_name(*one)] for one in both]
            error = max(tally.error for tally in tallies)
            coverage.append((*where, *(f"{tally.mean:.3f}" for tally in tallies), f"{error:.3f}"))
            ideal = {
                estimator: 2 * ERRORS * found[f"{estimator}: estimate"].deviation
                for estimator in ESTIMATORS
            }
            ratios = [found[_name(*one, "width")].mean / ideal[one[0]] for one in both]
            # the deviation of the estimates is known to one part in the root of twice their number
            off = max(ratios) / (2 * (tallies[0].runs - 1)) ** 0.5
            widths.append((*where, *(f"{one:.2f}" for one in ratios), f"{off:.2f}"))
            at = [found[_name(*one, "place")] for one in both]
            error = max(one.error for one in at) / true
            places.append((*where, *(f"{one.mean / true:.3f}" for one in at), f"{error:.3f}"))
        columns = ("law", "samples", "studies")
        named = tuple(f"{estimator}, {method}" for method in METHODS for estimator in ESTIMATORS)
        told = "; ".join(f"{method}: {text}" for method, text in PRINTED.items())
        return [
            ResultTable(
                f"Figure 4.7: how often 95% intervals cover the true area (printed: {told})",
                (*columns, *named, "simulation error"),
                tuple(coverage),
            ),
            ResultTable(
                "Figure 4.8: mean width over the ideal width (printed: bootstrap about 1 or less, "
                "cross-validation above 1)",
                (*columns, *named, "simulation error, at most"),
                tuple(widths),
            ),
            ResultTable(
                "Figure 4.9: where the interval lies, over the true area: the median of the "
                "replicates, the mean of the folds (printed: cross-validation far off, bootstrap "
                "less so)",
                (*columns, *named, "simulation error"),
                tuple(places),
            ),
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        told = []
        for method in METHODS:
            tallies = {
                (law, n, estimator): found[_name(estimator, method)]
                for (law, n), found in results.items()
                for estimator in ESTIMATORS
            }
            above = [
                f"{law}, {n:,} samples, {one}: {tally.mean:.3f} ± {tally.error:.3f}"
                for (law, n, one), tally in tallies.items()
                if tally.mean - 2 * tally.error > LEVEL
            ]
            below = sum(tally.mean + 2 * tally.error < LEVEL for tally in tallies.values())
            least = min(tally.mean for tally in tallies.values())
            told.append(
                f"{method}: coverage is below .95 by more than twice the simulation error at "
                f"{below} of {len(tallies)} points, {least:.3f} at the least, and above it at "
                f"{len(above)} ({'; '.join(above) or 'none'}). Printed: {PRINTED[method]}."
            )
        told.append(
            "The widths of cross-validation are below the ideal one where a fold has few positives "
            "(2 of 200 samples), where the thesis finds larger ones. It does not say which "
            "quantile it takes: Student's for nine degrees of freedom is 1.15 times as wide. By "
            "its definition the lower trapezoid of a fold of 2 positives is 1/2 at most, so that "
            "these intervals cannot reach a true area of .8."
        )
        told.append(
            "At the other points the difference from .95 is within twice the simulation error, "
            "which is larger than the thesis's where the studies are fewer."
        )
        return told

    def draw(self, figure: Any, results: Results) -> None:
        figure.set_size_inches(7.2, 5.6)
        rows = figure.subplots(2, len(THESIS), sharey="row")
        for law, panel, below in zip(THESIS, *rows, strict=True):
            true = THESIS[law].area_of_precision(SHARE)
            for estimator, colour in zip(ESTIMATORS, ("C0", "C1", "C2"), strict=True):
                for method, line in zip(METHODS, ("-", "--"), strict=True):
                    at = [n for n in SIZES if (law, n) in results]
                    found = [(float(n), results[law, n][_name(estimator, method)]) for n in at]
                    label = f"{estimator}, {method}" if law == next(iter(THESIS)) else ""
                    with_errors(panel, found, line, colour=colour, label=label)
                    places = [results[law, n][_name(estimator, method, "place")] for n in at]
                    scaled = [
                        (float(n), Tally(one.runs, one.total / true, one.squares / true**2))
                        for n, one in zip(at, places, strict=True)
                    ]
                    with_errors(below, scaled, line, colour=colour, share=False)
            panel.axhline(LEVEL, color="0.3", linewidth=0.8)
            below.axhline(1, color="0.3", linewidth=0.8)
            panel.set_title(f"Figure 4.7, {law}", fontsize=8)
            below.set_title(f"Figure 4.9, {law}", fontsize=8)
            for each in (panel, below):
                each.set(xscale="log", xlabel="samples, a tenth positive")
                ticks_at(each, list(SIZES), names=[f"{n:g}" for n in SIZES])
                each.tick_params(axis="x", labelrotation=60)
        rows[0][0].set(ylabel="coverage of 95% intervals")
        rows[1][0].set(ylabel="place / true area")
        figure.legend(loc="outside lower center", ncols=3, fontsize="small")


def _intervals(
    labels: Any, generator: np.random.Generator
) -> dict[str, tuple[Doubles, Doubles, Doubles]]:
    """Lower end, place and upper end by method, for each estimator."""
    replicates = np.concatenate(
        [estimates(weights, labels) for weights in bootstrapped(labels, REPLICATES, generator)]
    )
    tail = (1 - LEVEL) / 2
    lower, middle, upper = np.quantile(replicates, [tail, 0.5, 1 - tail], axis=0)
    folds = estimates(of_folds(labels, FOLDS, generator), labels)
    mean, error = folds.mean(axis=0), folds.std(axis=0, ddof=1) / FOLDS**0.5
    return {
        "bootstrap": (lower, middle, upper),
        "cross-validation": (mean - ERRORS * error, mean, mean + ERRORS * error),
    }


def _is_released(found: Doubles, scores: Any, labels: Any) -> bool:
    """Return whether three parties release these estimates, with doubles that agree."""
    study = SimulatedStudy(
        Options(metrics=RELEASED, decimals=DECIMALS, range=("any",)), scores, labels
    )
    points = [(j, t) for _, t, _, j in study.pooled().steps]
    exact = [Fraction(words[0], 10**DECIMALS) for words in study.plaintext_words()]
    exact.append(Fraction(interpolated_median(points)))
    if np.abs(found - np.array(exact, float)).max() > 10.0**-DECIMALS:
        raise RunFailed(
            "the resampled estimates are not those of the exact functions",
            advice="This must never happen; keep the command and its seed, and report it.",
        )
    return study.agrees()


def _name(estimator: str, method: str, what: str = "covered") -> str:
    return f"{estimator}, {method}: {what}"
