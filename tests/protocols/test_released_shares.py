"""The helper together with a receiver, over a whole evaluation: shares of results tell no more.

The helper knows all that it dealt, and a receiver both shares of each result. Here both are given
all of the helper's randomness, the same in each session; the lists are the same as well. What a
proxy releases is then a word that is drawn anew each time, or the two could read from it how the
number was computed.
"""

from __future__ import annotations

import os
from importlib import import_module

import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.evaluate import Evaluation, evaluate
from ppaurora.protocols.options import Options
from tests.protocols.slow_fits import FITTED, cases_of
from tests.protocols.statistics.test_every_statistic import STUDIES, options_for
from tests.protocols.studies import Study
from tests.protocols.ten_kinds import owners_of

SESSIONS = 3
WITH_THE_HELPER = {Role.P0: bytes([7]) * 32, Role.P1: bytes([8]) * 32}
LASTING_KEYS = {role: bytes([role + 1]) * 32 for role in Role}

Words = tuple[int, ...]


def session_keys() -> dict[Role, dict[Role, bytes]]:
    """Those with the helper are always the same; the one between the proxies is new."""
    keys: dict[Role, dict[Role, bytes]] = {role: {} for role in Role}
    keys[Role.P0][Role.P1] = keys[Role.P1][Role.P0] = os.urandom(32)
    for proxy, key in WITH_THE_HELPER.items():
        keys[proxy][Role.HELPER] = keys[Role.HELPER][proxy] = key
    return keys


def released(options: Options, sessions: int = SESSIONS) -> dict[str, list[tuple[Words, Words]]]:
    """Both proxies' words of each result, of several sessions over the same lists."""
    found: dict[str, list[tuple[Words, Words]]] = {text: [] for text in options.texts}
    for _ in range(sessions):
        study = Study(owners_of("random"), options)

        def program(party: Party, *lists: Shared, study: Study = study) -> Evaluation:
            return evaluate(party, options, lists, sizes=study.sizes)

        at = run_local(
            program, *study.shares(), session_keys=session_keys(), lasting_keys=LASTING_KEYS
        )
        for text, both in found.items():
            of_p0, of_p1 = (at[role].results[text].words for role in (Role.P0, Role.P1))
            both.append((tuple(of_p0.tolist()), tuple(of_p1.tolist())))
    return found


def drawn_anew(sessions: list[tuple[Words, Words]]) -> bool:
    """No word of a proxy's share occurs in two sessions."""
    columns = [
        column for proxy in zip(*sessions, strict=True) for column in zip(*proxy, strict=True)
    ]
    return all(len(set(column)) == len(sessions) for column in columns)


@pytest.mark.parametrize("kind", STUDIES)
@pytest.mark.parametrize("fitted", FITTED)
def test_no_share_of_a_result_is_determined_by_what_the_helper_and_a_receiver_know(
    kind: str, fitted: bool
) -> None:
    """A false alarm has the chance of two equal words of 64 random bits."""
    sessions_of = SESSIONS if fitted else 2
    for text, found in released(options_for(*cases_of(kind, fitted)), sessions_of).items():
        assert drawn_anew(found), text


def test_the_shares_still_make_the_result() -> None:
    [sessions] = released(options_for("auroc")).values()
    results = {(of_p0[0] + of_p1[0]) % (1 << 64) for of_p0, of_p1 in sessions}
    assert len(results) == 1


def test_shares_that_are_released_as_they_were_computed_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = import_module("ppaurora.protocols.evaluate")
    monkeypatch.setattr(program, "freshly_shared", lambda party, words: words)
    [sessions] = released(options_for("auroc")).values()
    assert len({of_p0 for of_p0, _ in sessions}) == 1
    assert not drawn_anew(sessions)
