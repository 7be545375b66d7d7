"""The steps of P0: one for every state, and each as the protocol of a study asks."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from ppaurora.parties.server.computing.next_step import (
    ENDING,
    RULES,
    Halt,
    LeaderState,
    LeaderStep,
    Others,
    Session,
    Share,
)

BOOLS = (False, True)
STATES = [
    LeaderState(*values) for values in product(BOOLS, BOOLS, Halt, Share, BOOLS, Others, Session)
]


def after(state: LeaderState) -> list[LeaderState]:
    """The states that may follow once this state's step was taken without an error."""
    match state.next_step():
        case LeaderStep.EXCHANGE_CLOCKS:  # it may tell of a halt, or of a result that was lost
            found = replace(state, clocks_due=False)
            return [replace(found, halt=halt) for halt in Halt] + [replace(found, ended=True)]
        case LeaderStep.TELL_HALT:
            return [replace(state, halt=halt) for halt in (Halt.NONE, Halt.CURRENT)]
        case LeaderStep.ASK_OTHERS:
            told = [one for one in Others if one is not Others.UNASKED]
            return [replace(state, others=one) for one in told]
        case LeaderStep.RESERVE:
            ends = (Session.RESERVED, Session.REFUSED)
            return [replace(state, session=session) for session in ends]
        case LeaderStep.GATHER:
            return [replace(state, session=Session.GATHERED)]
        case LeaderStep.RUN:
            over = replace(state, session=Session.OVER)
            return [over, replace(over, share=Share.UNSEALED, ready=False)]
    return []


def test_every_state_has_a_step() -> None:
    assert len(STATES) == 2 * 2 * 3 * 3 * 2 * 4 * 5
    assert {state.next_step() for state in STATES} == set(LeaderStep)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.condition)
def test_every_rule_decides_for_some_state(rule: object) -> None:
    assert any(next(one for one in RULES if one.holds(state)) is rule for state in STATES)


def test_every_visit_ends_whatever_the_steps_find() -> None:
    """Each step leads to states from which no way leads back to it."""

    def longest(state: LeaderState, before: tuple[LeaderState, ...]) -> int:
        assert state not in before
        return 1 + max((longest(one, (*before, state)) for one in after(state)), default=0)

    assert max(longest(state, ()) for state in STATES) <= 9


def test_what_is_over_or_halted_is_neither_computed_nor_sealed() -> None:
    idle = {LeaderStep.REST, LeaderStep.EXCHANGE_CLOCKS, LeaderStep.TELL_HALT}
    for state in STATES:
        if state.ended:
            assert state.next_step() is LeaderStep.REST
        if state.halt is not Halt.NONE:
            assert state.next_step() in idle


def test_a_share_that_is_not_sealed_is_sealed_before_anything_else() -> None:
    for state in STATES:
        if state.share is Share.UNSEALED and state.halt is Halt.NONE and not state.ended:
            assert state.next_step() is LeaderStep.SEAL


def test_only_an_unsealed_share_is_sealed_and_nothing_is_computed_beside_a_share() -> None:
    for state in STATES:
        if state.next_step() is LeaderStep.SEAL:
            assert state.share is Share.UNSEALED
        if state.next_step() in {
            LeaderStep.ASK_OTHERS,
            LeaderStep.RESERVE,
            LeaderStep.GATHER,
            LeaderStep.RUN,
            LeaderStep.WAIT,
        }:
            assert state.share is Share.NONE


def test_a_session_is_reserved_here_then_begun_at_the_others_then_run() -> None:
    for state in STATES:
        step = state.next_step()
        if step is LeaderStep.RESERVE:
            assert state.ready
            assert (state.others, state.session) == (Others.MET, Session.NONE)
        if step is LeaderStep.GATHER:
            assert state.session is Session.RESERVED
        if step is LeaderStep.RUN:
            assert state.session is Session.GATHERED


def test_a_study_without_faults_is_computed_and_sealed_in_this_order() -> None:
    state, steps = LeaderState(clocks_due=True, ready=True), [LeaderStep.EXCHANGE_CLOCKS]
    wanted = {
        LeaderStep.EXCHANGE_CLOCKS: lambda one: one.halt is Halt.NONE and not one.ended,
        LeaderStep.ASK_OTHERS: lambda one: one.others is Others.MET,
        LeaderStep.RESERVE: lambda one: one.session is Session.RESERVED,
        LeaderStep.GATHER: lambda one: True,
        LeaderStep.RUN: lambda one: one.share is Share.UNSEALED,
    }
    while steps[-1] not in ENDING:
        state = next(one for one in after(state) if wanted[steps[-1]](one))
        steps.append(state.next_step())
    assert steps == [*wanted, LeaderStep.SEAL]
