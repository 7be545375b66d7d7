"""Attacks on what a study opens beside the verdicts, where nothing is claimed; each of them works.

The ledger of such a study says so. Every attack is a program: it deviates at one server, reads what
is opened, and says what it has found out; the tests count how often that is true.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, share
from ppaurora.mpc.words import Words, as_signed
from ppaurora.protocols.arithmetic.tabulated import LINE_BITS
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists.verdicts import Verdicts
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking import logit_scoring
from ppaurora.protocols.sorting import SORTS, delta
from ppaurora.protocols.statistics.of_logits import logits
from tests.protocols.studies import Owner, Study

SESSIONS = 20

# -- delta above 1 ---------------------------------------------------------------------------------

KEY_BITS = 62


class Enough(Exception):
    """The attacker has read what it wanted, and breaks the session off."""


def first_of_tops(lists: Sequence[Words], shift: int) -> bool:
    """The first opened comparison, at a P0 that adds to its share of the difference; it then goes.

    The session ends after the verdicts, so that no server counts it.
    """
    told: list[bool] = []
    opens = delta.open_negative

    def shifted(party: Party, x: Shared) -> Words | None:
        found = opens(party, x + shift if party.role is Role.P0 else x + 0)
        if party.role is Role.P0:
            assert found is not None
            told.append(bool(found[0]))
            raise Enough
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delta, "open_negative", shifted)
        with pytest.raises(Exception):  # noqa: B017, PT011
            run_local(
                lambda party, *own: SORTS["delta"].of(3).sorted(party, own), *map(share, lists)
            )
    return told[0]


def distance_of_tops(lists: Sequence[Words]) -> tuple[int, int]:
    """The distance of the two keys whose comparison is opened first, and the sessions needed.

    By halves: the outcome says whether the difference plus the shift is below 0.
    """
    low, high, sessions = -(1 << KEY_BITS), 1 << KEY_BITS, 0
    while low < high:
        middle = (low + high) // 2
        sessions += 1
        if first_of_tops(lists, -middle - 1):
            high = middle
        else:
            low = middle + 1
    return low, sessions


def drawn_lists(seed: int) -> list[Words]:
    """Two lists of three keys of drawn scores and labels, descending."""
    rng = np.random.default_rng(seed)
    keys = 2 * rng.random(6).view(np.uint64) + rng.integers(0, 2, 6, np.uint64)
    return [np.sort(half)[::-1].copy() for half in (keys[:3], keys[3:])]


def check_distances(seeds: Sequence[int]) -> None:
    for seed in seeds:
        first, second = drawn_lists(seed)
        found, sessions = distance_of_tops([first, second])
        # after a shuffle the second of the larger is held against the first of the smaller
        true = int(max(first[1], second[1])) - int(min(first[0], second[0]))
        assert found == true
        assert sessions <= KEY_BITS + 1


def test_delta_above_one_tells_a_deviating_proxy_how_far_apart_two_keys_are() -> None:
    check_distances(range(1))


@pytest.mark.soak
def test_twenty_pairs_of_lists_tell_how_far_apart_their_keys_are() -> None:
    check_distances(range(SESSIONS))


# -- fits in steps ---------------------------------------------------------------------------------

PARTS = 4
LINES = [(-50.0, 0.0), (50.0, 0.0), (-49.0, 40.0), (0.0, 50.0), (49.0, 40.0)]
"""Intercepts and slopes at which the weights are 0 or 1: nowhere, everywhere, and above each of the
three bounds between four parts of the scores."""


def counts_by_a_steered_fit(study: Study) -> tuple[list[int], int]:
    """The samples in each part, the highest scores first, and the number of positives.

    P0 waits for P1's part of a step and sends what moves both to the line that it wants. Where no
    weight lies between 0 and 1 the information is 0, and the inverse doubles with every step. With
    M as it is at first, opened is 2^k·M·g, and g is the sum of (1, x) over the positives less that
    over the samples above a bound: differences are n_i·M·(1, x_i).
    """
    opened: list[Words] = []
    opens = logit_scoring.open_words

    def steered(party: Party, moved: Shared) -> Words | None:
        if party.role is not Role.P0 or len(moved) != 2 or len(opened) > len(LINES):
            return opens(party, moved)
        party.step()
        party.end_round()
        theirs = party.receive(Role.P1, Kind.OPEN, 2)
        opened.append(as_signed(moved.words + theirs))
        if len(opened) > len(LINES):
            raise Enough
        here = np.array(LINES[len(opened) - 2] if len(opened) > 1 else (0, 0))
        move = (np.array(LINES[len(opened) - 1]) - here) * (1 << LINE_BITS)
        wanted = move.astype(np.int64).view(np.uint64)
        party.send(Role.P1, Kind.OPEN, wanted - theirs)
        return wanted

    shares, of = study.shares(), study.owners
    sizes = [len(owner.scores) for owner in of]
    sound = Verdicts(dict.fromkeys(range(len(of)), True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logit_scoring, "open_words", steered)
        with pytest.raises(Exception):  # noqa: B017, PT011
            run_local(
                lambda party, *own: evaluate(
                    party, study.options, own, sizes=sizes, verdicts=sound
                ),
                *shares,
            )
    none, every, *above = (np.array(one, float) / 2.0**k for k, one in enumerate(opened[1:]))
    sums = [none - none, *(none - one for one in above), none - every]
    parts = np.diff(sums, axis=0)
    x = np.array(logits(PARTS), float)
    # M is symmetric, and both numbers of a part have one count: three unknowns up to their scale
    rows = [
        [part[1], part[1] * at - part[0], -part[0] * at] for part, at in zip(parts, x, strict=True)
    ]
    upper, beside, lower = np.linalg.svd(np.array(rows))[2][-1]
    found = parts[:, 0] / (upper + beside * x)
    scale = sum(sizes) / found.sum()
    M = np.array([[upper, beside], [beside, lower]]) / scale
    return [round(one) for one in found * scale], round(np.linalg.solve(M, none)[0])


def check_counts(seeds: Sequence[int]) -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        of = tuple(
            Owner(rng.random(size).tolist(), rng.integers(0, 2, size).tolist()) for size in (20, 40)
        )
        options = Options(
            metrics=(f"calibration_slope:bins={PARTS}",), decimals=3, resolution=f"bins:{PARTS}"
        )
        study = Study(of, options)
        counted = np.histogram(study.scores, PARTS, (0, 1))[0][::-1].tolist()
        assert counts_by_a_steered_fit(study) == (counted, sum(study.labels))


def test_a_fit_tells_a_deviating_proxy_how_many_samples_lie_above_its_bounds() -> None:
    """Exactly, in one session, whatever least count the study has."""
    check_counts(range(2))


@pytest.mark.soak
def test_twenty_fits_tell_how_many_samples_lie_above_bounds() -> None:
    check_counts(range(SESSIONS))
