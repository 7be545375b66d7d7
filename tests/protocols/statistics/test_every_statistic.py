"""The contract that every statistic keeps: the tests know no statistic by name.

A statistic that needs parameters says in `EXAMPLES` with which it is tried; each has a test of its
own beside, with an independent reference.
"""

from dataclasses import is_dataclass
from functools import reduce
from itertools import cycle
from operator import or_

import numpy as np
import pytest

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.wide_shares import concatenate_wide
from ppaurora.protocols.cost import STATISTICS_PHASE, phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.evaluate import check_bounds
from ppaurora.protocols.options import MOST_DECIMALS, Options
from ppaurora.protocols.pipelines.classes import CLASS
from ppaurora.protocols.pipelines.clusters import CLUSTER
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.pipelines.models import OTHER_SCORES
from ppaurora.protocols.prepared import data_of_plaintext
from ppaurora.protocols.ranking.ties import WAYS
from ppaurora.protocols.release import cauchy
from ppaurora.protocols.release.cauchy import drawn_point
from ppaurora.protocols.release.noise import GeometricNoise
from ppaurora.protocols.release.values import ValueKind
from ppaurora.protocols.sorting import SORTS
from ppaurora.protocols.statistics.every_label import FromEveryLabel
from ppaurora.protocols.statistics.in_group import SIGN
from ppaurora.protocols.statistics.of_times import OfTimes
from ppaurora.protocols.statistics.parameters import parameters
from ppaurora.protocols.statistics.registry import contract_digest, statistic, statistics
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.studies import Owner, Study, run, sizes_of, upload_of

