"""[tpAUC, Figure 9, Table 2]: the bias of the two estimators of the two-way partial area.

The proposed one by trapezoids (`tpauc`, Eq. 24) and the trimmed Mann-Whitney statistic that it is
to replace (`tpauc_trimmed`, Eq. 14).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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
from ppaurora.bench.papers.laws import Law, binormal
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options

ESTIMATORS = ("tpauc", "tpauc_trimmed")
DECIMALS = 9
EDGES = ("0.2", "0.4", "0.6", "0.8")
REGIONS = tuple((tpr, tnr) for tpr in EDGES for tnr in EDGES)
"""The least sensitivity and the least specificity."""
ONE_REGION = (("0.6", "0.6"),)
ONE_LAW = binormal((2, 1.5), (0, 1))
"""The setting of [tpAUC, "Additional computation time comparisons"]."""
PER_RUN = {100: 250, 1000: 60}
FIXED = {(10, 10): 10_000, (20, 20): 10_000, (50, 50): 10_000, (90, 10): 10_000, (500, 500): 2000}
MIXES = (0.1, 0.5, 0.9)


def texts_of(regions: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Both statistics for each region; the largest false positive rate is 1 - specificity."""
    return tuple(
        f"{name}:min_tpr={tpr},max_fpr={1 - float(tnr):.1f}"
        for tpr, tnr in regions
        for name in ESTIMATORS
    )


def estimates(
    law: Law,
    positives: int,
    negatives: int,
    count: int,
    generator: np.random.Generator,
    regions: Sequence[tuple[str, str]] = ONE_REGION,
) -> NDArray[np.float64]:
    """Of drawn studies: both estimates for each region, as an array (studies, regions, 2)."""
    options = Options(metrics=texts_of(regions), decimals=DECIMALS, range=("any",))
    found = []
    for _ in range(count):
        study = SimulatedStudy(options, *law.drawn(generator, positives, negatives), owners=1)
        found.append([words[0] / 10**DECIMALS for words in study.plaintext_words()])
    return np.array(found).reshape(count, len(regions), len(ESTIMATORS))


def drawn_law(generator: np.random.Generator) -> Law:
    """Parameters as [tpAUC, "Bias comparison"] draws them."""
    return binormal(
        (generator.uniform(2, 3), generator.uniform(1, 2)),
        (generator.uniform(0, 1), generator.uniform(1, 2)),
    )


