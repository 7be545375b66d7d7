"""Readings of the curves at given rates, against every threshold tried on all samples."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_curve

from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.pooled import rounded
from tests.protocols.statistics.drawn import labellings, one_of_each_size, varied_studies
from tests.protocols.studies import Owner, Study, run, run_all

READINGS = {
    "sensitivity:at_specificity=0.9/0.95": ("sensitivity", ("0.9", "0.95")),
    "sensitivity:at_specificity=0.125/0.5/1": ("sensitivity", ("0.125", "0.5", "1")),
    "sensitivity:at_specificity=0.9/1,read=interpolated": ("between", ("0.9", "1")),
    "sensitivity:at_specificity=0.333,read=interpolated": ("between", ("0.333",)),
    "specificity:at_sensitivity=0.9/0.95": ("specificity", ("0.9", "0.95")),
    "specificity:at_sensitivity=0.01/0.5/1": ("specificity", ("0.01", "0.5", "1")),
    "specificity:at_sensitivity=0.8/1,read=interpolated": ("back", ("0.8", "1")),
    "specificity:at_sensitivity=0.0625,read=interpolated": ("back", ("0.0625",)),
    "precision_at_recall:recall=0.5/0.8": ("precision", ("0.5", "0.8")),
    "precision_at_recall:recall=0.01/0.25/1": ("precision", ("0.01", "0.25", "1")),
}
ASKED = [tuple(READINGS)[0::2], tuple(READINGS)[1::2]]
COLUMNS = {
    "sensitivity": ("specificity", "sensitivity"),
    "between": ("specificity", "sensitivity"),
    "specificity": ("sensitivity", "specificity"),
    "back": ("sensitivity", "specificity"),
    "precision": ("recall", "precision"),
}
Point = tuple[Fraction, Fraction]


def counts(study: Study) -> list[tuple[int, int]]:
    """False and true positives where every score at or above a threshold is called positive."""
    rows = list(zip(study.scores, study.labels, strict=True))
    thresholds = sorted({score for score, _ in rows}, reverse=True)
    found = [(0, 0)]
    for threshold in thresholds:
        called = [label for score, label in rows if score >= threshold]
        found.append((len(called) - sum(called), sum(called)))
    return found


def on_the_curve(points: list[Point], at: Fraction) -> Fraction:
    """The largest height of all straight lines between neighbouring points at this place."""
    heights = []
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 == x1 == at:
            heights += [y0, y1]
        elif x0 <= at <= x1 and x0 < x1:
            heights.append(y0 + (at - x0) / (x1 - x0) * (y1 - y0))
    return max(heights)


def expected(kind: str, rate: Fraction, points: list[tuple[int, int]]) -> Fraction | None:
    N, P = points[-1]
    if P == 0 or (N == 0 and kind != "precision"):
        return None
    if kind == "precision":
        F, T = min(point for point in points if point[1] >= rate * P)
        return Fraction(T, F + T)
    rates = [(Fraction(F, N), Fraction(T, P)) for F, T in points]
    match kind:
        case "sensitivity":
            return max(tpr for fpr, tpr in rates if 1 - fpr >= rate)
        case "specificity":
            return max(1 - fpr for fpr, tpr in rates if tpr >= rate)
        case "between":
            return on_the_curve(rates, 1 - rate)
        case _:
            backwards = [(1 - tpr, 1 - fpr) for fpr, tpr in reversed(rates)]
            return on_the_curve(backwards, 1 - rate)


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        points = counts(study)
        for text, told in outcome.results.items():
            kind, rates = READINGS[text]
            given, found = COLUMNS[kind]
            values = [expected(kind, Fraction(rate), points) for rate in rates]
            if values[0] is None:
                why = "there are no positives" if kind == "precision" else "a class is missing"
                assert told == f"undefined: {why}"
                continue
            cells = [
                rounded(value, study.options.decimals) for value in values if value is not None
            ]
            assert told == "; ".join(
                f"{given} {rate}, {found} {cell}" for rate, cell in zip(rates, cells, strict=True)
            )


def test_drawn_studies_have_the_rates_of_all_thresholds() -> None:
    check_all(one_of_each_size(varied_studies, 23, ASKED, 15))


@pytest.mark.soak
def test_five_hundred_studies_have_the_rates_of_all_thresholds() -> None:
    check_all(varied_studies(500, 24, ASKED, 15))


def test_every_labelling_of_four_samples_has_the_rates_of_all_thresholds() -> None:
    check_all(
        [
            Study((Owner(scores, labels),), Options(metrics=ASKED[1], decimals=2, least_cell=1))
            for scores in ([0.1, 0.2, 0.2, 0.7],)
            for labels in labellings(scores)
        ]
    )


def test_the_values_are_those_of_scikit_learns_curves() -> None:
    rng = np.random.default_rng(25)
    labels = rng.integers(0, 2, 80)
    scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1).round(1)
    texts = (
        "sensitivity:at_specificity=0.85",
        "specificity:at_sensitivity=0.65",
        "precision_at_recall:recall=0.65",
    )
    options = Options(metrics=texts, decimals=9, least_cell=1)
    study = Study((Owner(scores.tolist(), labels.tolist()),), options)
    told = [float(text.split()[-1]) for text in run(study).results.values()]
    fpr, tpr, _ = roc_curve(labels, scores, drop_intermediate=False)
    precision, recall, _ = precision_recall_curve(labels, scores)
    theirs = [
        tpr[1 - fpr >= 0.85].max(),
        (1 - fpr)[tpr >= 0.65].max(),
        precision[recall >= 0.65][-1],
    ]
    assert told == pytest.approx(theirs, abs=1e-9)


def test_a_rate_that_a_corner_has_exactly_is_kept_there() -> None:
    """Two of ten negatives and three of four positives above 0.5."""
    scores = [0.9, 0.8, 0.7, 0.6, 0.6] + [0.2] * 9
    labels = [1, 0, 1, 1, 0] + [1] + [0] * 8
    results = run(
        Study(
            (Owner(scores, labels),),
            Options(
                metrics=(
                    "sensitivity:at_specificity=0.8/0.81",
                    "specificity:at_sensitivity=0.75/0.76",
                    "precision_at_recall:recall=0.75/0.76",
                ),
                decimals=2,
                least_cell=1,
            ),
        )
    ).results
    assert list(results.values()) == [
        "specificity 0.8, sensitivity 0.75; specificity 0.81, sensitivity 0.50",
        "sensitivity 0.75, specificity 0.80; sensitivity 0.76, specificity 0.00",
        "recall 0.75, precision 0.60; recall 0.76, precision 0.29",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sensitivity", "without at_specificity"),
        ("sensitivity:at_specificity=0", "at a specificity of 0"),
        ("sensitivity:at_specificity=0.9/0.90", "at_specificity"),
        ("sensitivity:at_specificity=1.1", "at_specificity"),
        ("sensitivity:at_specificity=0.9,read=smooth", "read"),
        ("specificity:at_sensitivity=0.5/0", "at a sensitivity of 0"),
        ("precision_at_recall:recall=0", "at a recall of 0"),
    ],
)
def test_rates_without_a_meaning_are_refused(text: str, why: str) -> None:
    with pytest.raises(OptionRefused, match=why):
        statistic(text)


def test_recall_is_another_name_of_the_sensitivity() -> None:
    one = statistic("recall:at_specificity=0.9")
    assert one.text == "sensitivity:at_specificity=0.9"


def test_the_bound_follows_the_digits_of_the_rates() -> None:
    assert most_samples(Options(metrics=("sensitivity:at_specificity=0.9",))) == 1_325_455_683
    assert (
        most_samples(Options(metrics=("sensitivity:at_specificity=0.123456789012",))) == 36_893_488
    )
    interpolated = "sensitivity:at_specificity=0.123456789012,read=interpolated"
    assert most_samples(Options(metrics=(interpolated,))) == 2_650


def test_so_many_decimals_tell_a_ratio_with_a_small_denominator() -> None:
    for decimals, most in ((1, 3), (2, 10), (3, 31)):
        assert f"at most {most}," in statistic("precision_at_recall:recall=0.5").leaks(decimals)
        ratios = {Fraction(T, P) for P in range(1, most + 1) for T in range(P + 1)}
        assert len({rounded(ratio, decimals) for ratio in ratios}) == len(ratios)


def test_the_ledger_warns_where_samples_are_few() -> None:
    told = ledger(Options(metrics=("sensitivity:at_specificity=0.9",)), [30, 30])
    assert (
        "exactly, in its lowest terms, where its denominator is at most 100,"
        in (told.learns.receivers[0])
    )
    assert any("number of positives becoming known" in warning for warning in told.warnings)
