"""[Folds, Figure 2]: accuracies against boosting iterations, and against the duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ppaurora.bench.papers.drawing import ends_named, ticks_at, with_errors
from ppaurora.bench.papers.duplicates import (
    DUPLICATES,
    ORTHOGONAL_SEED,
    RECORDS,
    SMALL_DUPLICATES,
    SMALL_ITERATIONS,
    SMALL_RECORDS,
    World,
    accuracy,
    agrees_in_private,
    cross_validated,
    gathered,
    iterations_of,
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
from ppaurora.bench.papers.tally import Tally

AT = (1, 5, 10, 25, 50, 100, 150, 200)
SMALL_AT = (1, SMALL_ITERATIONS)
STRATEGIES = {"unbiased": "C2", "random": "C3", "by x1": "C0"}
COUNTS = (0, 1000, DUPLICATES, 4000)


class Iterations(Experiment):
    """Three fold-partitioning strategies."""

    __slots__ = ()

    name: ClassVar[str] = "folds-iterations"
    paper: ClassVar[str] = "Folds"
    what: ClassVar[str] = "Figure 2"
    title: ClassVar[str] = "Accuracy against boosting iterations and duplicates"
    settings: ClassVar[str] = (
        "As printed: 10,000 records in 5 hospitals, 2,000 duplicates, 10 covariates with the "
        "eigenvalues 1.0 to 2.8, trees of depth 3, learning rate .6, 200 iterations, 5 folds. "
        "Scikit-learn's histogram boosting, with XGBoost's L2 penalty of 1, stands for XGBoost; "
        "the paper's random orthogonal matrix is not printed, here it is that of seed "
        f"{ORTHOGONAL_SEED}. Also with 0, 1,000 and 4,000 duplicates, which the paper does not "
        "have. 6 simulations (printed: 1)."
    )
    printed: ClassVar[str] = (
        "Curves without numbers. The text: unbiased accuracy rises for 50 iterations and then "
        "saturates below the optimal .88; with duplicates and random folds it rises throughout; "
        "by x1 it stays close to the unbiased one, with a small pessimistic bias. About 47% of "
        "the outcomes are positive."
    )
    axes: ClassVar[tuple[str, ...]] = ("duplicates", "records")
    quick_runs: ClassVar[int] = 1
    quick_settings: ClassVar[Sequence[Settings]] = ((SMALL_DUPLICATES, SMALL_RECORDS),)
    small: ClassVar[Planned | None] = Planned((SMALL_DUPLICATES, SMALL_RECORDS))
    weight: ClassVar[float] = 6.0

    def plan(self) -> Sequence[Planned]:
        return [Planned((count, RECORDS), 6) for count in COUNTS]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        world = World.drawn(np.random.default_rng(ORTHOGONAL_SEED))
        duplicates, records = int(cell.settings[0]), int(cell.settings[1])
        values: dict[str, list[float]] = {}
        for number in range(cell.runs):
            plain = gathered(world, generator, records)
            data = plain.with_duplicates(duplicates, generator)
            folds = {
                "unbiased": (plain, plain.folds_at_random(generator)),
                "random": (data, data.folds_at_random(generator)),
                "by x1": (data, data.folds_by(0)),
            }
            for strategy, (own, of) in folds.items():
                for name, reached in learning(own, of, at=shown_at(records)).items():
                    values.setdefault(f"{strategy} {name}", []).append(reached)
            values.setdefault("positive", []).append(float(plain.y.mean()))
            values.setdefault("best", []).append(world.best_accuracy(generator))
            if cell.part == 0 and number == 0:
                values[ALSO_IN_PRIVATE] = [
                    agrees_in_private(*folds["random"], iterations_of(records))
                ]
        return CellResult({name: Tally.of(listed) for name, listed in values.items()})

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        sheets = []
        for (count, records), found in results.items():
            if records == RECORDS and count != DUPLICATES:
                continue
            rows = tuple(
                (
                    f"{iteration}",
                    *(
                        f"{found[f'{strategy} {which} {iteration}'].mean:.4f}"
                        for which in ("training", "validation")
                        for strategy in STRATEGIES
                    ),
                    f"{_largest_error(found, iteration):.4f}",
                )
                for iteration in shown_at(int(records))
            )
            columns = (
                "iterations",
                *(
                    f"{which}, {name}"
                    for which in ("training", "validation")
                    for name in STRATEGIES
                ),
                "simulation error, at most",
            )
            caption = f"Figure 2: accuracies with {count:,} duplicates"
            sheets.append(ResultTable(caption, columns, rows))
        last = _last(results)
        rows = tuple(
            (
                f"{count:,}",
                *(f"{found[f'{strategy} validation {last}'].mean:.4f}" for strategy in STRATEGIES),
                f"{_largest_error(found, last):.4f}",
                f"{found['best'].mean:.3f}",
                f"{found['positive'].mean:.3f}",
            )
            for (count, _), found in results.items()
        )
        columns = (
            "duplicates",
            *(f"validation, {name}" for name in STRATEGIES),
            "simulation error, at most",
            "optimal (printed .88)",
            "positive (printed about .47)",
        )
        return [*sheets, ResultTable(f"After {last} iterations, by duplicates", columns, rows)]

    def deviations(self, results: Results) -> Sequence[str]:
        return [
            "The accuracy of random folds grows with the duplicates; without any it is the "
            "unbiased one, so that what is above it is leakage alone.",
            "Folds are closed below, where the printed rule leaves records on a threshold without "
            "one [Folds, erratum 1].",
        ]

    def draw(self, figure: Any, results: Results) -> None:
        left, right = figure.subplots(1, 2)
        last = _last(results)
        shown = (DUPLICATES, RECORDS) if (DUPLICATES, RECORDS) in results else min(results)
        named = []
        for strategy, colour in STRATEGIES.items():
            for which, line in (("training", ":"), ("validation", "-")):
                curve = [
                    (float(at), results[shown][f"{strategy} {which} {at}"])
                    for at in shown_at(int(shown[1]))
                ]
                label = f"{strategy}, {which}"
                with_errors(left, curve, line, colour=colour, label=label)
            ends = [
                (float(count), found[f"{strategy} validation {last}"])
                for (count, _), found in sorted(results.items())
            ]
            with_errors(right, ends, colour=colour)
            named.append((ends[-1][0], ends[-1][1].mean, strategy, colour))
        best = results[shown]["best"].mean
        left.axhline(best, color="0.2", linestyle="--", linewidth=0.8)
        left.text(1, best, "optimal", color="0.2", fontsize="small", va="bottom", ha="left")
        left.set(xlabel="boosting iterations", ylabel="accuracy", title=f"{shown[0]:,} duplicates")
        left.legend(fontsize="x-small", ncols=2)
        right.set(xlabel="duplicates among 10,000 records", title=f"after {last} iterations")
        right.set_xlim(-200, 5400)
        ticks_at(right, sorted(float(count) for count, _ in results))
        ends_named(right, named)


def shown_at(records: int) -> tuple[int, ...]:
    """The iterations after which accuracies are kept."""
    return AT if iterations_of(records) == AT[-1] else SMALL_AT


def learning(data: Any, folds: Any, *, at: tuple[int, ...]) -> dict[str, float]:
    """Mean accuracies over the folds, by which records are judged and after how many iterations."""
    judged = cross_validated(data, folds, at=at, training=True)
    found = {}
    for place, iteration in enumerate(at):
        for name, rows in (("validation", True), ("training", False)):
            found[f"{name} {iteration}"] = float(
                np.mean(
                    [
                        accuracy(
                            (one.validation if rows else one.training)[place],
                            data.y[one.rows == rows],
                        )
                        for one in judged
                    ]
                )
            )
    return found


def _last(results: Results) -> int:
    """The last iteration of all that is shown."""
    [last] = {shown_at(int(records))[-1] for _, records in results}
    return last


def _largest_error(found: CellResult, iteration: int) -> float:
    return max(
        found[f"{strategy} {which} {iteration}"].error
        for strategy in STRATEGIES
        for which in ("training", "validation")
    )
