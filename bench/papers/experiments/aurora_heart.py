"""[ppAURORA, section 7 and Figure 1]: AUROC and AUPR of heart disease, by number of samples."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.errors import ToolAbsent
from ppaurora.bench.papers.data_sets import heart_disease
from ppaurora.bench.papers.drawing import ticks_at
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
from ppaurora.bench.papers.laws import Doubles
from ppaurora.bench.papers.study import Labels, SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.protocols.options import Options

DATA, SYNTHETIC = "UCI heart", "synthetic"
TESTED, DECIMALS, FOLDS = 54, 6, 5
METRICS = ("auroc", "aupr")
PRINTED = {"auroc": 0.927, "aupr": 0.893}
SAMPLES = (10, 20, 40, 80, 150, 250)
OPTIONS = Options(metrics=METRICS, decimals=DECIMALS, range=("any",), least_cell=1)


def chances(x: Doubles, y: Labels, rows: Any) -> Doubles:
    """The chance of each patient by a logistic regression on the others' rows."""
    try:
        linear, pipeline, scaling = (
            import_module(f"sklearn.{name}")
            for name in ("linear_model", "pipeline", "preprocessing")
        )
    except ImportError:
        raise ToolAbsent(
            "this experiment needs scikit-learn", advice="Install it with: pip install scikit-learn"
        ) from None
    model = pipeline.make_pipeline(
        scaling.StandardScaler(), linear.LogisticRegression(max_iter=1000)
    )
    found: Doubles = model.fit(x[rows], y[rows]).predict_proba(x)[:, 1]
    return found.round(6)


class Heart(Experiment):
    """Both areas for test sets as large as the paper's, and the AUROC of smaller ones."""

    __slots__ = ()

    name: ClassVar[str] = "aurora-heart"
    paper: ClassVar[str] = "ppAURORA"
    what: ClassVar[str] = "Correctness of section 7, Figure 1"
    title: ClassVar[str] = "AUROC and AUPR of heart disease, and how few samples scatter"
    settings: ClassVar[str] = (
        "The authors' data, UCI Heart Disease (303 patients), from the package orange3 (`pip "
        "install --no-deps orange3`). As printed: 54 test samples. Neither split nor model are "
        "printed: here 200 splits and a logistic regression on the other 249. Figure 1: samples "
        "at random of all patients, each with the chance that five-fold models give it, 400 "
        "draws for each number. The DREAM data of section 7 and perhaps of Figure 1 need an "
        "account at Synapse (syn2700200, syn2501858); tests have synthetic data of their shape."
    )
    printed: ClassVar[str] = (
        "UCI heart: AUROC .927, AUPR .893, by the protocol as in the clear; DREAM AML .693 and "
        ".844. Figure 1 has no numbers: the fewer samples, the more the AUROC varies."
    )
    axes: ClassVar[tuple[str, ...]] = ("data", "test samples")
    quick_runs: ClassVar[int] = 2
    quick_settings: ClassVar[Sequence[Settings]] = ((SYNTHETIC, TESTED), (SYNTHETIC, 20))
    small: ClassVar[Planned | None] = Planned((SYNTHETIC, TESTED), 2)
    weight: ClassVar[float] = 0.02

    def plan(self) -> Sequence[Planned]:
        few = [Planned((DATA, n), 400, 400, 0.3) for n in SAMPLES]
        return [Planned((DATA, TESTED), 200, 200), *few]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        data, n = str(cell.settings[0]), int(cell.settings[1])
        x, y = heart_disease() if data == DATA else synthetic(generator)
        pooled = np.zeros(y.size)
        if n != TESTED:
            fold = generator.permutation(y.size) % FOLDS
            for k in range(FOLDS):
                pooled[fold == k] = chances(x, y, fold != k)[fold == k]
        values: dict[str, list[float]] = {metric: [] for metric in METRICS}
        agreed = []
        for number in range(cell.runs):
            scores, labels = pooled, y
            order = generator.permutation(y.size)
            tested = order[:n]
            if n == TESTED:
                scores = chances(x, y, order[n:])
            if labels[tested].min() == labels[tested].max():
                continue
            study = SimulatedStudy(OPTIONS, scores[tested], labels[tested])
            for metric, words in zip(METRICS, study.plaintext_words(), strict=True):
                values[metric].append(words[0] / 10**DECIMALS)
            if number < 2:
                agreed.append(study.agrees())
        return CellResult({ALSO_IN_PRIVATE: Tally.of(agreed)}, values)

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        rows, figure = [], []
        for (data, n), found in results.items():
            for metric in METRICS:
                values = np.array(found.points[metric])
                low, middle, high = np.quantile(values, (0.025, 0.5, 0.975))
                told = (f"{middle:.3f}", f"{low:.3f}", f"{high:.3f}", f"{values.size}")
                if n == TESTED:
                    below = f"{(values < PRINTED[metric]).mean():.0%}"
                    rows.append((f"{data}", metric, *told, f"{PRINTED[metric]}"[1:], below))
                elif metric == METRICS[0]:
                    figure.append((f"{n}", *told, f"{values.std(ddof=1):.3f}"))
        columns = ("median", "2.5%", "97.5%", "splits")
        tables = [
            ResultTable(
                f"{TESTED} test samples",
                ("data", "metric", *columns, "printed", "splits below it"),
                tuple(rows),
            )
        ]
        if figure:
            tables.append(
                ResultTable(
                    "Figure 1: the AUROC of so many samples at random",
                    ("samples", *columns[:3], "draws", "standard deviation"),
                    tuple(figure),
                )
            )
        return tables

    def deviations(self, results: Results) -> Sequence[str]:
        return [
            "The printed areas lie inside of what the split of the patients does to them. The "
            "claim itself, that the protocol gives the number of the clear, is tested by each "
            "study of this page that three parties compute as well.",
            "Draws in which all samples are of one class have no AUROC and are left out.",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(2, 1), sharey=True)
        shown = {n: found.points["auroc"] for (_, n), found in results.items() if n != TESTED}
        left.boxplot(list(shown.values()), whis=(2.5, 97.5), showfliers=False)
        ticks_at(left, range(1, len(shown) + 1), names=[f"{n}" for n in shown])
        left.set(xlabel="test samples, at random of all patients", ylabel="AUROC or AUPR")
        left.set_title("Figure 1: AUROC", fontsize=8)
        tested = [found.points for (_, n), found in results.items() if n == TESTED]
        for place, metric in enumerate(METRICS, start=1):
            right.boxplot(
                [one[metric] for one in tested],
                positions=[place],
                whis=(2.5, 97.5),
                showfliers=False,
                widths=0.4,
            )
            label = "printed" if place == 1 else None
            right.plot([place], [PRINTED[metric]], "D", color="C3", markersize=4, label=label)
        ticks_at(right, (1, 2), names=["AUROC", "AUPR"])
        right.legend(fontsize="small")
        right.set(xlabel=f"{TESTED} test samples")
        right.set_title("Section 7", fontsize=8)
        figure.supxlabel("boxes: quartiles; whiskers: 95% of the splits", fontsize="small")


def synthetic(generator: np.random.Generator) -> tuple[Doubles, Labels]:
    """Patients that there never were, for a test: the data need a package."""
    x = generator.normal(size=(303, 13)).round(6)
    odds = x[:, 0] + x[:, 1] - 0.2
    return x, (generator.random(303) < 1 / (1 + np.exp(-odds))).astype(np.int64)