SIZES = (23, 0, 40, 1)
DECIMALS = 4
EXAMPLES: dict[str, tuple[str, ...]] = {
    **{name: (f"{name}:at=0.25/0.5",) for name in ("balanced_accuracy", "f1", "mcc")},
    **{
        name: (f"{name}:at=0.25/0.5", f"{name}:at=0.5,level=0.9")
        for name in ("accuracy", "confusion", "npv", "ppv")
    },
    "class_counts": ("class_counts", "class_counts:level=0.9"),
    "aucnpr": ("aucnpr", "aucnpr:of=aupr,min_recall=0.25"),
    "aupr_hull": ("aupr_hull:samples=64",),
    "aupr_interpolated_mean": ("aupr_interpolated_mean:samples=64",),
    "aupr_interpolated_median": ("aupr_interpolated_median:samples=80",),
    "auroc_at_time": ("auroc_at_time", "auroc_at_time:at=2/5"),
    "brier_at_time": ("brier_at_time", "brier_at_time:at=5"),
    "auroc_above": (
        "auroc_above",
        "auroc_above:than=0.6,alpha=0.2,sides=2",
        "auroc_above:method=logit",
    ),
    "auroc_ci": ("auroc_ci", "auroc_ci:level=0.5,method=delong", "auroc_ci:method=logit"),
    "auroc_contrasts": ("auroc_contrasts:level=0.5",),
    "auroc_equal": ("auroc_equal", "auroc_equal:by=receiver"),
    "auroc_models": ("auroc_models:level=0.5",),
    "auroc_multiclass": (
        "auroc_multiclass",
        "auroc_multiclass:mean=weighted",
        "auroc_multiclass:mean=pairs",
    ),
    "auroc_dp": (
        "auroc_dp:epsilon=1,least_class=9",
        "auroc_dp:epsilon=10,least_class=1",
        "auroc_dp:epsilon=1,mechanism=smooth,delta=0.00001",
        "auroc_dp:epsilon=1,mechanism=cauchy",
    ),
    "auroc_folds": ("auroc_folds:level=0.5,empty=skip",),
    "average_precision_folds": (
        "average_precision_folds:empty=skip",
        "average_precision_folds:empty=skip,quantile=t",
    ),
    "bootstrap": (
        "bootstrap:replicates=20,level=0.5,bins=4",
        "bootstrap:replicates=20,strata=none,bins=4,of=pauc:max_fpr=0.25",
        "bootstrap:replicates=20,of=mcc:at=0.25/0.5",
        "bootstrap:replicates=20,level=0.5,unit=cluster,bins=4",
    ),
    "auroc_refined": ("auroc_refined:width=0.25", "auroc_refined:width=0.03"),
    "auroc_within_ci": ("auroc_within_ci", "auroc_within_ci:level=0.5"),
    "auroc_sites": ("auroc_sites", "auroc_sites:level=0.5,heterogeneity=true"),
    "average_precision_ci": ("average_precision_ci", "average_precision_ci:method=binomial"),
    "average_precision_dp": (
        "average_precision_dp:epsilon=1,least_class=9",
        "average_precision_dp:epsilon=0.5,mechanism=smooth,delta=0.001,sensitivity=printed",
        "average_precision_dp:epsilon=5,mechanism=cauchy",
    ),
    "calibration": ("calibration:bins=4",),
    "calibration_errors_binned": ("calibration_errors_binned:bins=4",),
    "calibration_in_the_large": ("calibration_in_the_large:bins=8",),
    "calibration_slope": ("calibration_slope:bins=8",),
    "ece": ("ece:bins=4",),
    "f_beta": ("f_beta:at=0.25/0.5", "f_beta:at=0.5,beta=0.3"),
    "histogram_dp": ("histogram_dp:epsilon=1,bins=8", "histogram_dp:epsilon=5,bins=2"),
    "kaplan_meier": ("kaplan_meier", "kaplan_meier:at=2/5", "kaplan_meier:at=1/2/3/6,level=0.5"),
    "labels_by_rank": ("labels_by_rank:samples=64",),
    "mean_folds": (
        "mean_folds",
        "mean_folds:level=0.5,empty=skip,quantile=t,of=ppv:at=0.5",
        "mean_folds:quantile=t,of=scaled_brier",
    ),
    "net_benefit": ("net_benefit:at=0.25/0.9375",),
    "calibration_slope_sites": (
        "calibration_slope_sites",
        "calibration_slope_sites:level=0.5,heterogeneity=true",
    ),
    "observed_expected_sites": (
        "observed_expected_sites",
        "observed_expected_sites:level=0.5,heterogeneity=true",
    ),
    "pauc": (
        "pauc:max_fpr=0.1",
        "pauc:max_fpr=0.25,standardized=true",
        "pauc:min_fpr=0.125,max_fpr=0.5",
        "pauc:min_tpr=0.9,standardized=true",
    ),
    "pr_curve": ("pr_curve:points=4",),
    "precision_at_recall": ("precision_at_recall:recall=0.5/0.8/1",),
    "precision_at_top": ("precision_at_top:k=1/10/60",),
    "recall_at_top": ("recall_at_top:k=1/10/60",),
    "rocglm": ("rocglm:points=5", "rocglm:points=9"),
    "rates_groups": ("rates_groups:at=0.25/0.5",),
    "roc_curve": ("roc_curve:points=8",),
    "samples_dp": ("samples_dp:epsilon=1", "samples_dp:epsilon=0.1"),
    "sensitivity": (
        "sensitivity:at_specificity=0.9/0.95",
        "sensitivity:at_specificity=0.75/1,read=interpolated",
    ),
    "site_values": (
        "site_values:least_class=2",
        "site_values:of=slope,least_class=2,level=0.5",
    ),
    "specificity": (
        "specificity:at_sensitivity=0.9/0.3",
        "specificity:at_sensitivity=0.75/1,read=interpolated",
    ),
    "tpauc": ("tpauc:min_tpr=0.5,max_fpr=0.25", "tpauc:min_tpr=0.125,max_fpr=0.9"),
    "tpauc_difference": ("tpauc_difference:min_tpr=0.5,max_fpr=0.25,replicates=20,bins=4",),
    "tpauc_trimmed": ("tpauc_trimmed:min_tpr=0.5,max_fpr=0.25",),
    "youden": ("youden:at=0.25/0.5",),
}
"""Texts by name for what cannot be asked for by its name alone, or is worth trying otherwise."""

