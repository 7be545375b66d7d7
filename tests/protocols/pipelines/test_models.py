"""Two scores of the same samples: one upload, both sorts in the same hops, nothing shown."""

from __future__ import annotations

from importlib import import_module
from math import sqrt
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import open_words
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.models import Models
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.sorting.sort import Conditions
from tests.further import some_of
from tests.protocols.statistics.test_every_statistic import owners
from tests.protocols.studies import Owner, Study, run, sizes_of, upload_of

PAIRED = Options(metrics=("auroc_difference",))
MIXED = Options(metrics=("auroc_difference", "auroc", "aupr", "auroc_ci"))


def test_a_study_with_one_paired_metric_has_two_scores_for_all() -> None:
    assert isinstance(MIXED.pipeline, Models)
    assert isinstance(Options(metrics=("auroc", "aupr")).pipeline, SortedList)
    assert (PAIRED.pipeline.columns, PAIRED.pipeline.words(7)) == (("other scores",), 21)


def test_a_study_of_three_models_has_three_lists_and_five_words_a_row() -> None:
    three = Options(metrics=("auroc_models", "auroc"), against=("old", "new"))
    assert isinstance(three.pipeline, Models)
    assert (three.pipeline.lists, three.pipeline.words(7)) == (3, 35)
    told = ledger(three, [100, 100]).learns
    assert "by all 3 scores, of the same rows with the same labels" in told.P0[1]


@pytest.mark.parametrize("merge", some_of(["shuffled", "network"], in_ci=["network"]))
def test_three_models_beside_sums_and_groups_have_their_values_at_the_predicted_cost(
    merge: str,
) -> None:
    """In bytes of numbers of 32 bits as well, where scores have few decimals."""
    one, two = owners(5), owners(6)
    lists = tuple(
        Owner(a.scores, a.labels, [a.against, b.against], np.arange(len(a.scores)) % 2)
        for a, b in zip(one, two, strict=True)
    )
    metrics = ("auroc_models", "auroc_equal", "auroc", "brier")
    more = {"against": ("old", "new"), "groups": ("female", "male"), "resolution": "decimals:2"}
    options = Options(metrics=metrics, merge=merge, table="sorted", **more)  # type: ignore[arg-type]
    outcome = run(Study(lists, options))
    data = options.pipeline.plaintext(
        [upload_of(own, options) for own in lists], sizes_of(lists, options)
    )
    for text, asked in zip(options.texts, options.statistics, strict=True):
        part = options.pipeline.part(asked.pipeline, data, asked.group)
        assert outcome.results[text] == str(asked.decode(asked.plaintext_words(part, 4), 4))
    if merge == "network":
        predicted = phase_estimates(options, sizes_of(lists, options))
        assert sum(one.spent.payload for one in predicted) == outcome.payload


def test_metrics_of_one_score_are_those_of_the_first() -> None:
    of = owners(5)
    alone = run(Study(of, Options(metrics=("auroc", "aupr", "auroc_ci"))))
    together = run(Study(of, MIXED)).results
    assert {text: together[text] for text in alone.results} == alone.results


def test_the_first_list_is_sorted_once_for_all_metrics() -> None:
    sizes = [30, 20]
    phases = [
        {one.phase: one.spent for one in phase_estimates(options, sizes)}
        for options in (PAIRED, MIXED)
    ]
    assert phases[0]["sort"] == phases[1]["sort"]
    assert phases[0]["rows"] == phases[1]["rows"]


@pytest.mark.parametrize(
    ("sizes", "choices"),
    [
        ((1,), {}),
        ((2,), {}),
        ((1, 2), {"ties": "helper"}),
        ((3, 2), {"merge": "delta"}),
        ((4, 3), {}),
        ((8, 5), {"ties": "helper"}),
        ((0, 31), {}),
    ],
)
def test_the_predicted_cost_is_the_measured_cost_for_every_parity_of_hops(
    sizes: tuple[int, ...], choices: dict[str, str]
) -> None:
    chosen = {"merge": "network", **choices}
    options = Options(metrics=("auroc_differs", "aupr"), **chosen)  # type: ignore[arg-type]
    measured = run(Study(owners(6, sizes), options))
    predicted = phase_estimates(options, sizes)
    # a helper that is told of ties deals to one of the proxies later
    assert [one.phase for one in predicted if not one.exact] == (
        ["rows"] if options.ties == "helper" else []
    )
    more = sum(one.spent.hops for one in predicted) - measured.hops
    assert abs(more) <= (options.ties == "helper")
    assert sum(one.spent.payload for one in predicted) == measured.payload


