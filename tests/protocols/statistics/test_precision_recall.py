"""AUPR and average precision at the most decimals that a size allows: no wrong last digit."""

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import MOST_DECIMALS, Options
from tests.protocols import pooled
from tests.protocols.studies import Study, owners_of, run, run_all

BOTH = ("average_precision", "aupr")


def most_decimals(n: int) -> int:
    return max(
        d
        for d in range(1, MOST_DECIMALS + 1)
        if most_samples(Options(metrics=BOTH, decimals=d)) >= n
    )


def studies(count: int, seed: int) -> list[Study]:
    """Lists of 1 to 300 samples: with and without ties, one class only now and then."""
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(count):
        n = int(rng.choice([1, 2, 5, 24, 100, 124, 125, 300]))
        labels = rng.random(n) < rng.choice([0, 0.05, 0.5, 0.95, 1], p=[0.05, 0.3, 0.3, 0.3, 0.05])
        ties = rng.random() < 0.5
        scores = rng.random(n).round(1) if ties else rng.permutation(n) / n
        cut = int(rng.integers(0, n + 1))
        options = Options(metrics=BOTH, decimals=most_decimals(n))
        drawn.append(Study(owners_of(scores, labels.astype(int), [cut, n - cut]), options))
    return drawn


def assert_all_are_right(drawn: list[Study]) -> None:
    for one, outcome in zip(drawn, run_all(drawn), strict=True):
        assert outcome.results == one.expected()


def test_values_at_the_most_decimals_are_correctly_rounded() -> None:
    assert_all_are_right(studies(15, seed=1))


@pytest.mark.soak
def test_eight_hundred_values_at_the_most_decimals_are_correctly_rounded() -> None:
    drawn = studies(400, seed=2)
    expected = [value for one in drawn for value in one.expected().values()]
    assert len(expected) == 800
    assert any("undefined" in value for value in expected)
    assert any(len(set(one.scores)) < len(one.scores) for one in drawn)
    assert_all_are_right(drawn)


HARD = (
    "00101110011010011011101010100110101100011101110101"
    "11010010011010011101101010011000010110010010001111"
)
"""Labels, highest score first, whose average precision at 13 decimals is 1.9e-5 below a half."""


def test_a_value_a_hair_below_a_half_is_rounded_down() -> None:
    labels = [int(label) for label in HARD]
    scores = [1 - place / 100 for place in range(len(labels))]
    one = Study(owners_of(scores, labels, [60, 40]), Options(metrics=BOTH, decimals=13))
    exact = pooled.average_precision(one.scores, one.labels)
    assert exact is not None
    below = Fraction(1, 2) - exact * 10**13 % 1
    assert 0 < below < Fraction(2, 10**5)
    assert run(one).results == one.expected()


@pytest.mark.parametrize(("n", "decimals"), [(300, 15), (124, 15), (1000, 15)])
def test_small_studies_have_all_decimals(n: int, decimals: int) -> None:
    assert most_decimals(n) == decimals