ASKED = [text for name in statistics() for text in EXAMPLES.get(name, (name,))]
BINS = 16
FOLDS = 2
GROUPS = ("first", "other")
CLASSES = ("a", "b", "c")
SORTED, CELLS, BOUNDED = "sorted", "cells", "bins"


def tables_of(text):
    """From what a statistic can be computed: sorted scores, cells of one score, or bins."""
    one = statistic(text)
    if isinstance(one, OfTimes):
        # of chances of few decimals alone
        return [CELLS] if one.name == "brier_at_time" else [CELLS, BOUNDED]
    if one.pipeline is Histogram:
        return [BOUNDED]
    if one.cells is None or "method=logit" in text:
        return [SORTED]
    return [SORTED, CELLS, BOUNDED] if one.bounds else [SORTED, CELLS]


CASES = [(text, table) for text in ASKED for table in tables_of(text)]
each_text = pytest.mark.parametrize("text", ASKED)
each = pytest.mark.parametrize(("text", "table"), CASES)


def opens_rows(options):
    """Return whether rows are brought back to their owners' order, which opens their numbers."""
    sorted_by = {CLUSTER} if options.pipeline.sorts else set()
    return bool({OTHER_SCORES, CLASS, *sorted_by} & {*options.pipeline.columns})


def kind_of_study(text, table=SORTED):
    """Statistics that may stand in one study have the same."""
    one = statistic(text)
    noisy = "" if one.privacy(DECIMALS) is None else " noisy"
    two = " of two scores" if OTHER_SCORES in one.pipeline.columns else ""
    two += " of classes" if CLASS in one.pipeline.columns else ""
    two += " of clusters" if CLUSTER in one.pipeline.columns else ""
    two += " of drawn clusters" if "unit=cluster" in text else ""
    times = " of times" if isinstance(one, OfTimes) else ""
    folds = " of folds" if one.pipeline.folded else ""
    folds += " of groups" if one.compares_groups else ""
    of_what = "" if one.pipeline.sorts or not noisy else " counts"
    return f"{table}{noisy}{of_what}{two}{folds}{times}"


STUDIES = {
    kind: [(text, table) for text, table in CASES if kind_of_study(text, table) == kind]
    for kind in sorted({kind_of_study(*case) for case in CASES})
}
WHOLE = [*STUDIES].index(SORTED)
"""The place of the study that has most of the statistics: here the turns begin."""
each_study = pytest.mark.parametrize("cases", STUDIES.values(), ids=STUDIES)


def further(case, name):
    """A case that only the weekly run looks at."""
    return pytest.param(*case, id=name, marks=pytest.mark.weekly)


@pytest.fixture(autouse=True)
def _without_noise(monkeypatch):
    """Noise has a test of its own; here no digit of it is ever one, and all else is as ever."""
    monkeypatch.setattr(GeometricNoise, "thresholds", lambda self: [0] * self.digits)

    def in_the_middle(party, use, count=1):
        # X is 0, Y what it is
        point = drawn_point(party, use, count)
        return concatenate_wide([point[:count] * 0, point[count:]])

    monkeypatch.setattr(cauchy, "drawn_point", in_the_middle)


