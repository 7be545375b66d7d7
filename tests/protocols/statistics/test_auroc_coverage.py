"""Coverage of the AUROC's 95% intervals in samples of known laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

from ppaurora.protocols.lists.scale import Scale, encode
from ppaurora.protocols.ranking.ranked import Pooled
from ppaurora.protocols.ranking.score_limits import ScoreLimits

Doubles = NDArray[np.float64]
Limits = tuple[Doubles, Doubles]
Z = 1.959963984540054
AREAS = (0.8, 0.85, 0.9, 0.93, 0.96)
SMALL = ((10, 10), (10, 190), (20, 80))
LARGE = ((100, 1900), (500, 500))
HALVINGS = 40


@dataclass(frozen=True)
class Law:
    """Scores of both classes with a given AUROC; `levels` many values only, if not 0."""

    name: str
    spread: float = 1.0
    levels: int = 0
    exponential: bool = False

    def drawn(
        self, rng: np.random.Generator, area: float, sizes: tuple[int, int], count: int
    ) -> tuple[Doubles, Doubles, float]:
        """The positives, the negatives, and the AUROC of the law itself."""
        P, N = sizes
        if self.exponential:
            rate = area / (1 - area)
            return rng.exponential(rate, (count, P)), rng.exponential(1, (count, N)), area
        middle = float(norm.ppf(area)) * float(np.hypot(1, self.spread))
        x, y = rng.normal(middle, self.spread, (count, P)), rng.normal(0, 1, (count, N))
        if not self.levels:
            return x, y, area
        cuts = middle / 2 + np.linspace(-1.2, 1.2, self.levels - 1)
        p = np.diff(np.r_[0, norm.cdf(cuts, middle, self.spread), 1])
        q = np.diff(np.r_[0, norm.cdf(cuts), 1])
        truth = float(p @ (np.cumsum(q) - q / 2))
        return np.digitize(x, cuts).astype(float), np.digitize(y, cuts).astype(float), truth


BINORMAL = Law("binormal")
OTHERS = (
    Law("binormal, positives of twice the spread", 2.0),
    Law("binormal, positives of half the spread", 0.5),
    Law("exponential", exponential=True),
    Law("binormal, five levels", levels=5),
)


def estimated(x: Doubles, y: Doubles) -> tuple[Doubles, Doubles]:
    """The AUROC of each sample, and DeLong's variance, by midranks."""
    P, N = x.shape[1], y.shape[1]
    ranks = rankdata(np.concatenate([x, y], axis=1), axis=1)
    of_x = (ranks[:, :P] - rankdata(x, axis=1)) / N
    of_y = 1 - (ranks[:, P:] - rankdata(y, axis=1)) / P
    return of_x.mean(axis=1), of_x.var(axis=1, ddof=1) / P + of_y.var(axis=1, ddof=1) / N


def by_score(A: Doubles, variance: Callable[[Doubles], Doubles]) -> Limits:
    """The θ on either side of A with |A - θ| = z·sqrt(V(θ)), by bisection."""
    found = []
    for end in (0.0, 1.0):
        outside, inside = np.full_like(A, end), A.copy()
        for _ in range(HALVINGS):
            middle = (outside + inside) / 2
            beyond = (A - middle) ** 2 > Z * Z * variance(middle)
            outside, inside = np.where(beyond, middle, outside), np.where(beyond, inside, middle)
        found.append(outside)
    return found[0], found[1]


def hanley_mcneil(θ: Doubles, P: float, N: float, pairs: int) -> Doubles:
    model = 1 + (P - 1) * (1 - θ) / (2 - θ) + (N - 1) * θ / (1 + θ)
    return np.asarray(θ * (1 - θ) * model / pairs)


def intervals(A: Doubles, variance: Doubles, P: int, N: int) -> Mapping[str, Limits]:
    """The limits of each method."""
    half, model = Z * np.sqrt(variance), Z * np.sqrt(hanley_mcneil(A, P, N, P * N))
    odds, inside = np.log(np.maximum(A, 1e-300) / np.maximum(1 - A, 1e-300)), (A > 0) & (A < 1)
    beside = np.where(inside, half / np.where(inside, A * (1 - A), 1), 0)
    logit = [np.where(inside, 1 / (1 + np.exp(-np.clip(odds + sign * beside, -700, 700))), A)
             for sign in (-1, 1)]  # fmt: skip
    mean = (P + N) / 2
    return {
        "newcombe": by_score(A, lambda θ: hanley_mcneil(θ, mean, mean, P * N)),
        "delong": (A - half, A + half),
        "logit": (logit[0], logit[1]),
        "Hanley-McNeil": (A - model, A + model),
        "Hanley-McNeil, score": by_score(A, lambda θ: hanley_mcneil(θ, P, N, P * N)),
    }


