"""[Thesis, Figures 4.5 and 4.6]: the bias of eight estimators of the area under the PR curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.papers.drawing import ticks_at, with_errors
from ppaurora.bench.papers.estimators import (
    AVERAGE_PRECISION,
    BINORMAL,
    ESTIMATORS,
    HULL,
    LOWER,
    MAX,
    MEAN,
    MEDIAN,
    UPPER,
    eight,
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
from ppaurora.bench.papers.laws import THESIS, Doubles
from ppaurora.bench.papers.study import Labels, SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.values import Scalar

SHARE = 0.1
SIZES = {100: 4000, 200: 4000, 500: 4000, 1000: 4000, 2000: 2000, 5000: 1000, 10_000: 1000}
"""Samples, and the studies of each law with a tenth of them positive."""
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
N_OF_SHARES = 1000
DECIMALS = 6
CLOSE = 1e-6
RELEASED = {
    AVERAGE_PRECISION: "average_precision",
    LOWER: "aupr_lower_trapezoid",
    UPPER: "aupr_upper_trapezoid",
    MAX: "aupr_interpolated_max",
    MEAN: "aupr_interpolated_mean",
    MEDIAN: "aupr_interpolated_median",
    HULL: "aupr_hull",
}
"""The statistic of this system; that of the binormal area takes binned scores."""
DISCLOSING = (MEAN, MEDIAN, HULL)
COLOURS = {name: f"C{place}" for place, name in enumerate(ESTIMATORS)}


def same_as_released(scores: Doubles, labels: Labels) -> bool:
    """True where three parties release all but the binormal estimate as they are here."""
    texts = {
        name: f"{text}:samples={labels.size}" if name in DISCLOSING else text
        for name, text in RELEASED.items()
    }
    options = Options(
        metrics=tuple(texts.values()), decimals=DECIMALS, range=("any",), least_cell=1
    )
    study = SimulatedStudy(options, scores, labels)
    agrees = study.agrees()
    here = eight(scores, labels)
    for name, one, words in zip(texts, options.statistics, study.plaintext_words(), strict=True):
        value = one.decode(words, DECIMALS)
        assert isinstance(value, Scalar)
        if abs(float(str(value)) - here[name]) > CLOSE:
            raise RunFailed(f"the {name} of the simulation is another one than the system's")
    return agrees


class Estimators(Experiment):
    """Mean estimates over the true area, against the samples and the share of positives."""

    __slots__ = ()

    name: ClassVar[str] = "thesis-estimators"
    paper: ClassVar[str] = "Thesis"
    what: ClassVar[str] = "Figures 4.5 and 4.6"
    title: ClassVar[str] = "Bias of eight estimators of the area under the PR curve"
    settings: ClassVar[str] = (
        "As printed: the laws of Figure 4.3; Figure 4.5 with a tenth of the samples positive, "
        "Figure 4.6 with 1,000 samples. 4,000 studies for each point, 2,000 with 2,000 samples and "
        "1,000 with more (printed: 10,000). Estimates are doubles; of two studies for each law "
        "they are held against the exact ones of this system."
    )
    printed: ClassVar[str] = (
        "Figures without numbers. The text: most estimators converge to the true area in every "
        "case; binormal to a wrong value for the two other laws, less so the more are positive; "
        "upper trapezoid consistently too high; convex hull always higher still, and far off even "
        "with 10,000 samples."
    )
    axes: ClassVar[tuple[str, ...]] = ("law", "samples", "share")
    quick_runs: ClassVar[int] = 3
    quick_settings: ClassVar[Sequence[Settings]] = (("binormal", 200, SHARE),)
    small: ClassVar[Planned | None] = Planned(("bibeta", 60, 0.2), 20)
    weight: ClassVar[float] = 4e-4

    def plan(self) -> Sequence[Planned]:
        by_size = [
            Planned((law, n, SHARE), runs, min(runs, 1000), 1 + n / 1500)
            for law in THESIS
            for n, runs in SIZES.items()
        ]
        by_share = [
            Planned((law, N_OF_SHARES, share), SIZES[N_OF_SHARES], 1000, 1.6)
            for law in THESIS
            for share in SHARES
            if share != SHARE
        ]
        return [*by_size, *by_share]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        law, n = THESIS[str(cell.settings[0])], int(cell.settings[1])
        P = round(float(cell.settings[2]) * n)
        values: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
        agreed = []
        for number in range(cell.runs):
            scores, labels = law.drawn(generator, P, n - P)
            for name, value in eight(scores, labels).items():
                values[name].append(value)
            if cell.part == 0 and number < 1 and n <= 200:
                agreed.append(same_as_released(scores, labels))
        tallies = {name: Tally.of(listed) for name, listed in values.items()}
        if agreed:
            tallies[ALSO_IN_PRIVATE] = Tally.of(agreed)
        return CellResult(tallies)

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        columns = ("true area", *ESTIMATORS, "simulation error, at most", "studies")
        tables = []
        for caption, axis, settings in (
            ("Figure 4.5: mean estimate over the true area, a tenth positive", "samples", _by_size),
            ("Figure 4.6: the same against the share of positives, 1,000 samples", "π", _by_share),
        ):
            rows = [
                (law, f"{place:,g}", *_ratios(results[one], one))
                for law in THESIS
                for place, one in settings(law)
                if one in results
            ]
            if rows:
                tables.append(ResultTable(caption, ("law", axis, *columns), tuple(rows)))
        return tables

    def deviations(self, results: Results) -> Sequence[str]:
        told = []
        last = {law: (law, max(SIZES), SHARE) for law in THESIS}
        if all(one in results for one in last.values()):
            for name in (HULL, UPPER, BINORMAL):
                off = ", ".join(
                    f"{_ratio(results[one], one, name):.3f} ({law})" for law, one in last.items()
                )
                told.append(f"With 10,000 samples the ratio of {name} is {off}.")
            ordered = [
                _ratio(found, one, HULL) > _ratio(found, one, UPPER)
                for one, found in results.items()
            ]
            told.append(
                f"The convex hull is higher than the upper trapezoid in {sum(ordered)} of "
                f"{len(ordered)} points (printed: always)."
            )
        return [
            *told,
            "Eq. 4.11 has the other sign [Thesis, erratum 4]; its integral is by Gauss's rule "
            "with 120 nodes. Interpolated areas begin at the first recall reached, as printed.",
            "Upper and lower trapezoids are too low for few positives where the text finds the "
            "upper one too high: Eq. 4.3 and 4.4 as printed leave out what lies before the first "
            "recall. With that piece, at the precision of the first positive, the ratios of the "
            "upper one at 100 samples are 1.19 (binormal), .99 (bibeta) and .99 (offset uniform) "
            "instead of .95, .87 and .84, in 600 studies each; so the text seems to have it in.",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        figure.set_size_inches(7.2, 5.6)
        panels = figure.subplots(2, len(THESIS), sharey=True)
        for number, row, settings, label in (
            ("4.5", panels[0], _by_size, "samples, a tenth positive"),
            ("4.6", panels[1], _by_share, "share of positives π, 1,000 samples"),
        ):
            for law, panel in zip(THESIS, row, strict=True):
                places = [place for place, _ in settings(law)]
                for name in ESTIMATORS:
                    found = []
                    for place, one in settings(law):
                        if one in results:
                            tally, true = results[one][name], _true(one)
                            scaled = Tally(tally.runs, tally.total / true, tally.squares / true**2)
                            found.append((float(place), scaled))
                    first = panel is panels[0][0]
                    with_errors(
                        panel, found, colour=COLOURS[name], label=name if first else "", share=False
                    )
                panel.axhline(1, color="0.3", linewidth=0.8)
                panel.set(xscale="log", xlabel=label, ylim=(0.6, 1.65))
                panel.set_title(f"Figure {number}, {law}", fontsize=8)
                ticks_at(panel, places, names=[f"{place:g}" for place in places])
                panel.tick_params(axis="x", labelrotation=60)
            row[0].set_ylabel("estimate / true area")
        figure.legend(loc="outside lower center", ncols=4, fontsize="small")


def _by_size(law: str) -> list[tuple[float, Settings]]:
    return [(n, (law, n, SHARE)) for n in SIZES]


def _by_share(law: str) -> list[tuple[float, Settings]]:
    return [(share, (law, N_OF_SHARES, share)) for share in SHARES]


def _true(one: Settings) -> float:
    return THESIS[str(one[0])].area_of_precision(float(one[2]))


def _ratio(found: CellResult, one: Settings, name: str) -> float:
    return found[name].mean / _true(one)


def _ratios(found: CellResult, one: Settings) -> tuple[str, ...]:
    true = _true(one)
    error = max(found[name].error for name in ESTIMATORS) / true
    return (
        f"{true:.6f}",
        *(f"{_ratio(found, one, name):.3f}" for name in ESTIMATORS),
        f"{error:.3f}",
        f"{found[LOWER].runs:,}",
    )
