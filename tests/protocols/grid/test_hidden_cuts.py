"""No small part of the samples lies between two cuts by rank or rate, or one and a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import reconstruct, share
from ppaurora.protocols.grid.hidden_cuts import (
    Comparisons,
    Corners,
    Cut,
    Reading,
    shown_beside,
    shown_beside_cost,
    shown_beside_plaintext,
)

Readings = list[list[Cut]]


@dataclass(frozen=True)
class Drawn:
    """Cuts of one list: those of readings, statistic by statistic, and thresholds."""

    statistics: list[Readings]
    thresholds: list[Cut]
    shown: list[bool]
    everything: Cut
    least: int

    @property
    def readings(self) -> Readings:
        return [cuts for readings in self.statistics for cuts in readings]

    @property
    def seen(self) -> list[Cut]:
        return [cut for cut, fine in zip(self.thresholds, self.shown, strict=True) if fine]

    def plainly(self) -> list[bool]:
        return shown_beside_plaintext(self.readings, self.seen, self.everything, self.least)


def drawn(seed: int) -> Drawn:
    """Few and many samples; readings at one corner or on the piece between two; up to 4 thresholds.

    Which thresholds are shown is as a least cell leaves it: any two far from each other.
    """
    rng = np.random.default_rng(seed)
    groups = int(rng.integers(1, 40))
    most = int(rng.choice([1, 2, 6, 25]))
    sizes = rng.integers(0, most + 1, (groups, 2))
    sizes[sizes.sum(axis=1) == 0, rng.integers(0, 2)] = 1
    corners = [(0, 0), *map(tuple, sizes.cumsum(axis=0).tolist())]
    statistics: list[Readings] = []
    for _ in range(int(rng.integers(1, 4))):
        each = int(rng.integers(1, 3))
        starts = rng.integers(0, groups + 2 - each, int(rng.integers(1, 5)))
        statistics.append([corners[start : start + each] for start in starts])
    thresholds = [corners[at] for at in rng.integers(0, groups + 1, int(rng.integers(0, 5)))]
    least = int(rng.integers(2, 9))
    shown: list[bool] = []
    for cut in thresholds:
        others = [one for one, fine in zip(thresholds, shown, strict=False) if fine]
        shown.append(all(far(cut, one, least) for one in [(0, 0), corners[-1], *others]))
    return Drawn(statistics, thresholds, shown, corners[-1], least)


def far(one: Cut, other: Cut, least: int) -> bool:
    return all(abs(a - b) >= least for a, b in zip(one, other, strict=True))


def small_cells(of: Drawn, shown: list[bool]) -> int:
    """Subtract every two cuts that are shown, nothing and everything among them.

    A reading between two corners of one class apart is a number of the first one alone.
    """
    cuts = [*of.seen, (0, 0), of.everything]
    inside = 0
    for reading, fine in zip(of.readings, shown, strict=True):
        if fine:
            cuts += reading
            first, last = reading[0], reading[-1]
            apart = [abs(a - b) for a, b in zip(first, last, strict=True)]
            inside += 0 < min(apart) < of.least
    found = inside
    if not any([*of.shown, *shown]):
        return 0
    for one, other in combinations(sorted(set(cuts)), 2):
        flat = {one, other} in map(set, of.readings) and 0 in np.subtract(one, other)
        found += not (flat or far(one, other, of.least))
    return found


def privately(of: Drawn) -> list[bool]:
    def laid_out(readings: Readings, kind: int) -> list[int]:
        return [cuts[which][kind] for which in range(len(readings[0])) for cuts in readings]

    vectors = [
        *(laid_out(readings, kind) for readings in of.statistics for kind in (0, 1)),
        *([cut[kind] for cut in of.thresholds] for kind in (0, 1)),
        [int(fine) for fine in of.shown],
        *([one] for one in of.everything),
    ]
    each = [len(readings[0]) for readings in of.statistics]
    cost = shown_beside_cost([len(cuts) for cuts in of.readings], len(of.thresholds))

    def program(party, *own):  # type: ignore[no-untyped-def]
        count = 2 * len(each)
        corners = [Corners(*own[at : at + 2]) for at in range(0, count, 2)]
        TP, FP, shown, P, N = own[count:]
        thresholds = Reading(Corners(TP, FP), shown) if of.thresholds else None
        found = shown_beside(party, corners, each, thresholds, Corners(P, N), of.least)
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        return found, party.hops, sent

    parties = run_local(program, *(share(np.array(one, np.uint64)) for one in vectors))
    assert max(hops for _, hops, _ in parties) == cost.hops <= 22
    assert sum(sent for *_, sent in parties) == cost.payload
    words = reconstruct(parties[0][0].words, parties[1][0].words)
    assert set(words.tolist()) <= {0, 1}
    return [word == 1 for word in words.tolist()]


def check_privately(seeds: range) -> None:
    for of in map(drawn, seeds):
        shown = privately(of)
        assert shown == of.plainly()
        assert small_cells(of, shown) == 0


def test_the_shares_show_the_readings_that_the_clear_does_and_no_small_cell() -> None:
    check_privately(range(25))


@pytest.mark.soak
def test_no_small_cell_comes_out_of_two_thousand_drawn_lists() -> None:
    check_privately(range(10_000, 12_000))


def test_no_small_cell_comes_out_of_three_thousand_lists_in_the_clear() -> None:
    kept = 0
    for of in map(drawn, range(3000, 6000)):
        shown = of.plainly()
        assert small_cells(of, shown) == 0
        kept += sum(shown)
    assert kept > 1500


def test_what_is_shown_leaves_a_small_cell_if_nothing_is_withheld() -> None:
    """The attack finds what it looks for."""
    found = [small_cells(of, [True] * len(of.readings)) > 0 for of in map(drawn, range(200))]
    assert sum(found) > 150


def test_a_reading_alone_in_the_middle_is_shown() -> None:
    assert shown_beside_plaintext([[(10, 10)]], [], (20, 20), 5) == [True]
    assert shown_beside_plaintext([[(10, 4)]], [], (20, 20), 5) == [False]
    assert shown_beside_plaintext([[(10, 16)]], [], (20, 20), 5) == [False]


def test_the_first_of_two_that_are_near_is_shown_and_one_that_is_the_same_as_it() -> None:
    readings = [[(10, 10)], [(11, 10)], [(10, 10)], [(11, 10)]]
    assert shown_beside_plaintext(readings, [], (20, 20), 5) == [True, False, True, False]


def test_a_threshold_that_is_withheld_withholds_nothing() -> None:
    assert shown_beside_plaintext([[(10, 10)]], [(11, 10)], (20, 20), 5) == [False]
    assert shown_beside_plaintext([[(10, 10)]], [], (20, 20), 5) == [True]


def test_a_reading_between_two_corners_needs_a_large_piece_or_a_flat_one() -> None:
    assert shown_beside_plaintext([[(10, 10), (12, 11)]], [], (30, 30), 5) == [False]
    assert shown_beside_plaintext([[(10, 10), (15, 15)]], [], (30, 30), 5) == [True]
    assert shown_beside_plaintext([[(10, 10), (10, 11)]], [], (30, 30), 5) == [True]


def test_pairs_are_those_of_cuts_with_what_is_before_them() -> None:
    asked = Comparisons((1, 1), 2)
    assert asked.with_ends == [(0, 4), (0, 5), (1, 4), (1, 5)]
    assert asked.of_two == [(0, 1)]
    assert asked.squared == 9
