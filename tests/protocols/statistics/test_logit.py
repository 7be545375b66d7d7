"""The interval and the test on the logit scale, against all pairs compared one by one."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import check_bounds, most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.delong import placed
from ppaurora.protocols.ranking.ranked import Pooled
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.pooled import rounded
from tests.protocols.statistics.drawn import labellings, one_of_each_size, varied_studies
from tests.protocols.statistics.test_delong import FEW, Expected, Z, by_pairs
from tests.protocols.studies import Owner, Study, interval, run, run_all

INTERVALS = {
    "auroc_ci:method=logit": "0.95",
    "auroc_ci:level=0.5,method=logit": "0.5",
    "auroc_ci:level=0.9,method=logit": "0.9",
}
TESTS = {
    "auroc_above:method=logit": ("0.5", "0.9"),
    "auroc_above:sides=2,method=logit": ("0.5", "0.95"),
    "auroc_above:than=0.625,alpha=0.25,method=logit": ("0.625", "0.5"),
}
ASKED = [(text,) for both in zip(INTERVALS, TESTS, strict=True) for text in both]
MOST_DECIMALS = 8
DIGITS = 60


def limits(exact: Expected, z: Fraction) -> tuple[Fraction, Fraction]:
    """θ/(θ + (1 - θ)·e^c) and θ·e^c/(θ·e^c + 1 - θ), to some 50 digits."""
    θ, SE = exact.area, exact.error
    if θ in (0, 1) or SE == 0:
        return θ, θ
    c = z * SE / (θ * (1 - θ))
    with localcontext() as context:
        context.prec = DIGITS
        e_c = Fraction((Decimal(c.numerator) / c.denominator).exp())
    return θ / (θ + (1 - θ) * e_c), θ * e_c / (θ * e_c + 1 - θ)


def check(study: Study, results: dict[str, str]) -> int:
    """Assert that every released text is right; how many limits lay too close to a boundary."""
    decimals, exact = study.options.decimals, by_pairs(study.scores, study.labels)
    asked = (results.keys() & INTERVALS) | (results.keys() & TESTS)
    assert asked
    if exact is None:
        assert {results[text] for text in asked} == {FEW}
        return 0
    close = 0
    for text in results.keys() & INTERVALS:
        ends = limits(exact, Z[INTERVALS[text]])
        certain = Fraction(1, 10 ** (decimals + 8))
        above = [(end * 10**decimals + Fraction(1, 2)) % 1 for end in ends]
        far = [min(one, 1 - one) / 10**decimals > certain for one in above]
        if all(far) or exact.error == 0:
            value, lower, upper = (rounded(one, decimals) for one in (exact.area, *ends))
            assert results[text] == interval(value, lower, upper)
        else:
            close += 1
    for text in results.keys() & TESTS:
        than, level = TESTS[text]
        lower, _ = limits(exact, Z[level])
        assert results[text] == ("rejected" if lower > Fraction(than) else "not rejected")
    return close


def check_all(studies: list[Study]) -> int:
    return sum(
        check(study, outcome.results)
        for study, outcome in zip(studies, run_all(studies), strict=True)
    )


def alone(scores: list[float], labels: list[int], *metrics: str, decimals: int = 6) -> list[str]:
    """The values of these metrics for one owner's rows."""
    study = Study((Owner(scores, labels),), Options(metrics=metrics, decimals=decimals))
    return list(run(study).results.values())


def test_drawn_studies_have_the_values_of_all_pairs() -> None:
    assert check_all(one_of_each_size(varied_studies, 21, ASKED, MOST_DECIMALS)) == 0


@pytest.mark.soak
def test_five_hundred_studies_have_the_values_of_all_pairs() -> None:
    assert check_all(varied_studies(500, 22, ASKED, MOST_DECIMALS)) <= 1


def test_every_labelling_of_four_samples_has_the_values_of_all_pairs() -> None:
    metrics = ("auroc_ci:level=0.9,method=logit", "auroc_above:than=0.625,alpha=0.25,method=logit")
    scores = [0.1, 0.2, 0.2, 0.7]
    studies = [
        Study((Owner(scores, labels),), Options(metrics=metrics, decimals=1))
        for labels in labellings(scores)
    ]
    for study, outcome in zip(studies, run_all(studies), strict=True):
        check(study, outcome.results)


