"""[ROC-GLM, "calibration curve", Eq. 5, Figures 8 and 9]: hospitals' curves put together.

The paper leaves out every hospital's part with fewer than five samples; this system merges
neighbouring parts until all see enough (`calibration`), and nothing is left out.
"""

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
from ppaurora.bench.papers.study import Labels, Scores, SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.values import Scalar, Table

SITES, PARTS, LEAST = 5, 10, 5
EACH = (50, 100, 200, 500, 1000)
OPTIONS = Options(metrics=(f"calibration:bins={PARTS}", "brier"), decimals=6, least_cell=LEAST)
MERGED_OFF, BRIER_OFF = "curve here off by", "Brier score here off by"
LEFT_OUT, PRINTED_OFF = "samples left out", "printed curve off by"


def drawn(count: int, generator: np.random.Generator) -> tuple[Scores, Labels]:
    """Chances from Beta(4.5, 1.5), three of four positive, and a model that is too confident."""
    chance = generator.beta(4.5, 1.5, count)
    odds = np.log(chance / (1 - chance))
    return 1 / (1 + np.exp(-1.3 * odds)), (generator.random(count) < chance).astype(np.int64)


def as_printed(scores: Scores, labels: Labels) -> NDArray[np.float64]:
    """For each part the rate of positives without hospitals that have fewer than five in it.

    Not a number where that leaves none out of any; the last row has the samples left out.
    """
    part = np.minimum((scores * PARTS).astype(int), PARTS - 1)
    kept = np.zeros(PARTS, int)
    positives = np.zeros(PARTS, int)
    for site in range(SITES):
        own = slice(site, None, SITES)
        count = np.bincount(part[own], minlength=PARTS)
        shared = count >= LEAST
        kept += np.where(shared, count, 0)
        positives += np.where(shared, np.bincount(part[own], labels[own], PARTS).astype(int), 0)
    with np.errstate(invalid="ignore"):
        return np.stack([positives / kept, np.bincount(part, minlength=PARTS) - kept])


