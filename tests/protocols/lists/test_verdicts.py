"""A verdict is opened once, noted before and kept after, and told to the helper last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.evaluate import Evaluation, evaluate
from ppaurora.protocols.lists.verdicts import Verdicts
from ppaurora.protocols.options import Options
from tests.protocols.studies import released

OPTIONS = Options(metrics=("auroc",))
LISTS = ([9, 4, 2], [3, 6, 8], [7, 5, 4])
"""The second one is in the wrong order."""


@dataclass(frozen=True, slots=True)
class Noted(Verdicts):
    """What happened, in order, with the number of frames that the party had sent by then."""

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
