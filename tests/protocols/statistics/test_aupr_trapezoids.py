"""Lower and upper trapezoids, against Eq. 4.3 and 4.4 of the thesis on the points themselves."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols import pooled
from tests.protocols.statistics.drawn import dealt_out, drawn_studies, labellings, one_of_each_size
from tests.protocols.studies import Owner, Study, run, run_all

LOWER, UPPER = "aupr_lower_trapezoid", "aupr_upper_trapezoid"
TABLE_4_1 = [1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]


def precisions_by_recall(points: list[tuple[Fraction, Fraction]]) -> list[list[Fraction]]:
    """All precisions of each recall above 0, the smallest recall first."""
    recalls = sorted({recall for recall, _ in points if recall})
    return [[p for recall, p in points if recall == r] for r in recalls]


def lower(scores: list[float], labels: list[int]) -> Fraction:
    """[Thesis, Eq. 4.3]; with ties the recalls are not equally far apart."""
    points = [point for point in pooled.curve(scores, labels) if point[0]]
    recalls = sorted({recall for recall, _ in points})
    groups = precisions_by_recall(points)
    return sum(
        (
            (min(groups[i]) + max(groups[i + 1])) / 2 * (recalls[i + 1] - recalls[i])
            for i in range(len(recalls) - 1)
        ),
        Fraction(0),
    )


def upper(scores: list[float], labels: list[int]) -> Fraction:
    """[Thesis, Eq. 4.4] of the list in which tied positives come before tied negatives."""
    rows = sorted(zip(scores, labels, strict=True), key=lambda row: (-row[0], -row[1]))
    ordered = [label for _, label in rows]
    points = pooled.curve([float(-place) for place in range(len(ordered))], ordered)
    groups = precisions_by_recall(points)
    steps = ((max(a) + min(b)) / 2 for a, b in pairwise(groups))
    return sum(steps, Fraction(0)) / sum(labels)


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        for text, found in outcome.results.items():
            if not any(study.labels):
                assert found == "undefined: there are no positives"
                continue
            exact = (lower if text == LOWER else upper)(study.scores, study.labels)
            assert found == pooled.rounded(exact, study.options.decimals), text


def test_drawn_studies_have_the_trapezoids_of_the_thesis() -> None:
    check_all(one_of_each_size(drawn_studies, 31, [(LOWER, UPPER)], 15))


@pytest.mark.soak
def test_five_hundred_studies_have_the_trapezoids_of_the_thesis() -> None:
    check_all(drawn_studies(400, 32, [(LOWER, UPPER)], 15))
    check_all(dealt_out(drawn_studies(120, 33, [(LOWER, UPPER)], 15), 34))


def test_every_labelling_of_three_samples_has_the_trapezoids_of_the_thesis() -> None:
    scores = [0.2, 0.2, 0.7]
    check_all(
        [
            Study((Owner(scores, labels),), Options(metrics=(LOWER, UPPER)))
            for labels in labellings(scores)
        ]
    )


def released(scores: list[float], labels: list[int]) -> dict[str, str]:
    return run(Study((Owner(scores, labels),), Options(metrics=(LOWER, UPPER), decimals=6))).results


def test_the_table_of_the_thesis_has_its_lower_and_upper_trapezoid() -> None:
    scores = [1 - place / 20 for place in range(20)]
    assert released(scores, TABLE_4_1) == {LOWER: "0.321078", UPPER: "0.383333"}


def test_a_perfect_classifier_with_tied_positives_has_no_lower_trapezoid() -> None:
    found = released([0.9, 0.9, 0.9, 0.2, 0.1], [1, 1, 1, 0, 0])
    # the upper one orders tied positives one behind the other; its last smallest precision is P/n
    assert found == {LOWER: "0.000000", UPPER: "0.600000"}


def test_one_positive_has_no_area_by_either() -> None:
    assert set(released([0.9, 0.2, 0.1], [1, 0, 0]).values()) == {"0.000000"}


def test_the_titles_warn_of_what_the_definitions_do() -> None:
    assert "0 where all positives are tied" in statistic(LOWER).title
    assert "for comparison only" in statistic(UPPER).title


@pytest.mark.parametrize("text", [LOWER, UPPER])
def test_the_ledger_tells_the_decimals_and_warns_of_few_samples(text: str) -> None:
    told = ledger(Options(metrics=(text,)), [30, 30, 30])
    assert told.learns.receivers == (
        f"{text}: the released decimals, and whether the metric is undefined: there are no "
        "positives",
    )
    assert any("number of positives becoming known" in one for one in told.warnings)
