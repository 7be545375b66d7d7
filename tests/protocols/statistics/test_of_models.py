"""Several models in one study: all their statistics at once, by two, three, four, five and 16."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.of_models import OfModels
from ppaurora.protocols.statistics.registry import statistics
from tests.protocols.statistics import (
    test_auroc_contrasts,
    test_auroc_covariance,
    test_auroc_equal,
    test_auroc_models,
)
from tests.protocols.statistics.drawn_models import OfAllPairs, drawn_models
from tests.protocols.studies import Owner, Study, run, run_all

ALL = (
    "auroc_models",
    "auroc_contrasts",
    "auroc_covariance",
    "auroc_equal:by=receiver",
    "auroc",
)
ASKED = [("auroc_equal", *ALL), ALL]


def check(study: Study, results: dict[str, str]) -> None:
    for module in (
        test_auroc_models,
        test_auroc_contrasts,
        test_auroc_covariance,
        test_auroc_equal,
    ):
        module.check(study, results)


def test_a_few_studies_have_the_values_of_all_pairs() -> None:
    studies = drawn_models(5, 43, ASKED, 9, (5, 13, 24))
    # the servers test the equality of two, of three and of four models
    exact = {
        one.options.models: OfAllPairs.of(one)
        for one in studies
        if test_auroc_equal.SERVERS in one.options.metrics
    }
    assert {k for k, one in exact.items() if one and one.chi_square} == {2, 3, 4}
    check_all(studies)


def check_all(studies: Sequence[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        check(study, outcome.results)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(5))
def test_five_hundred_studies_have_the_values_of_all_pairs(seed: int) -> None:
    studies = drawn_models(100, 400 + seed, ASKED, 9)
    for start in range(0, len(studies), 10):
        check_all(studies[start : start + 10])


def of_models(k: int, sizes: tuple[int, ...] = (14, 0, 16)) -> tuple[Owner, ...]:
    rng = np.random.default_rng(k)
    owners = []
    for size in sizes:
        labels = rng.integers(0, 2, size)
        models = [np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1).round(2) for _ in range(k)]
        owners.append(Owner(models[0], labels, models[1:]))
    return tuple(owners)


def options_of(k: int, *texts: str) -> Options:
    against = tuple(f"m{place}" for place in range(1, k))
    return Options(metrics=texts or ALL, against=against, merge="network")


@pytest.mark.parametrize("k", [pytest.param(5, marks=pytest.mark.weekly), 16])
def test_many_models_have_the_values_of_all_pairs_in_the_hops_of_two(k: int) -> None:
    study = Study(of_models(k), options_of(k))
    outcome = run(study)
    check(study, outcome.results)
    few, many = (phase_estimates(options_of(models), study.sizes) for models in (2, k))
    # many quotients are found by one decimal in each step
    assert [one.spent.hops for one in many[:-1]] == [one.spent.hops for one in few[:-1]]
    assert many[-1].spent.hops <= 1.3 * few[-1].spent.hops
    assert sum(one.spent.hops for one in many) == outcome.hops
    assert sum(one.spent.payload for one in many) == outcome.payload


def test_all_statistics_of_models_are_tried_here() -> None:
    kinds = {name for name, kind in statistics().items() if issubclass(kind, OfModels)}
    elsewhere = {"auroc_difference", "auroc_differs", "idi"}
    assert kinds - elsewhere == {text.partition(":")[0] for text in ALL} - {"auroc"}


def test_the_ledger_says_what_the_covariance_tells_and_the_servers_test_does_not() -> None:
    told = ledger(options_of(3, "auroc_equal", "auroc_covariance"), [100, 100]).learns
    assert told.receivers[0].startswith("auroc_equal: the chi-square to 3 decimals")
    assert (
        "the AUROCs of all 3 models and their covariances, each to 12 decimals"
        in (told.receivers[1])
    )
    both = ledger(options_of(5, "auroc_equal:by=receiver"), [100, 100])
    assert "all 5 models and their covariances" in both.learns.receivers[0]
    assert any("hold numbers to 12 decimals" in one for one in both.warnings)
    assert both.learns.P0 == ledger(options_of(5, "auroc_models"), [100, 100]).learns.P0
    assert "by all 5 scores, of the same rows with the same labels" in both.learns.P0[1]


def test_many_rankings_of_few_samples_are_told_to_give_away_labels() -> None:
    many = ledger(options_of(16, "auroc_models"), [40, 40, 40]).warnings
    assert any("decimals are released of numbers that nearly every set" in one for one in many)
    two = ledger(options_of(2, "auroc_models"), [40, 40, 40]).warnings
    assert not any("decimals are released of numbers" in one for one in two)