def options_for(*cases, decimals=DECIMALS, **more):
    """A study of these statistics from the table of each; by a sort of exact cost.

    A text alone is computed from the first table that it can be.
    """
    cases = [(case, tables_of(case)[0]) if isinstance(case, str) else case for case in cases]
    [table] = {table for _, table in cases}
    texts = tuple(text for text, _ in cases)
    if any(statistic(text).pipeline.folded for text in texts):
        more["folds"] = FOLDS
    if any(statistic(text).compares_groups for text in texts):
        more["groups"] = GROUPS
    if any(CLASS in statistic(text).pipeline.columns for text in texts):
        more["classes"] = CLASSES
    if table == BOUNDED:
        more |= {"resolution": f"bins:{BINS}"}
    elif table == CELLS:
        more |= {"resolution": "decimals:2", "table": "counted"}
    elif any(statistic(text).pipeline.sorts for text in texts):
        more = {"merge": "network", **more}
    if any(isinstance(statistic(text), OfTimes) for text in texts):
        more |= {"time_width": "1", "time_horizon": "6", "times_apart": table == CELLS}
    each_label = any(isinstance(statistic(text), FromEveryLabel) for text in texts)
    return Options(metrics=texts, decimals=decimals, least_cell=1 if each_label else 3, **more)


def owners(seed, sizes=SIZES, *, kind="random"):
    rng = np.random.default_rng(seed)
    lists, apart = [], iter(rng.permutation(101) / 100)
    for size in sizes:
        scores = rng.random(size).round(2)
        labels = rng.integers(0, 2, size)
        match kind:
            case "all tied":
                scores = np.full(size, 0.5)
            case "no ties":
                scores = np.array([next(apart) for _ in range(size)])
            case "negatives only":
                labels = np.zeros(size, int)
            case "positives only":
                labels = np.ones(size, int)
        # ties of both scores in some rows, and rows that are tied in one only
        against = np.where(rng.random(size) < 0.5, scores, rng.random(size).round(1))
        # a positive is in the first class, others are in the second and the third by turns
        classes = np.where(labels == 1, 0, 1 + np.arange(size) % 2)
        times = rng.integers(1, 9, size)
        lists.append(Owner(scores, labels, against, classes=classes, times=times))
    return tuple(lists)


KINDS = ("random", "all tied", "no ties", "negatives only", "positives only")
UNSORTED_KINDS = ("random", "negatives only")
"""For statistics that sort nothing, whose messages can hardly depend on ties."""
LABELS = (0, 1)


def all_kinds(cases):
    """All kinds of lists on which statistics are tried."""
    return KINDS if options_for(*cases).pipeline.sorts else UNSORTED_KINDS


def kinds_by_turns(place, cases):
    """Random lists, and those of one other kind, of which each has its turn."""
    first, *others = all_kinds(cases)
    return first, others[place % len(others)]


def by_kinds():
    """Each study with two kinds of lists, in the weekly run with all."""
    for place, (name, cases) in enumerate(STUDIES.items()):
        few, every = kinds_by_turns(place - WHOLE, cases), all_kinds(cases)
        yield pytest.param(cases, few, id=f"{name}, {few[1]}")
        if few != every:
            yield further((cases, every), f"{name}, every kind")


def by_labels():
    """Each study with one sample of one class, in the weekly run with one of the other class."""
    for place, (name, cases) in enumerate(STUDIES.items()):
        yield pytest.param(cases, LABELS[place % 2], id=f"{name}, {LABELS[place % 2]}")
        yield further((cases, LABELS[1 - place % 2]), f"{name}, {LABELS[1 - place % 2]}")


def plaintext_results(options, of):
    pipeline = options.pipeline
    uploads = [upload_of(one, options) for one in of]
    data = pipeline.plaintext(uploads, sizes_of(of, options))
    return {
        text: str(
            one.decode(
                one.plaintext_words(own, options.decimals),
                options.decimals,
            )
        )
        for text, one, own in zip(
            options.texts, options.statistics, data_of_plaintext(options, data), strict=True
        )
    }


@each_text
def test_it_says_what_it_is(text):
    one = statistic(text)
    kind = type(one)
    assert is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
    assert kind.name == kind.name.lower()
    for words in (kind.title, kind.known_as, kind.undefined):
        assert words == words.strip()
        assert words
    assert one.inputs <= kind.pipeline.inputs
    assert kind.kind in ValueKind
    assert kind.__doc__
    for field in parameters(kind).values():
        assert field.metadata["parameter"].help
        assert field.metadata["parameter"].accepts


