"""The steps of an upload: one for every state, in an order that keeps what the owner is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest

from ppaurora.parties.participant.upload_steps import (
    ENDING,
    RULES,
    AtServer,
    Trouble,
    UploadRule,
    UploadState,
    UploadStep,
)

BOOLS = (False, True)
STATES = [
    UploadState(parts, *values)
    for servers in (2, 3)
    for parts in product(AtServer, repeat=servers)
    for values in product(BOOLS, BOOLS, BOOLS, Trouble, BOOLS)
]
START = UploadState((AtServer.UNANNOUNCED,) * 3)
OF_A_SERVER = {UploadStep.ANNOUNCE, UploadStep.SEND, UploadStep.COMMIT}


def after(state: UploadState) -> list[UploadState]:
    """The states that may follow once this state's step was taken, with or without an error."""
    step = state.next_step()
    failed = [
        replace(state, trouble=trouble, overdue=overdue)
        for trouble in Trouble
        for overdue in BOOLS
        if trouble is not Trouble.NONE
    ]
    match step:
        case UploadStep.RECORD:
            return [replace(state, recorded=True), replace(state, trouble=Trouble.LASTING)]
        case UploadStep.REACH:
            return [replace(state, reached=True), *failed]
        case UploadStep.ANNOUNCE:
            return [state.with_next(part) for part in (AtServer.SHORT, AtServer.WHOLE)] + failed
        case UploadStep.COMPARE:
            return [replace(state, compared=True), *failed]
        case UploadStep.SEND:
            return [state.with_next(AtServer.WHOLE), *failed]
        case UploadStep.COMMIT:
            return [state.with_next(AtServer.STORED), *failed]
        case UploadStep.PAUSE:
            return [state.begun_again()]
    assert step in ENDING
    return []


def reachable() -> set[UploadState]:
    """All states that an upload to three servers may come to."""
    found, ahead = {START}, [START]
    while ahead:
        new = set(after(ahead.pop())) - found
        found |= new
        ahead += new
    return found


def taken(state: UploadState) -> Sequence[UploadStep]:
    """The steps from here, if none of them fails and no server has a byte."""
    step = state.next_step()
    return [step] if step in ENDING else [step, *taken(after(state)[0])]


def test_every_state_has_a_step() -> None:
    assert len(STATES) == (4**2 + 4**3) * 2**4 * 4
    assert {state.next_step() for state in STATES} == set(UploadStep)


def test_every_step_of_a_server_names_one_that_needs_it() -> None:
    needs = {
        UploadStep.ANNOUNCE: AtServer.UNANNOUNCED,
        UploadStep.SEND: AtServer.SHORT,
        UploadStep.COMMIT: AtServer.WHOLE,
    }
    for state in STATES:
        if (step := state.next_step()) in OF_A_SERVER:
            assert state.parts[state.next_server] is needs[step]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.condition)
def test_every_rule_decides_for_some_state_that_is_reached(rule: UploadRule) -> None:
    decides = [next(one for one in RULES if one.holds(state)) for state in reachable()]
    assert rule in decides


def test_an_upload_without_errors_takes_each_step_once_for_each_server() -> None:
    assert taken(START) == [
        UploadStep.RECORD,
        UploadStep.REACH,
        *3 * [UploadStep.ANNOUNCE],
        UploadStep.COMPARE,
        *3 * [UploadStep.SEND],
        *3 * [UploadStep.COMMIT],
        UploadStep.FINISH,
    ]


def test_an_upload_goes_on_without_end_only_through_pauses() -> None:
    longest: dict[UploadState, int] = {}

    def steps(state: UploadState, before: frozenset[UploadState]) -> int:
        assert state not in before
        if state.next_step() is UploadStep.PAUSE:
            return 1
        if state not in longest:
            further = [steps(one, before | {state}) for one in after(state)]
            longest[state] = 1 + max(further, default=0)
        return longest[state]

    # a failed last step costs one more, which ends the upload or pauses
    assert steps(START, frozenset()) == 1 + 1 + 3 + 1 + 3 + 3 + 1
    assert steps(replace(START, recorded=True, reached=True), frozenset()) == 3 + 1 + 3 + 3 + 1


def test_nothing_is_sent_before_it_is_recorded_and_all_servers_are_told_of_it() -> None:
    for state in reachable():
        step = state.next_step()
        if not state.recorded:
            assert step in {UploadStep.RECORD, *ENDING}
        if step in {UploadStep.SEND, UploadStep.COMMIT}:
            assert state.recorded
            assert state.reached
            assert state.compared
            assert AtServer.UNANNOUNCED not in state.parts


def test_no_part_is_stored_before_every_server_has_its_bytes_and_p0_stores_last() -> None:
    for state in reachable():
        if AtServer.STORED in state.parts:
            assert AtServer.SHORT not in state.parts
            assert AtServer.UNANNOUNCED not in state.parts
            assert state.parts == tuple(
                sorted(state.parts, key=lambda part: part is AtServer.STORED)
            )


def test_an_upload_ends_well_if_and_only_if_all_have_stored_it() -> None:
    for state in reachable():
        whole = set(state.parts) == {AtServer.STORED} and state.trouble is Trouble.NONE
        assert (state.next_step() is UploadStep.FINISH) == whole


def test_only_a_server_that_may_come_back_in_time_is_waited_for() -> None:
    for state in STATES:
        waits = state.trouble is Trouble.SERVER_AWAY and state.reached and not state.overdue
        assert (state.next_step() is UploadStep.PAUSE) == waits
        assert (state.next_step() is UploadStep.RETIRE) == (state.trouble is Trouble.WITHDRAWN)


def test_after_a_pause_nothing_is_believed_of_the_servers() -> None:
    for state in STATES:
        again = state.begun_again()
        assert set(again.parts) == {AtServer.UNANNOUNCED}
        assert (again.compared, again.trouble, again.overdue) == (False, Trouble.NONE, False)
        assert (again.recorded, again.reached) == (state.recorded, state.reached)
