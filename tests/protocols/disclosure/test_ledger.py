"""The ledger says what leaks, and warns where a released number pins the class counts down."""

import json
from fractions import Fraction

import pytest

from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.class_counts import (
    MOST_ENUMERATED,
    consistent_counts,
    least_candidates,
)
from tests.protocols.pooled import rounded


def learns(options, sizes=(100, 100, 100), **more):
    return ledger(options, sizes, **more).learns


def test_the_ledger_is_json():
    text = json.dumps(ledger(Options(metrics=("auroc", "aupr")), [20, 30], refused=[1]).to_json())
    assert json.loads(text)["public"]["refused"] == [1]
    assert json.loads(text)["public"]["samples"] == 20


def test_the_usual_options_tell_the_servers_sizes_and_verdicts_only():
    learned = learns(Options())
    *told, seen = learned.helper
    assert learned.P0 == learned.P1 == tuple(told)
    assert len(told) == 2
    assert seen.startswith("if the sort is shuffled: the outcomes of the sort's comparisons")
    assert seen.endswith("tell nothing of the lists")
    assert learns(Options(merge="network")).helper == learned.P0
    assert learned.receivers == (
        "auroc: the released decimals, and whether the metric is undefined: a class is missing",
    )


def test_a_grid_shows_the_servers_sizes_and_verdicts_only():
    options = Options(metrics=("auroc",), resolution="bins:64")
    learned = learns(options)
    assert learned.P0 == learned.P1 == learned.helper
    assert learned.P0 == (
        "the number of samples of each list",
        "for each list one bit: whether it is made of counts that add up to the stated number of "
        "samples",
    )
    assert learned.receivers == (
        "auroc: the released decimals, and whether the metric is undefined: a class is missing",
    )
    assert learned.onlookers == ()
    public = ledger(options, [100, 100]).to_json()["public"]
    assert public["resolution"] == "bins:64"
    assert "merge" not in public


def test_delta_one_adds_nothing_and_larger_ones_are_declared():
    plain = learns(Options(merge="network"))
    assert learns(Options(merge="delta", delta=1)) == plain
    open_merge = learns(Options(merge="delta", delta=5))
    assert "up to 4 comparisons" in open_merge.P0[-1]
    assert open_merge.P0 == open_merge.P1
    assert "how many elements" in open_merge.helper[-1]
    assert plain.onlookers == ()
    assert "how many bytes and hops" in open_merge.onlookers[0]


def test_tie_detection_by_the_helper_is_declared_with_its_dummies():
    learned = learns(Options(merge="network", ties="helper"))
    assert learned.helper[-1].endswith("from 0 to 1323")
    assert learned.P0 == learns(Options()).P0
    without = Options(metrics=("recall_at_top:k=1",), merge="network", ties="helper")
    assert learns(without).helper == learned.P0


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("n", [2, 3, 5, 8])
@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_the_counts_that_fit_are_exactly_those_some_data_have(n, decimals, ties):
    fitting = {}
    for P in range(1, n):
        M = (1 + ties) * P * (n - P)
        for k in range(M + 1):
            fitting.setdefault(rounded(Fraction(k, M), decimals), set()).add(P)
    for value in range(10**decimals + 1):
        text = rounded(Fraction(value, 10**decimals), decimals)
        assert set(consistent_counts(n, value, decimals, ties=ties)) == fitting.get(text, set())
    assert least_candidates(n, decimals, ties=ties) == min(map(len, fitting.values()))


