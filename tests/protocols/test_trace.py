"""An onlooker's view follows from the public sizes; nothing leaks but what is declared."""

import numpy as np
import pytest

from ppaurora.mpc.primitives import open_negative
from ppaurora.protocols.options import Options
from ppaurora.protocols.sorting import SORTS, delta
from tests.protocols.slow_fits import FITTED, cases_of
from tests.protocols.statistics.test_every_statistic import STUDIES, options_for
from tests.protocols.studies import ALL_METRICS, Owner, Study, run
from tests.protocols.ten_kinds import KINDS, owners_of
from tests.protocols.test_covert import KINDS as COVERT_KINDS
from tests.protocols.test_covert import covert

SIZES = (20, 7, 0, 13)
SORTED_BY = [name for name in SORTS if name != "auto"]


def study(seed, options, *, kind="random", sizes=SIZES):
    rng = np.random.default_rng(seed)
    owners = []
    for number, size in enumerate(sizes):
        match kind:
            case "all tied":
                scores = np.full(size, 0.5)
            case "one above the other":
                scores = (number + rng.random(size)) / len(sizes)
            case _:
                scores = rng.random(size)
        labels = np.ones(size, int) if kind == "all tied" else rng.integers(0, 2, size)
        owners.append(Owner(scores, labels))
    return Study(tuple(owners), options)


def traces(*of):
    return [run(one, keep_trace=True).traces for one in of]


@pytest.mark.parametrize(
    "options",
    [
        # by `shuffled` all pairs of so few meet in one round; more samples: tests/protocols/sorting
        *(Options(metrics=ALL_METRICS, merge=name) for name in SORTED_BY),
        Options(metrics=ALL_METRICS, merge="network", ties="helper"),
    ],
    ids=[*SORTED_BY, "helper"],
)
def test_the_trace_is_the_same_for_all_inputs_of_the_same_sizes(options):
    first, *others = traces(
        study(1, options),
        study(2, options),
        study(3, options, kind="all tied"),
        study(4, options, kind="one above the other"),
    )
    assert all(len(trace) > 20 for trace in first)
    assert all(other == first for other in others)


def figures(outcome):
    """The figures that are saved with a result of what the parties sent, but for its seconds."""
    return [
        [(one.name, one.hops, one.bytes_sent, one.bytes_received) for one in phases]
        for phases in outcome.phases
    ]


DECIMALS = {"auto": None, "counted": 2}
"""Scores with so many decimals are counted."""


def have_one_trace(options, kinds=KINDS):
    """Hop, kind, peer and length of every frame are the same for all these kinds of data.

    So are the figures of every phase. The seconds follow from the work, which `test_work` counts.
    """
    first, *others = (
        run(Study(owners_of(kind, decimals=DECIMALS[options.table]), options), keep_trace=True)
        for kind in kinds
    )
    assert all(len(trace) > 5 for trace in first.traces)
    for kind, other in zip(kinds[1:], others, strict=True):
        assert other.traces == first.traces, kind
        assert figures(other) == figures(first), kind


@pytest.mark.parametrize("kind", STUDIES)
@pytest.mark.parametrize("fitted", FITTED)
def test_all_statistics_have_the_same_trace_for_data_that_are_unlike(kind, fitted):
    """The slow fits run weekly; in CI their messages are compared by `test_every_statistic`."""
    kinds = ("random", "one positive", "inverse")
    have_one_trace(options_for(*cases_of(kind, fitted)), kinds if fitted else kinds[1:])


@pytest.mark.soak
@pytest.mark.parametrize("kind", STUDIES)
def test_all_statistics_have_the_same_trace_for_ten_kinds_of_data(kind):
    have_one_trace(options_for(*STUDIES[kind]))


@pytest.mark.soak
@pytest.mark.parametrize("kind", COVERT_KINDS)
def test_all_covert_statistics_have_the_same_trace_for_ten_kinds_of_data(kind):
    have_one_trace(covert(kind, dealings=2))


def opened_by_delta(monkeypatch, one):
    """The comparisons that P0 saw, and the trace."""
    opened = []

    def spy(party, x):
        words = open_negative(party, x)
        if party.role == 0:
            opened.append(words.tolist())
        return words

    with monkeypatch.context() as patch:
        patch.setattr(delta, "open_negative", spy)
        return opened, traces(one)[0]


def test_a_larger_delta_leaks_how_the_lists_interleave_and_nothing_else(monkeypatch):
    options = Options(merge="delta", delta=3)
    owners = study(5, options).owners
    # other scores and other labels in the same order: by rank, and all labels the other way round
    pooled = np.concatenate([owner.scores for owner in owners])
    ranks = {score: rank / 100 for rank, score in enumerate(np.sort(pooled))}
    same_order = Study(
        tuple(Owner([ranks[s] for s in one.scores], 1 - one.labels) for one in owners), options
    )
    first, second = (
        opened_by_delta(monkeypatch, one) for one in (Study(owners, options), same_order)
    )
    assert first == second
    other = opened_by_delta(monkeypatch, study(6, options, kind="one above the other"))
    assert other[0] != first[0]
    assert other[1] != first[1]


def test_the_helper_learns_who_was_refused_and_nothing_from_the_sort():
    [of_p0, of_p1, of_helper] = traces(study(1, Options(merge="network")))[0]
    received = [moved for moved in of_helper if not moved.sent]
    # the verdict on the lists, and not a word more
    assert [moved.length for moved in received] == [3]
    assert of_p0
    assert of_p1
