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
from ppaurora.protocols.lists import site_estimate
from ppaurora.protocols.lists.verdicts import Findings, Verdicts, judged
from ppaurora.protocols.lists.within_site import OwnRows, SiteNumber, check_sites, limits
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.mpc.test_views import leaks, views
from tests.protocols.studies import Owner, released, upload_of

WITHIN = Options(metrics=("auroc_within",))


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


NO_ESTIMATE = [2, 3, *site_estimate.to_words(None)]
BEYOND = {
    f"word {place} of an estimate {'above its limit' if more else 'below 0'}": (
        [*NO_ESTIMATE[: 2 + place], most + 1 if more else -1, *NO_ESTIMATE[3 + place :]],
        5,
    )
    for place, most in enumerate(site_estimate.limits())
    for more in (True, False)
}


def verdicts(
    *uploads: tuple[list[int], int], asked: tuple[SiteNumber, ...] = (SiteNumber.WON,)
) -> list[bool]:
    sizes = [size for _, size in uploads]

    def program(party: Party, *own: Shared) -> list[bool]:
        def findings(places: object) -> Findings:
            return check_sites(party, own, sizes, asked)

        return judged(party, own, findings, Verdicts({}))

    shared = [share(np.array([word % 2**64 for word in words], np.uint64)) for words, _ in uploads]
    by_role = run_local(program, *shared)
    assert by_role[0] == by_role[1] == by_role[2]
    return by_role[0]


def test_numbers_that_no_list_has_are_found_one_by_one() -> None:
    found = verdicts(HONEST, *LIES.values(), ([0, 0, 0], 0))
    assert dict(zip(LIES, found[1:-1], strict=True)) == dict.fromkeys(LIES, False)
    assert found[0] is found[-1] is True


def test_words_of_an_estimate_beyond_their_limits_are_found_one_by_one() -> None:
    most = [2, 3, *site_estimate.limits()], 5
    found = verdicts((NO_ESTIMATE, 5), *BEYOND.values(), most, asked=(SiteNumber.AREA,))
    assert dict(zip(BEYOND, found[1:-1], strict=True)) == dict.fromkeys(BEYOND, False)
    assert found[0] is found[-1] is True


def variance_of(rows: list[tuple[int, int]]) -> Fraction | None:
    """DeLong's variance from the placements one by one."""
    of = [[code for code, label in rows if label == wanted] for wanted in (1, 0)]
    if min(map(len, of)) < 2:
        return None
    V = [
        [half_pairs([(own, 1), *((one, 0) for one in of[1])]) / len(of[1]) for own in of[0]],
        [half_pairs([(own, 0), *((one, 1) for one in of[0])]) / len(of[0]) for own in of[1]],
    ]
    total = Fraction(0)
    for one in V:
        mean = sum(one, Fraction(0)) / len(one)
        square = sum(((own - mean) ** 2 for own in one), Fraction(0))
        total += square / (len(one) - 1) / len(one)
    return total


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1)), max_size=30))
def test_the_variance_is_that_of_the_placements_one_by_one(rows: list[tuple[int, int]]) -> None:
    keys = np.array([2 * code + label for code, label in rows], np.uint64)
    assert OwnRows.of(keys).variance == variance_of(rows)


def test_the_variance_of_the_largest_lists_is_exact() -> None:
    """Four scores of 2^29 rows each: what is added in halves of a word, in whole numbers."""
    q = 1 << 29
    rows = OwnRows(np.array([0, q - 1, 0, q]), np.array([q, 0, q, 0]))
    P, N = 2 * q - 1, 2 * q
    # positives above one half of the negatives, or above all of them
    area = Fraction((q - 1) * q + q * N, P * N)
    V10 = [(Fraction(1, 2), q - 1), (Fraction(1), q)]
    V01 = [(Fraction(1), q), (Fraction(q, P), q)]
    expected = sum(
        (
            sum((count * (one - area) ** 2 for one, count in V), Fraction(0)) / (size - 1) / size
            for V, size in ((V10, P), (V01, N))
        ),
        Fraction(0),
    )
    assert rows.variance == expected


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
        check_sites(party, [concatenate(words)], [MOST_SAMPLES], [SiteNumber.WON])

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
