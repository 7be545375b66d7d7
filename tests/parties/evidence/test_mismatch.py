"""A mismatch that a receiver shows is proved to anybody, or refused with the reason."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import EvidenceRefused
from ppaurora.parties.evidence.commitment import hand_out
from ppaurora.parties.evidence.mismatch import HandedShare, Openings, what_differs
from ppaurora.parties.evidence.proof import Evidence, shares_of
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.runs import StudyRun
from tests.parties.evidence import session
from tests.parties.evidence.forging import (
    CHANGES,
    COVERT,
    DOCUMENTS,
    FIRST,
    IN_SESSION,
    KEYS,
    OF_ANOTHER_SESSION,
    SECOND,
    THIRD,
    Document,
    evidences,
)

ANN, BEN = COVERT.participants[:2]
TODAY = replace(KEYS, day=date(2026, 11, 23))
"""Only the third keys of the servers are still in force."""


def runs_in(document: Document) -> dict[str, Evidence]:
    return {str(at): Evidence.of_plain(one) for at, one in enumerate(evidences(document))}


def run_with(words: tuple[int, ...], number: int) -> Evidence:
    """A run that all three servers have signed and that comes to these words."""
    run = StudyRun(COVERT, number)
    agreed = session.agreed_on(COVERT, session=run.session(session.SESSION).hex())
    shares = session.shares_of(words)
    before = dict(session.SERVERS)
    session.SERVERS.update(IN_SESSION)
    try:
        signed = session.statements(COVERT, agreed, shares, number, session.SESSION)
    finally:
        session.SERVERS.update(before)
    texts = {str(role): b"".join(w.to_bytes(8, "big") for w in shares[role]) for role in shares}
    return Evidence(signed, {name: text.hex() for name, text in texts.items()})


RUNS = runs_in(DOCUMENTS[COVERT.hash])


def judged(shown: Openings, keys: KeysInForce = TODAY) -> str:
    """The finding of a server about a report that came over the wire."""
    return what_differs(
        COVERT, session.SESSION, Openings.from_json(shown.to_json()), ANN.public, keys
    )


def handed(
    words: tuple[int, ...],
    by: Identity,
    to: object = ANN.public,
    computation: bytes = session.SESSION,
    study: bytes = COVERT.hash,
) -> HandedShare:
    """The shares that P1 hands out under this key; it is a proxy in the first and second run."""
    signed = by.sign(hand_out(study, computation, to, words))  # type: ignore[arg-type]
    return HandedShare("P1", b"".join(w.to_bytes(8, "big") for w in words).hex(), signed.hex())


def own_words() -> tuple[int, ...]:
    """The words that P1 is bound to in its two runs, in their order."""
    numbers = [run for run in range(3) if StudyRun(COVERT, run).role(Role.P1) is not Role.HELPER]
    return tuple(
        word
        for run in numbers
        for word in shares_of(RUNS[str(run)])[StudyRun(COVERT, run).role(Role.P1)]
    )


def test_two_signed_runs_that_differ_are_a_proof() -> None:
    for number in (1, 2):
        shown = Openings({"0": RUNS["0"], str(number): run_with((8251,), number)}, None)
        assert judged(shown) == "the runs do not give the same result"


def test_runs_that_are_equal_too_few_changed_or_of_elsewhere_prove_nothing() -> None:
    other = runs_in(OF_ANOTHER_SESSION[COVERT.hash])
    other_share = {"P0": RUNS["1"].shares["P1"], "P1": RUNS["1"].shares["P1"]}
    changed = replace(RUNS["1"], shares=other_share)
    for runs, why in (
        (RUNS, "come to the same"),
        ({"0": RUNS["0"]}, "two runs"),
        ({}, "two runs"),
        ({**RUNS, "3": RUNS["0"]}, "does not have"),
        ({"0": RUNS["0"], "1": changed}, "not the one to which all three"),
        ({"0": RUNS["0"], "1": RUNS["0"]}, "not signed by its key"),
        ({"0": RUNS["0"], "1": other["1"]}, "of another computation"),
    ):
        with pytest.raises(EvidenceRefused, match=why):
            judged(Openings(runs, None))


def test_a_signed_share_that_opens_nothing_is_a_proof_and_one_that_does_is_none() -> None:
    own = own_words()
    size = len(own) // 2
    shifted = (own[0] ^ 1, *own[1:])
    statements = {number: Evidence(one.statements, {}) for number, one in RUNS.items()}
    first = {"0": statements["0"]}
    assert "P1 has handed out a share" in judged(Openings(first, handed(shifted, THIRD[Role.P1])))
    third = (*own[:size], own[size] ^ 1, *own[size + 1 :])
    with pytest.raises(EvidenceRefused, match="the one that it is bound to"):
        judged(Openings(first, handed(third, THIRD[Role.P1])))
    # cut short, it opens neither
    assert judged(Openings(first, handed(own[:-2], THIRD[Role.P1])))
    for runs in ({}, {**first, "1": statements["1"]}):
        with pytest.raises(EvidenceRefused, match="does not show one run"):
            judged(Openings(runs, handed(shifted, THIRD[Role.P1])))
    with pytest.raises(EvidenceRefused, match="of no proxy of that run"):
        judged(Openings({"2": statements["2"]}, handed(shifted, THIRD[Role.P1])))


def test_a_share_counts_as_handed_out_only_by_a_key_of_today_and_to_this_receiver() -> None:
    shifted = (own_words()[0] ^ 1, *own_words()[1:])
    first = {"0": Evidence(RUNS["0"].statements, {})}
    for share in (
        handed(shifted, FIRST[Role.P1]),
        handed(shifted, SECOND[Role.P1]),
        handed(shifted, THIRD[Role.P0]),
        handed(shifted, THIRD[Role.P1], BEN.public),
        handed(shifted, THIRD[Role.P1], computation=b"an older session"),
        handed(shifted, THIRD[Role.P1], study=bytes(32)),
        replace(handed(shifted, THIRD[Role.P1]), signature=""),
    ):
        with pytest.raises(EvidenceRefused, match="has not signed the share"):
            judged(Openings(first, share))
    with pytest.raises(EvidenceRefused, match="cannot be read"):
        judged(Openings(first, replace(handed(shifted, THIRD[Role.P1]), words="0g")))
    assert len(CHANGES) == 6


def test_statements_of_another_study_show_nothing_about_a_share_of_this_one() -> None:
    """P0 names the sessions, and could give two studies the same name: an honest share of the one
    opens nothing in the other."""
    other, run = replace(COVERT, id="another"), StudyRun(COVERT, 0)
    agreed = session.agreed_on(other, session=run.session(session.SESSION).hex())
    before = dict(session.SERVERS)
    session.SERVERS.update(IN_SESSION)
    try:
        signed = session.statements(
            other, agreed, session.shares_of((8250,)), computation=session.SESSION
        )
    finally:
        session.SERVERS.update(before)
    with pytest.raises(EvidenceRefused, match="of another computation"):
        judged(Openings({"0": Evidence(signed, {})}, handed(own_words(), THIRD[Role.P1])))
