"""[Thesis, Table 4.1]: the list of twenty rows, its recalls and precisions, and its areas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.papers.estimators import binormal, estimated_curves
from ppaurora.bench.papers.experiment import (
    ALSO_IN_PRIVATE,
    Cell,
    CellResult,
    Experiment,
    Planned,
    Results,
    ResultTable,
)
from ppaurora.bench.papers.experiments.thesis_curves import least_precision
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.values import Scalar

SCORES = tuple((95 - 5 * row) / 100 for row in range(20))
LABELS = (1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
RECALLS = (*(".20",) * 3, ".40", *(".60",) * 5, *(".80",) * 7, *("1.00",) * 4)
PRECISIONS = (
    *("1.00", ".50", ".33", ".50", ".60", ".50", ".43", ".38", ".33", ".40"),
    *(".36", ".33", ".31", ".29", ".27", ".25", ".29", ".28", ".26", ".25"),
)
"""As printed, without the leading zero."""
ESTIMATORS = {
    "average precision (Eq. 4.10)": "average_precision",
    "lower trapezoid (Eq. 4.3)": "aupr_lower_trapezoid",
    "upper trapezoid (Eq. 4.4)": "aupr_upper_trapezoid",
    "interpolated max": "aupr_interpolated_max",
    "interpolated mean": "aupr_interpolated_mean:samples=20",
    "interpolated median": "aupr_interpolated_median:samples=20",
    "convex hull": "aupr_hull:samples=20",
    "AUCNPR of average precision (Def. 3.7)": "aucnpr",
}
CURVE = ("recall", "precision")


class SmallList(Experiment):
    """The precision and recall of each row, and the estimators of section 4.3."""

    __slots__ = ()

    name: ClassVar[str] = "thesis-small-list"
    paper: ClassVar[str] = "Thesis"
    what: ClassVar[str] = "Table 4.1, Figures 4.1 and 4.2"
    title: ClassVar[str] = "Precision and recall of twenty rows, and the estimators of the area"
    settings: ClassVar[str] = "The twenty rows of Table 4.1, dealt out to three owners."
    printed: ClassVar[str] = (
        "Recall and precision of each row, to two decimals. The areas are shown in Figure 4.2 as "
        "curves, without numbers."
    )
    axes: ClassVar[tuple[str, ...]] = ("rows",)

    def plan(self) -> Sequence[Planned]:
        return [Planned((len(LABELS),))]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        scores, labels = np.array(SCORES), np.array(LABELS)
        study = SimulatedStudy(
            Options(metrics=tuple(ESTIMATORS.values()), decimals=6, least_cell=1), scores, labels
        )
        agrees = study.agrees()
        areas = []
        for one, words in zip(study.options.statistics, study.plaintext_words(), strict=True):
            value = one.decode(words, 6)
            assert isinstance(value, Scalar)
            areas.append(float(str(value)))
        steps = study.pooled().steps
        return CellResult(
            {ALSO_IN_PRIVATE: Tally.of([agrees])},
            {
                "areas": areas,
                "recall": [t / len([y for y in LABELS if y]) for _, t, _, _ in steps],
                "precision": [t / j for _, t, _, j in steps],
            },
        )

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        [found] = results.values()
        rows = tuple(
            (
                f"{score:.2f}",
                "positive" if label else "negative",
                *(two_decimals(found.points[name][place]) for name in CURVE),
                RECALLS[place],
                PRECISIONS[place],
            )
            for place, (score, label) in enumerate(zip(SCORES, LABELS, strict=True))
        )
        areas = tuple(
            (name, f"`{text}`", f"{area:.6f}")
            for (name, text), area in zip(ESTIMATORS.items(), found.points["areas"], strict=True)
        )
        normal = binormal(np.array(SCORES), np.array(LABELS))
        areas = (*areas, ("binormal (Eq. 4.11)", "`aupr_binormal`, of bins", f"{normal:.6f}"))
        return [
            ResultTable(
                "Table 4.1",
                (
                    "output",
                    "true label",
                    "recall",
                    "precision",
                    "recall, printed",
                    "precision, printed",
                ),
                rows,
            ),
            ResultTable(
                "The estimators of section 4.3 on it", ("estimator", "here", "area"), areas
            ),
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        [found] = results.values()
        off = [
            f"{score:.2f}"
            for place, score in enumerate(SCORES)
            if two_decimals(found.points["recall"][place]) != RECALLS[place]
            or two_decimals(found.points["precision"][place]) != PRECISIONS[place]
        ]
        return [
            f"Rows that differ in the printed decimals: {', '.join(off) or 'none'}."
            + (" There the exact precision ends in 5, or lies next to it." if off else ""),
            "The caption says 10 positives and 20 negatives; the data are 5 and 15 [Thesis, "
            "erratum 2].",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        [found] = results.values()
        figure.set_size_inches(7.2, 6.6)
        panels = figure.subplots(3, 3, sharex=True, sharey=True)
        recalls = np.linspace(0, 1, 201)
        share = sum(LABELS) / len(LABELS)
        least = least_precision(recalls, share)
        curves = {"Figure 4.1": None, **estimated_curves(np.array(SCORES), np.array(LABELS))}
        for panel, (name, curve) in zip(panels.flat, curves.items(), strict=True):
            panel.fill_between(recalls, 0, least, color="0.85", linewidth=0)
            panel.axhline(share, color="0.3", linestyle="--", linewidth=0.8)
            panel.plot(
                found.points["recall"], found.points["precision"], "o", color="0.1", markersize=2.5
            )
            panel.set_title(name if curve is None else f"Fig. 4.2, {name}", fontsize=8)
            if curve is None:
                panel.plot(recalls, least, color="C3", linewidth=1)
                panel.annotate("guessing", (0.02, 0.27), fontsize="x-small")
                panel.annotate("unachievable", (0.98, 0.03), fontsize="x-small", ha="right")
            else:
                panel.plot(*curve, color="C0", linewidth=1.4)
        for row in panels:
            row[0].set_ylabel("precision")
        for panel in panels[-1]:
            panel.set(xlabel="recall", xlim=(0, 1.02), ylim=(0, 1.05))


def two_decimals(value: float) -> str:
    """As the thesis prints them.

    >>> two_decimals(1 / 3), two_decimals(1.0)
    ('.33', '1.00')
    """
    return f"{value:.2f}".removeprefix("0")
