"""Intervals of average precision: the thesis's formulas in 60 digits, and what they tell."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest

from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.logit_precision_limits import GUARD_DIGITS
from ppaurora.protocols.ranking.precision_limits import places
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols import pooled
from tests.protocols.statistics.drawn import dealt_out, drawn_studies, labellings, one_of_each_size
from tests.protocols.studies import Owner, Study, interval, run, run_all

Z = {
    # tables of the normal law, 30 digits
    "0.95": Fraction("1.959963984540054235524594430521"),
    "0.5": Fraction("0.674489750196081743202227014541"),
    "0.9": Fraction("1.644853626951472714863848907992"),
}
BINOMIAL = {
    "average_precision_ci:method=binomial": "0.95",
    "average_precision_ci:method=binomial,level=0.5": "0.5",
}
LOGIT = {"average_precision_ci": "0.95", "average_precision_ci:level=0.9": "0.9"}
LEVELS = BINOMIAL | LOGIT
NONE = "undefined: there are no positives"
DIGITS = 60


def limits(text: str, A: Fraction, P: int) -> tuple[Fraction, Fraction]:
    """[Thesis, section 4.3], with the quantile for what the print calls Φ."""
    if A == 1:
        return A, A
    with localcontext() as context:
        context.prec = DIGITS
        θ = Decimal(A.numerator) / A.denominator
        z = Decimal(Z[LEVELS[text]].numerator) / Z[LEVELS[text]].denominator
        if text in BINOMIAL:
            half = Fraction(z * (θ * (1 - θ) / P).sqrt())
            return max(A - half, Fraction(0)), min(A + half, Fraction(1))
        η, τ = (θ / (1 - θ)).ln(), 1 / (P * θ * (1 - θ)).sqrt()
        lower, upper = (1 / (1 + (-moved).exp()) for moved in (η - z * τ, η + z * τ))
        return Fraction(lower), Fraction(upper)


def certain(text: str, n: int, decimals: int) -> Fraction:
    """The distance from a rounding boundary from which on a limit is sure to be right."""
    if text in LOGIT:
        return Fraction(2, 10 ** (decimals + GUARD_DIGITS))
    return (1 + Z[LEVELS[text]] * (1 + Fraction(sqrt(n)))) / 100 ** places(decimals)


def check(study: Study, results: dict[str, str]) -> int:
    """Assert that every released text is right; how many limits lay too close to a boundary."""
    decimals, n, P = study.options.decimals, len(study.labels), sum(study.labels)
    A = pooled.average_precision(study.scores, study.labels)
    if A is None:
        assert set(results.values()) == {NONE}
        return 0
    close = 0
    for text, found in results.items():
        exact = limits(text, A, P)
        above = [(limit * 10**decimals + Fraction(1, 2)) % 1 for limit in exact]
        bound = certain(text, n, decimals)
        if any(0 < min(one, 1 - one) / 10**decimals <= bound for one in above):
            close += 1
            continue
        value, lower, upper = (pooled.rounded(one, decimals) for one in (A, *exact))
        assert found == interval(value, lower, upper), text
    return close


def check_all(studies: list[Study]) -> int:
    return sum(
        check(study, outcome.results)
        for study, outcome in zip(studies, run_all(studies), strict=True)
    )


def test_drawn_studies_have_the_intervals_of_the_thesis() -> None:
    assert check_all(one_of_each_size(drawn_studies, 41, [tuple(LEVELS)[1:3]], 8)) == 0
    assert check_all(drawn_studies(10, 42, [tuple(BINOMIAL)[1:]], 15)[::2]) == 0


@pytest.mark.soak
def test_five_hundred_studies_have_the_intervals_of_the_thesis() -> None:
    close = check_all(drawn_studies(300, 43, [tuple(LEVELS)], 8))
    close += check_all(drawn_studies(100, 44, [tuple(BINOMIAL)], 15))
    dealt = dealt_out(drawn_studies(120, 45, [tuple(LEVELS)[1:3]], 8), 46)
    assert close + check_all(dealt) <= 1


def test_every_labelling_of_three_samples_has_the_intervals_of_the_thesis() -> None:
    scores = [0.2, 0.2, 0.7]
    studies = [
        Study((Owner(scores, labels),), Options(metrics=("average_precision_ci",)))
        for labels in labellings(scores)
    ]
    assert check_all(studies) == 0


def of_ranking(labels: list[int], *metrics: str, decimals: int = 6) -> dict[str, str]:
    """Without ties, the highest score first."""
    scores = [1 - place / len(labels) for place in range(len(labels))]
    return run(Study((Owner(scores, labels),), Options(metrics=metrics, decimals=decimals))).results


def test_a_perfect_ranking_has_the_interval_of_one_point() -> None:
    found = of_ranking([1] * 4 + [0] * 9, *LEVELS)
    assert set(found.values()) == {"1.000000 (1.000000 to 1.000000, no width)"}


def test_far_limits_are_0_and_1_and_never_undefined() -> None:
    # one positive at the last of 300 places: c is 1.96·sqrt(300) and more
    last = of_ranking([0] * 299 + [1], "average_precision_ci", decimals=8)
    assert last == {"average_precision_ci": "0.00333333 (0.00000000 to 1.00000000)"}
    # one negative before the last of 200 positives
    nearly = [1] * 199 + [0, 1]
    found = of_ranking(nearly, "average_precision_ci", decimals=8)
    A = (199 + Fraction(200, 201)) / 200
    lower, upper = (pooled.rounded(one, 8) for one in limits("average_precision_ci", A, 200))
    assert found["average_precision_ci"] == f"{pooled.rounded(A, 8)} ({lower} to {upper})"
    assert lower < "0.00001"


each_method = pytest.mark.parametrize(
    "text", ["average_precision_ci", "average_precision_ci:method=binomial"]
)


@each_method
def test_the_interval_tells_the_number_of_positives(text: str) -> None:
    rng = np.random.default_rng(3)
    labels = (rng.random(150) < 0.3).astype(int).tolist()
    [found] = of_ranking(labels, text).values()
    value, lower, _, upper = found.replace("(", "").replace(")", "").split()
    A, most, z = float(value), float(upper), float(Z["0.95"])
    assert 0 < float(lower) < A < most < 1
    if text in BINOMIAL:
        told = A * (1 - A) * (z / (most - A)) ** 2
    else:
        moved = log(most / (1 - most)) - log(A / (1 - A))
        told = (z / moved) ** 2 / (A * (1 - A))
    assert round(told) == sum(labels)
    assert abs(told - sum(labels)) < 0.1


@each_method
def test_the_ledger_and_a_warning_say_that_the_number_of_positives_is_told(text: str) -> None:
    told = ledger(Options(metrics=(text,)), [300, 300, 300])
    assert "tell the number of positives nearly exactly" in told.learns.receivers[0]
    assert any("tells the number of positives, nearly exactly" in one for one in told.warnings)
    assert statistic(text).warnings((0,), 4) == ()


def test_the_bounds_follow_the_digits() -> None:
    assert most_samples(Options(metrics=("average_precision_ci",), decimals=4)) > 10**7
    assert most_samples(Options(metrics=("average_precision_ci",), decimals=8)) > 10**5
    assert most_samples(Options(metrics=("average_precision_ci",), decimals=9)) == 0
    assert (
        most_samples(Options(metrics=("average_precision_ci:method=binomial",), decimals=15))
        > 10**7
    )


def test_limits_on_the_plain_scale_have_seven_guard_decimals_or_eight() -> None:
    assert [2 * places(decimals) - decimals for decimals in range(1, 16)] == [7, 8] * 7 + [7]
