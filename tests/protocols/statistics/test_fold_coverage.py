"""Coverage of 95% intervals of means over folds, by simulation.

One model is judged on folds of fresh samples, which is the best case: in a cross-validation the
models of the folds share most of what they were made of, and intervals hold less often. All is
drawn in the clear, by plain formulas in floating point, which a quick test holds against what is
released.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm, t

from ppaurora.protocols.options import Options
from tests.protocols.statistics.test_many_coverages import AREAS, Z, placements, shift
from tests.protocols.studies import Owner, Study, run

Doubles = NDArray[np.float64]
FOLDS = (3, 5, 10)
SIZES = (20, 100)
CLASSES = ((5, 15), (20, 80))


def by_deviation(values: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """The mean over folds, and the half widths by the normal law and by Student's t."""
    K = values.shape[-1]
    error = values.std(axis=-1, ddof=1) / K**0.5
    return values.mean(axis=-1), Z * error, t.isf(0.025, K - 1) * error


def held(mean: Doubles, half: Doubles, truth: float) -> float:
    return float((np.abs(mean - truth) <= half).mean())


def of_accuracy(rate: float, K: int, n: int, count: int) -> tuple[float, float]:
    """The mean of K folds' accuracies, of n samples each: by the normal law, and by t."""
    rng = np.random.default_rng([21, round(1000 * rate), K, n])
    mean, normal, student = by_deviation(rng.binomial(n, rate, (count, K)) / n)
    return held(mean, normal, rate), held(mean, student, rate)


def by_influences(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """The mean AUROC over folds and the half width of cvAUC; the folds are the middle axis."""
    (count, K, P), N = x.shape, y.shape[2]
    V10, V01 = placements(x.reshape(-1, P), y.reshape(-1, N))
    A = V10.mean(axis=1)
    squares = ((V10 - A[:, None]) ** 2).sum(axis=1) / P**2
    squares += ((V01 - A[:, None]) ** 2).sum(axis=1) / N**2
    # a positive's influence is (P + N)/P times its own; both classes over the fold's P + N
    error = np.sqrt((squares * (P + N)).reshape(count, K).sum(axis=1) / (K * K * (P + N)))
    return A.reshape(count, K).mean(axis=1), Z * error


def drawn_folds(
    rng: np.random.Generator, area: float, K: int, classes: tuple[int, int], count: int
) -> tuple[Doubles, Doubles]:
    """Scores of the positives and of the negatives of each fold."""
    P, N = classes
    return rng.normal(shift(area), 1, (count, K, P)), rng.normal(0, 1, (count, K, N))


def of_areas(area: float, K: int, classes: tuple[int, int], count: int) -> float:
    """The interval of `auroc_folds`."""
    rng = np.random.default_rng([22, round(1000 * area), K, *classes])
    mean, half = by_influences(*drawn_folds(rng, area, K, classes, count))
    return held(mean, half, area)


def table(count: int) -> Iterator[str]:
    for K in FOLDS:
        for n in SIZES:
            found = [of_accuracy(rate, K, n, 10 * count) for rate in AREAS]
            for name, place in (("", 0), (",quantile=t", 1)):
                cells = " | ".join(f"{one[place]:.3f}" for one in found)
                yield f"| `mean_folds:of=accuracy{name}` | {K} folds of {n} | {cells} |"
        for P, N in CLASSES:
            cells = " | ".join(f"{of_areas(area, K, (P, N), count):.3f}" for area in AREAS)
            yield f"| `auroc_folds` | {K} folds of {P} + {N} | {cells} |"


def test_simulated_intervals_of_folds_are_the_released_ones() -> None:
    x, y = drawn_folds(np.random.default_rng(1), 0.8, 4, (6, 9), 1)
    scores = norm.cdf(np.concatenate([x[0], y[0]], axis=1))
    labels = np.tile([1] * 6 + [0] * 9, 4)
    folds = np.repeat(np.arange(4), 15).tolist()
    owner = Owner(scores.reshape(-1).tolist(), labels.tolist(), parts=folds)
    accuracy = "mean_folds:of=accuracy:at=0.5"
    metrics = ("auroc_folds", accuracy, "mean_folds:quantile=t,of=accuracy:at=0.5")
    options = Options(metrics=metrics, folds=4, least_cell=1)
    areas, normal, student = run(Study((owner,), options)).results.values()
    right = ((scores >= 0.5) == labels.reshape(4, 15)).mean(axis=1)
    mean, half, wide = by_deviation(right)
    A, of_area = by_influences(x, y)
    found = ((areas, A[0], of_area[0]), (normal, mean, half), (student, mean, wide))
    for text, middle, width in found:
        low, high = max(0, middle - width), min(1, middle + width)
        assert text.startswith(f"{middle:.4f} ({low:.4f} to {high:.4f})")


def test_students_limits_of_a_few_folds_hold_the_truth_and_the_normal_laws_do_not() -> None:
    normal, student = of_accuracy(0.8, 5, 100, 2000)
    assert normal < 0.91
    assert 0.93 < student < 0.97
    assert of_areas(0.8, 5, (20, 80), 400) > 0.90


@pytest.mark.soak
def test_the_coverage_of_means_over_folds() -> None:
    for line in table(1000):
        print(line, flush=True)
