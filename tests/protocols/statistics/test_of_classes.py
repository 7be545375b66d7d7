"""Several classes in one study: all their statistics at once, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from tests.protocols.statistics import test_auroc_classes, test_auroc_multiclass
from tests.protocols.statistics.drawn_classes import drawn_classes
from tests.protocols.studies import Owner, Study, run, run_all

ALL = (test_auroc_classes.TEXT, *test_auroc_multiclass.ASKED[0], "auroc")


def check_all(studies: Sequence[Study]) -> int:
    close = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        test_auroc_classes.check(study, outcome.results)
        close += test_auroc_multiclass.check(study, outcome.results)
    return close


def test_a_few_studies_have_the_values_of_all_pairs() -> None:
    assert check_all(drawn_classes(3, 70, [ALL], 9, (5, 24, 60))) <= 1


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(25))
def test_five_hundred_studies_have_the_values_of_all_pairs(seed: int) -> None:
    studies, close = drawn_classes(20, 700 + seed, [ALL], 9), 0
    for start in range(0, len(studies), 10):
        close += check_all(studies[start : start + 10])
    assert close <= 2


def of_classes(k: int, sizes: tuple[int, ...] = (14, 0, 16)) -> Study:
    rng = np.random.default_rng(k)
    owners = []
    for size in sizes:
        own = rng.integers(0, k, size)
        scores = rng.random((k, size)).round(1)
        owners.append(Owner(scores[0], (own == 0).astype(int), list(scores[1:]), classes=own))
    names = tuple(f"class {place}" for place in range(k))
    return Study(tuple(owners), Options(metrics=ALL, classes=names, merge="network"))


@pytest.mark.parametrize("k", [pytest.param(3, marks=pytest.mark.weekly), 16])
def test_the_predicted_cost_is_the_measured_cost(k: int) -> None:
    study = of_classes(k)
    outcome = run(study)
    predicted = phase_estimates(study.options, study.sizes)
    assert sum(one.spent.hops for one in predicted) == outcome.hops
    assert sum(one.spent.payload for one in predicted) == outcome.payload
    test_auroc_classes.check(study, outcome.results)
    test_auroc_multiclass.check(study, outcome.results)


def test_scores_of_few_decimals_and_groups_have_the_same_values() -> None:
    study = of_classes(3)
    narrow = Options(
        metrics=ALL, classes=study.options.classes, resolution="decimals:1", table="sorted"
    )
    plain, fewer = run_all([study, Study(study.owners, narrow)])
    assert plain.results == fewer.results
    grouped = Options(metrics=ALL, classes=study.options.classes, groups=("x", "y"))
    parts = tuple(
        Owner(one.scores, one.labels, one.against, np.arange(len(one.scores)) % 2, one.classes)
        for one in study.owners
    )
    found = run(Study(parts, grouped)).results
    assert {text: found[text] for text in ALL} == plain.results
    assert len(found) == 3 * len(ALL)


@pytest.mark.parametrize(
    ("classes", "told"),
    [
        ((), "are missing: a metric is of several classes"),
        (("a", "b"), "must be 3 to 16"),
        (tuple("abcdefghijklmnopq"), "must be 3 to 16"),
        (("a", "b", " A"), "must be different words"),
    ],
)
def test_classes_that_mean_nothing_are_refused(classes: tuple[str, ...], told: str) -> None:
    with pytest.raises(OptionRefused, match=told):
        Options(metrics=("auroc_classes",), classes=classes)


def test_classes_that_no_metric_is_of_are_refused() -> None:
    with pytest.raises(OptionRefused, match="no metric is of several classes"):
        Options(metrics=("auroc",), classes=("a", "b", "c"))
    with pytest.raises(OptionRefused, match="lists of different kinds"):
        Options(metrics=("auroc_classes", "auroc_models"), classes=tuple("abc"), against=("d",))


def test_the_ledger_says_of_which_class_a_metric_of_two_is() -> None:
    told = ledger(of_classes(3).options, [100, 100]).learns
    assert told.receivers[-1].startswith("auroc of class 0 against the rest: the released decimals")
    assert "by the scores of all 3 classes, of the same rows, each in one class" in told.P0[1]
