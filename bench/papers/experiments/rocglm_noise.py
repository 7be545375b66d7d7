"""[ROC-GLM, Figures 3, 5 and 6]: what the paper's noise on scores does to the AUC and its interval.

The noise protects nobody [ROC-GLM, erratum 5]; no study offers it (`gaussian_mechanism`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.papers.experiment import (
    ALSO_IN_PRIVATE,
    Cell,
    CellResult,
    Experiment,
    Planned,
    Results,
    ResultTable,
)
from ppaurora.bench.papers.experiments.rocglm_table import drawn, options
from ppaurora.bench.papers.gaussian_mechanism import insecure_as_printed
from ppaurora.bench.papers.laws import Doubles
from ppaurora.bench.papers.many_fits import above, fits, limits, rates_of, variance
from ppaurora.bench.papers.study import Labels, Scores, SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.release.values import Table

SENSITIVITIES = (0.01, 0.1, 0.2, 0.3, 0.4)
EPSILONS = (0.1, 0.5, 1.0, 5.0, 10.0)
DELTAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
NONE = 0.0
POINTS = 28
RUNS, FEW, FEWEST = 2000, 1000, 500
"""Data sets of a setting; fewer where Δ₂ is .3 or .4, and fewest where ε is also 1 or less."""
AT_ONCE = 500
BINS = 20
GROUPS = ((100, 500), (600, 1000), (1100, 1500), (1600, 2000), (2100, 2500))
"""Samples, in the groups of Figure 3."""
CELLS = 40
"""Of Figure 3, between .5 and 1."""
ENOUGH = 0.01
BLUE = (0.23, 0.44, 0.71)
TALL, GAP = 12, 4
"""Of a rectangle in Figures 5 and 6: its dots in height, and those between two in width."""
AUC_OFF, LIMITS_OFF = "AUC off", "limits off"
Setting = tuple[float, float, float]


def low_of(place: int) -> float:
    """The lower end of a bin of Table 1."""
    return round(0.5 + place / 40, 3)


class Noise(Experiment):
    """The error of the AUC and of its interval by bins of the AUC, with noise and without."""

    __slots__ = ()

    name: ClassVar[str] = "rocglm-noise"
    paper: ClassVar[str] = "ROC-GLM"
    what: ClassVar[str] = "Figures 3, 5 and 6"
    title: ClassVar[str] = "AUC and interval of the ROC-GLM from scores with noise"
    settings: ClassVar[str] = (
        "As printed: data as for Table 1, five values each of Δ₂, ε and δ, the analytic Gaussian "
        "mechanism; 2,000 data sets for each of the 125 settings, 500 to 1,000 for the two largest "
        "Δ₂ (printed: 10,000). Sites place "
        "their positives among the noisy negatives and their negatives among the noisy positives; "
        "the interval is around the AUC of the ROC-GLM. γ from U(0, 1) and 28 thresholds as for "
        "Table 1 [ROC-GLM, erratum 7]. Estimates are doubles; without noise they are held against "
        "those of this system."
    )
    printed: ClassVar[str] = (
        "Colours: blue where the mean error of a bin is at most .01. The text: ε = .1 is hardly "
        "ever enough, but for Δ₂ = .01 with large δ; Δ₂ = .1 with ε = .5 needs δ = .1, Δ₂ = .01 "
        "with ε = .5 is reliable down to δ = 10⁻⁵; Δ₂ = .3 needs ε = 10. What is acceptable for "
        "the AUC is in general so for the interval."
    )
    axes: ClassVar[tuple[str, ...]] = ("sensitivity", "epsilon", "delta")
    quick_runs: ClassVar[int] = 40
    quick_settings: ClassVar[Sequence[Setting]] = ((NONE, NONE, NONE), (0.1, 1.0, 0.01))
    small: ClassVar[Planned | None] = Planned((0.05, 2.0, 0.05), 100, 100)
    weight: ClassVar[float] = 1e-3

    def plan(self) -> Sequence[Planned]:
        noisy = [(s, e, d) for s in SENSITIVITIES for e in EPSILONS for d in DELTAS]
        planned = []
        for one in ((NONE, NONE, NONE), *noisy):
            runs = RUNS if one[0] < 0.3 else FEW if one[1] > 1 else FEWEST
            planned.append(Planned(one, runs, runs))
        return planned

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        sensitivity, epsilon, delta = (float(one) for one in cell.settings)
        found: list[Doubles] = []
        for first in range(0, cell.runs, AT_ONCE):
            many = min(AT_ONCE, cell.runs - first)
            found.append(batch(many, sensitivity, epsilon, delta, generator))
        n, auc, fitted, off_limits = np.concatenate(found, axis=1)
        tallies = {"fitted": Tally.of(np.isfinite(fitted).tolist())}
        for place in range(BINS):
            inside = (auc > low_of(place)) & (auc <= low_of(place + 1)) & np.isfinite(fitted)
            error = np.abs(auc - fitted)[inside]
            tallies[f"{AUC_OFF} {place}"] = Tally.of(error.round(8).tolist())
            ends = off_limits[inside & np.isfinite(off_limits)]
            tallies[f"{LIMITS_OFF} {place}"] = Tally.of(ends.round(8).tolist())
        points: dict[str, list[float]] = {}
        if not sensitivity:
            tallies[ALSO_IN_PRIVATE] = Tally.of([same_as_released(generator)])
            edges = np.linspace(0.5, 1, CELLS + 1)
            for low, high in GROUPS:
                group = (n >= low) & (n <= high)
                for name, values in (("empirical", auc), ("ROC-GLM", fitted)):
                    counts, _ = np.histogram(values[group & np.isfinite(values)], edges)
                    points[f"{name} {low}-{high}"] = counts.astype(float).tolist()
        return CellResult(tallies, points)

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        tables = []
        for figure, name in (("5", AUC_OFF), ("6", LIMITS_OFF)):
            what = "|ΔAUC|" if name == AUC_OFF else "Δci"
            rows = tuple(
                (
                    f"{s:g}",
                    f"{d:g}",
                    *(
                        _told(results[s, e, d], name) if (s, e, d) in results else ""
                        for e in EPSILONS
                    ),
                )
                for s in SENSITIVITIES
                for d in DELTAS
                if any((s, e, d) in results for e in EPSILONS)
            )
            caption = (
                f"Figure {figure}: mean {what} over the bins ± its largest simulation error, and "
                f"in how many of the {BINS} bins it is at most .01"
            )
            columns = ("Δ₂", "δ", *(f"ε = {e:g}" for e in EPSILONS))
            tables.append(ResultTable(caption, columns, rows))
        if (NONE, NONE, NONE) in results:
            found = results[NONE, NONE, NONE]
            rows = tuple(
                (
                    f"{low_of(place):g} to {low_of(place + 1):g}",
                    *(_with_error(found[f"{name} {place}"]) for name in (AUC_OFF, LIMITS_OFF)),
                    f"{found[f'{AUC_OFF} {place}'].runs:,}",
                )
                for place in range(BINS)
                if found[f"{AUC_OFF} {place}"].runs
            )
            tables.append(
                ResultTable(
                    "Without noise: what the ROC-GLM alone is off by",
                    ("AUC in", "mean size of ΔAUC", "mean Δci", "data sets"),
                    rows,
                )
            )
        return tables

    def deviations(self, results: Results) -> Sequence[str]:
        told = []
        claims: tuple[tuple[str, Setting, bool], ...] = (
            ("Δ₂ = .1, ε = .5, δ = .1", (0.1, 0.5, 0.1), True),
            ("Δ₂ = .1, ε = .5, δ = .01", (0.1, 0.5, 0.01), False),
            ("Δ₂ = .01, ε = .5, δ = 10⁻⁵", (0.01, 0.5, 1e-5), True),
            ("Δ₂ = .3, ε = 10, δ = 10⁻⁵", (0.3, 10.0, 1e-5), True),
            ("Δ₂ = .3, ε = 5, δ = 10⁻⁵", (0.3, 5.0, 1e-5), False),
        )
        for text, one, reliable in claims:
            if one in results:
                printed = "reliable" if reliable else "not reliable"
                told.append(
                    f"{text} (printed: {printed}): the mean |ΔAUC| is at most .01 in "
                    f"{_enough(results[one], AUC_OFF)} of {BINS} bins, the mean Δci in "
                    f"{_enough(results[one], LIMITS_OFF)}."
                )
        return [
            *told,
            "Where a setting is reliable in print and not here, the order of the settings is the "
            "same and the step is one of δ or ε; the print has colours alone, so that the reason "
            "cannot be looked for.",
            "The bins above .925 exceed .01, or come near it, without any noise: that is the bias "
            "of the ROC-GLM of Table 1. Δci adds the distances of both ends, so it is about twice "
            "the error of the AUC, and small data sets weigh more in it. Bins are those of the "
            "AUC of the data; data sets without a finite fit are left out.",
            "Where few data sets have a finite fit, noise is so wide that all positives are placed "
            "at 0 or 1. These settings are of no use either way.",
            "Scores lie in [0, 1]: where the noise is wider than that, it alone is fitted and the "
            "AUC of the ROC-GLM is near 1/2; the error then grows with the AUC.",
            "The paper deals the scores out to five sites; that changes nothing, since each score "
            "gets noise of its own.",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        figure.set_size_inches(7.2, 10.2)
        grid = figure.add_gridspec(3, 5, height_ratios=(0.62, 1, 1))
        self._densities(figure, grid, results)
        for row, number, name in ((1, "5", AUC_OFF), (2, "6", LIMITS_OFF)):
            for column, s in enumerate(SENSITIVITIES):
                panel = figure.add_subplot(grid[row, column])
                panel.imshow(
                    _image(results, s, name),
                    aspect="auto",
                    interpolation="nearest",
                    origin="lower",
                    extent=(-0.5, 4.5, -0.5, 4.5),
                )
                panel.set_title(f"Δ₂ = {s:g}", fontsize=8)
                panel.set_xticks(range(5), [f"{e:g}" for e in EPSILONS], rotation=60)
                names = [f"$10^{{{-5 + k}}}$" if column == 0 else "" for k in range(5)]
                panel.set_yticks(range(5), names)
                panel.set(xlabel="ε", xlim=(-0.5, 4.5), ylim=(-0.5, 4.5))
                panel.set_ylabel(f"Figure {number}: δ" if column == 0 else "")
                panel.grid(visible=False)
        figure.supxlabel(
            "Figures 5 and 6: in each rectangle the AUC goes from .5 (left) to 1 in bins of .025; "
            "blue: mean error at most .01; darker red: larger; white: no finite fit",
            fontsize="small",
        )

    def _densities(self, figure: Any, grid: Any, results: Results) -> None:
        found = results.get((NONE, NONE, NONE))
        middles = 0.5 + (np.arange(CELLS // 2) + 0.5) / CELLS
        first = None
        for column, (low, high) in enumerate(GROUPS):
            panel = figure.add_subplot(grid[0, column], sharey=first)
            first = first or panel
            for name, colour, line in (("empirical", "0.2", "-"), ("ROC-GLM", "C0", "--")):
                if found is not None:
                    cells = np.array(found.points[f"{name} {low}-{high}"])
                    counts = cells.reshape(-1, 2).sum(axis=1)
                    density = counts / max(1.0, counts.sum()) * CELLS
                    panel.step(middles, density, line, where="mid", color=colour, label=name)
            panel.set_title(f"   n {low:,}-{high:,}", fontsize=7)
            panel.set(xlabel="AUC", xlim=(0.5, 1))
            panel.set_ylabel("Figure 3: density" if column == 0 else "")
            panel.tick_params(labelleft=column == 0)
            if column == 0 and found is not None:
                panel.legend(fontsize="xx-small", loc="lower center")


def batch(
    many: int, sensitivity: float, epsilon: float, delta: float, generator: np.random.Generator
) -> Doubles:
    """Samples, AUC, AUC of the ROC-GLM and Δci of so many data sets, as rows."""
    rates, plain, noisy = [], [], []
    for _ in range(many):
        scores, labels = drawn(generator)
        sent = scores
        if sensitivity:
            sent = insecure_as_printed(
                scores,
                sensitivity=sensitivity,
                epsilon=epsilon,
                delta=delta,
                generator=generator,
            )
        S0, S1 = placed(scores, labels, scores)
        plain.append((labels.size, S1.mean(), variance(S1, S0)))
        if sensitivity:
            S0, S1 = placed(scores, labels, sent)
        rates.append(rates_of(S0, POINTS))
        noisy.append(variance(S1, S0))
    n, auc, var = np.array(plain).T
    fitted = fits(np.array(rates)).auc
    (low, high), (low_sent, high_sent) = limits(auc, var), limits(fitted, np.array(noisy))
    return np.stack([n, auc, fitted, np.abs(low - low_sent) + np.abs(high - high_sent)])


def placed(scores: Scores, labels: Labels, sent: Scores) -> tuple[Doubles, Doubles]:
    """Placement values of the positives among the sent negatives, and the other way round."""
    negative, positive = labels == 0, labels == 1
    S0 = above(np.sort(sent[negative]), scores[positive])
    S1 = above(np.sort(sent[positive]), scores[negative])
    return S0, S1


def same_as_released(generator: np.random.Generator) -> bool:
    """True where three parties release AUC and γ of a small data set as they are here."""
    scores, labels = drawn(generator, (0.3, 0.6))
    scores, labels = scores[:200], labels[:200]
    study = SimulatedStudy(options(POINTS), scores, labels)
    agrees = study.agrees()
    S0, _ = placed(scores, labels, scores)
    here = fits(rates_of(S0, POINTS)[None])
    [_, glm] = study.options.statistics
    table = glm.decode(study.plaintext_words()[1], 8)
    assert isinstance(table, Table)
    [row] = table.rows
    expected = [float(here.gamma1[0]), float(here.gamma2[0]), float(here.auc[0])]
    if max(abs(float(str(a)) - b) for a, b in zip(row, expected, strict=True)) > 1e-6:
        raise RunFailed("the ROC-GLM of the simulation is another one than the system's")
    return agrees


def _with_error(tally: Tally) -> str:
    return f"{tally.mean:.4f} ± {tally.error:.4f}"


def _bins(found: CellResult, name: str) -> list[Tally]:
    tallies = (found[f"{name} {place}"] for place in range(BINS))
    return [one for one in tallies if one.runs > 1]


def _enough(found: CellResult, name: str) -> int:
    return sum(one.mean <= ENOUGH for one in _bins(found, name))


def _told(found: CellResult, name: str) -> str:
    bins = _bins(found, name)
    if not bins:
        return ""
    mean = sum(one.mean for one in bins) / len(bins)
    return f"{mean:.4f} ± {max(one.error for one in bins):.4f}; {_enough(found, name)}"


def _image(results: Results, sensitivity: float, name: str) -> Doubles:
    """A rectangle of twenty strips for each ε and δ, the least δ below."""
    image = np.ones((len(DELTAS) * TALL, len(EPSILONS) * (BINS + GAP), 3))
    for i, e in enumerate(EPSILONS):
        for k, d in enumerate(DELTAS):
            found = results.get((sensitivity, e, d))
            for place in range(BINS if found is not None else 0):
                assert found is not None
                tally = found[f"{name} {place}"]
                if tally.runs:
                    much = min(1.0, max(0.0, (tally.mean - ENOUGH) / 0.2))
                    red = (0.95 - 0.35 * much, 0.62 * (1 - much), 0.55 * (1 - much))
                    colour = BLUE if tally.mean <= ENOUGH else red
                    column = i * (BINS + GAP) + GAP // 2 + place
                    image[k * TALL + 1 : (k + 1) * TALL - 1, column] = colour
    return image
