"""The difference of two AUROCs and the paired test, against all pairs compared one by one."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import product
from math import isqrt, sqrt

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.datasets import load_breast_cancer

from ppaurora.bench.papers.experiments.tpauc_power import rejections
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.lists.same_rows import same_rows
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.area_limits import places
from ppaurora.protocols.ranking.covariance import PooledModels, largest_squared_gain
from ppaurora.protocols.ranking.delong import largest_variance_denominator
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.statistics.drawn import one_of_each_size
from tests.protocols.statistics.drawn_pairs import drawn_pairs
from tests.protocols.statistics.test_delong import FEW, Expected, Z, of_pairs, twice_won
from tests.protocols.studies import Owner, Study, interval, run_all

LEVELS = {
    "auroc_difference": "0.95",
    "auroc_difference:level=0.5": "0.5",
    "auroc_differs": "0.95",
    "auroc_differs:alpha=0.5": "0.5",
}
ASKED = [tuple(LEVELS)[place::2] for place in (0, 1)]
"""An interval and a test, of either level."""


def second_scores(study: Study) -> list[float]:
    return [float(score) for owner in study.owners for score in owner.against]


def difference(study: Study) -> Expected | None:
    """Δ and its variance: of each pair what the first scores win and the second ones do not."""
    first = twice_won(study.scores, study.labels)
    if min(first.shape) < 2:
        return None
    return of_pairs(first - twice_won(second_scores(study), study.labels))


def signed(value: Fraction, decimals: int) -> str:
    """Rounded to the nearest decimal, the upper one of two."""
    word = (2 * value * 10**decimals + 1) // 2
    size = f"{abs(word) // 10**decimals}.{abs(word) % 10**decimals:0{decimals}d}"
    return f"-{size}" if word < 0 else size


def p_of(z: str) -> str:
    """The two-sided p-value of a z as it is written, by the error function of the C library."""
    p = math.erfc(abs(float(z.split()[-1])) / math.sqrt(2))
    return "less than 0.0001" if p < 0.0001 else f"{p:#.4g}"


def z_of(exact: Expected) -> str:
    """Δ/SE to three decimals, away from 0."""
    sign = "-" if exact.area < 0 else ""
    if exact.variance == 0:
        return "0.000" if exact.area == 0 else f"{'at most -' if sign else 'at least '}100"
    squared = exact.area**2 / exact.variance * 1000**2
    # the nearest whole number to the root
    size = (isqrt(int(4 * squared)) + 1) // 2
    if size >= 100_000:
        return f"{'at most -' if sign else 'at least '}100"
    return signed(Fraction(size, 1000) * (-1 if sign else 1), 3)


def check(study: Study, results: dict[str, str]) -> int:
    """Assert that every released text is right; how many limits lay too close to a boundary."""
    exact, decimals, close = difference(study), study.options.decimals, 0
    if exact is None:
        assert set(results.values()) == {FEW}
        return 0
    for text in results.keys() & LEVELS:
        level = Z[LEVELS[text]]
        if text.startswith("auroc_differs"):
            rejected = exact.area**2 > level**2 * exact.variance
            assert results[text] == ("rejected" if rejected else "not rejected")
            continue
        half = level * exact.error
        limits = max(exact.area - half, Fraction(-1)), min(exact.area + half, Fraction(1))
        certain = (3 + level) / 2 / 100 ** places(decimals)
        above = [(limit * 10**decimals + Fraction(1, 2)) % 1 for limit in limits]
        if exact.error and min(min(one, 1 - one) for one in above) / 10**decimals <= certain:
            close += 1
            continue
        value, lower, upper = (signed(one, decimals) for one in (exact.area, *limits))
        z = z_of(exact)
        assert results[text] == f"{interval(value, lower, upper)}, z {z}, p {p_of(z)}"
    return close


def check_all(studies: list[Study]) -> int:
    return sum(
        check(study, outcome.results)
        for study, outcome in zip(studies, run_all(studies), strict=True)
    )


def test_drawn_studies_have_the_values_of_all_pairs() -> None:
    assert check_all(one_of_each_size(drawn_pairs, 21, ASKED, 6)) == 0


@pytest.mark.soak
def test_five_hundred_studies_have_the_values_of_all_pairs() -> None:
    assert check_all(drawn_pairs(520, 22, ASKED, 15)) <= 1


def of_one(scores: list[float], against: list[float], labels: list[int]) -> Study:
    return Study((Owner(scores, labels, against),), Options(metrics=ASKED[0], decimals=4))


def test_every_labelling_of_four_samples_has_the_values_of_all_pairs() -> None:
    studies = [
        of_one([0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.2, 0.9], list(labels))
        for labels in product((0, 1), repeat=4)
        if sum(labels) < 3
    ]
    for study, outcome in zip(studies, run_all(studies), strict=True):
        check(study, outcome.results)


SCORES, LABELS = [0.1, 0.4, 0.35, 0.8, 0.9, 0.2], [0, 0, 1, 1, 1, 0]
PERFECT = [0.1, 0.2, 0.8, 0.7, 0.9, 0.3]


def test_rankings_that_are_the_same_or_opposite_have_no_error() -> None:
    same, better, worse = run_all(
        [
            of_one(SCORES, [score**3 for score in SCORES], LABELS),
            of_one(PERFECT, [1 - score for score in PERFECT], LABELS),
            of_one([1 - score for score in PERFECT], PERFECT, LABELS),
        ]
    )
    assert (
        same.results["auroc_difference"] == "0.0000 (0.0000 to 0.0000, no width), z 0.000, p 1.000"
    )
    assert same.results["auroc_differs"] == "not rejected"
    assert better.results["auroc_difference"] == (
        "1.0000 (1.0000 to 1.0000, no width), z at least 100, p less than 0.0001"
    )
    assert worse.results["auroc_difference"] == (
        "-1.0000 (-1.0000 to -1.0000, no width), z at most -100, p less than 0.0001"
    )
    assert better.results["auroc_differs"] == worse.results["auroc_differs"] == "rejected"


def test_exchanging_the_two_scores_turns_the_sign() -> None:
    one, other = (
        [float(number) for number in re.findall(r"-?[0-9.]+", found.results["auroc_difference"])]
        for found in run_all([of_one(SCORES, PERFECT, LABELS), of_one(PERFECT, SCORES, LABELS)])
    )
    value, lower, upper, z, p = one
    assert value < 0
    assert other == pytest.approx([-value, -upper, -lower, -z, p], abs=0.0001)


def test_words_that_no_computation_yields_are_refused() -> None:
    one = statistic("auroc_difference")
    for words in ([20_001, 0, 0, 100_000], [0, 0, 0, 200_001], [111_111, 0, 0, 100_000]):
        with pytest.raises(RemoteProtocolError, match="do not make a result"):
            one.decode(words, 4)


def test_the_bound_is_where_the_sum_of_squares_reaches_2_to_63() -> None:
    for text in LEVELS:
        assert most_samples(Options(metrics=(text,), decimals=15)) == 2_496_765
    beyond = 2_496_766
    # every positive won all and now loses all
    assert max(P * 4 * (beyond - P) ** 2 for P in (beyond // 3, beyond // 3 + 1)) >= 1 << 63


def test_the_squares_are_never_above_their_bound_nor_the_variance_above_1() -> None:
    for n in range(4, 60):
        exact = max(4 * (2 * P * (n - P)) ** 2 * (P - 1) * (n - P - 1) for P in range(n))
        assert exact <= largest_squared_gain(n) <= 4 * largest_variance_denominator(n)
    rng = np.random.default_rng(4)
    for P, N in product(range(2, 5), repeat=2):
        for _ in range(100):
            assert of_pairs(rng.choice([-2, 2], (P, N))).variance <= 1


def test_real_data_give_what_covariances_of_midranks_give() -> None:
    """569 tumours, two of their features, by Sun and Xu's formula in floating point."""
    data = load_breast_cancer()
    labels, first, second = data.target == 0, data.data[:, 1], data.data[:, 4]

    def components(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ranks, m, n = rankdata(x), int(labels.sum()), int((~labels).sum())
        of_positives = (ranks[labels] - rankdata(x[labels])) / n
        return of_positives, 1 - (ranks[~labels] - rankdata(x[~labels])) / m

    (a1, b1), (a2, b2) = components(first), components(second)
    difference = a1.mean() - a2.mean()
    s10, s01 = np.cov(a1, a2), np.cov(b1, b2)
    contrast = np.array([1, -1])
    variance = contrast @ (s10 / len(a1) + s01 / len(b1)) @ contrast
    scaled = [np.round(x * 2**40).astype(np.uint64) for x in (first, second)]
    keys = [2 * x + labels.astype(np.uint64) for x in scaled]
    found = PooledModels.of([same_rows(keys)], 2).gained()
    assert found is not None
    assert float(found.difference) == pytest.approx(difference, abs=1e-14)
    assert float(found.variance) == pytest.approx(variance, abs=1e-16)


def share_told_apart(
    shift: float, n: int, positives: int, runs: int, rng: np.random.Generator
) -> float:
    """The share of tests at alpha=0.05 that reject two binormal classifiers [tpAUC]."""
    return sum(rejections(shift, n, positives, runs, rng)) / runs


def test_equal_classifiers_are_seldom_told_apart_and_different_ones_often() -> None:
    rng = np.random.default_rng(23)
    assert share_told_apart(0, 200, 100, 100, rng) < 0.05 + 4.9 * sqrt(0.05 * 0.95 / 100)
    assert share_told_apart(1, 200, 100, 100, rng) > 0.8


@pytest.mark.soak
@pytest.mark.parametrize("positives", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [100, 1000])
def test_level_and_power_over_a_thousand_samples_of_each_size(n: int, positives: float) -> None:
    """The sizes and shares of [tpAUC, Table 2]; the level is that of a large sample at n = 1000."""
    rng = np.random.default_rng([24, n, int(10 * positives)])
    level, power = (
        share_told_apart(shift, n, round(positives * n), 1000, rng) for shift in (0, 0.5)
    )
    print(f"n {n}, positives {positives:.0%}: level {level:.3f}, power {power:.3f}")
    allowed = 4.9 * sqrt(0.05 * 0.95 / 1000)
    assert abs(level - 0.05) < allowed + (0.03 if n == 100 else 0)
    assert power > level
