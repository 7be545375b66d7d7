"""[Thesis, Figures 3.1 to 3.4, 4.3, 4.4 and 5.2]: curves that follow from formulas."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
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
)
from ppaurora.bench.papers.laws import THESIS, Doubles, Law, quantile
from ppaurora.bench.papers.study import Labels, SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options

THIRD = 0.33
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
FROM = (0.0, 0.5, 0.8)
"""The least recalls of Figure 3.3."""
SAMPLED, OF_SAMPLED = 3, (50, 450)
CONTOURS = (0.2, 0.4, 0.6, 0.8)
NEIGHBOURS = ("D", "D'")
PRINTED_NEIGHBOURS = {"D": "0.796", "D'": "0.772"}
CLASSES = {"D": (15, 15), "D'": (16, 14)}
GRID: Doubles = np.linspace(0, 1, 201)


def least_precision(recall: Doubles, share: float) -> Doubles:
    """[Thesis, Thm 3.3]: the precision of the worst ranking.

    >>> float(least_precision(np.array([1.0]), 0.25)[0])
    0.25
    """
    found: Doubles = share * recall / (1 - share + share * recall)
    return found


def least_area(share: float, least_recall: float = 0.0) -> float:
    """[Thesis, Thm 3.4 and 3.5]: the area under the curve of least precisions, from a recall on.

    >>> round(least_area(0.5), 5)
    0.30685
    """
    inside = 1 - share + share * least_recall
    return 1 - least_recall + (1 - share) / share * log(inside)


def least_f1(recall: Doubles, share: float) -> Doubles:
    """F1 on the curve of least precisions, of which [Thesis, section 3.4] makes a modified F1."""
    p = least_precision(recall, share)
    found: Doubles = np.where(recall > 0, 2 * p * recall / np.where(recall > 0, p + recall, 1), 0)
    return found


def contour(f1: float, recall: Doubles) -> Doubles:
    """The precision at which F1 has this value; not a number where none has."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = f1 * recall / (2 * recall - f1)
    return np.where((found > 0) & (found <= 1), found, np.nan)


def neighbours(generator: np.random.Generator) -> dict[str, tuple[Doubles, Labels]]:
    """A database of 30 rows, and the one where one negative is a positive with another score.

    Of the draws, the first whose two AUROCs are the printed ones to three decimals.
    """
    while True:
        first = THESIS["binormal"].drawn(generator, *CLASSES["D"])
        scores, labels = first[0].copy(), first[1].copy()
        changed = int(generator.integers(15, 30))
        scores[changed], labels[changed] = generator.normal(1, 1), 1
        both = {"D": first, "D'": (scores, labels)}
        if all(f"{area(*rows):.3f}" == PRINTED_NEIGHBOURS[name] for name, rows in both.items()):
            return both


def area(scores: Doubles, labels: Labels) -> float:
    """The AUROC of scores without ties."""
    positives, negatives = scores[labels == 1], scores[labels == 0]
    return float((positives[:, None] > negatives).mean())


