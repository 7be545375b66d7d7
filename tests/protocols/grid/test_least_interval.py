"""The least cells of a curve of times: what is withheld, and what can be worked out of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import reconstruct, share
from ppaurora.protocols.grid.least_cell import Priorities
from ppaurora.protocols.grid.least_interval import shown_times, shown_times_plaintext

Counts = Sequence[Sequence[Sequence[int]]]
"""Of events and of censored samples, for each owner, between the times."""


def drawn(seed: int) -> tuple[Counts, Priorities, int]:
    rng = np.random.default_rng(seed)
    owners, times, least = (int(rng.integers(*ends)) for ends in ((1, 5), (1, 7), (2, 7)))
    counts = rng.poisson(rng.choice([0.3, 2, 8]), (2, owners, times + 1)).tolist()
    places = [*range(1, times + 1)]
    return counts, Priorities.of(places, places), least


def private(counts: Counts, order: Priorities, least: int) -> list[int]:
    owners = len(counts[0])
    halves = [share(np.array(one, np.uint64)) for kind in counts for one in kind]
    first, second, _ = run_local(
        lambda party, *own: shown_times(party, [own[:owners], own[owners:]], order, least), *halves
    )
    return [int(bit) for bit in reconstruct(first.words, second.words)]


@pytest.mark.parametrize("seed", range(4))
def test_the_private_choice_is_the_one_in_the_clear(seed: int) -> None:
    counts, order, least = drawn(seed)
    assert private(counts, order, least) == shown_times_plaintext(counts, order, least)


def test_a_count_that_only_one_owner_sees_to_be_small_is_withheld() -> None:
    # the first owner takes its 20 events from the 21
    counts, order = [[[20, 20], [1, 30]], [[20, 20], [20, 20]]], Priorities.of([1], [1])
    assert private(counts, order, 5) == [0, 1]
    assert shown_times_plaintext(counts, order, 5) == [False, True]


def attack(counts: Counts, shown: Sequence[bool], known: Sequence[int]) -> list[int]:
    """The counts that owners can work out of all that is shown by subtracting their own rows.

    Events and censored samples between any two times that are shown or the beginning, and who is
    followed for longer than one.
    """
    found = []
    places = [0, *(cut for cut in range(1, len(shown)) if shown[cut - 1])]
    for kind in counts:
        others = np.array([one for owner, one in enumerate(kind) if owner not in known])
        if others.size:
            up_to = [int(others[:, :place].sum()) for place in places]
            found += [b - a for a, b in combinations(up_to, 2)]
    both = [np.array(kind) for kind in counts]
    rest = [owner for owner in range(len(both[0])) if owner not in known]
    for place in places[1:]:
        found.append(int(sum(kind[rest][:, place:].sum() for kind in both)))
    return found


@pytest.mark.parametrize("seed", range(100))
def test_no_owner_finds_a_small_count_by_subtraction(seed: int) -> None:
    counts, order, least = drawn(seed)
    shown = shown_times_plaintext(counts, order, least)
    owners = len(counts[0])
    eyes: list[list[int]] = [[], *([owner] for owner in range(owners) if owners > 1)]
    for known in eyes:
        assert not [one for one in attack(counts, shown, known) if 0 < one < least]


def test_all_owners_but_one_find_the_counts_of_the_last_as_the_ledger_says() -> None:
    counts = [[[20, 20], [20, 20], [1, 30]], [[20, 40], [20, 40], [30, 40]]]
    order = Priorities.of([1], [1])
    assert shown_times_plaintext(counts, order, 5) == [True, True]
    assert attack(counts, [True, True], [0, 1])[0] == 1


def test_none_is_no_small_count() -> None:
    counts = [[[9, 0, 9], [9, 0, 9]], [[0, 9, 9], [0, 9, 9]]]
    order = Priorities.of([1, 2], [1, 2])
    assert shown_times_plaintext(counts, order, 5) == [True] * 3
    assert private(counts, order, 5) == [1, 1, 1]
