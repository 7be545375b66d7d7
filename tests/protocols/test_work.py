"""Timing tells what the ledger says: the same instructions between messages for all data.

See `counted_work` for what is counted. Ten kinds of data of the same public sizes, all statistics,
both modes, covert ones too. What differs by right, and is not compared:

- the merge `delta` beyond 1, which opens how the lists interleave, as the ledger says;
- the sort `shuffled` of more samples than meet in one round of comparisons: its rounds follow from
  what it opens, which has the same law for all data and is not the same;
- lists that are refused: everybody learns whose, as the ledger says;
- the check of dealings before a covert run, which is of random seeds and reads no share.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ppaurora.mpc.committed import CommittedDealing
from ppaurora.mpc.kernels.polynomials import Whole
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.evaluate import Evaluation, evaluate, helpers_part
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking import probit_scoring
from ppaurora.protocols.ranking.probit_scoring import StepTerms
from tests.protocols.counted_work import Work, counted
from tests.protocols.statistics.test_every_statistic import STUDIES, options_for
from tests.protocols.studies import Study
from tests.protocols.ten_kinds import KINDS, owners_of
from tests.protocols.test_covert import KINDS as COVERT_KINDS
from tests.protocols.test_covert import covert

SESSION_KEYS = {
    role: {peer: bytes([role + peer + 1]) * 32 for peer in Role if peer is not role}
    for role in Role
}
LASTING_KEYS = {role: bytes([role + 1]) * 32 for role in Role}
"""The same for all data: what is drawn from them is not what is compared."""


def compute(
    kind: str,
    options: Options,
    begin: Callable[[Role], None] = lambda role: None,
    end: Callable[[], None] = lambda: None,
) -> None:
    """One session; each role says when its own computation begins and ends."""
    study = Study(owners_of(kind, decimals=2 if options.table == "counted" else None), options)
    shares, committed = study.shares(), None
    if options.covert:
        part = helpers_part(options, [own.size for own, _ in shares], sizes=study.sizes)
        committed = {role: CommittedDealing(role, part, options.dealings) for role in Role}

    def program(party: Party, *lists: Shared) -> Evaluation:
        begin(party.role)
        try:
            return evaluate(party, options, lists, sizes=study.sizes)
        finally:
            end()

    run_local(
        program,
        *shares,
        session_keys=SESSION_KEYS,
        lasting_keys=LASTING_KEYS,
        committed=committed,
    )


def work_of(kind: str, options: Options) -> dict[Role, Work]:
    """The work of each role in a session of its own."""
    with counted() as counting:
        compute(kind, options, counting.begin, counting.end)
    return counting.work


def compare_all(options: Options, kinds: Sequence[str] = KINDS) -> None:
    """Every kind is worked on as random data are, between any two frames of each role."""
    # tables and caches are filled once, whatever the data
    compute(kinds[0], options)
    first = work_of(kinds[0], options)
    assert all(len(work.stretches) > 5 for work in first.values())
    for kind in kinds[1:]:
        for role, work in work_of(kind, options).items():
            same = first[role]
            other = {
                code: (same.by_code[code], work.by_code[code])
                for code in same.by_code | work.by_code
                if same.by_code[code] != work.by_code[code]
            }
            assert (kind, role, other) == (kind, role, {})
            assert work.stretches == same.stretches, (kind, role)


FITS = {
    "sorted": (
        "rocglm:points=6",
        "calibration_slope:bins=8",
        "calibration_in_the_large:bins=8",
    ),
    "bins": ("aupr_binormal", ("rocglm:points=6", "bins")),
}


@pytest.mark.parametrize(
    ("asked", "kinds"),
    [
        (FITS["sorted"][:1], ("random", "positives only", "perfect")),
        (FITS["sorted"][2:], ("random", "perfect")),
        (FITS["bins"][:1], ("random", "perfect")),
        *(
            pytest.param(asked, ("random", "positives only", "perfect"), marks=pytest.mark.weekly)
            for asked in FITS.values()
        ),
    ],
)
def test_fits_do_the_same_work_whether_they_end_or_not(
    asked: tuple[Any, ...], kinds: tuple[str, ...]
) -> None:
    compare_all(options_for(*asked), kinds)


@pytest.mark.parametrize(
    "asked", [FITS["sorted"][:1], pytest.param(FITS["sorted"], marks=pytest.mark.weekly)]
)
def test_a_covert_fit_does_the_same_work_whether_it_ends_or_not(asked: tuple[Any, ...]) -> None:
    options = covert("sorted", asked, dealings=2)
    compare_all(options, ("random", "negatives only"))


def test_a_fit_that_computes_nothing_any_more_once_it_has_ended_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As fits once did, whose parameters no longer change then."""
    honest, at = probit_scoring.terms_at, threading.local()

    def terms_at(gamma: Whole, points: int) -> StepTerms:
        if getattr(at, "gamma", None) != gamma.tolist():
            at.gamma, at.terms = gamma.tolist(), honest(gamma, points)
        found: StepTerms = at.terms
        return found

    options = options_for(FITS["sorted"][0])
    monkeypatch.setattr(probit_scoring, "terms_at", terms_at)
    with pytest.raises(AssertionError):
        compare_all(options, ("random", "perfect"))


@pytest.mark.soak
@pytest.mark.parametrize("kind", STUDIES)
def test_all_statistics_do_the_same_work_for_ten_kinds_of_data(kind: str) -> None:
    compare_all(options_for(*STUDIES[kind]))


@pytest.mark.soak
@pytest.mark.parametrize("kind", COVERT_KINDS)
def test_all_covert_statistics_do_the_same_work_for_ten_kinds_of_data(kind: str) -> None:
    compare_all(covert(kind, dealings=2))


OTHER_WAYS = [
    {"merge": "delta", "delta": 1},
    {"merge": "network", "ties": "helper"},
    {"merge": "shuffled"},
]


@pytest.mark.soak
@pytest.mark.parametrize("way", OTHER_WAYS, ids=str)
def test_other_ways_to_sort_and_to_ties_do_the_same_work(way: dict[str, str | int]) -> None:
    compare_all(options_for("auroc", "average_precision", **way))
