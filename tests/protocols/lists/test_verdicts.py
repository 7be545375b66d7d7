"""A verdict is opened once, noted before and kept after, and told to the helper last.

A lying owner is refused by name, and the study goes on without a wrong number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, narrowed, share
from ppaurora.protocols.evaluate import Evaluation, evaluate
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale
from ppaurora.protocols.lists.verdicts import Findings, Verdicts, check_lists, judged
from ppaurora.protocols.options import Options
from tests.protocols.studies import Owner, Study, released, shares_of

OPTIONS = Options(metrics=("auroc",), merge="network")
LISTS = ([9, 4, 2], [3, 6, 8], [7, 5, 4])
"""The second one is in the wrong order."""


@dataclass(frozen=True, slots=True)
class Noted(Verdicts):
    """Events in order, with the number of frames that the party had sent by then."""

    party: Party
    events: list[tuple[str, int]] = field(default_factory=list)

    def begin(self) -> None:
        self.events.append(("begin", self._sent))

    def keep(self, found: Mapping[int, bool]) -> None:
        self.events.append((f"keep {dict(found)}", self._sent))

    @property
    def _sent(self) -> int:
        assert self.party.trace is not None
        return sum(moved.sent for moved in self.party.trace)


def evaluated(known: Mapping[int, bool]) -> tuple[list[Evaluation], list[Noted], list[Party]]:
    """Each party's outcome, what it noted, and the parties."""
    noted: dict[Role, Noted] = {}
    parties: dict[Role, Party] = {}

    def program(party: Party, *uploads: Shared) -> Evaluation:
        parties[party.role] = party
        noted[party.role] = Noted(known, party)
        return evaluate(party, OPTIONS, uploads, verdicts=noted[party.role])

    shares = [share(np.array(words, np.uint64)) for words in LISTS]
    outcomes = run_local(program, *shares, keep_trace=True)
    return outcomes, [noted[role] for role in Role], [parties[role] for role in Role]


def test_a_proxy_notes_that_it_begins_before_it_sends_its_part_and_keeps_before_anybody_is_told():
    outcomes, noted, parties = evaluated({})
    assert all(one.refused == (1,) for one in outcomes)
    assert noted[Role.HELPER].events == []
    for role in (Role.P0, Role.P1):
        (begin, before), (keep, after) = noted[role].events
        assert (begin, keep) == ("begin", "keep {0: True, 1: False, 2: True}")
        # the four hops that open the verdicts lie between
        trace = [moved for moved in parties[role].trace or [] if moved.sent]
        assert [moved.kind for moved in trace[before:after]] == [Kind.OPEN] * 4
        told = [number for number, moved in enumerate(trace) if moved.kind is Kind.TELL]
        assert told == ([after] if role is Role.P0 else [])


def test_a_list_is_unsound_by_what_the_proxies_see_even_where_no_hidden_fault_is_counted():
    def program(party: Party, *uploads: Shared) -> list[bool]:
        seen = Findings([True, False, True], Shared.zeros(party.role, len(uploads)))
        return judged(party, uploads, lambda _places: seen, Verdicts({}))

    shares = [share(np.array(words, np.uint64)) for words in LISTS]
    assert run_local(program, *shares) == [[True, False, True]] * 3


def test_what_is_known_is_not_checked_again_and_the_numbers_are_the_same():
    outcomes, noted, parties = evaluated({0: True, 1: False, 2: True})
    again, _, unknown = evaluated({})
    assert all(one.events == [] for one in noted)
    assert released(OPTIONS, outcomes) == released(OPTIONS, again)
    assert outcomes[0].refused == (1,)
    assert not any(moved.kind is Kind.TELL for moved in parties[Role.P0].trace or [])
    assert parties[Role.P0].hops == unknown[Role.P0].hops - 9


def test_only_the_others_are_checked_where_some_are_known():
    outcomes, noted, _ = evaluated({0: True})
    assert outcomes[0].refused == (1,)
    assert [event for event, _ in noted[Role.P1].events] == ["begin", "keep {1: False, 2: True}"]


def test_what_is_known_to_be_unsound_is_left_out_though_it_is_sound():
    outcomes, _, _ = evaluated({0: False, 1: False})
    assert outcomes[0].refused == (0, 1)
    assert outcomes[0].samples == 3


UNIT = PROBABILITIES.largest_key
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


def verdicts(*lists, largest_key=UNIT, narrow=False):
    def program(party, *own):
        if narrow:
            own = [*map(narrowed, own)]

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
    real = Scale.of("full", ("any",)).largest_key
    assert verdicts([real, real - 1, 2], [2], largest_key=real) == [True, True]


NARROW_UNIT = 2 * 10**9 + 1
"""The largest key of nine decimals in [0, 1]."""
NARROW_LIES = {
    "two words in the wrong order": [90, 80, 81, 3],
    "a number with the top bit set": [90, 2**31, 3],
    "the first number with the top bit set": [2**31 + 5, 90, 3],
    "the last number with the top bit set": [90, 3, 2**32 - 1],
    "steps down that wrap around": [2**30, 2**31 + 2**30, 2**31, 2**30],
    "one number out of the code's range": [NARROW_UNIT + 1],
    "all numbers out of the code's range": [2**31 - 1, 2**31 - 2],
}


@pytest.mark.parametrize("lie", NARROW_LIES)
def test_a_lie_in_32_bits_is_found_and_only_that_list_is_refused(lie):
    good, told = [NARROW_UNIT, 80, 80, 3, 0], {"largest_key": NARROW_UNIT, "narrow": True}
    assert verdicts(good, NARROW_LIES[lie], [], good[1:], **told) == [True, False, True, True]


def test_halves_of_words_are_the_numbers_that_are_checked():
    """An owner that adds multiples of 2^32 shares the same numbers, and one that hides a lie there
    hides nothing."""
    told = {"largest_key": NARROW_UNIT, "narrow": True}
    high = 7 << 32
    assert verdicts([high + 90, 80, high + 3], [80, high + 90, 3], **told) == [True, False]


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
