"""The largest Youden index, against every threshold tried on all samples.

The tournament of a shared vector.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import roc_curve

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.youden_max import largest, largest_cost
from tests.protocols.pooled import rounded
from tests.protocols.statistics.by_definition import SAMPLE, Cell, Rows, agree
from tests.protocols.statistics.drawn import labellings, one_of_each_size, varied_studies
from tests.protocols.studies import Owner, Study, run, run_all

ASKED = [("youden_max",)]


def largest_index(study: Study) -> Fraction | None:
    rows = list(zip(study.scores, study.labels, strict=True))
    P, N = sum(study.labels), len(rows) - sum(study.labels)
    if not P * N:
        return None
    indices = [Fraction(0)]
    for threshold in set(study.scores):
        called = [label for score, label in rows if score >= threshold]
        indices.append(Fraction(sum(called), P) - Fraction(len(called) - sum(called), N))
    return max(indices)


def check_all(studies: list[Study]) -> int:
    """Assert that all values are right; how many are above 0."""
    positive = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        value = largest_index(study)
        told = "undefined: a class is missing"
        if value is not None:
            told = rounded(value, study.options.decimals)
            positive += value > 0
        assert outcome.results["youden_max"] == told
    return positive


def test_drawn_studies_have_the_largest_of_all_thresholds() -> None:
    assert check_all(one_of_each_size(varied_studies, 26, ASKED, 15)) > 2


@pytest.mark.soak
def test_five_hundred_studies_have_the_largest_of_all_thresholds() -> None:
    assert check_all(varied_studies(500, 27, ASKED, 15)) > 100


@pytest.mark.parametrize(
    "scores", [[0.1, 0.2, 0.2, 0.7], pytest.param([0.1, 0.2, 0.3, 0.4], marks=pytest.mark.weekly)]
)
def test_every_labelling_of_four_samples_has_the_largest_of_all_thresholds(
    scores: list[float],
) -> None:
    check_all(
        [
            Study((Owner(scores, labels),), Options(metrics=ASKED[0]))
            for labels in labellings(scores)
        ]
    )


def test_the_value_is_that_of_scikit_learns_curve() -> None:
    rng = np.random.default_rng(28)
    labels = rng.integers(0, 2, 90)
    scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1).round(2)
    study = Study((Owner(scores.tolist(), labels.tolist()),), Options(metrics=ASKED[0], decimals=9))
    fpr, tpr, _ = roc_curve(labels, scores)
    assert float(run(study).results["youden_max"]) == pytest.approx((tpr - fpr).max(), abs=1e-9)


def test_a_curve_below_the_diagonal_has_the_index_of_no_alarm() -> None:
    study = Study((Owner([0.9, 0.8, 0.2, 0.1], [0, 0, 1, 1]),), Options(metrics=ASKED[0]))
    assert run(study).results == {"youden_max": "0.0000"}


def test_ties_between_the_classes_are_no_threshold() -> None:
    """A threshold inside the group of 0.5 would give 1."""
    study = Study((Owner([0.5, 0.5, 0.5, 0.5], [1, 1, 0, 0]),), Options(metrics=ASKED[0]))
    assert run(study).results == {"youden_max": "0.0000"}


def test_its_bound_is_that_of_the_division() -> None:
    assert most_samples(Options(metrics=ASKED[0])) == 1_325_455_683
    assert statistic("youden_max").warnings((3, 3), 4)


def played(values: list[int]) -> tuple[int, int, int]:
    """The largest value, with the hops and bytes that it took to find it."""

    def program(party: Party, x: Shared) -> tuple[Shared, int, int]:
        found = largest(party, x)
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        return found, party.hops, sent

    by_role = run_local(program, share(values))
    [value] = open_locally([found for found, _, _ in by_role]).astype(np.int64).tolist()
    return value, max(hops for _, hops, _ in by_role), sum(sent for _, _, sent in by_role)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13, 64, 65])
def test_the_largest_wins_wherever_it_stands(n: int) -> None:
    rng = np.random.default_rng(n)
    for place in {0, n // 2, n - 1}:
        values = rng.integers(-(1 << 61), 1 << 60, n).tolist()
        values[place] = 1 << 61
        value, hops, payload = played(values)
        cost = largest_cost(n)
        assert (value, hops, payload) == (1 << 61, cost.hops, cost.payload)
        assert cost.hops == 4 * (n - 1).bit_length()


def test_equal_and_negative_numbers_are_no_exception() -> None:
    assert played([-5, -5, -7])[0] == -5
    assert played([0, 0, 0, 0])[0] == 0


def best_youden(rows: Rows) -> Cell:
    if not rows.P * rows.N:
        return "undefined: a class is missing"
    found = [Fraction(0)]
    for score, _ in rows.rows:
        tp, fp, _, _ = rows.called(score)
        found.append(Fraction(tp, rows.P) - Fraction(fp, rows.N))
    return max(found)


BY_DEFINITION = "youden_max"
DEFINITION = best_youden


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(BY_DEFINITION, DEFINITION, SAMPLE, 1).numbers
