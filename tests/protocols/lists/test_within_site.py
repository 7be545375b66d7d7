"""Numbers of one owner's rows, against pairs one by one; numbers that no list has are found."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, concatenate, share
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists.verdicts import Findings, Verdicts, judged
from ppaurora.protocols.lists.within_site import OwnRows, SiteNumber, check_sites, limits
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.mpc.test_views import leaks, views
from tests.protocols.studies import Owner, released, upload_of

WITHIN = Options(metrics=("auroc_within",))
ASKED = (SiteNumber.WON,)


def half_pairs(rows: list[tuple[int, int]]) -> Fraction:
    return sum(
        (
            Fraction((high > low) + (high >= low), 2)
            for high, y in rows
            for low, other in rows
            if y and not other
        ),
        Fraction(0),
    )


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1)), max_size=30))
def test_won_pairs_are_those_that_are_counted_one_by_one(rows: list[tuple[int, int]]) -> None:
    keys = np.array([2 * code + label for code, label in rows], np.uint64)
    own = OwnRows.of(keys)
    assert own.won == 2 * half_pairs(rows)
    assert (sum(y for _, y in rows), sum(1 - y for _, y in rows)) == (own.P, own.N)


def test_the_most_pairs_that_a_list_can_win_are_counted_in_a_word() -> None:
    """Two scores of 2^30 rows each, in the counts that such a list has."""
    half = 1 << 30
    rows = OwnRows(np.array([0, half]), np.array([half - 1, 0]))
    assert rows.won == 2 * half * (half - 1) == limits(SiteNumber.WON, MOST_SAMPLES)[0]


LIES = {
    "one pair more than there are": ([2, 3, 13], 5),
    "a negative number of pairs": ([2, 3, -1], 5),
    "pairs of a single class": ([5, 0, 1], 5),
    "pairs beyond what so many samples make": ([2, 3, 2**62], 5),
    "one sample more than stated": ([3, 3, 0], 5),
    "one sample fewer than stated": ([2, 2, 0], 5),
    "a negative count": ([-1, 6, 0], 5),
    "counts whose sum wraps around": ([2**63, 2**63 + 5, 0], 5),
    "counts whose product wraps around": ([2**32, 2**32, 7], 5),
}
HONEST = ([2, 3, 12], 5)


def verdicts(*uploads: tuple[list[int], int]) -> list[bool]:
    sizes = [size for _, size in uploads]

    def program(party: Party, *own: Shared) -> list[bool]:
        def findings(places: object) -> Findings:
            return check_sites(party, own, sizes, ASKED)

        return judged(party, own, findings, Verdicts({}))

    shared = [share(np.array([word % 2**64 for word in words], np.uint64)) for words, _ in uploads]
    by_role = run_local(program, *shared)
    assert by_role[0] == by_role[1] == by_role[2]
    return by_role[0]


def test_numbers_that_no_list_has_are_found_one_by_one() -> None:
    found = verdicts(HONEST, *LIES.values(), ([0, 0, 0], 0))
    assert dict(zip(LIES, found[1:-1], strict=True)) == dict.fromkeys(LIES, False)
    assert found[0] is found[-1] is True


def test_the_largest_numbers_pass() -> None:
    half = 1 << 30
    pairs = half * (half - 1)
    assert verdicts(
        ([half, half - 1, 2 * pairs], MOST_SAMPLES), ([MOST_SAMPLES, 0, 0], MOST_SAMPLES)
    ) == [True, True]


def test_one_bit_an_upload_is_opened(opened_verdicts: list[object]) -> None:
    verdicts(HONEST, LIES["one pair more than there are"])
    assert opened_verdicts == [[1, 0], [1, 0]]


@pytest.mark.usefixtures("same_keys")
def test_views_of_the_check_are_alike_for_numbers_that_could_not_differ_more() -> None:
    def program(party: Party, *words: Shared) -> None:
        check_sites(party, [concatenate(words)], [MOST_SAMPLES], ASKED)

    half = 1 << 30
    one, other = (
        views(program, values)
        for values in ((half, half - 1, 2 * half * (half - 1)), (0, MOST_SAMPLES, 0))
    )
    for role in Role:
        allowed = {"pairs"} if role is not Role.HELPER else set()
        assert set(leaks(one[role], other[role])) <= allowed, role


def test_the_study_goes_on_without_the_liar_and_says_so() -> None:
    owners = Owner([0.9, 0.2, 0.4], [1, 0, 0]), Owner([0.1, 0.7, 0.4, 0.4], [1, 0, 1, 0])
    lie = upload_of(owners[1], WITHIN)
    lie[2] = 2 * 4 + 1
    uploads = [upload_of(owners[0], WITHIN), lie, upload_of(owners[1], WITHIN)]
    results = run_local(
        lambda party, *own: evaluate(party, WITHIN, own, sizes=[3, 4, 4]), *map(share, uploads)
    )
    outcome = released(WITHIN, results)
    assert outcome.refused == (1,)
    # (2 + 1/2) of 2 + 4 pairs
    assert outcome.results == {"auroc_within": "0.4167"}