class Curves(Experiment):
    """The unachievable region and its area; densities, true and sampled curves; two neighbours."""

    __slots__ = ()

    name: ClassVar[str] = "thesis-curves"
    paper: ClassVar[str] = "Thesis"
    what: ClassVar[str] = "Figures 3.1 to 3.4, 4.3, 4.4, 5.2"
    title: ClassVar[str] = "Unachievable regions, the laws of the simulations, two neighbours"
    settings: ClassVar[str] = (
        "As printed: π = .33 in Figures 3.1 and 3.4, recalls from 0, .5 and .8 in Figure 3.3, π = "
        ".1 and 500 samples in Figure 4.4. The values of π of Figure 3.2 and the curve of Figure "
        "3.1 are not printed: here five of them, and the binormal law's. Figure 5.2: the rows are "
        "not printed either; here the first draw of binormal rows whose two AUROCs are the "
        "printed ones."
    )
    printed: ClassVar[str] = (
        "Figure 5.2: AUROC .796 and .772, of 15 + 15 and 16 + 14 rows. The others have no numbers."
    )
    axes: ClassVar[tuple[str, ...]] = ("curves",)
    weight: ClassVar[float] = 2.0

    def plan(self) -> Sequence[Planned]:
        return [Planned(("all",))]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        points: dict[str, list[float]] = {}
        agreed = []
        for name, law in THESIS.items():
            for number in range(SAMPLED):
                scores, labels = law.drawn(generator, *OF_SAMPLED)
                y = labels[np.argsort(-scores)]
                t = np.cumsum(y)
                points[f"{name} recall {number}"] = (t / t[-1]).round(4).tolist()
                points[f"{name} precision {number}"] = (
                    (t / np.arange(1, y.size + 1)).round(4).tolist()
                )
        for name, (scores, labels) in neighbours(generator).items():
            options = Options(metrics=("auroc",), decimals=6, range=("any",), least_cell=1)
            study = SimulatedStudy(options, scores, labels)
            agreed.append(study.agrees())
            [[word]] = study.plaintext_words()
            points[f"{name} AUROC"] = [word / 10**6]
            y = labels[np.argsort(-scores)]
            points[f"{name} fpr"] = [0.0, *(np.cumsum(1 - y) / (1 - y).sum()).tolist()]
            points[f"{name} tpr"] = [0.0, *(np.cumsum(y) / y.sum()).tolist()]
        return CellResult({ALSO_IN_PRIVATE: Tally.of(agreed)}, points)

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        [found] = results.values()
        shares = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9)
        least = tuple(
            (
                f"{share:g}",
                *(f"{least_area(share, low):.5f}" for low in FROM),
                *(f"{least_area(share, low) / (1 - low):.5f}" for low in FROM),
            )
            for share in shares
        )
        told = ("whole curve", "recall from .5", "recall from .8")
        both = tuple(
            (
                name,
                f"{CLASSES[name][0]} + {CLASSES[name][1]}",
                f"{found.points[f'{name} AUROC'][0]:.6f}",
                PRINTED_NEIGHBOURS[name],
            )
            for name in NEIGHBOURS
        )
        return [
            ResultTable(
                "Figures 3.2 and 3.3: the least area under the PR curve",
                (
                    "π",
                    *told,
                    *(f"{one}, of the largest" for one in told),
                ),
                least,
            ),
            ResultTable(
                "Figure 5.2: two neighbouring databases",
                ("database", "positives + negatives", "AUROC", "printed"),
                both,
            ),
        ]

    def deviations(self, results: Results) -> Sequence[str]:
        a, b = 0.25, 1.0
        return [
            "On the curve of least precisions F1 rises with the recall: for π = .33 it is "
            f"{float(least_f1(np.array([a]), THIRD)[0]):.2f} at recall {a:g} and "
            f"{float(least_f1(np.array([b]), THIRD)[0]):.2f} at {b:g}, which is guessing's; so one "
            "F1 may be the worst possible or not, as Figure 3.4 says of its points A and B.",
            "Curves 3.1 to 3.4 and 4.3 are formulas, without simulation error; those of Figure 4.4 "
            "are three drawn lists for each law.",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        [found] = results.values()
        figure.set_size_inches(7.2, 9.6)
        panels = figure.subplots(4, 3)
        _least_curve(panels[0][0], "Figure 3.1, π = .33")
        recalls, precisions = true_curve(THESIS["binormal"], THIRD)
        panels[0][0].plot(recalls, precisions, color="C0", label="a PR curve")
        panels[0][0].legend(fontsize="x-small", loc="upper right")
        for place, share in enumerate(SHARES):
            panels[0][1].plot(GRID, least_precision(GRID, share), color=f"C{place}")
            panels[0][1].annotate(
                f"π = {share:g}",
                (0.62, float(least_precision(GRID, share)[124]) + 0.02),
                color=f"C{place}",
                fontsize="x-small",
                ha="right",
            )
        panels[0][1].set_title("Figure 3.2", fontsize=8)
        _contours(panels[0][2])
        shares = np.linspace(0.005, 0.995, 200)
        for panel, scaled, name in (
            (panels[1][0], False, "3.3a"),
            (panels[1][1], True, "3.3b"),
        ):
            for low, line in zip(FROM, ("-", "--", ":"), strict=True):
                heights = [least_area(s, low) / ((1 - low) if scaled else 1) for s in shares]
                panel.plot(shares, heights, line, color="C0", label=f"recall from {low:g}")
            panel.set_title(f"Figure {name}", fontsize=8)
            panel.set(
                xlabel="π", ylabel="least area" + (" / largest" if scaled else ""), ylim=(0, 1)
            )
        panels[1][0].legend(fontsize="x-small")
        last = panels[1][2]
        for name, colour in zip(NEIGHBOURS, ("C0", "C3"), strict=True):
            auroc = found.points[f"{name} AUROC"][0]
            last.plot(
                *(found.points[f"{name} {rate}"] for rate in ("fpr", "tpr")),
                color=colour,
                label=f"{name}: {auroc:.3f}",
            )
        last.set_title("Figure 5.2", fontsize=8)
        last.set(xlabel="false positive rate", ylabel="true positive rate")
        last.legend(fontsize="x-small", loc="lower right")
        for panel, (name, law) in zip(panels[2], THESIS.items(), strict=True):
            c = np.linspace(law.ends[0], law.ends[-1], 801)
            if name == "binormal":
                c = np.linspace(-3.5, 4.5, 401)
            panel.plot(c, law.negatives.density(c), color="C3", label="negatives")
            panel.plot(c, law.positives.density(c), color="C0", label="positives")
            panel.set_title(f"Figure 4.3, {name}", fontsize=8)
            panel.set(xlabel="score", ylabel="density")
        panels[2][0].legend(fontsize="x-small", loc="upper left")
        for panel, (name, law) in zip(panels[3], THESIS.items(), strict=True):
            for number in range(SAMPLED):
                panel.plot(
                    found.points[f"{name} recall {number}"],
                    found.points[f"{name} precision {number}"],
                    color="0.6",
                    linewidth=0.7,
                )
            panel.plot(*true_curve(law, 0.1), color="C0", linewidth=1.6)
            panel.set_title(f"Figure 4.4, {name}", fontsize=8)
            panel.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.03))
        for panel in panels[0]:
            panel.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1.03))


