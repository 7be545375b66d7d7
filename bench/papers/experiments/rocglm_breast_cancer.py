"""[ROC-GLM, "Data analysis", Figures 7 to 9]: the survival of 686 women, a forest, five sites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.papers.data_sets import COVARIATES, SurvivalData, breast_cancer
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
from ppaurora.bench.papers.experiments.rocglm_calibration import PARTS, SITES, as_printed, rates
from ppaurora.bench.papers.experiments.rocglm_noise import placed
from ppaurora.bench.papers.gaussian_mechanism import insecure_as_printed
from ppaurora.bench.papers.laws import Doubles
from ppaurora.bench.papers.many_fits import fits, limits, rates_of, special, variance
from ppaurora.bench.papers.study import Labels, Scores, SimulatedStudy
from ppaurora.bench.papers.survival_forest import grown, survival
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options

DATA, SYNTHETIC = "GBSG2", "synthetic"
HORIZON, TRAINED, LEAST = 730.0, 412, 5
SENSITIVITY, EPSILON, DELTA = 0.178, 5.0, 0.01
POINTS = 28
FLOOR = 0.6
PRINTED = {
    "women": (250.0,),
    "γ1": (0.79,),
    "γ2": (1.16,),
    "AUC of the ROC-GLM": (0.697,),
    "its lower limit": (0.615,),
    "its upper limit": (0.769,),
    "AUC": (0.679,),
    "lower limit": (0.598,),
    "upper limit": (0.751,),
    "Brier score": (0.184,),
}
PRINTED_GAP = 0.018
SHOWN = (*PRINTED, "γ1 without noise", "γ2 without noise", "AUC of the ROC-GLM without noise")
GROUPS = ("without therapy", "with therapy")
RANKED = Options(
    metrics=(
        "auroc",
        "auroc_ci:method=logit",
        f"auroc_above:than={FLOOR},alpha=0.05",
        f"rocglm:points={POINTS}",
    ),
    decimals=6,
)
SUMMED = Options(metrics=(f"calibration:bins={PARTS}", "brier"), decimals=6, least_cell=LEAST)
HIDDEN = -1.0
"""A part of a curve that is not told."""
RATES: Doubles = np.linspace(0.005, 0.995, 100)


def synthetic(generator: np.random.Generator) -> SurvivalData:
    """Women that there never were, for a test: the data need a package."""
    x = generator.normal(size=(686, len(COVARIATES)))
    x[:, 0] = generator.random(686) < 0.36
    days = generator.exponential(2400 * np.exp(0.4 * x[:, 1] - 0.4 * x[:, 2]))
    followed = generator.uniform(300, 2600, 686)
    ends = np.minimum(days, followed).round()
    return SurvivalData(x.round(3), ends, (days <= followed).astype(np.int64))


def validated(data: SurvivalData, generator: np.random.Generator) -> tuple[Scores, Labels, Doubles]:
    """Chances of survival of the women not trained on, who is alive, and the therapy.

    Women censored before two years are left out, as printed.
    """
    order = generator.permutation(data.days.size)
    forest = grown(data[order[:TRAINED]], HORIZON, generator)
    left = data[order[TRAINED:]]
    known = np.flatnonzero((left.days > HORIZON) | (left.event == 1))
    chosen = left[known]
    scores = survival(forest, chosen.x)
    return scores.round(6), (chosen.days > HORIZON).astype(np.int64), chosen.x[:, 0]


class BreastCancer(Experiment):
    """The printed analysis, for a hundred splits of the women into training and validation."""

    __slots__ = ()

    name: ClassVar[str] = "rocglm-breast-cancer"
    paper: ClassVar[str] = "ROC-GLM"
    what: ClassVar[str] = "Data analysis, Figures 7 to 9"
    title: ClassVar[str] = "A survival forest for 686 women, validated at five sites"
    settings: ClassVar[str] = (
        "The authors' data, from the package lifelines (`pip install --no-deps lifelines`). As "
        "printed: 412 women train a random survival forest of 20 trees with ranger's defaults, "
        "the others validate the chance to live two years without recurrence; women censored "
        "before are left out; five sites, noise for Δ₂ = .178, ε = 5, δ = .01, test of AUC > .6. "
        "The forest is grown here (`bench/papers/survival_forest.py`). Neither the split nor R's "
        "random numbers are printed: 100 splits, each with its forest; figures b to d show the "
        "first."
    )
    printed: ClassVar[str] = (
        "γ = (.79, 1.16), AUC .697 with [.615, .769]; pooled .679 with [.598, .751]; Brier score "
        ".184; AUC > .6 accepted by the distributed interval, not by the pooled one."
    )
    axes: ClassVar[tuple[str, ...]] = ("data", "women")
    quick_runs: ClassVar[int] = 1
    quick_settings: ClassVar[Sequence[Settings]] = ((SYNTHETIC, 686),)
    small: ClassVar[Planned | None] = Planned((SYNTHETIC, 686), 1)
    weight: ClassVar[float] = 2.5

    def plan(self) -> Sequence[Planned]:
        return [Planned((DATA, 686), 100, 10)]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        data = breast_cancer() if cell.settings[0] == DATA else synthetic(generator)
        points: dict[str, list[float]] = {name: [] for name in SHOWN}
        tallies: dict[str, Tally] = {}
        for number in range(cell.runs):
            scores, labels, therapy = validated(data, generator)
            found = analysed(scores, labels, generator)
            for name in SHOWN:
                points[name].append(round(found[name], 6))
            for place, group in enumerate(GROUPS):
                gamma = covariate_fit(scores, labels, therapy)
                points.setdefault(f"γ1, {group}", []).append(round(gamma[place], 5))
            points.setdefault("γ2, both", []).append(round(gamma[2], 5))
            if cell.part == 0 and number == 0:
                tallies[ALSO_IN_PRIVATE] = Tally.of(
                    SimulatedStudy(options, scores, labels, owners=SITES).agrees()
                    for options in (RANKED, SUMMED)
                )
                points |= _first(scores, labels)
        return CellResult(tallies, points)

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        [found] = results.values()
        rows = []
        for name in SHOWN:
            values = np.array(found.points[name])
            [printed] = PRINTED.get(name, (float("nan"),))
            below = f"{(values < printed).mean():.0%}" if name in PRINTED else ""
            digits = 0 if name == "women" else 3
            low, middle, high = np.quantile(values, (0.025, 0.5, 0.975))
            rows.append(
                (
                    name,
                    *(f"{one:.{digits}f}" for one in (middle, low, high, values[0])),
                    f"{printed:.{digits}f}" if name in PRINTED else "",
                    below,
                )
            )
        splits = len(found.points["AUC"])
        accepted = [
            np.mean(np.array(found.points[name]) > FLOOR)
            for name in ("its lower limit", "lower limit")
        ]
        above = ResultTable(
            "The test of AUC > .6 by the printed rule, the lower limit of a 95% interval",
            ("interval", "accepted in (share of splits)", "printed"),
            (
                ("distributed, with noise", f"{accepted[0]:.2f}", "accepted"),
                ("pooled", f"{accepted[1]:.2f}", "not accepted"),
            ),
        )
        groups = ResultTable(
            "A ROC-GLM with the hormonal therapy as covariate: one slope, an intercept for each",
            ("parameter", "median of the splits", "2.5%", "97.5%"),
            tuple(
                (name, *(f"{q:.3f}" for q in np.quantile(found.points[name], (0.5, 0.025, 0.975))))
                for name in (*(f"γ1, {group}" for group in GROUPS), "γ2, both")
            ),
        )
        columns = ("number", "median", "2.5%", "97.5%", "first split", "printed", "splits below it")
        caption = f"The data analysis over {splits} splits"
        return [ResultTable(caption, columns, tuple(rows)), above, groups]

    def deviations(self, results: Results) -> Sequence[str]:
        [found] = results.values()
        off = np.array(found.points["AUC of the ROC-GLM"]) - np.array(found.points["AUC"])
        higher = float((off >= PRINTED_GAP).mean())
        return [
            "Every printed number lies inside of what the splits give (last column), and the split "
            "moves each about as much as its interval is wide: a simulation error that the print "
            "does not have. The noise lowers the AUC of the ROC-GLM, since it mixes the classes; "
            "it is above the pooled AUC by the printed .018 or more in "
            f"{higher:.0%} of the splits.",
            "The paper names [0, .1], (.1, .2] and (.2, .3] as the parts with all samples; chances "
            "to live two years are hardly ever that low. Figures 8 and 9 therefore show the chance "
            "of the event, one minus it, of which most are as low as that.",
            "The paper only mentions covariates in its ROC-GLM; here the simplest is fitted in "
            "the clear, by the same regression. A study gets the curve of each group instead: "
            "`rocglm` with `groups`.",
            "The noise protects nobody [ROC-GLM, erratum 5]: no study offers it, and this system "
            "computes from the scores themselves, so its own numbers are those without noise.",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        [found] = results.values()
        figure.set_size_inches(7.2, 6.6)
        (seven, nine), (eight, pooled) = figure.subplots(2, 2)
        x = special().ndtri(RATES)
        pairs = zip(found.points["γ1"], found.points["γ2"], strict=True)
        curves = np.array([special().ndtr(g1 + g2 * x) for g1, g2 in pairs])
        low, middle, high = np.quantile(curves, (0.025, 0.5, 0.975), axis=0)
        seven.fill_between(RATES, low, high, color="C0", alpha=0.2, linewidth=0)
        seven.plot(RATES, middle, color="C0", label="median and 95% of the splits")
        seven.plot(RATES, special().ndtr(0.79 + 1.16 * x), "--", color="0.1", label="printed γ")
        seven.set_title("Figure 7", fontsize=8)
        nine.plot(found.points["fpr"], found.points["tpr"], color="C3", linewidth=1, label="pooled")
        g1, g2 = found.points["γ1"][0], found.points["γ2"][0]
        nine.plot(RATES, special().ndtr(g1 + g2 * x), color="0.1", label="ROC-GLM, with noise")
        nine.set_title("Figure 9, left", fontsize=8)
        for panel in (seven, nine):
            panel.plot((0, 1), (0, 1), color="0.6", linewidth=0.8)
            panel.set(xlabel="false positive rate", ylabel="true positive rate")
            panel.legend(loc="lower right", fontsize="small")
        middles = (np.arange(PARTS) + 0.5) / PARTS
        for site in range(SITES):
            label = "each site, parts with at least 5" if not site else None
            _curve(eight, middles, found.points[f"site {site}"], "0.6", 0.8, label)
        _curve(eight, middles, found.points["distributed"], "0.1", 2, "distributed, printed rule")
        eight.set_title("Figure 8", fontsize=8)
        _curve(pooled, middles, found.points["distributed"], "0.1", 2, "distributed, printed rule")
        _curve(pooled, middles, found.points["pooled"], "C3", 1, "pooled")
        pooled.set_title("Figure 9, right", fontsize=8)
        for panel in (eight, pooled):
            panel.plot((0, 1), (0, 1), color="0.6", linewidth=0.8)
            panel.set(xlabel="chance of the event, predicted", ylabel="observed", xlim=(0, 1))
            panel.set_ylim(0, 1.02)
            panel.legend(loc="upper left", fontsize="small")


def analysed(scores: Scores, labels: Labels, generator: np.random.Generator) -> dict[str, float]:
    """The printed analysis with noise, and this system's numbers without it."""
    sent = insecure_as_printed(
        scores, sensitivity=SENSITIVITY, epsilon=EPSILON, delta=DELTA, generator=generator
    )
    positives, negatives = scores[labels == 1], scores[labels == 0]
    exact = (positives[:, None] > negatives).mean(axis=1) + (positives[:, None] == negatives).mean(
        axis=1
    ) / 2
    placed_low = (positives[:, None] > negatives).mean(axis=0) + (
        positives[:, None] == negatives
    ).mean(axis=0) / 2
    auc = float(exact.mean())
    low, high = limits(np.array(auc), np.array(variance(placed_low, 1 - exact)))
    S0, S1 = placed(scores, labels, sent)
    plain, _ = placed(scores, labels, scores)
    both = fits(np.stack([rates_of(S0, POINTS), rates_of(plain, POINTS)]))
    glm = float(both.auc[0])
    glm_low, glm_high = limits(np.array(glm), np.array(variance(S1, S0)))
    return {
        "women": float(labels.size),
        "γ1": float(both.gamma1[0]),
        "γ2": float(both.gamma2[0]),
        "AUC of the ROC-GLM": glm,
        "its lower limit": float(glm_low),
        "its upper limit": float(glm_high),
        "AUC": auc,
        "lower limit": float(low),
        "upper limit": float(high),
        "Brier score": float(((labels - scores) ** 2).mean()),
        "γ1 without noise": float(both.gamma1[1]),
        "γ2 without noise": float(both.gamma2[1]),
        "AUC of the ROC-GLM without noise": float(both.auc[1]),
    }