@each_text
def test_its_text_reads_back(text):
    one = statistic(text)
    assert statistic(one.text) == one
    assert statistic(one.text).text == one.text


@pytest.mark.parametrize(("cases", "kinds"), [*by_kinds()])
def test_values_are_those_in_the_clear_in_shared_hops_and_messages_tell_nothing(cases, kinds):
    """Of lists of several kinds: what is sent is the same for all data of the same sizes."""
    options = options_for(*cases)
    outcomes = []
    for kind in kinds:
        of = owners(11, kind=kind)
        outcomes.append(run(Study(of, options), keep_trace=True))
        assert outcomes[-1].results == plaintext_results(options, of), kind
    first, *others = outcomes
    assert others
    assert all(other.traces == first.traces for other in others)
    sizes = sizes_of(owners(11), options)
    *before, last = phase_estimates(options, sizes)
    assert last.phase == STATISTICS_PHASE
    longest = max(
        one.cost_of(one.vectors_in(options.pipeline, sizes), DECIMALS).hops
        for one in options.statistics
    )
    hops = sum(one.spent.hops for one in before)
    assert first.hops == hops + last.spent.hops <= hops + longest
    assert first.payload == sum(one.spent.payload for one in (*before, last))


def test_every_kind_of_lists_has_its_turn():
    sorting = [
        (place, one) for place, one in enumerate(STUDIES.values()) if all_kinds(one) == KINDS
    ]
    assert {kinds_by_turns(place - WHOLE, cases)[1] for place, cases in sorting} == {*KINDS[1:]}


@pytest.mark.parametrize(("cases", "label"), [*by_labels()])
def test_one_sample_gives_what_it_gives_in_the_clear(cases, label):
    options = options_for(*cases)
    of = (Owner([0.5], [label], [0.25], classes=[1 - label], times=[2]),)
    assert run(Study(of, options)).results == plaintext_results(options, of)


def choices_of(text, table):
    """The protocols with which a statistic can be computed."""
    merges = [name for name, sort in SORTS.items() if sort.of(1).cost_is_exact]
    one = statistic(text)
    if table != SORTED or not one.pipeline.sorts:
        return [{}]
    if one.pipeline.folded or one.compares_groups or one.privacy(DECIMALS) is not None:
        return [{"merge": merge} for merge in merges]
    return [{"merge": merge, "ties": ties} for merge in merges for ties in WAYS]