@pytest.mark.parametrize("decimals", [2, 4])
def test_the_bound_for_many_samples_is_kept_by_every_value(decimals):
    n = MOST_ENUMERATED + 20
    left = least_candidates(n, decimals)
    for value in range(0, 10**decimals + 1, max(1, 10**decimals // 200)):
        assert len(consistent_counts(n, value, decimals)) >= left


def test_few_samples_and_many_decimals_are_warned_of():
    warned = ledger(Options(), [20, 20, 14]).warnings
    assert "may tell anybody the class counts" in warned[0]
    assert not ledger(Options(), [1000] * 8).warnings
    assert ledger(Options(decimals=9), [1000] * 8).warnings


def test_the_paper_sized_study_is_not_pinned_at_four_decimals():
    assert least_candidates(191, 4) > 100
    assert not any("anybody" in text for text in ledger(Options(), [100, 50, 41]).warnings)


def test_a_number_is_judged_in_the_eyes_of_the_longest_list_and_of_all_but_the_shortest():
    """A list of 100,000 positives at one half hides nothing: its owner sees the others' AUROC."""
    assert not ledger(Options(), [4000, 4000, 4000]).warnings
    dominated = ledger(Options(), [100_000, 20, 14]).warnings
    assert [text.partition(" the class counts")[0] for text in dominated] == [
        "auroc to 4 decimals may tell the owner of the largest list",
        "auroc to 4 decimals may tell all owners but the one with the smallest list together",
    ]
    assert "of 34 samples" in dominated[0]
    assert "of 14 samples" in dominated[1]
    [colluding] = ledger(Options(), [4000, 4000, 20]).warnings
    assert "smallest list together" in colluding


def test_precision_metrics_and_several_metrics_are_warned_of():
    warned = ledger(Options(metrics=("auroc", "aupr")), [30, 40, 40]).warnings
    assert any(text.startswith("aupr") for text in warned)
    assert any("together" in text for text in warned)


def test_two_owners_are_warned_of():
    assert any("fewer than three" in text for text in ledger(Options(), [4000, 4000, 0]).warnings)


FOLDED = Options(metrics=("auroc_folds", "aucnpr_folds:empty=skip"), merge="network", folds=3)


def test_folds_show_the_servers_how_many_samples_of_each_list_are_in_each():
    told = ledger(FOLDED, [40, 30, 30, 50, 50, 60, 70, 80, 90], refused=[1])
    assert told.learns.P0 == told.learns.P1 == told.learns.helper
    assert told.learns.P0[2] == "of each list, how many of its samples are in each fold"
    assert told.learns.P0[1].endswith("sorted and in range in every fold")
    assert (told.public.samples, told.public.sizes) == (340, (100, 160, 240))
    assert told.to_json()["public"]["fold_sizes"] == [[40, 30, 30], [50, 50, 60], [70, 80, 90]]
    assert "fold_sizes" not in ledger(Options(), [100, 100]).to_json()["public"]
    assert "how many folds were left out" in told.learns.receivers[1]
    assert "left out" not in told.learns.receivers[0]


@pytest.mark.parametrize(
    ("sizes", "warned"),
    [
        ((400, 300, 300, 500, 500, 600, 700, 800, 900), []),
        ((400, 300, 1, 500, 500, 600, 700, 800, 900), ["a list has one sample only"]),
        (
            (400, 300, 0, 500, 1, 600, 700, 800, 0),
            ["2 lists have no sample", "a list has one sample"],
        ),
        ((400, 300, 9, 500, 500, 8, 700, 800, 7), ["the smallest fold has 24 samples"]),
        (
            (400, 9, 0, 500, 9, 0, 700, 9, 0),
            ["3 lists have no sample", "the smallest fold has 27 samples"],
        ),
        # an owner who uploads nothing has no list
        ((0, 0, 0, 900, 90, 90, 90, 900, 90, 90, 90, 900), []),
        ((90, 900, 90, 90, 900, 90), ["with fewer than three lists"]),
    ],
)
def test_small_folds_are_warned_of(sizes, warned):
    found = ledger(FOLDED, sizes).warnings
    of_folds = [one for one in found if not one.startswith("several metrics")]
    assert [one[: len(start)] for one, start in zip(of_folds, warned, strict=True)] == warned


def test_one_patient_of_a_small_fold_moves_the_mean_by_more_than_is_warned_of():
    sizes = [400, 300, 9, 500, 500, 8, 700, 800, 7]
    [warned] = [one for one in ledger(FOLDED, sizes).warnings if "smallest" in one]
    # 24 samples of three folds: at best 12 in a class, and each is 1/12 of its fold's AUROC
    assert "by 0.028 or more" in warned


@pytest.mark.parametrize(
    "options",
    [
        Options(metrics=("auroc", "auroc_ci", "average_precision"), merge="network"),
        Options(metrics=("auroc",), merge="delta", delta=1),
        Options(metrics=("brier", "auroc"), resolution="bins:8"),
        Options(metrics=("auroc",), merge="network", assurance="covert", dealings=4),
        Options(metrics=("auroc_folds",), merge="network", folds=3),
    ],
    ids=str,
)
def test_where_verdicts_alone_are_opened_the_claim_against_a_deviating_server_is_made(options):
    told = ledger(options, [100] * (3 * max(1, options.folds))).deviation
    assert told.startswith("one server that sends anything it likes")
    assert "one bit of its choice about each upload" in told
    assert "at most three sessions" in told
    assert ("in each of the three runs" in told) is options.covert


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (Options(metrics=("auroc",), merge="shuffled"), "comparisons are opened after a shuffle"),
        (Options(metrics=("auroc",)), "if the sort is shuffled, comparisons are opened"),
        (Options(metrics=("auroc",), merge="delta", delta=3), "comparisons of the lists' tops"),
        (Options(metrics=("auroc",), merge="network", ties="helper"), "the helper counts ties"),
        (Options(metrics=("auroc_difference",), merge="network"), "row numbers are opened"),
        (Options(metrics=("rocglm",), merge="network"), "opens numbers at each step"),
        (
            Options(metrics=("calibration_slope",), resolution="bins:8"),
            "opens numbers at each step",
        ),
        (
            Options(metrics=("calibration_in_the_large",), resolution="bins:8"),
            "opens numbers at each step",
        ),
    ],
    ids=str,
)
def test_where_more_is_opened_nothing_is_claimed_and_the_reason_is_said(options, reason):
    told = ledger(options, [100] * 3).deviation
    assert told.startswith("nothing is claimed against a server that sends anything it likes: ")
    assert reason in told


def test_noise_tells_no_class_counts_and_the_summary_says_how_far_off_it_may_be():
    told = ledger(Options(analysis="noisy"), [310, 290, 300]).summary
    assert "work out" not in told
    assert told.startswith("AUROC with noise is off by at most 0.013320 in 19 of 20 cases if half")
    assert "Average precision with noise is off by at most 0.075900" in told