def test_the_classes_separated_either_way_have_the_interval_of_one_point() -> None:
    scores, labels = [0.9, 0.8, 0.7, 0.2, 0.1], [1, 1, 1, 0, 0]
    texts = "auroc_ci:method=logit", "auroc_above:than=0.99,method=logit"
    assert alone(scores, labels, *texts) == [
        "1.000000 (1.000000 to 1.000000, no width)",
        "rejected",
    ]
    swapped = [1 - label for label in labels]
    worst = ["0.000000 (0.000000 to 0.000000, no width)", "not rejected"]
    assert alone(scores, swapped, *texts) == worst


def test_an_auroc_without_error_is_its_own_limits() -> None:
    scores, labels = [0.5] * 6, [0, 0, 0, 1, 1, 1]
    texts = "auroc_ci:method=logit", "auroc_above:method=logit"
    assert alone(scores, labels, *texts) == [
        "0.500000 (0.500000 to 0.500000, no width)",
        "not rejected",
    ]
    below = "auroc_above:than=0.499999,method=logit"
    assert alone(scores, labels, below) == ["rejected"]


def test_an_interval_beyond_1_on_the_plain_scale_ends_before_it_here() -> None:
    scores, labels = [0.1, 0.2, 0.3, 0.4, 0.5], [0, 0, 1, 0, 1]
    plain, logit = alone(scores, labels, "auroc_ci:method=delong", "auroc_ci:method=logit")
    assert plain == "0.833333 (0.371365 to 1.000000)"
    assert logit == "0.833333 (0.152293 to 0.992865)"


def test_the_narrowest_and_the_widest_levels_are_held() -> None:
    rng = np.random.default_rng(23)
    scores, labels = (rng.integers(0, 9, 40) / 10).tolist(), rng.integers(0, 2, 40).tolist()
    exact = by_pairs(scores, labels)
    assert exact is not None
    widest = Fraction(norm.isf(5e-17))
    narrow, wide = alone(
        scores,
        labels,
        "auroc_ci:level=0.0000000000000001,method=logit",
        "auroc_ci:level=0.9999999999999999,method=logit",
        decimals=8,
    )
    value = rounded(exact.area, 8)
    assert narrow == interval(value, value, value)
    lower, upper = (rounded(one, 8) for one in limits(exact, widest))
    assert wide == interval(value, lower, upper)


def test_logit_error_is_below_its_bound_for_every_small_study() -> None:
    """x² <= 8/9, which the root needs: SE² <= 8·θ²·(1 - θ)² unless the classes are separated."""
    largest = Fraction(0)
    for n in range(4, 9):
        for scores in ([2 * place for place in range(n)], [place // 2 * 2 for place in range(n)]):
            for labels in product((0, 1), repeat=n):
                keys = np.sort(np.array(scores, np.uint64) + np.array(labels, np.uint64))[::-1]
                found = placed(Pooled.of([keys]))
                if found is None or found.area in (0, 1):
                    continue
                largest = max(largest, found.variance / (found.area * (1 - found.area)) ** 2)
    assert Fraction(4) <= largest <= 8


def test_more_than_eight_decimals_are_refused() -> None:
    options = Options(metrics=("auroc_ci:method=logit",), decimals=9)
    check_bounds(options, [0, 0])
    with pytest.raises(BoundExceeded, match="to 9 decimals"):
        check_bounds(options, [20, 20])


@pytest.mark.parametrize(
    ("text", "decimals", "most"),
    [
        ("auroc_ci:method=logit", 4, 2_221_353),
        ("auroc_ci:method=logit", 8, 966_900),
        ("auroc_ci:level=0.9999999999999999,method=logit", 8, 1_787),
        ("auroc_above:method=logit", 4, 1_465_546),
        ("auroc_above:than=0.1234567890123456,method=logit", 4, 87_960),
    ],
)
def test_its_bounds_follow_the_decimals_the_level_and_the_null_hypothesis(
    text: str, decimals: int, most: int
) -> None:
    options = Options(metrics=(text,), decimals=decimals)
    assert most_samples(options) == most
    check_bounds(options, [most])
    with pytest.raises(BoundExceeded, match=str(most)):
        check_bounds(options, [most, 1])


def test_the_ledger_says_what_either_scale_tells() -> None:
    told = ledger(
        Options(metrics=("auroc_ci:method=logit", "auroc_above:method=logit")), [300, 300]
    )
    interval, test = told.learns.receivers
    assert "tell the smaller class count roughly" in interval
    assert "one bit" in test


def test_a_method_that_nobody_knows_is_refused() -> None:
    with pytest.raises(OptionRefused, match="method"):
        statistic("auroc_ci:method=bootstrap")