class HospitalCurves(Experiment):
    """Both rules against the pooled data."""

    __slots__ = ()

    name: ClassVar[str] = "rocglm-calibration"
    paper: ClassVar[str] = "ROC-GLM"
    revision: ClassVar[int] = 2
    what: ClassVar[str] = "Eq. 5; the rule behind Figures 8 and 9"
    title: ClassVar[str] = "Error of the calibration curve of five hospitals, by their size"
    settings: ClassVar[str] = (
        "Five hospitals, 10 parts of equal width, as printed; at least five samples for each "
        "point, here five of each class. The authors' data and the curves themselves are in "
        "rocglm-breast-cancer; here chances are Beta(4.5, 1.5), about three of four positive as "
        "there, and the model takes the log odds 1.3 times too large."
    )
    printed: ClassVar[str] = (
        "The Brier scores of the pooled and the distributed approach are equal (.184 on the "
        "paper's data); the curves agree where all is shared and differ in the other bins."
    )
    axes: ClassVar[tuple[str, ...]] = ("hospitals", "samples of each")
    quick_settings: ClassVar[Sequence[Settings]] = ((SITES, 50),)
    weight: ClassVar[float] = 0.012

    def plan(self) -> Sequence[Planned]:
        return [Planned((SITES, each), 300, 100, 1 + each / 500) for each in EACH]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        each = int(cell.settings[1])
        values: dict[str, list[float]] = {}
        for number in range(cell.runs):
            scores, labels = drawn(SITES * each, generator)
            study = SimulatedStudy(OPTIONS, scores, labels, owners=SITES)
            printed, left_out = as_printed(scores, labels)
            pooled = rates(scores, labels, [part / PARTS for part in range(PARTS + 1)])
            off = np.abs(printed - pooled)[(left_out > 0) & ~np.isnan(printed)]
            parts, here, brier = _released(study)
            ends = [*(low for low, _ in parts), 1.0]
            exact = rates(scores, labels, ends)
            found = {
                LEFT_OUT: left_out.sum() / labels.size,
                MERGED_OFF: float(np.abs(np.array(here) - exact).max()),
                BRIER_OFF: abs(brier - float(((labels - scores) ** 2).mean())),
                "Brier score": brier,
                "parts left": len(parts),
            }
            if off.size:
                found[PRINTED_OFF] = float(off.mean())
            for name, value in found.items():
                values.setdefault(name, []).append(value)
            if cell.part == 0 and number == 0:
                values[ALSO_IN_PRIVATE] = [study.agrees()]
        return CellResult({name: Tally.of(listed) for name, listed in values.items()})

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        rows = []
        for (_, each), found in results.items():
            printed_off = found.tallies.get(PRINTED_OFF, Tally())
            rows.append(
                (
                    f"{each:,}",
                    f"{found[LEFT_OUT].runs}",
                    f"{found[LEFT_OUT].mean:.4f} ± {found[LEFT_OUT].error:.4f}",
                    f"{printed_off.mean:.4f} ± {printed_off.error:.4f}",
                    "0",
                    f"{found[MERGED_OFF].mean:.1e}",
                    f"{found['parts left'].mean:.2f}",
                    f"{found['Brier score'].mean:.4f}",
                    f"{found[BRIER_OFF].mean:.1e}",
                )
            )
        columns = (
            "samples of each hospital",
            "studies",
            "share left out, printed rule",
            "printed curve off by, in parts of which samples are left out",
            "share left out here",
            "curve here off by, at most (mean)",
            f"parts here, of {PARTS}",
            "Brier score",
            "Brier score here off by (mean)",
        )
        return [ResultTable("Both rules against the pooled data", columns, tuple(rows))]

    def deviations(self, results: Results) -> Sequence[str]:
        return [
            "What is off here is the rounding to 6 decimals; merged parts have the exact rate of "
            "all samples in them, at the cost of fewer parts.",
            "Parts are closed below, as the paper prints them; its package closes them above and "
            "loses scores of 0 [ROC-GLM, erratum 6].",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        left, right = figure.subplots(1, 2)
        for panel, name, label in (
            (left, LEFT_OUT, "share of samples left out"),
            (right, PRINTED_OFF, "mean error of the rate where samples are left out"),
        ):
            found = [
                (float(each), one.tallies[name])
                for (_, each), one in results.items()
                if name in one.tallies
            ]
            with_errors(panel, found, colour="C3", label="printed rule", share=False)
            panel.axhline(0, color="C0", linewidth=1.2, label="here")
            panel.set(xscale="log", xlabel="samples of each of five hospitals", ylabel=label)
            ticks_at(panel, list(EACH))
        left.legend()


def rates(scores: Scores, labels: Labels, ends: Sequence[float]) -> NDArray[np.float64]:
    """The rate of positives of all samples in each part, closed below; the last holds both ends."""
    part = np.clip(np.searchsorted(ends, scores, side="right") - 1, 0, len(ends) - 2)
    count = np.bincount(part, minlength=len(ends) - 1)
    with np.errstate(invalid="ignore"):
        found: NDArray[np.float64] = np.bincount(part, labels, len(ends) - 1) / count
    return found


def _released(study: SimulatedStudy) -> tuple[list[tuple[float, float]], list[float], float]:
    """The parts that are left, the rate in each, and the Brier score."""
    curve, brier = (
        one.decode(words, OPTIONS.decimals)
        for one, words in zip(OPTIONS.statistics, study.plaintext_words(), strict=True)
    )
    assert isinstance(curve, Table)
    assert isinstance(brier, Scalar)
    rows = [[float(cell or "nan") for cell in row] for row in curve.rows]
    return [(row[0], row[1]) for row in rows], [row[3] for row in rows], float(str(brier))
