"""Views of joined lists: who has a partner, and how many have, shows to no role and no onlooker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.evaluate import Evaluation, evaluate
from ppaurora.protocols.lists.tags import Side
from ppaurora.protocols.options import Options
from tests.mpc.test_views import View
from tests.protocols.counted_work import Work, counted
from tests.protocols.joins import Holder
from tests.protocols.pipelines.test_joined import NARROW, holder, study
from tests.protocols.studies import run
from tests.protocols.test_noisy_views import Seen, differ, watched
from tests.protocols.test_work import LASTING_KEYS, SESSION_KEYS

pytestmark = pytest.mark.usefixtures("same_keys")

OPTIONS = replace(
    NARROW, metrics=("auroc", "brier", "f1:at=0.5"), decimals=2, least_join=2, least_cell=2
)
SCORES, LABELS, BOTH = Side
WORLDS: tuple[tuple[Holder, ...], ...] = (
    # all joined; nobody; each tag twice on one side; fewer than the least
    (holder(SCORES, range(4)), holder(LABELS, range(4)), holder(LABELS, range(20, 23))),
    (holder(SCORES, range(4)), holder(LABELS, range(10, 14)), holder(LABELS, range(20, 23))),
    (holder(SCORES, range(4)), holder(LABELS, range(4)), holder(LABELS, range(1, 4))),
    (holder(SCORES, range(4)), holder(LABELS, range(3, 7)), holder(LABELS, range(20, 23))),
)
RUNS = 34


def views(
    seen: dict[Role, Seen], of: tuple[Holder, ...], runs: int, options: Options
) -> list[View]:
    """Each party's views of whole computations on the same lists, each shared afresh."""
    whole = study(of, options)
    shares = [one for _ in range(runs) for one in whole.shares()]

    def program(party: Party, *lists: Shared) -> View:
        rows = []
        for start in range(0, len(lists), len(of)):
            own = lists[start : start + len(of)]
            results = evaluate(party, options, own, sizes=whole.sizes).results.values()
            held = [one.words for one in (*own, *results) if one.present]
            rows.append(np.concatenate([*held, seen[party.role].taken()]))
        return np.stack(rows)

    return run_local(program, *shares)


def check(
    monkeypatch: pytest.MonkeyPatch, runs: int, worlds: int, options: Options = OPTIONS
) -> None:
    seen = watched(monkeypatch)
    options = replace(options, merge="network")
    first, *others = (views(seen, world, runs, options) for world in WORLDS[:worlds])
    for other in others:
        assert first[Role.P0].shape == other[Role.P0].shape
        assert differ(first, other) == {Role.P0: False, Role.P1: False}
        # the helper hears that the lists are sound, and nothing else
        assert np.unique(other[Role.HELPER]).tolist() == [1]
        assert other[Role.HELPER].shape == first[Role.HELPER].shape == (runs, 3)
    # the same views with an opened size would tell
    for view, value in ((first, 4), (others[0], 0)):
        view[Role.P1] = np.c_[view[Role.P1], np.full(runs, value, np.uint64)]
    assert differ(first, others[0]) == {Role.P0: False, Role.P1: True}


@pytest.mark.parametrize(
    "options",
    [
        replace(OPTIONS, metrics=("auroc", "brier"), decimals=1),
        pytest.param(OPTIONS, marks=pytest.mark.weekly),
    ],
    ids=["few numbers", "numbers at a threshold too"],
)
def test_views_of_a_whole_computation_are_alike_whoever_is_joined(
    monkeypatch: pytest.MonkeyPatch, options: Options
) -> None:
    """A false alarm has a chance below 10^-5."""
    check(monkeypatch, RUNS, worlds=2, options=options)


@pytest.mark.soak
def test_a_hundred_views_of_four_worlds_are_alike_whoever_is_joined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check(monkeypatch, 100, worlds=len(WORLDS))


@pytest.mark.parametrize("merge", ["network", "shuffled"])
def test_the_trace_is_the_same_whoever_is_joined(merge: str) -> None:
    """So few pairs meet in one round, if they are shuffled."""
    metrics = ("auroc", "average_precision", "auroc_ci", "brier", "f1:at=0.5")
    options = replace(OPTIONS, metrics=metrics, merge=merge)
    first, *others = (run(study(one, options), keep_trace=True).traces for one in WORLDS)
    assert all(len(trace) > 20 for trace in first)
    assert all(other == first for other in others)


def work_of(world: tuple[Holder, ...], options: Options) -> dict[Role, Work]:
    """The instructions of each role between its messages."""
    options = replace(options)  # with nothing that another session has kept in it
    whole = study(world, options)
    shares = whole.shares()
    with counted() as counting:

        def program(party: Party, *lists: Shared) -> Evaluation:
            counting.begin(party.role)
            try:
                return evaluate(party, options, lists, sizes=whole.sizes)
            finally:
                counting.end()

        run_local(program, *shares, session_keys=SESSION_KEYS, lasting_keys=LASTING_KEYS)
    return counting.work


@pytest.mark.parametrize(
    ("metrics", "worlds"),
    [
        (OPTIONS.metrics, WORLDS[:2]),
        pytest.param(("auroc", "auroc_ci", "brier", "f1:at=0.5"), WORLDS, marks=pytest.mark.weekly),
    ],
    ids=["all joined and nobody", "four worlds"],
)
def test_the_work_between_two_messages_is_the_same_whoever_is_joined(
    metrics: tuple[str, ...], worlds: tuple[tuple[Holder, ...], ...]
) -> None:
    options = replace(OPTIONS, metrics=metrics)
    # tables and caches are filled once, whatever the data
    run(study(worlds[0], options))
    first, *others = (work_of(world, options) for world in worlds)
    for other in others:
        assert all(other[role].stretches == first[role].stretches for role in Role)
