"""Branches of a study: what needs no sort runs beside it, with the same values in fewer hops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.protocols.analyses.analysis import analyses
from ppaurora.protocols.cost import phase_estimates, total_cost
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.pipelines.sites import Sites
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.pipelines.together import Together
from ppaurora.protocols.prepared import branches
from ppaurora.protocols.statistics.brier import Brier
from tests.protocols.statistics.test_every_statistic import plaintext_results
from tests.protocols.studies import Owner, Study, run

SORTED = ("auroc_ci", "average_precision")
AT_CUTS = ("confusion:at=0.5", "net_benefit:at=0.25")
AT_HAND = ("brier", "calibration_slope")
ALL = (*AT_CUTS, *AT_HAND, *SORTED)


def options_of(*metrics: str, **more: object) -> Options:
    sorts = any(one in SORTED for one in metrics)
    given = {"merge": "network"} if sorts else {}
    return Options(metrics=metrics, decimals=4, least_cell=3, **given, **more)  # type: ignore[arg-type]


def texts(options: Options) -> list[tuple[str, ...]]:
    return [tuple(one.text for one in branch.statistics) for branch in branches(options)]


def owners(seed: int, *sizes: int) -> tuple[Owner, ...]:
    rng = np.random.default_rng(seed)
    drawn = [(rng.random(size).round(2), rng.integers(0, 2, size)) for size in sizes]
    return tuple(Owner(scores, labels) for scores, labels in drawn)


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        (ALL, [SORTED, AT_CUTS, AT_HAND]),
        ((*SORTED, *AT_HAND), [SORTED, AT_HAND]),
        ((*AT_CUTS, *AT_HAND), [AT_CUTS, AT_HAND]),
        (SORTED, [SORTED]),
        (AT_HAND, [AT_HAND]),
        (("auroc", "auroc_within"), [("auroc",), ("auroc_within",)]),
    ],
)
def test_statistics_run_beside_what_they_do_not_wait_for(
    metrics: tuple[str, ...], expected: list[tuple[str, ...]]
) -> None:
    assert texts(options_of(*metrics)) == expected


def test_cuts_at_ranks_and_at_thresholds_are_held_together() -> None:
    metrics = ("precision_at_top:k=5", *AT_CUTS, *AT_HAND)
    options = Options(metrics=metrics, least_cell=3)
    assert texts(options) == [metrics[:3], AT_HAND]
    assert texts(replace(options, least_cell=1)) == [metrics[:1], AT_CUTS, AT_HAND]


def test_every_part_is_prepared_in_the_branch_that_reads_it() -> None:
    options = options_of(*ALL, "auroc_within")
    pipeline = options.pipeline
    assert isinstance(pipeline, Together)
    kinds = [type(part) for part in pipeline.parts]
    assert set(kinds) == {SortedList, OwnersSums, Sites}
    prepared = []
    for branch in branches(options):
        assert isinstance(branch.pipeline, Together)
        left = [kinds[place] for place in range(3) if place not in branch.pipeline.unprepared]
        prepared.append(set(left))
    assert prepared == [{SortedList}, {OwnersSums}, {OwnersSums, Sites}]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("metrics", [ALL, (*AT_CUTS, *AT_HAND), ("auroc_sites", *SORTED, *AT_CUTS)])
def test_branches_have_the_values_in_the_clear_at_the_predicted_cost(
    metrics: tuple[str, ...], seed: int
) -> None:
    options, of = options_of(*metrics), owners(seed, 12, 7, 15)
    outcome = run(Study(of, options))
    assert outcome.results == plaintext_results(options, of)
    cost = total_cost(options, [12, 7, 15])
    assert (outcome.hops, outcome.payload) == (cost.hops, cost.payload)
    names = [one.phase for one in phase_estimates(options, [12, 7, 15])]
    assert [[one.name for one in phases] for phases in outcome.phases] == [names] * 3


def test_the_longest_branch_is_all_that_a_study_takes_behind_the_check() -> None:
    sizes = [1000] * 8

    def behind_the_check(*metrics: str) -> int:
        _, *phases = phase_estimates(options_of(*metrics), sizes)
        return sum(one.spent.hops for one in phases)

    longest = max(map(behind_the_check, SORTED + AT_HAND), default=0)
    assert behind_the_check(*SORTED, *AT_HAND) == longest
    together = behind_the_check(*ALL)
    assert together == max(longest, behind_the_check(*AT_CUTS))


def test_the_usual_analysis_takes_as_many_hops_as_its_longest_regression() -> None:
    for resolution in ("decimals:4", "full"):
        metrics = analyses()["validation"].metrics(Scale.of(resolution), 1)
        options = Options(metrics=metrics, resolution=resolution)
        assert total_cost(options, [1000] * 8).hops == 119


def test_an_error_beside_the_sort_ends_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Brier, party: Party, data: object, decimals: int) -> None:
        raise LocalProtocolError("the score is not found")

    monkeypatch.setattr(Brier, "private", fails)
    with pytest.raises(LocalProtocolError, match="the score is not found"):
        run(Study(owners(1, 40, 40), options_of("auroc_ci", "brier")))
