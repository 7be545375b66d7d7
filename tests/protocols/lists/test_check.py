"""A lying owner is refused by name, and the study goes on without a wrong number."""

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists.check import check_lists
from ppaurora.protocols.lists.encoding import CODES
from ppaurora.protocols.lists.verdicts import Verdicts, judged
from ppaurora.protocols.options import Options
from tests.protocols.studies import Owner, Study, released, shares_of

UNIT = CODES["unit"].largest_key
GOOD = np.array([UNIT, 80, 80, 3, 0], np.uint64)
LIES = {
    "two words in the wrong order": [90, 80, 81, 3],
    "ascending": [1, 2, 3],
    "a word with the top bit set": [90, 2**63, 3],
    "the first word with the top bit set": [2**63 + 5, 90, 3],
    "the last word with the top bit set": [90, 3, 2**64 - 1],
    "steps down that wrap around": [2**62, 2**63 + 2**62, 2**63, 2**62],
    "one word out of the code's range": [UNIT + 1],
    "all words out of the code's range": [2**63 - 1, 2**63 - 2],
}


def verdicts(*lists, largest_key=UNIT):
    def program(party, *own):
        def findings(places):
            return check_lists(party, [own[place] for place in places], largest_key=largest_key)

        return judged(party, own, findings, Verdicts({}))

    by_role = run_local(program, *(share(np.array(words, np.uint64)) for words in lists))
    assert by_role[0] == by_role[1] == by_role[2]
    return by_role[0]


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_and_only_that_list_is_refused(lie):
    assert verdicts(GOOD, LIES[lie], [], GOOD[1:]) == [True, False, True, True]


def test_honest_lists_pass():
    assert verdicts(GOOD, [], [0], [UNIT], [5] * 70) == [True] * 5
    real = CODES["real"].largest_key
    assert verdicts([real, real - 1, 2], [2], largest_key=real) == [True, True]


def test_no_lists_at_all():
    assert verdicts([], []) == [True, True]


def test_one_bit_a_list_is_opened(opened_verdicts):
    verdicts(GOOD, [1, 2, 3, 4, 5, 6])
    assert opened_verdicts == [[1, 0], [1, 0]]


@pytest.mark.parametrize("lie", LIES)
def test_the_study_goes_on_without_the_liar(lie):
    options = Options(metrics=("auroc", "average_precision"))
    honest = (Owner([0.1, 0.7, 0.4], [0, 1, 1]), Owner([0.9, 0.2, 0.4], [1, 0, 0]))
    first, second = (shares_of(owner, options) for owner in honest)
    liar = share(np.array(LIES[lie], np.uint64))
    results = run_local(lambda party, *own: evaluate(party, options, own), first, liar, second)
    outcome = released(options, results)
    assert outcome.refused == (1,)
    assert outcome.samples == 6
    assert outcome.results == Study(honest, options).expected()


def test_only_liars_leave_nothing():
    options = Options()
    liar = share(np.array([1, 2], np.uint64))
    results = run_local(lambda party, *own: evaluate(party, options, own), liar)
    assert released(options, results).results == {"auroc": "undefined: there are no samples"}
