"""The area through the largest precisions, against Eq. 4.9 of the thesis."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import pytest

from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.aupr_interpolated_max import GUARD_DIGITS
from tests.protocols import pooled
from tests.protocols.statistics.drawn import dealt_out, drawn_studies, labellings, one_of_each_size
from tests.protocols.studies import Owner, Study, run, run_all

MAX = "aupr_interpolated_max"
TABLE_4_1 = [1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
NONE = "undefined: there are no positives"


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / value.denominator


def between(r1: Fraction, p1: Fraction, r2: Fraction, p2: Fraction) -> Fraction:
    """[Thesis, Thm 4.1 and Eq. 4.9], where a = 0 its limit."""
    A, B = (1 - p2) * r2 / (p2 * (r2 - r1)), (1 - p1) * r1 / p1
    a, b = 1 + A - B / (r2 - r1), B - A * r1 + B * r1 / (r2 - r1)
    if not a:
        return (r2**2 - r1**2) / (2 * b)
    with localcontext() as context:
        context.prec = 60
        logarithm = Fraction((decimal(a * r2 + b) / decimal(a * r1 + b)).ln())
    return (a * (r2 - r1) - b * logarithm) / a**2


def expected(scores: list[float], labels: list[int]) -> Fraction:
    points = [point for point in pooled.curve(scores, labels) if point[0]]
    recalls = sorted({recall for recall, _ in points})
    largest = [(r, max(p for recall, p in points if recall == r)) for r in recalls]
    return sum((between(*one, *other) for one, other in pairwise(largest)), Fraction(0))


def check_all(studies: list[Study]) -> int:
    """Assert that every released text is right; how many values lay too close to a boundary."""
    close = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        [found], decimals = outcome.results.values(), study.options.decimals
        if not any(study.labels):
            assert found == NONE
            continue
        exact = expected(study.scores, study.labels)
        above = (exact * 10**decimals + Fraction(1, 2)) % 1
        if 0 < min(above, 1 - above) <= Fraction(3, 10**GUARD_DIGITS):
            close += 1
        else:
            assert found == pooled.rounded(exact, decimals)
    return close


def test_drawn_studies_have_the_area_of_the_thesis() -> None:
    assert check_all(one_of_each_size(drawn_studies, 61, [(MAX,)], 8)) == 0


@pytest.mark.soak
def test_five_hundred_studies_have_the_area_of_the_thesis() -> None:
    close = check_all(drawn_studies(400, 62, [(MAX,)], 8))
    assert close + check_all(dealt_out(drawn_studies(120, 63, [(MAX,)], 8), 64)) <= 1


def test_every_labelling_of_three_samples_has_the_area_of_the_thesis() -> None:
    scores = [0.2, 0.2, 0.7]
    studies = [
        Study((Owner(scores, labels),), Options(metrics=(MAX,))) for labels in labellings(scores)
    ]
    assert check_all(studies) == 0


def released(scores: list[float], labels: list[int]) -> str:
    [found] = run(
        Study((Owner(scores, labels),), Options(metrics=(MAX,), decimals=6))
    ).results.values()
    return found


def test_the_table_of_the_thesis_has_its_area() -> None:
    assert released([1 - place / 20 for place in range(20)], TABLE_4_1) == "0.402030"


def test_one_recall_has_no_area_and_a_perfect_ranking_all_but_the_first() -> None:
    assert released([0.9, 0.9, 0.9, 0.2, 0.1], [1, 1, 1, 0, 0]) == "0.000000"
    assert released([0.9, 0.8, 0.7, 0.2, 0.1], [1, 1, 1, 0, 0]) == "0.666667"


def test_the_bound_is_that_of_the_division_for_every_sample() -> None:
    assert most_samples(Options(metrics=(MAX,), decimals=8)) == 20_000
    assert most_samples(Options(metrics=(MAX,), decimals=9)) == 0


def test_the_ledger_tells_the_decimals_and_warns_of_few_samples() -> None:
    told = ledger(Options(metrics=(MAX,)), [30, 30, 30])
    assert told.learns.receivers == (
        f"{MAX}: the released decimals, and whether the metric is undefined: there are no "
        "positives",
    )
    assert any("number of positives becoming known" in one for one in told.warnings)
