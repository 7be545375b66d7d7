"""What every statistic keeps, whichever it is: the tests know no statistic by name.

A statistic that needs parameters says in `EXAMPLES` with which it is tried; each has a test of its
own beside, with an independent reference.
"""

from dataclasses import is_dataclass

import numpy as np
import pytest

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.protocols.bounds import check_bounds
from ppaurora.protocols.cost import STATISTICS_PHASE, foreseen
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.lists.encoding import encode
from ppaurora.protocols.options import MOST_DECIMALS, Options
from ppaurora.protocols.release.values import ValueKind
from ppaurora.protocols.statistics.parameters import parameters
from ppaurora.protocols.statistics.registry import contract_digest, statistic, statistics
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.studies import Owner, Study, run

EXAMPLES: dict[str, tuple[str, ...]] = {
    "auroc_above": ("auroc_above", "auroc_above:than=0.6,alpha=0.2,sides=2"),
    "auroc_ci": ("auroc_ci", "auroc_ci:level=0.5"),
    "pauc": (
        "pauc:max_fpr=0.1",
        "pauc:max_fpr=0.25,standardized=true",
        "pauc:min_fpr=0.125,max_fpr=0.5",
        "pauc:min_tpr=0.9,standardized=true",
    ),
    "precision_at_top": ("precision_at_top:k=1/10/60",),
    "recall_at_top": ("recall_at_top:k=1/10/60",),
    "tpauc": ("tpauc:min_tpr=0.5,max_fpr=0.25", "tpauc:min_tpr=0.125,max_fpr=0.9"),
}
"""Texts by name for what cannot be asked for by its name alone, or is worth trying otherwise."""

ASKED = [text for name in statistics() for text in EXAMPLES.get(name, (name,))]
each = pytest.mark.parametrize("text", ASKED)
SIZES = (23, 0, 40, 1)
DECIMALS = 4


def owners(seed, sizes=SIZES, *, kind="random"):
    rng = np.random.default_rng(seed)
    lists = []
    for size in sizes:
        scores = rng.random(size).round(2)
        labels = rng.integers(0, 2, size)
        match kind:
            case "all tied":
                scores = np.full(size, 0.5)
            case "no ties":
                scores = rng.random(size)
            case "negatives only":
                labels = np.zeros(size, int)
            case "positives only":
                labels = np.ones(size, int)
        lists.append(Owner(scores, labels))
    return tuple(lists)


KINDS = ("random", "all tied", "no ties", "negatives only", "positives only")


def in_clear(options, of):
    keys = [
        encode(
            np.asarray(one.scores, float),
            np.asarray(one.labels, int),
            code="unit",
            direction="higher",
        )
        for one in of
    ]
    data = options.pipeline.in_clear(keys)
    return {
        text: str(one.released(one.in_clear(data, options.decimals), options.decimals))
        for text, one in zip(options.metrics, options.statistics, strict=True)
    }


@each
def test_it_says_what_it_is(text):
    one = statistic(text)
    kind = type(one)
    assert is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
    assert kind.name == kind.name.lower()
    for words in (kind.title, kind.known_as, kind.undefined):
        assert words == words.strip()
        assert words
    assert kind.inputs <= kind.pipeline.inputs
    assert kind.kind in ValueKind
    assert kind.__doc__
    for field in parameters(kind).values():
        assert field.metadata["parameter"].help
        assert field.metadata["parameter"].accepts


@each
def test_its_text_reads_back(text):
    one = statistic(text)
    assert statistic(one.text) == one
    assert statistic(one.text).text == one.text


@each
@pytest.mark.parametrize("kind", KINDS)
def test_the_private_value_equals_the_one_in_the_clear(text, kind):
    options = Options((text,), DECIMALS)
    of = owners(11, kind=kind)
    assert run(Study(of, options)).results == in_clear(options, of)


@each
@pytest.mark.parametrize("decimals", [1, 9])
def test_it_is_computed_to_the_studys_decimals(text, decimals):
    one = statistic(text)
    options = Options((text,), decimals)
    of = owners(12)
    assert one.words(decimals) >= 1
    assert run(Study(of, options)).results == in_clear(options, of)


