"""A covert computation: which ones there are, dealings that repeat, results, costs, refusals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.committed import RUNS, CommittedDealing, commitment_cost
from ppaurora.mpc.committed.commitments import SeedOpening
from ppaurora.mpc.committed.rehearsal import rehearsed
from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import CheatingDetected
from ppaurora.mpc.link import SESSION_BYTES, Kind, Link
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words
from ppaurora.protocols.cost import phase_estimates, total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import ListsRefused, OptionRefused
from ppaurora.protocols.evaluate import evaluate, helpers_part
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.classes import CLASS
from ppaurora.protocols.pipelines.clusters import CLUSTER
from ppaurora.protocols.pipelines.models import OTHER_SCORES
from ppaurora.protocols.sorting import SORTS
from ppaurora.protocols.statistics.registry import statistics
from tests.further import some_of
from tests.protocols.statistics.test_every_statistic import (
    STUDIES,
    options_for,
    owners,
    plaintext_results,
)
from tests.protocols.studies import Study, run, shares_of

KINDS = [
    "bins", "bins of times", "cells", "cells of groups", "cells of times", "sorted",
    "sorted of drawn clusters", "sorted of folds", "sorted of groups",
]  # fmt: skip
"""The kinds of studies that can be covert."""
RUN_WHOLE = {"bins", "bins of times", "cells", "sorted", "sorted of drawn clusters"}
"""The kinds of which CI computes whole studies; of the others it deals, well and ill."""


def covert(kind: str, cases: Sequence[Any] | None = None, **more: Any) -> Options:
    """All statistics of a kind in one covert study, or these of them."""
    options: Options = options_for(*(STUDIES[kind] if cases is None else cases))
    merge = "auto" if options.merge == "network" else options.merge
    return replace(options, merge=merge, assurance="covert", **more)


def test_every_statistic_without_noise_and_of_one_score_can_be_covert() -> None:
    able = {text.partition(":")[0] for kind in KINDS for text, _ in STUDIES[kind]}
    others = {
        name
        for name, one in statistics().items()
        if {OTHER_SCORES, CLASS, CLUSTER} & {*one.pipeline.columns} or "dp" in name
    }
    assert able == {*statistics()} - others
    assert others == {
        "auroc_classes", "auroc_clusters", "auroc_multiclass", "auroc_contrasts",
        "auroc_covariance",
        "auroc_difference", "auroc_differs", "auroc_dp",
        "auroc_equal", "auroc_models", "idi", "average_precision_dp", "histogram_dp", "samples_dp",
        "tpauc_difference",
    }  # fmt: skip


@pytest.mark.parametrize("kind", sorted(STUDIES.keys() - {*KINDS}))
def test_noise_and_shuffles_cannot_be_covert(kind: str) -> None:
    with pytest.raises(OptionRefused, match='assurance is "covert"') as caught:
        covert(kind)
    assert caught.value.option == "assurance"


TOLD = [name for name, sort in SORTS.items() if not sort.of(1).helper_only_deals]


@pytest.mark.parametrize("merge", [name for name in TOLD if name != "auto"])
def test_a_sort_whose_helper_is_told_something_cannot_be_covert(merge: str) -> None:
    with pytest.raises(OptionRefused, match="cannot be recomputed"):
        Options(merge=merge, assurance="covert")


def test_what_the_program_may_choose_is_the_network() -> None:
    options = Options(merge="auto", assurance="covert")
    assert options.decided([1000] * 8).merge == "network"
    assert Options(merge="auto").decided([1000] * 8).merge == "shuffled"


def test_ties_that_the_helper_finds_cannot_be_covert() -> None:
    with pytest.raises(OptionRefused, match="cannot be recomputed"):
        Options(ties="helper", assurance="covert")


@pytest.mark.parametrize("kind", some_of(KINDS, in_ci=set(KINDS) - RUN_WHOLE | {"bins", "sorted"}))
def test_the_helper_deals_the_same_again_for_the_same_seeds(kind: str) -> None:
    options, of = covert(kind), owners(1)
    study = Study(of, options)
    lengths = [shares_of(one, options)[0].size for one in of]
    part = helpers_part(options, lengths, sizes=study.sizes)
    openings = {proxy: SeedOpening.fresh() for proxy in PROXIES}
    first, second = (
        rehearsed(part, bytes(SESSION_BYTES), 0, openings, threads=threads) for threads in (1, 2)
    )
    assert first == second


def holds_in_one_run(options: Options) -> None:
    """A covert run has the results of the pooled lists, at the foreseen cost."""
    of = owners(2)
    study = Study(of, options)
    outcome = run(study)
    assert outcome.results == plaintext_results(options, of)
    phases = sum((one.spent for one in phase_estimates(options, study.sizes)), Cost())
    spent = phases + commitment_cost(options.dealings)
    assert Cost(outcome.hops, outcome.payload) == spent
    assert total_cost(options, study.sizes) == Cost(RUNS * spent.hops, RUNS * spent.payload)


@pytest.mark.parametrize("kind", some_of(KINDS, in_ci=RUN_WHOLE))
def test_a_covert_run_has_the_results_and_the_foreseen_cost(kind: str) -> None:
    holds_in_one_run(covert(kind, STUDIES[kind][:2], dealings=3))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_a_covert_run_of_all_statistics_has_the_results_and_the_foreseen_cost(kind: str) -> None:
    holds_in_one_run(covert(kind, dealings=2))


class OneBitOff:
    """The helper's link to a proxy, where one bit of the first frame that is dealt is flipped."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._done = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)

    def send(self, kind: Kind, words: Words, step: int) -> None:
        if kind is Kind.DEAL and not self._done:
            words, self._done = words.copy(), True
            words[0] ^= np.uint64(1)
        self._link.send(kind, words, step)


