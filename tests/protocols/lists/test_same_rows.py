"""Several scores of the same rows: their upload, and that no lie about it gives a wrong number."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists.same_rows import check_same_rows, same_rows
from ppaurora.protocols.lists.scale import PROBABILITIES
from ppaurora.protocols.lists.verdicts import Verdicts, judged
from ppaurora.protocols.options import Options
from tests.protocols.studies import Owner, Study, released, run, upload_of

UNIT = PROBABILITIES.largest_key
OPTIONS = Options(metrics=("auroc_difference", "auroc"))
HONEST = (
    Owner([0.9, 0.2, 0.4, 0.4], [1, 0, 0, 1], [0.8, 0.3, 0.3, 0.1]),
    Owner([0.1, 0.7, 0.4], [0, 1, 1], [0.1, 0.5, 0.6]),
)
FIRST, SECOND, NUMBERS = [61, 40, 21, 20], [51, 30, 30, 11], [2, 1, 3, 0]
LIES = {
    "the first list in the wrong order": ([40, 61, 21, 20], SECOND, NUMBERS),
    "the second list in the wrong order": (FIRST, [51, 11, 30, 30], NUMBERS),
    "the first list out of range": ([UNIT + 1, 40, 21, 20], SECOND, NUMBERS),
    "the second list out of range": (FIRST, [UNIT + 2, 30, 30, 11], NUMBERS),
    "a word with the top bit set": (FIRST, [2**63 + 51, 30, 30, 11], NUMBERS),
    "a number twice": (FIRST, SECOND, [2, 1, 1, 0]),
    "a number missing": (FIRST, SECOND, [2, 1, 4, 0]),
    "numbers from 1 on": (FIRST, SECOND, [3, 2, 4, 1]),
    "a number beyond all words": (FIRST, SECOND, [2, 1, 2**64 - 1, 0]),
    "another label of one row": ([61, 40, 21, 21], SECOND, NUMBERS),
    "labels exchanged between two rows": (FIRST, SECOND, [1, 2, 3, 0]),
}


def verdicts(*uploads, lists=2):
    def program(party, *own):
        def findings(places):
            return check_same_rows(
                party, [own[place] for place in places], lists=lists, largest_key=UNIT
            )

        return judged(party, own, findings, Verdicts({}))

    by_role = run_local(program, *(share(np.array(words, object)) for words in uploads))
    assert by_role[0] == by_role[1] == by_role[2]
    return by_role[0]


def words_of(first, second, numbers):
    return [*first, *second, *numbers]


def test_both_lists_are_sorted_and_the_numbers_tell_which_rows_are_the_same():
    rng = np.random.default_rng(1)
    first, second = (rng.integers(0, 9, 40).astype(np.uint64) for _ in range(2))
    ones, others, numbers = same_rows([first, second]).reshape(3, -1)
    assert ones.tolist() == sorted(first.tolist(), reverse=True)
    assert others.tolist() == sorted(second.tolist(), reverse=True)
    rows = sorted(zip(ones[numbers.astype(int)].tolist(), others.tolist(), strict=True))
    assert rows == sorted(zip(first.tolist(), second.tolist(), strict=True))


def test_the_order_of_the_rows_leaves_no_trace():
    rng = np.random.default_rng(2)
    first, second = (rng.integers(0, 4, 30).astype(np.uint64) for _ in range(2))
    order = rng.permutation(30)
    assert np.array_equal(same_rows([first, second]), same_rows([first[order], second[order]]))


def test_honest_uploads_pass():
    good = words_of(FIRST, SECOND, NUMBERS)
    assert verdicts(good, [], [UNIT, UNIT, 0], good) == [True] * 4
    assert verdicts([], []) == [True, True]


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_and_only_that_upload_is_refused(lie):
    good = words_of(FIRST, SECOND, NUMBERS)
    assert verdicts(good, words_of(*LIES[lie]), [], [7, 9, 0]) == [True, False, True, True]


THIRD, THIRD_NUMBERS = [71, 50, 41, 10], [2, 1, 0, 3]
LIES_OF_THREE = {
    "the third list in the wrong order": ([71, 41, 50, 10], [2, 0, 1, 3]),
    "the third list out of range": ([UNIT + 2, 50, 41, 10], THIRD_NUMBERS),
    "a number of the third list twice": (THIRD, [2, 1, 1, 3]),
    "another label of one row in the third list": ([71, 51, 41, 10], THIRD_NUMBERS),
    "labels exchanged between two rows of the third list": (THIRD, [1, 2, 0, 3]),
}


@pytest.mark.parametrize("lie", LIES_OF_THREE)
def test_a_lie_about_a_third_list_is_found_and_only_that_upload_is_refused(lie):
    two = words_of(FIRST, SECOND, NUMBERS)
    good, bad = [*two, *THIRD, *THIRD_NUMBERS], [*two, *LIES_OF_THREE[lie][0]]
    bad += LIES_OF_THREE[lie][1]
    assert verdicts(good, bad, [], good, lists=3) == [True, False, True, True]


def test_three_lists_are_sorted_and_their_numbers_tell_which_rows_are_the_same():
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 5, 30).astype(np.uint64) for _ in range(3)]
    first, second, of_second, third, of_third = same_rows(columns).reshape(5, -1)
    for keys, column in zip((first, second, third), columns, strict=True):
        assert keys.tolist() == sorted(column.tolist(), reverse=True)
    rows = [first.tolist()]
    for keys, numbers in ((second, of_second), (third, of_third)):
        placed = np.empty_like(keys)
        placed[numbers.astype(int)] = keys
        rows.append(placed.tolist())
    assert sorted(zip(*rows, strict=True)) == sorted(
        zip(*(c.tolist() for c in columns), strict=True)
    )
    order = rng.permutation(30)
    assert np.array_equal(same_rows(columns), same_rows([one[order] for one in columns]))


def test_the_study_goes_on_without_the_liars():
    liars = [np.array(words_of(*lie), object) for lie in LIES.values()]
    first, last = (upload_of(one, OPTIONS) for one in HONEST)
    sizes = [4, *[4] * len(liars), 3]
    results = run_local(
        lambda party, *own: evaluate(party, OPTIONS, own, sizes=sizes),
        *map(share, [first, *liars, last]),
    )
    outcome = released(OPTIONS, results)
    assert outcome.refused == tuple(range(1, 1 + len(LIES)))
    assert outcome.samples == 7
    assert outcome.results == run(Study(HONEST, OPTIONS)).results


def test_one_bit_an_upload_is_opened_beside_the_shuffled_numbers(opened_verdicts):
    lie = LIES["another label of one row"]
    verdicts(words_of(FIRST, SECOND, NUMBERS), words_of(*lie))
    assert opened_verdicts == [[1, 0], [1, 0]]


def test_owners_whose_numbers_are_complete_only_together_are_both_refused():
    first, second = (FIRST, SECOND, [6, 5, 7, 0]), (FIRST, SECOND, [-2, -3, -1, 0])
    assert verdicts(words_of(*first), words_of(*second)) == [False, False]
