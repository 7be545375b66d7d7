"""The two-way partial area, against an integral over the corners and the places of crossing."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols import pooled
from tests.protocols.statistics.drawn import drawn_studies, labellings, one_of_each_size
from tests.protocols.statistics.test_pauc import Curve, corners, height, integral
from tests.protocols.studies import Owner, Study, run, run_all

REGIONS = {
    "tpauc:min_tpr=0.5,max_fpr=0.5": ("0.5", "0.5"),
    "tpauc:min_tpr=0.8,max_fpr=0.2": ("0.8", "0.2"),
    "tpauc:min_tpr=0.125,max_fpr=0.9": ("0.125", "0.9"),
    "tpauc:min_tpr=0.333,max_fpr=0.05": ("0.333", "0.05"),
}
ASKED = [tuple(REGIONS)[:2], tuple(REGIONS)[2:]]


def region(points: Curve, b: Fraction, u: Fraction) -> Fraction:
    """∫ max(ROC - b, 0) up to u, piece by piece, each split where it crosses b."""
    places = {Fraction(0), u, *(x for x, _ in points if x < u)}
    for (x0, y0), (x1, y1) in pairwise(points):
        if y0 < b < y1 and x0 + (x1 - x0) * (b - y0) / (y1 - y0) < u:
            places.add(x0 + (x1 - x0) * (b - y0) / (y1 - y0))
    total = Fraction(0)
    for left, right in pairwise(sorted(places)):
        ends = (
            height(points, left, from_the_right=True),
            height(points, right, from_the_right=False),
        )
        total += (right - left) * sum(max(one - b, Fraction(0)) for one in ends) / 2
    return total


def by_parts(points: Curve, b: Fraction, u: Fraction) -> Fraction:
    """[tpAUC, Eq. 19], with the condition that the curve meets the region."""
    if height(points, u, from_the_right=True) < b:
        return Fraction(0)
    backwards = [(1 - y, 1 - x) for x, y in reversed(points)]
    whole = integral(points, Fraction(0), Fraction(1))
    parts = integral(points, Fraction(0), u) + integral(backwards, Fraction(0), 1 - b)
    return parts - whole + b * (1 - u)


def check_all(studies: list[Study]) -> int:
    """Assert that all values are right; how many are above 0."""
    positive = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        for text, found in outcome.results.items():
            if sum(study.labels) in (0, len(study.labels)):
                assert found == "undefined: a class is missing"
                continue
            points = corners(study.scores, study.labels)
            b, u = map(Fraction, REGIONS[text])
            value = region(points, b, u)
            assert value == by_parts(points, b, u)
            assert found == pooled.rounded(value, study.options.decimals)
            positive += value > 0
    return positive


def test_drawn_studies_have_the_integrals() -> None:
    positive = check_all(one_of_each_size(drawn_studies, 7, ASKED, 15))
    assert 4 < positive < 16


@pytest.mark.soak
def test_five_hundred_studies_have_the_integrals() -> None:
    assert check_all(drawn_studies(500, 8, ASKED, 15)) > 100


def test_every_labelling_of_four_samples_has_the_integrals() -> None:
    studies = [
        Study((Owner(scores, labels),), Options(metrics=("tpauc:min_tpr=0.5,max_fpr=0.5",)))
        for scores in ([0.5] * 4, [0.1, 0.2, 0.2, 0.7], [0.1, 0.2, 0.3, 0.4])
        for labels in labellings(scores)
    ]
    assert check_all(studies) > 5


def test_a_curve_that_misses_the_region_has_nothing_in_it() -> None:
    """Without the condition the formula gives a positive value here."""
    scores, labels = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [0, 0, 1, 0, 1, 1]
    b, u = Fraction(4, 5), Fraction(1, 5)
    points = corners(scores, labels)
    backwards = [(1 - y, 1 - x) for x, y in reversed(points)]
    parts = integral(points, Fraction(0), u) + integral(backwards, Fraction(0), 1 - b)
    assert parts - integral(points, Fraction(0), Fraction(1)) + b * (1 - u) > 0
    study = Study((Owner(scores, labels),), Options(metrics=("tpauc:min_tpr=0.8,max_fpr=0.2",)))
    assert run(study).results == {"tpauc:min_tpr=0.8,max_fpr=0.2": "0.0000"}


def test_a_perfect_curve_fills_the_region() -> None:
    study = Study(
        (Owner([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0]),),
        Options(metrics=("tpauc:min_tpr=0.8,max_fpr=0.2",)),
    )
    assert run(study).results == {"tpauc:min_tpr=0.8,max_fpr=0.2": "0.0400"}


@pytest.mark.parametrize("text", ["tpauc", "tpauc:min_tpr=0.5", "tpauc:min_tpr=0,max_fpr=0.5"])
def test_both_ends_are_named_and_lie_between_0_and_1(text: str) -> None:
    with pytest.raises(OptionRefused):
        statistic(text)