def covariate_fit(scores: Scores, labels: Labels, group: Doubles) -> tuple[float, float, float]:
    """(intercept of group 0, of group 1, slope) of Φ(γ_g + γ2·Φ⁻¹(t)), by Fisher scoring.

    The positives of either group are placed among all negatives. With one group it is `fits`.
    """
    tools = special()
    x = tools.ndtri(np.arange(1, POINTS + 1) / (POINTS + 1))
    S0, _ = placed(scores, labels, scores)
    of = group[labels == 1]
    parts = [(k, S0[of == k]) for k in (0, 1) if (of == k).any()]
    c = np.concatenate([rates_of(S, POINTS) for _, S in parts])
    weight = np.concatenate([np.full(POINTS, float(S.size)) for _, S in parts])
    h = np.concatenate(
        [np.stack([np.full(POINTS, k == 0), np.full(POINTS, k == 1), x]) for k, _ in parts], axis=1
    ).astype(float)
    gamma = np.array([0.0, 0.0, 1.0])
    for _ in range(25):
        eta = gamma @ h
        density = np.exp(-eta * eta / 2) / np.sqrt(2 * np.pi)
        below = np.clip(tools.ndtr(eta), 1e-12, 1 - 1e-12)
        a = weight * density / (below * (1 - below))
        step = np.linalg.lstsq((h * (a * density)) @ h.T, h @ (a * (c - below)), rcond=None)[0]
        gamma = gamma + step
        if np.abs(step).max() < 1e-9:
            break
    return float(gamma[0]), float(gamma[1]), float(gamma[2])