@pytest.mark.parametrize("kind", some_of(KINDS, in_ci=set(KINDS) - RUN_WHOLE | {"sorted"}))
def test_a_single_bit_that_is_dealt_otherwise_is_found(kind: str) -> None:
    options, of = covert(kind, STUDIES[kind][:1], dealings=2), owners(5, (6, 5))
    study = Study(of, options)
    shares = study.shares()
    part = helpers_part(options, [own.size for own, _ in shares], sizes=study.sizes, check=False)

    def program(party: Party, *lists: Shared) -> object:
        if party.is_helper:
            for proxy, link in party.links.items():
                party.links[proxy] = OneBitOff(link)  # type: ignore[assignment]
        return evaluate(party, options, lists, sizes=study.sizes, check=False)

    committed = {role: CommittedDealing(role, part, options.dealings) for role in Role}
    with pytest.raises(CheatingDetected, match="dealt other words than it committed to"):
        run_local(program, *shares, committed=committed)


def test_a_list_that_is_not_sound_stops_the_computation_and_is_no_cheating() -> None:
    options = Options(assurance="covert")
    of = owners(4, (5, 6, 7))
    shares = [shares_of(one, options) for one in of]
    # an ascending list instead of a descending one
    shares[1] = (shares[1][0][::-1].copy(), shares[1][1][::-1].copy())
    sizes = [5, 6, 7]
    with pytest.raises(ListsRefused, match="the uploads 2, counted from 1") as caught:
        run_local(lambda party, *lists: evaluate(party, options, lists, sizes=sizes), *shares)
    assert caught.value.refused == (1,)


def test_the_ledger_says_that_every_server_is_every_role_and_what_is_not_given() -> None:
    usual, assured = (
        ledger(Options(merge="network", assurance=one), [100] * 3)
        for one in ("semi-honest", "covert")
    )
    learns = assured.learns
    assert learns.P0 == learns.P1 == learns.helper
    assert {*usual.learns.P0, *usual.learns.helper} < {*learns.P0}
    found = sorted({*learns.P0} - {*usual.learns.P0, *usual.learns.helper})
    assert any(
        one.startswith("if it cheats: whether that stopped the computation") for one in found
    )
    assert len(found) == 2
    [warning] = {*assured.warnings} - {*usual.warnings}
    assert "probability 1/4 at most" in warning
    assert "not told which server it was" in warning
    assert assured.to_json()["public"]["dealings"] == 4
    assert "dealings" not in usual.to_json()["public"]


def test_a_fit_by_opened_steps_may_stop_by_chance_and_the_ledger_warns() -> None:
    searched = "calibration_in_the_large:bins=8"
    fitted = covert("sorted", ("calibration_slope:bins=8", searched, "auroc"))
    found = [text for text in ledger(fitted, [100] * 3).warnings if "though no server" in text]
    assert [text.partition(":bins")[0] for text in found] == ["calibration_slope"]
    assert "one of 10^6 computations" in found[0]


def test_more_dealings_make_a_smaller_probability() -> None:
    [warning] = ledger(Options(assurance="covert", dealings=64), [100] * 3).warnings[-1:]
    assert "probability 1/64 at most" in warning
