"""Sizes that the arithmetic cannot hold are refused before anything runs."""

import pytest

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.primitives import largest_denominator
from ppaurora.protocols.evaluate import check_bounds, most_samples
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.statistics.test_every_statistic import (
    ASKED,
    CASES,
    SORTED,
    each_study,
    options_for,
)

PINNED = {
    ("auroc", 4): 937_238_701,
    ("auroc_no_ties", 4): 1_325_455_683,
    ("aupr", 4): 94_906_265,
    ("aupr", 12): 2_305_843,
    ("aupr", 15): 2_305,
    ("average_precision", 4): 1 << 27,
    ("average_precision", 12): 4_611_686,
    ("average_precision", 15): 4_611,
}
FEWER_DECIMALS = {
    "auroc_ci:method=logit": 6,
    "average_precision_ci": 6,
    "aupr_interpolated_max": 8,
    "auroc_folds:level=0.5,empty=skip": 6,
    "auroc_groups": 8,
    "auroc_sites": 8,
    "calibration_groups": 8,
    "kaplan_meier": 8,
    "kaplan_meier:at=2/5": 8,
    "kaplan_meier:at=1/2/3/6,level=0.5": 8,
    "rates_groups:at=0.25/0.5": 8,
    "calibration_slope_sites": 8,
    "calibration_slope_sites:level=0.5,heterogeneity=true": 8,
    "observed_expected_sites": 8,
    "observed_expected_sites:level=0.5,heterogeneity=true": 8,
    "auroc_sites:level=0.5,heterogeneity=true": 8,
    "site_values:least_class=2": 8,
    "site_values:of=slope,least_class=2,level=0.5": 8,
}
"""The decimals to which a million samples are held, where these are not nine."""
FEWER_SAMPLES = {
    "aupr_interpolated_max": 20_000,
    "aupr_hull:samples=64": 64,
    "aupr_interpolated_mean:samples=64": 64,
    "aupr_interpolated_median:samples=80": 80,
    "auroc_clusters": 77_935,
    "labels_by_rank:samples=64": 64,
    "bootstrap:replicates=20,strata=none,bins=4,of=pauc:max_fpr=0.25": ((1 << 31) - 1) // 66,
    "bootstrap:replicates=20,level=0.5,unit=cluster,bins=4": ((1 << 31) - 1) // 37,
}
"""The samples that are held, where these are not a million."""


def test_what_holds_less_is_among_the_cases():
    assert {*FEWER_DECIMALS, *FEWER_SAMPLES} <= {*ASKED}


@pytest.mark.parametrize(("name", "decimals"), PINNED)
def test_each_bound_is_pinned(name, decimals):
    options = Options(metrics=(name,), decimals=decimals)
    most = PINNED[name, decimals]
    assert most_samples(options) == most
    check_bounds(options, [most // 2, most - most // 2])
    with pytest.raises(BoundExceeded, match=str(most)) as caught:
        check_bounds(options, [1, most])
    assert name in str(caught.value)


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("decimals", [4, 6, 9])
def test_a_million_samples_are_held_to_nine_decimals(name, decimals):
    decimals = min(decimals, FEWER_DECIMALS.get(name, decimals))
    sizes = [FEWER_SAMPLES.get(name, 1 << 20) // 8] * 8
    check_bounds(options_for(name, decimals=decimals), sizes)


def test_more_than_the_runtime_holds_is_refused():
    with pytest.raises(BoundExceeded, match=str(MOST_SAMPLES)):
        check_bounds(Options(), [MOST_SAMPLES, 1])


def test_a_negative_size_is_refused():
    with pytest.raises(BoundExceeded):
        check_bounds(Options(), [3, -1])


FEWER_DECIMALS_COUNTED = {"auroc_groups": 8, "calibration_groups": 8, "rates_groups:at=0.25/0.5": 8}
FEWER_COUNTED = {
    "auroc_at_time": 12_587_939,
    "auroc_at_time:at=2/5": 12_587_939,
    "auroc_ci": 21_668_982,
    "calibration_groups": 1 << 29,
    "kaplan_meier": 461_167,
    "kaplan_meier:at=2/5": 461_167,
    "kaplan_meier:at=1/2/3/6,level=0.5": 461_167,
}
COUNTED = [
    (text, table)
    for text, table in CASES
    if table != SORTED or statistic(text).pipeline is OwnersSums
]


@pytest.mark.parametrize("case", COUNTED)
def test_counts_hold_two_thousand_million_samples_to_nine_decimals(case):
    most = FEWER_SAMPLES.get(case[0], FEWER_COUNTED.get(case[0], MOST_SAMPLES))
    decimals = FEWER_DECIMALS_COUNTED.get(case[0], 9)
    check_bounds(options_for(case, decimals=decimals), [most // 3] * 3)


@each_study
def test_no_samples_are_held(cases):
    check_bounds(options_for(*cases, decimals=15), [0, 0])


def test_the_division_holds_the_largest_auroc():
    n = PINNED["auroc", 4]
    assert 2 * (n // 2) * ((n + 1) // 2) <= largest_denominator()
    assert 2 * ((n + 1) // 2) * ((n + 2) // 2) > largest_denominator()