def choice_by_turns(text, table):
    """Decimals and protocols for one run: the soak makes all, of which each has its turn here."""
    place, choices = CASES.index((text, table)), choices_of(text, table)
    return (1, 8)[place // len(choices) % 2], choices[place % len(choices)]


@each
def test_its_cost_is_predicted_for_any_choice_and_decimals(text, table):
    """And its value is the one in the clear, to 1 or to 8 decimals by turns."""
    check_costs(text, table, [choice_by_turns(text, table)])


def test_every_choice_and_both_decimals_have_their_turns():
    runs = [choice_by_turns(*case) for case in CASES]
    for choice in [choice for case in CASES for choice in choices_of(*case)]:
        assert (1, choice) in runs
        assert (8, choice) in runs


@pytest.mark.soak
@each
def test_its_cost_is_predicted_for_every_choice(text, table):
    choices = choices_of(text, table)
    runs = (choices + choices)[: max(2, len(choices))]
    check_costs(text, table, [*zip(cycle((1, 8)), runs, strict=False)])


def check_costs(text, table, runs):
    of = owners(14)
    for decimals, choice in runs:
        options = options_for((text, table), decimals=decimals, **choice)
        assert statistic(text).words(decimals) >= 1
        measured = run(Study(of, options))
        assert measured.results == plaintext_results(options, of), (decimals, choice)
        predicted = phase_estimates(options, sizes_of(of, options))
        by_turns = [one.phase for one in predicted if not one.exact]
        in_rows_by_helper = opens_rows(options) and options.ties == "helper"
        assert by_turns == (["rows"] if in_rows_by_helper else [])
        assert [one.phase for one in predicted] == [phase.name for phase in measured.phases[0]]
        assert abs(sum(one.spent.hops for one in predicted) - measured.hops) <= len(by_turns)
        assert sum(one.spent.payload for one in predicted) == measured.payload


SORTING = {
    kind: cases
    for kind, cases in STUDIES.items()
    if any(statistic(text).pipeline.sorts for text, _ in cases)
    and kind.startswith(SORTED)
    and not any(statistic(text).compares_groups for text, _ in cases)
}


def by_shares():
    """A fourth of the statistics of each study, in the weekly run all."""
    for name, cases in SORTING.items():
        yield pytest.param(cases[::4], id=f"{name}, some")
        yield further((cases,), f"{name}, all")


@pytest.mark.parametrize("cases", [*by_shares()])
def test_on_the_shuffled_sort_they_have_the_same_values_at_the_predicted_cost(cases):
    options = options_for(*cases, merge="shuffled")
    of = owners(16)
    measured = run(Study(of, options))
    assert measured.results == plaintext_results(options, of)
    sizes = sizes_of(of, options)
    predicted = {one.phase: one for one in phase_estimates(options, sizes)}
    by_chance = [phase for phase, one in predicted.items() if not one.exact]
    lists = 1 + (OTHER_SCORES in options.pipeline.columns)
    lists += (len(CLASSES) - 1) * (CLASS in options.pipeline.columns)
    in_rows = opens_rows(options)
    assert by_chance == (["sort", "rows"] if in_rows else ["sort"])
    # less than one of a thousand sorts takes more; behind it, rows may wait for one hop more
    sorts = [sizes[fold :: max(1, options.folds)] for fold in range(max(1, options.folds))]
    each_sort = [SORTS["shuffled"]().most_cost(one, columns=int(in_rows)) for one in sorts]
    most = reduce(or_, each_sort)
    others = [one.spent for phase, one in predicted.items() if phase != "sort"]
    assert measured.hops <= most.hops + sum(one.hops for one in others) + in_rows
    of_sort = measured.payload - sum(one.payload for one in others)
    assert predicted["sort"].spent.payload / 2 <= of_sort <= lists * most.payload


@each_study
def test_no_samples_are_told_as_such(cases):
    options = options_for(*cases)
    empty = run(Study(owners(1, (0, 0)), options))
    assert empty.results == dict.fromkeys(options.texts, "undefined: there are no samples")


@each
@pytest.mark.parametrize("decimals", [1, 4, MOST_DECIMALS])
def test_one_sample_beyond_its_bound_is_refused_with_the_bound(text, table, decimals):
    options = options_for((text, table), decimals=decimals)
    [one] = options.statistics
    most = one.most_samples(decimals)
    assert one.fits(most, decimals)
    check_bounds(options, [most])
    with pytest.raises(BoundExceeded, match=str(most)):
        check_bounds(options, [most, 1])
    assert most <= MOST_SAMPLES


@each
def test_its_ledger_says_what_its_receivers_learn(text, table):
    options = options_for((text, table))
    [one] = options.statistics
    told = ledger(options, [1000] * 4)
    of_what = f", of {' less '.join(one.groups)}" if SIGN in one.text else ""
    assert told.learns.receivers == (f"{text}{of_what}: {one.leaks(DECIMALS)}",)
    assert one.leaks(DECIMALS)
    for warned in one.warnings((3, 3), DECIMALS):
        assert text in warned


def test_each_has_a_digest_of_its_own():
    assert len({contract_digest(statistic(text)) for text in ASKED}) == len(ASKED)
