"""Widths of intervals against published intervals, other formulas, and what studies release."""

from __future__ import annotations

from fractions import Fraction
from math import floor, inf, sinh, sqrt
from statistics import NormalDist

import numpy as np
import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.planning.sample_size import Expected, wilson_width
from ppaurora.parties.simulation.pooled import pooled_values
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.options import Options

Z = NormalDist().inv_cdf(0.975)
DESIGNS = [(0.8, 0.1), (0.6, 0.5), (0.3, 0.9), (0.95, 0.03), (0.75, 1 / 3)]


def width_of(number: str, expected: Expected, samples: int) -> float:
    """The width of the interval of one number."""
    [width] = [one.width for one in expected.widths(samples) if one.number == number]
    return width


def variance_of_exponential_scores(A: Fraction, P: int, N: int) -> Fraction:
    """The variance of the share of pairs that are won, where scores are exponential.

    Positives have the rate r and negatives the rate 1. With pairs that have one sample in common
    counted one by one it is a mean over all pairs of pairs.
    """
    r = (1 - A) / A
    assert 1 / (1 + r) == A
    two_positives = 1 / (1 + 2 * r)
    two_negatives = 1 - 2 * r / (r + 1) + r / (r + 2)
    pairs = P * N
    same, positives, negatives = pairs, pairs * (P - 1), pairs * (N - 1)
    others = pairs * (P - 1) * (N - 1)
    assert same + positives + negatives + others == pairs**2
    second = same * A + positives * two_positives + negatives * two_negatives + others * A**2
    return second / pairs**2 - A**2


@pytest.mark.parametrize(("auroc", "prevalence"), DESIGNS)
@pytest.mark.parametrize("samples", [40, 999, 25_000])
def test_the_auroc_has_the_variance_of_exponential_scores(
    auroc: float, prevalence: float, samples: int
) -> None:
    expected = Expected(auroc, prevalence)
    V = variance_of_exponential_scores(Fraction(str(auroc)), *expected.classes(samples))
    assert expected.auroc_width(samples) == pytest.approx(2 * Z * sqrt(V), rel=1e-12)


@pytest.mark.parametrize(("auroc", "prevalence"), DESIGNS)
@pytest.mark.parametrize("width", [0.3, 0.12])
def test_no_fewer_samples_have_a_width(auroc: float, prevalence: float, width: float) -> None:
    expected = Expected(auroc, prevalence)
    widths = map(expected.auroc_width, range(5000))
    first = next(samples for samples, one in enumerate(widths) if one <= width)
    assert expected.least_samples(width) == first


def test_a_width_never_grows_with_the_samples() -> None:
    for auroc, prevalence in DESIGNS:
        widths = [Expected(auroc, prevalence).auroc_width(samples) for samples in range(2, 1000)]
        assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize("prevalence", [0.1, 0.5, 0.15, 0.999])
def test_positives_are_rounded_half_up_and_one_class_grows_at_a_time(prevalence: float) -> None:
    expected, exact = Expected(0.8, prevalence), Fraction(str(prevalence))
    before = expected.classes(0)
    assert before == (0, 0)
    for samples in range(1, 500):
        P, N = expected.classes(samples)
        assert (floor(exact * samples + Fraction(1, 2)), samples) == (P, P + N)
        assert sorted([P - before[0], N - before[1]]) == [0, 1]
        before = P, N


def test_a_missing_class_has_an_interval_without_end() -> None:
    assert Expected(0.8, 0.1).auroc_width(4) == inf
    assert Expected(0.8, 0.1).auroc_width(5) < inf


@pytest.mark.parametrize(
    ("positive", "n", "lower", "upper"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_widths_are_those_that_newcombe_printed(
    positive: int, n: int, lower: float, upper: float
) -> None:
    """Newcombe, Statistics in Medicine 17:857-872 (1998), table I, method 3: to four decimals."""
    assert wilson_width(positive / n, n, Z) == pytest.approx(upper - lower, abs=1e-4)


def test_sensitivity_and_specificity_are_of_their_class() -> None:
    expected = Expected(0.8, 0.25, sensitivity=0.9, specificity=0.7)
    assert width_of("sensitivity", expected, 400) == wilson_width(0.9, 100, expected.z)
    assert width_of("specificity", expected, 400) == wilson_width(0.7, 300, expected.z)


@pytest.mark.parametrize(("prevalence", "samples", "error"), [(0.5, 100, 0.1), (0.2, 400, 0.1)])
def test_observed_over_expected_lies_between_a_ratio_and_its_inverse(
    prevalence: float, samples: int, error: float
) -> None:
    """√(.5/(100·.5)) = √(.8/(400·.2)) = 0.1."""
    width = width_of("observed / expected", Expected(0.8, prevalence), samples)
    assert width == pytest.approx(2 * sinh(Z * error), rel=1e-12)


@pytest.mark.parametrize("level", ["0.95", "0.8"])
@pytest.mark.parametrize(("won", "P", "N"), [(30, 4, 10), (50, 10, 10), (19, 20, 1)])
def test_the_score_interval_is_as_wide_as_a_study_releases_it(
    level: str, won: int, P: int, N: int
) -> None:
    """Positives and negatives whose scores win so many of P·N pairs."""
    negatives = np.arange(1, N + 1) / 100
    wins = [won // P + (place < won % P) for place in range(P)]
    scores = np.concatenate([np.array(wins) / 100 + 0.005, negatives])
    labels = np.repeat([1, 0], [P, N]).astype(np.uint8)
    options = Options(metrics=(f"auroc_ci:level={level}",), decimals=10)
    released = pooled_values(options, [encode(scores, labels, options.scale)])
    interval = released[options.metrics[0]]
    assert float(interval.value) == round(won / (P * N), 10)
    width = Expected(won / (P * N), P / (P + N), float(level)).released_width(P + N)
    assert width == pytest.approx(float(interval.upper) - float(interval.lower), abs=1e-10)


@pytest.mark.parametrize("name", ["auroc", "prevalence", "level", "sensitivity", "specificity"])
@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_what_is_no_share_is_refused_by_its_name(name: str, value: float) -> None:
    given = {"auroc": 0.8, "prevalence": 0.1, name: value}
    with pytest.raises(ConfigurationError, match=f"--{name} is"):
        Expected(**given)


@pytest.mark.parametrize("auroc", [1e-9, 1 - 2**-53])
@pytest.mark.parametrize("level", [1e-9, 1 - 2**-53])
def test_numbers_next_to_0_and_1_have_widths(auroc: float, level: float) -> None:
    widths = [one.width for one in Expected(auroc, 0.1, level).widths(100)]
    assert all(0 < width < inf for width in widths)


@pytest.mark.parametrize("width", [0.0, 1.0, float("nan")])
def test_a_width_lies_between_0_and_1(width: float) -> None:
    with pytest.raises(ConfigurationError, match="--width is"):
        Expected(0.8, 0.1).least_samples(width)


def test_a_width_that_no_number_of_samples_has_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="2147483647 samples are too few"):
        Expected(0.8, 0.1).least_samples(1e-6)