class Bias(Experiment):
    """Sixteen regions, six sizes and mixes; and one law at five sizes."""

    __slots__ = ()

    name: ClassVar[str] = "tpauc-bias"
    paper: ClassVar[str] = "tpAUC"
    what: ClassVar[str] = "Figure 9 and Table 2"
    title: ClassVar[str] = "Bias of the two-way partial area: trapezoids against the trimmed U"
    settings: ClassVar[str] = (
        "As printed: positives N(μ_x, σ_x²), negatives N(μ_y, σ_y²), for each run μ_x from "
        "U(2, 3), μ_y from U(0, 1), both σ from U(1, 2); 16 regions, 6 sizes and mixes. Here 20 "
        "runs (printed: 100) of 250 data sets with 100 samples or 60 with 1,000 (printed: 1,000); "
        "the 16 regions share the data sets of a run. Beside them the law N(2, 1.5²), N(0, 1) "
        "with both bounds .6."
    )
    printed: ClassVar[str] = (
        "Boxplots without numbers. The text: the original estimator (trimmed) tends to be more "
        "biased than the proposed one, and the bias is considerably smaller with 1,000 samples."
    )
    axes: ClassVar[tuple[str, ...]] = ("law", "positives", "negatives")
    quick_runs: ClassVar[int] = 1
    quick_settings: ClassVar[Sequence[Settings]] = (("drawn", 10, 90), ("fixed", 10, 10))
    weight: ClassVar[float] = 0.75

    def plan(self) -> Sequence[Planned]:
        drawn = [
            Planned(("drawn", round(mix * n), n - round(mix * n)), 20, 5, 1 if n == 100 else 1.5)
            for n in PER_RUN
            for mix in MIXES
        ]
        fixed = [
            Planned(("fixed", P, N), runs, min(runs, 2500), 0.0006 + 0.000002 * (P + N))
            for (P, N), runs in FIXED.items()
        ]
        return [*drawn, *fixed]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        law, P, N = cell.settings[0], int(cell.settings[1]), int(cell.settings[2])
        if law == "fixed":
            truth = ONE_LAW.area_of_both_rates(0.6, 0.4)
            errors = estimates(ONE_LAW, P, N, cell.runs, generator)[:, 0] - truth
            tallies = {name: Tally.of(errors[:, k].tolist()) for k, name in enumerate(ESTIMATORS)}
            return CellResult(tallies)
        points: dict[str, list[float]] = {}
        for _ in range(cell.runs):
            one = drawn_law(generator)
            found = estimates(one, P, N, self._data_sets(cell, P + N), generator, REGIONS)
            for place, (tpr, tnr) in enumerate(REGIONS):
                truth = one.area_of_both_rates(float(tpr), 1 - float(tnr))
                for k, name in enumerate(ESTIMATORS):
                    bias = round(float(found[:, place, k].mean() - truth), 6)
                    points.setdefault(f"{name} {tpr} {tnr}", []).append(bias)
        tallies = {name: Tally.of(listed) for name, listed in points.items()}
        if cell.part == 0 and P + N == 100:
            options = Options(metrics=texts_of(REGIONS[::5]), decimals=DECIMALS, range=("any",))
            agrees = SimulatedStudy(options, *drawn_law(generator).drawn(generator, P, N)).agrees()
            tallies[ALSO_IN_PRIVATE] = Tally.of([agrees])
        return CellResult(tallies, points)

    def _data_sets(self, cell: Cell, n: int) -> int:
        """Few where few runs are asked for: to try it out."""
        return PER_RUN[n] if cell.runs > self.quick_runs else 5

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        drawn = [(settings[1:], found) for settings, found in results.items() if len(found.points)]
        rows = []
        for (P, N), found in drawn:
            by_name = {
                name: np.array([found.points[f"{name} {tpr} {tnr}"] for tpr, tnr in REGIONS])
                for name in ESTIMATORS
            }
            size = {name: np.abs(bias) for name, bias in by_name.items()}
            worse = int((size["tpauc_trimmed"].mean(1) > size["tpauc"].mean(1)).sum())
            rows.append(
                (
                    f"{int(P) + int(N):,}",
                    f"{P}",
                    *(f"{by_name[name].mean():.5f}" for name in ESTIMATORS),
                    f"{max(_error(bias) for bias in by_name.values()):.5f}",
                    *(f"{size[name].mean():.5f}" for name in ESTIMATORS),
                    f"{worse} of {len(REGIONS)}",
                    "more biased (trimmed)",
                )
            )
        fixed = [
            (
                f"{P}",
                f"{N}",
                f"{found['tpauc'].runs:,}",
                *(f"{found[name].mean:.5f}" for name in ESTIMATORS),
                f"{max(found[name].error for name in ESTIMATORS):.5f}",
            )
            for (law, P, N), found in results.items()
            if law == "fixed"
        ]
        return [
            ResultTable(
                "Figure 9: mean bias and mean size of the bias over runs and regions",
                (
                    "samples",
                    "positive",
                    "bias, trapezoids",
                    "bias, trimmed",
                    "simulation error",
                    "size, trapezoids",
                    "size, trimmed",
                    "regions where trimmed is the larger",
                    "printed",
                ),
                tuple(rows),
            ),
            ResultTable(
                "Bias for N(2, 1.5²) and N(0, 1), both bounds .6, where "
                f"{ONE_LAW.area_of_both_rates(0.6, 0.4):.7f} is true",
                ("positives", "negatives", "studies", "trapezoids", "trimmed", "simulation error"),
                tuple(fixed),
            ),
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        return [
            "The size of a run's bias holds its simulation error as well, which the fewer data "
            "sets make larger than printed: it is an upper bound, above all with 1,000 samples. "
            "The mean bias has no such part.",
            "Eq. 19 is used under the condition of Eq. 20, without which it is positive for "
            "curves that miss the region [tpAUC, erratum 3]; an order statistic of index 0 is "
            "-∞ [tpAUC, erratum 2].",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        figure.set_size_inches(7.2, 5.4)
        panels = figure.subplots(len(PER_RUN), len(MIXES), sharex=True, sharey="row")
        for row, n in zip(panels, PER_RUN, strict=True):
            for panel, mix in zip(row, MIXES, strict=True):
                P = round(mix * n)
                found = results.get(("drawn", P, n - P))
                panel.set_title(f"{n:,} samples, {P:,} positive", fontsize=7)
                for name, colour, shift in zip(ESTIMATORS, ("C0", "C3"), (-0.2, 0.2), strict=True):
                    if found is not None:
                        sizes = [
                            np.abs(found.points[f"{name} {tpr} {tnr}"]) for tpr, tnr in REGIONS
                        ]
                        _boxes(panel, sizes, [k + shift for k in range(len(REGIONS))], colour)
        for row in panels:
            row[0].set_ylabel("size of the bias")
            row[0].set_ylim(bottom=0)
        for panel in panels[-1]:
            panel.set_xticks(
                range(len(REGIONS)),
                [f"{tpr} {tnr}"[1:].replace(" 0", " ") for tpr, tnr in REGIONS],
                rotation=90,
                fontsize="x-small",
            )
            panel.set_xlabel("least sensitivity, least specificity")
        figure.supxlabel(
            "blue: trapezoids (Eq. 24), red: trimmed U (Eq. 14); boxes: quartiles of the runs; "
            "whiskers: least and most",
            fontsize="small",
        )


def _boxes(panel: Any, values: Sequence[Any], places: Sequence[float], colour: str) -> None:
    line = {"color": colour, "linewidth": 0.7}
    panel.boxplot(
        values,
        positions=places,
        widths=0.32,
        whis=(0, 100),
        manage_ticks=False,
        boxprops=line,
        whiskerprops=line,
        capprops=line,
        medianprops={"color": colour, "linewidth": 1.4},
    )


def _error(bias: NDArray[np.float64]) -> float:
    """The standard error of the mean: the runs are independent, the regions of one are not."""
    of_runs = bias.mean(axis=0)
    return float(of_runs.std(ddof=1) / len(of_runs) ** 0.5) if len(of_runs) > 1 else float("nan")
