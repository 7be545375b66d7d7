"""Partial areas, against scikit-learn and against an integral over the curve's corners."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols import pooled
from tests.protocols.statistics.drawn import drawn_studies, labellings, one_of_each_size
from tests.protocols.studies import Owner, Study, run, run_all

Curve = list[tuple[Fraction, Fraction]]

RANGES = {
    "pauc:max_fpr=0.1": ("fpr", "0", "0.1", False),
    "pauc:max_fpr=0.5,standardized=true": ("fpr", "0", "0.5", True),
    "pauc:min_fpr=0.25,max_fpr=0.7": ("fpr", "0.25", "0.7", False),
    "pauc:min_fpr=0.125,max_fpr=0.375,standardized=true": ("fpr", "0.125", "0.375", True),
    "pauc:min_fpr=0.333": ("fpr", "0.333", "1", False),
    "pauc:min_tpr=0.9": ("tpr", "0.9", "1", False),
    "pauc:min_tpr=0.5,standardized=true": ("tpr", "0.5", "1", True),
    "pauc:min_tpr=0.25,max_tpr=0.8": ("tpr", "0.25", "0.8", False),
    "pauc:max_tpr=0.01": ("tpr", "0", "0.01", False),
}
ASKED = [tuple(RANGES)[place::3] for place in range(3)]


def corners(scores: list[float], labels: list[int]) -> Curve:
    """(FPR, TPR) from (0, 0) to (1, 1)."""
    P, N = sum(labels), len(labels) - sum(labels)
    points, F, T = [(Fraction(0), Fraction(0))], 0, 0
    for positives, negatives in pooled.groups(scores, labels):
        F, T = F + negatives, T + positives
        points.append((Fraction(F, N), Fraction(T, P)))
    return points


def height(points: Curve, x: Fraction, *, from_the_right: bool) -> Fraction:
    """The curve's height at x, where it jumps the one on the side that is asked for."""
    if from_the_right:
        x0, y0 = [one for one in points if one[0] <= x][-1]
        later = next(one for one in points if one[0] > x)
    else:
        later = next(one for one in points if one[0] >= x)
        x0, y0 = [one for one in points if one[0] < x][-1]
    return y0 + (later[1] - y0) * (x - x0) / (later[0] - x0)


def integral(points: Curve, lower: Fraction, upper: Fraction) -> Fraction:
    """Trapezoids between all corners' places within the range, and its ends."""
    places = sorted({lower, upper, *(x for x, _ in points if lower < x < upper)})
    return sum(
        (
            (b - a)
            * (height(points, a, from_the_right=True) + height(points, b, from_the_right=False))
            / 2
            for a, b in pairwise(places)
        ),
        Fraction(0),
    )


def expected(text: str, scores: list[float], labels: list[int]) -> Fraction | None:
    if sum(labels) in (0, len(labels)):
        return None
    rate, least, most, standardized = RANGES[text]
    lower, upper, points = Fraction(least), Fraction(most), corners(scores, labels)
    if rate == "tpr":
        lower, upper = 1 - upper, 1 - lower
        points = [(1 - y, 1 - x) for x, y in reversed(points)]
    area = integral(points, lower, upper)
    if not standardized:
        return area
    widest, chance = upper - lower, (upper - lower) * (upper + lower) / 2
    return (1 + (area - chance) / (widest - chance)) / 2


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        for text, found in outcome.results.items():
            value = expected(text, study.scores, study.labels)
            undefined = "undefined: a class is missing"
            decimals = study.options.decimals
            assert found == (undefined if value is None else pooled.rounded(value, decimals)), text


def test_drawn_studies_have_the_integrals() -> None:
    check_all(one_of_each_size(drawn_studies, 5, ASKED, 15))


@pytest.mark.soak
def test_five_hundred_studies_have_the_integrals() -> None:
    check_all(drawn_studies(500, 6, ASKED, 15))


@pytest.mark.parametrize(
    "scores",
    [[0.5] * 4, [0.1, 0.2, 0.2, 0.7], pytest.param([0.1, 0.2, 0.3, 0.4], marks=pytest.mark.weekly)],
)
def test_every_labelling_of_four_samples_has_the_integrals(scores: list[float]) -> None:
    metrics = ("pauc:max_fpr=0.5,standardized=true", "pauc:min_tpr=0.25,max_tpr=0.8")
    check_all(
        [Study((Owner(scores, labels),), Options(metrics=metrics)) for labels in labellings(scores)]
    )


def drawn_scores(seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    for _ in range(6):
        n = int(rng.integers(10, 80))
        labels = np.r_[[0, 1], rng.integers(0, 2, n - 2)]
        yield rng.integers(0, rng.choice([3, 8, 100]), n) / 100, labels


@pytest.mark.parametrize(
    "max_fpr",
    ["0.05", "0.9", *(pytest.param(most, marks=pytest.mark.weekly) for most in ("0.2", "0.5"))],
)
def test_max_fpr_standardized_is_scikit_learns(max_fpr: str) -> None:
    text = f"pauc:max_fpr={max_fpr},standardized=true"
    for scores, labels in drawn_scores(int(max_fpr[2:])):
        study = Study(
            (Owner(scores.tolist(), labels.tolist()),), Options(metrics=(text,), decimals=12)
        )
        theirs = roc_auc_score(labels, scores, max_fpr=float(max_fpr))
        assert float(run(study).results[text]) == pytest.approx(theirs, abs=1e-12)


def test_parts_that_meet_add_up_to_the_whole() -> None:
    scores, labels = next(drawn_scores(9))
    texts = ("pauc:max_fpr=0.3", "pauc:min_fpr=0.3", "pauc:max_tpr=0.6", "pauc:min_tpr=0.6")
    study = Study(
        (Owner(scores.tolist(), labels.tolist()),), Options(metrics=(*texts, "auroc"), decimals=9)
    )
    found = {name: Fraction(value) for name, value in run(study).results.items()}
    for parts in (texts[:2], texts[2:]):
        assert abs(sum(found[one] for one in parts) - found["auroc"]) <= Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("pauc", "whole curve"),
        ("pauc:max_fpr=0.2,min_tpr=0.8", "both rates"),
        ("pauc:max_fpr=0", "no width"),
        ("pauc:min_fpr=0.6,max_fpr=0.5", "no width"),
        ("pauc:min_fpr=0.5,max_fpr=0.75,standardized=true", "may be negative"),
        ("pauc:max_tpr=0.5,standardized=true", "may be negative"),
    ],
)
def test_ranges_without_a_meaning_are_refused(text: str, why: str) -> None:
    with pytest.raises(OptionRefused, match=why):
        statistic(text)


def test_the_bound_follows_the_digits_of_the_range() -> None:
    assert most_samples(Options(metrics=("pauc:max_fpr=0.1",))) == (1 << 31) - 1
    assert most_samples(Options(metrics=("pauc:max_fpr=0.123456789012",))) == 36_893_488