def true_curve(law: Law, share: float) -> tuple[Doubles, Doubles]:
    """Recalls and precisions of the law itself."""
    recalls = np.append(np.linspace(0.002, 0.998, 250), 0.9999)
    c = np.array([quantile(law.positives.survival, float(r), law.ends) for r in recalls])
    found, wrong = law.positives.survival(c), law.negatives.survival(c)
    flagged = share * found + (1 - share) * wrong
    return recalls, np.where(flagged > 0, share * found / np.where(flagged > 0, flagged, 1), 1.0)


def _least_curve(panel: Any, title: str) -> None:
    least = least_precision(GRID, THIRD)
    panel.fill_between(GRID, 0, least, color="0.85", linewidth=0)
    panel.plot(GRID, least, color="C3", label="least precision")
    panel.axhline(THIRD, color="0.3", linestyle="--", linewidth=0.8, label="guessing")
    panel.annotate("unachievable", (0.55, 0.05), fontsize="x-small", color="0.3")
    panel.set_title(title, fontsize=8)


def _contours(panel: Any) -> None:
    _least_curve(panel, "Figure 3.4, π = .33")
    fine = np.linspace(0.001, 1, 2000)
    for f1 in CONTOURS:
        heights = contour(f1, fine)
        panel.plot(fine, heights, color="C0", linewidth=0.8)
        panel.annotate(
            f"{f1:g}",
            (0.9, f1 * 0.9 / (1.8 - f1)),
            fontsize="x-small",
            color="C0",
            ha="center",
            va="center",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4},
        )
    # F1 = .4 on the curve of least precisions, and at another precision
    low = float(fine[int(np.argmax(least_f1(fine, THIRD) >= 0.4))])
    for name, recall in (("B", low), ("A", 0.26)):
        height = float(contour(0.4, np.array([recall]))[0])
        panel.plot([recall], [height], "o", color="0.1", markersize=3)
        panel.annotate(name, (recall + 0.02, height + 0.02), fontsize="x-small")