def test_two_sorts_take_the_hops_of_one() -> None:
    sizes = [1000] * 8
    near = Conditions(round_trip_us=200)
    both, one = (
        {
            one.phase: one.spent
            for one in phase_estimates(
                Options(metrics=(text,), merge="network", conditions=near), sizes
            )
        }
        for text in ("auroc_difference", "auroc_ci")
    )
    assert both["check"].hops == one["check"].hops
    assert both["sort"].hops == one["sort"].hops
    assert 2 * one["sort"].payload < both["sort"].payload < 2.6 * one["sort"].payload
    # behind the sort, and before the ratios
    behind = both["ties"].payload + both["rows"].payload - 2 * 101 * sum(sizes)
    assert behind < 900 * sum(sizes)


def test_both_lists_are_compared_by_the_papers_merge_as_well() -> None:
    of = owners(7, (9, 0, 6, 1))
    expected = run(Study(of, MIXED)).results
    options = Options(metrics=MIXED.metrics, merge="delta", delta=3)
    assert run(Study(of, options)).results == expected


def test_the_ledger_says_of_which_scores_and_that_the_rows_tell_nothing() -> None:
    options = Options(metrics=("auroc", "auroc_difference"), merge="network")
    told = ledger(options, [100, 100]).learns
    assert told.receivers[0].startswith("auroc of the first scores: the released decimals")
    assert told.receivers[1].startswith("auroc_difference: the released decimals and z")
    assert told.P0 == told.P1 == told.helper
    assert told.P0 == (
        "the number of samples of each list",
        "for each list one bit: whether it is sorted and in range by both scores, of the same rows "
        "with the same labels",
    )
    assert told.onlookers == ()
    one = ledger(Options(metrics=("auroc",)), [100, 100]).learns
    assert one.receivers[0].startswith("auroc: ")


def test_what_a_sort_or_the_ties_show_they_show_of_each_of_the_two_scores() -> None:
    options = Options(metrics=("auroc_differs",), merge="delta", delta=3, ties="helper")
    told = ledger(options, [100, 100]).learns
    assert told.P0[-1].startswith("of each of the two scores: in each merge")
    assert told.helper[-1].startswith("of each of the two scores: the number of neighbours")
    assert told.onlookers[0].startswith("of each of the two scores: ")


def opened_numbers(of: tuple[Owner, ...], runs: int, monkeypatch: Any) -> list[list[int]]:
    """The row numbers that P0 sees in so many checks and preparations, each opening a list."""
    seen: list[list[int]] = []

    def spy(party: Party, x: Shared) -> Any:
        words = open_words(party, x)
        if party.role == 0:
            seen.append(words.tolist())
        return words

    pipeline = PAIRED.pipeline
    sizes = [len(one.scores) for one in of]

    def program(party: Party, *uploads: Shared) -> None:
        for _ in range(runs):
            assert all(pipeline.check(party, uploads, sizes).sound)
            pipeline.prepare(party, uploads, sizes, PAIRED.inputs)

    with monkeypatch.context() as patch:
        patch.setattr(import_module("ppaurora.mpc.primitives.row_order"), "open_words", spy)
        run_local(program, *(share(upload_of(one, PAIRED)) for one in of))
    return seen


@pytest.mark.parametrize(
    "kind",
    some_of(["same order", "opposite order", "all tied"], in_ci=["opposite order"]),
)
def test_the_opened_numbers_are_in_no_order_of_the_scores(kind: str, monkeypatch: Any) -> None:
    """The correlation of numbers and places, over all openings; a false alarm in 10^6."""
    n, runs = 40, 12
    scores = (np.arange(n)[::-1] + 1) / (n + 1)
    against = {"same order": scores, "opposite order": scores[::-1], "all tied": scores * 0}[kind]
    seen = opened_numbers((Owner(scores, np.arange(n) % 2, against),), runs, monkeypatch)
    assert len(seen) == 3 * runs
    for which in range(3):
        of_one = seen[which::3]
        assert all(sorted(numbers) == list(range(n)) for numbers in of_one)
        assert len({tuple(numbers) for numbers in of_one}) == runs
        found = np.mean([np.corrcoef(numbers, np.arange(n))[0, 1] for numbers in of_one])
        assert abs(found) < 4.9 / sqrt(runs * (n - 1))
