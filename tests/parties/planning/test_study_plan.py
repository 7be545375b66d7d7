"""A plan's sizes, cost and rule against sessions and the servers' own rule."""

from __future__ import annotations

import pytest

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.planning.sample_size import Expected
from ppaurora.parties.planning.study_plan import StudyPlan
from ppaurora.parties.study.rule import sizes_refused
from ppaurora.protocols.options import Options
from ppaurora.protocols.sorting.sort import Conditions
from tests.parties.sample import study
from tests.protocols.studies import Owner, Study, run

EXPECTED = Expected(0.8, 0.25)
SORTED = Options(metrics=("auroc", "brier"), merge="network")


def drawn(size: int, parts: int = 0) -> Owner:
    """A list of so many samples, in as many parts as there are."""
    scores = [place % 7 / 10 for place in range(size)]
    folds = [place % parts for place in range(size)] if parts else None
    return Owner(scores, [place % 3 % 2 for place in range(size)], parts=folds)


@pytest.mark.parametrize(
    "options",
    [
        SORTED,
        Options(metrics=("auroc_ci",), resolution="decimals:1"),
        Options(metrics=("auroc_folds",), folds=2, merge="network"),
        Options(metrics=("auroc",), groups=("a", "b"), merge="network"),
    ],
    ids=["sorted", "counted", "folds", "groups"],
)
def test_a_session_takes_the_hops_and_bytes_of_the_plan(options: Options) -> None:
    plan = StudyPlan.of(EXPECTED, options, 23, 3)
    parts = options.folds or len(options.groups)
    owners = tuple(drawn(size, parts) for size in plan.sizes)
    measured = run(Study(owners, options))
    assert (measured.hops, measured.payload) == (plan.hops, plan.payload)


@pytest.mark.parametrize("owners", [2, 3, 8, 100])
@pytest.mark.parametrize("samples", [101, 160, 5000])
def test_the_rule_allows_the_sizes_of_the_plan_and_not_a_sample_less(
    owners: int, samples: int
) -> None:
    plan = StudyPlan.of(EXPECTED, SORTED, samples, owners)
    assert sum(plan.sizes) == samples
    assert max(plan.sizes) - min(plan.sizes) <= 1
    ruled = study(rule=plan.rule)
    sizes = {f"owner-{place}": size for place, size in enumerate(plan.sizes)}
    assert sizes_refused(ruled, sizes) == ""
    sizes["owner-0"] -= 1
    assert f"{samples - 1} of at least {samples} samples" in sizes_refused(ruled, sizes)


def test_the_sort_is_the_one_that_suits_the_network() -> None:
    far = Options(conditions=Conditions(round_trip_us=10_000))
    near = Options(conditions=Conditions(round_trip_us=200))
    plans = [StudyPlan.of(EXPECTED, options, 8000, 8) for options in (far, near)]
    assert [plan.merge for plan in plans] == ["shuffled", "network"]
    assert StudyPlan.of(EXPECTED, Options(resolution="bins:64"), 8000, 8).merge is None


def test_receivers_learn_what_the_analysis_tells_or_else_the_ledger() -> None:
    [told] = StudyPlan.of(EXPECTED, Options(analysis="validation"), 3000, 3).told
    assert told.startswith("how many samples of each class there are, exactly")
    [told] = StudyPlan.of(EXPECTED, Options(metrics=("auroc",)), 3000, 3).told
    assert told.startswith("auroc: the released decimals")
    assert "third owner" in StudyPlan.of(EXPECTED, SORTED, 3000, 2).summary


def test_memory_grows_with_the_samples_and_not_with_what_is_counted() -> None:
    few, many = (StudyPlan.of(EXPECTED, SORTED, samples, 8).memory for samples in (1000, 9000))
    assert few < many
    counted = Options(resolution="bins:64")
    few, many = (StudyPlan.of(EXPECTED, counted, samples, 8).memory for samples in (1000, 9000))
    assert few == many


@pytest.mark.parametrize(
    ("samples", "owners", "why"),
    [(1, 1, "of one class"), (7, 8, "fewer than the 8 owners")],
)
def test_too_few_samples_are_refused(samples: int, owners: int, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        StudyPlan.of(EXPECTED, SORTED, samples, owners)


def test_more_samples_than_the_decimals_are_right_for_are_refused() -> None:
    with pytest.raises(BoundExceeded, match="937238702 samples in all"):
        StudyPlan.of(EXPECTED, Options(metrics=("auroc",)), 937_238_702, 8)


def test_a_bootstrap_of_clusters_is_planned_and_costs_what_one_of_samples_does() -> None:
    of_units = [
        StudyPlan.of(Expected(0.8, 0.3), Options(metrics=(f"bootstrap:unit={unit}",)), 8000, 8)
        for unit in ("cluster", "sample")
    ]
    assert len({(plan.hops, plan.payload) for plan in of_units}) == 1
    assert "by clusters" in of_units[0].told[0]