def _first(scores: Scores, labels: Labels) -> dict[str, list[float]]:
    """The curves of one split; those of calibration are of the event."""
    order = np.argsort(-scores, kind="stable")
    y, last = labels[order], np.append(np.diff(scores[order]) != 0, True)
    risk, event = 1 - scores, 1 - labels
    printed, _ = as_printed(risk, event)
    found = {
        "fpr": [0.0, *((np.cumsum(1 - y) / (1 - y).sum())[last]).round(5).tolist()],
        "tpr": [0.0, *((np.cumsum(y) / y.sum())[last]).round(5).tolist()],
        "distributed": np.nan_to_num(printed, nan=HIDDEN).round(6).tolist(),
        "pooled": np.nan_to_num(
            rates(risk, event, [part / PARTS for part in range(PARTS + 1)]), nan=HIDDEN
        ).tolist(),
    }
    for site in range(SITES):
        own = slice(site, None, SITES)
        part = np.minimum((risk[own] * PARTS).astype(int), PARTS - 1)
        count = np.bincount(part, minlength=PARTS)
        with np.errstate(invalid="ignore"):
            rate = np.bincount(part, event[own], PARTS) / count
        found[f"site {site}"] = np.where(count >= LEAST, rate, HIDDEN).round(6).tolist()
    return found


def _curve(
    panel: Any, x: Doubles, y: Sequence[float], colour: str, width: float, label: str | None
) -> None:
    heights = np.array(y, float)
    shown = heights > HIDDEN
    panel.plot(
        x[shown], heights[shown], ".-", color=colour, linewidth=width, markersize=4, label=label
    )