def coverage(
    law: Law, area: float, sizes: tuple[int, int], count: int, seed: int
) -> dict[str, float]:
    """The share of samples in which each method's limits enclose the law's AUROC."""
    x, y, truth = law.drawn(np.random.default_rng(seed), area, sizes, count)
    A, variance = estimated(x, y)
    return {
        method: float(np.mean((lower <= truth) & (truth <= upper)))
        for method, (lower, upper) in intervals(A, variance, *sizes).items()
    }


def table(laws: tuple[Law, ...], all_sizes: tuple[tuple[int, int], ...], count: int, seed: int) -> (
    dict[tuple[str, str], dict[str, list[float]]]
):  # fmt: skip
    """The coverage over all areas, by law and sizes; printed, for who runs it with -s."""
    rows = {}
    for law in laws:
        for sizes in all_sizes:
            found = [coverage(law, area, sizes, count, seed) for area in AREAS]
            rows[law.name, f"{sizes[0]} + {sizes[1]}"] = {
                method: [one[method] for one in found] for method in found[0]
            }
    methods = list(next(iter(rows.values())))
    print("\n| scores | positives + negatives |", " | ".join(methods), "|")
    for (name, sizes), row in rows.items():
        cells = (f"{min(one):.3f} to {max(one):.3f}" for one in row.values())
        print(f"| {name} | {sizes} |", " | ".join(cells), "|")
    return rows


def check_small(count: int, seed: int, error: float) -> None:
    for row in table((BINORMAL,), SMALL, count, seed).values():
        assert all(0.93 - error <= one <= 0.985 + error for one in row["newcombe"])
        assert min(row["delong"]) < 0.93


def test_the_usual_interval_covers_the_truth_in_small_classes() -> None:
    """Four standard errors of a thousand samples."""
    check_small(1000, 1, 0.03)


@pytest.mark.soak
def test_the_coverage_of_the_usual_interval_is_93_to_98_percent_in_small_classes() -> None:
    check_small(20_000, 2, 0)


@pytest.mark.soak
def test_the_coverage_of_all_intervals_by_the_law_of_the_scores() -> None:
    """Shortfalls of the level stand in docs/STATISTICS.md, and here."""
    rows = table(OTHERS, SMALL, 20_000, 3)
    assert all(min(row["newcombe"]) > 0.85 for row in rows.values())
    assert all(min(rows["binormal, five levels", of]["newcombe"]) > 0.95 for _, of in rows)


@pytest.mark.soak
def test_the_coverage_of_all_intervals_in_large_classes() -> None:
    rows = table((BINORMAL, *OTHERS[:3]), LARGE, 1000, 4)
    for sizes in ("100 + 1900", "500 + 500"):
        assert min(rows["binormal", sizes]["newcombe"]) > 0.93
        assert all(min(rows[law.name, sizes]["delong"]) > 0.85 for law in OTHERS[:3])


def test_the_simulated_limits_are_those_that_are_released() -> None:
    rng = np.random.default_rng(6)
    for sizes in SMALL:
        x, y, _ = BINORMAL.drawn(rng, 0.93, sizes, 3)
        A, variance = estimated(x, y)
        lower, upper = intervals(A, variance, *sizes)["newcombe"]
        for place in range(3):
            scores = np.r_[x[place], y[place]]
            labels = np.r_[np.ones(sizes[0], int), np.zeros(sizes[1], int)]
            pooled = Pooled.of([encode(scores, labels, Scale.of("full", ("any",)))])
            found = ScoreLimits(Fraction(1, 40)).plaintext(pooled)
            assert found is not None
            here = (A[place], lower[place], upper[place])
            assert [float(one) for one in found] == pytest.approx(here, abs=1e-9)