def test_all_of_them_in_one_study_have_the_values_that_each_has_alone():
    of = owners(13)
    alone = {}
    for text in ASKED:
        alone |= run(Study(of, Options((text,), DECIMALS))).results
    together = run(Study(of, Options(tuple(ASKED), DECIMALS)))
    assert together.results == alone


@each
@pytest.mark.parametrize("merge", ["network", "delta"])
@pytest.mark.parametrize("ties", ["compare", "helper"])
def test_the_predicted_cost_is_the_measured_cost(text, merge, ties):
    options = Options((text,), DECIMALS, merge=merge, ties=ties)
    measured = run(Study(owners(14), options))
    predicted = foreseen(options, SIZES)
    assert all(one.exact for one in predicted)
    assert [one.phase for one in predicted] == [phase.name for phase in measured.phases[0]]
    assert sum(one.spent.hops for one in predicted) == measured.hops
    assert sum(one.spent.payload for one in predicted) == measured.payload


@each
def test_on_the_shuffled_sort_it_has_the_same_value_at_the_predicted_cost(text):
    options = Options((text,), DECIMALS, merge="shuffled")
    of = owners(16)
    measured = run(Study(of, options))
    assert measured.results == in_clear(options, of)
    predicted = {one.phase: one for one in foreseen(options, SIZES)}
    assert [phase for phase, one in predicted.items() if not one.exact] == ["sort"]
    # less than one of a thousand sorts takes more
    most = options.pipeline.sort.most_cost(SIZES)
    others = [one.spent for phase, one in predicted.items() if phase != "sort"]
    assert measured.hops <= most.hops + sum(one.hops for one in others)
    of_sort = measured.payload - sum(one.payload for one in others)
    assert predicted["sort"].spent.payload / 2 <= of_sort <= most.payload


def test_statistics_in_one_study_share_their_hops():
    options = Options(tuple(ASKED), DECIMALS, merge="network")
    measured = run(Study(owners(15), options))
    *before, last = foreseen(options, SIZES)
    assert last.phase == STATISTICS_PHASE
    longest = max(one.cost(sum(SIZES), DECIMALS).hops for one in options.statistics)
    assert measured.hops == sum(one.spent.hops for one in before) + longest
    assert measured.payload == sum(one.spent.payload for one in (*before, last))


@each
def test_its_trace_is_the_same_for_all_data_of_the_same_sizes(text):
    options = Options((text,), DECIMALS, merge="network")
    first, *others = (
        run(Study(owners(seed, kind=kind), options), keep_trace=True).traces
        for seed, kind in enumerate(KINDS)
    )
    assert all(other == first for other in others)


@each
def test_no_samples_are_told_as_such(text):
    options = Options((text,), DECIMALS)
    empty = run(Study(owners(1, (0, 0)), options))
    assert empty.results == {text: "undefined: there are no samples"}


@each
@pytest.mark.parametrize("decimals", [1, 4, MOST_DECIMALS])
def test_one_sample_beyond_its_bound_is_refused_with_the_bound(text, decimals):
    one = statistic(text)
    most = one.most_samples(decimals)
    options = Options((text,), decimals)
    assert one.holds(most, decimals)
    check_bounds(options, [most])
    with pytest.raises(BoundExceeded, match=str(most)):
        check_bounds(options, [most, 1])
    assert most <= MOST_SAMPLES


@each
def test_its_ledger_says_what_its_receivers_learn(text):
    one = statistic(text)
    told = ledger(Options((text,), DECIMALS), [1000] * 4)
    assert told.learns.receivers == (f"{one.text}: {one.leaks(DECIMALS)}",)
    assert one.leaks(DECIMALS)
    for warned in one.warnings((3, 3), DECIMALS):
        assert one.text in warned


@each
def test_its_digest_is_its_own(text):
    digests = {contract_digest(statistic(other)) for other in ASKED}
    assert len(digests) == len(ASKED)
    assert contract_digest(statistic(text)) in digests
