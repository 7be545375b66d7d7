"""A session runs with one key of each server, which all three know, or says whose is unknown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.messages import (
    AskStatus,
    ProposeSession,
    Refused,
    Request,
)
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.answering.studies import ServedStudies
from ppaurora.parties.server.answering.study_files import StudyFiles
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.computing.session_keys import named_keys, proposed_keys, written
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.study.key_statements import changed, revoked
from ppaurora.parties.study.keys_in_force import KeysInForce, KeyStatements
from tests.parties.sample import study

STUDY = study()
P0, P1, HELPER, ANN = (Identity.from_private(bytes([number]) * 64) for number in range(1, 5))
NEW = Identity.generate()
MADE, AFTER = date(2026, 11, 22), date(2026, 12, 23)
OF_HELPER = changed(HELPER, NEW, MADE, 30)
OF_P0 = changed(P0, NEW, MADE, 30)
KEYS = {**named_keys(STUDY), Role.HELPER: NEW.public}
Asking = Callable[..., Refused]


@pytest.fixture
def asked(tmp_path: Path) -> Asking:
    """The refusal that the server with `own` key replies to the holder of `by`."""

    def ask(request: Request, by: Identity, own: Identity, keys: KeysInForce) -> Refused:
        store = Store(tmp_path / "state")
        store.register(STUDY)
        served = ServedStudies(
            own.public,
            {Path("study.toml"): STUDY},
            StudyFiles(()),
            Acceptances(tmp_path),
            store,
            lambda study: "",
            keys=lambda: keys,
        )
        handler = RequestHandler(
            own.public,
            served,
            store,
            SessionRunner(own, store, "127.0.0.1", Limits()),
            most_samples=1000,
            on_change=lambda: None,
            keys=lambda: keys,
            not_served=served.why_not,
        )
        payload = Envelope(STUDY.id, STUDY.hash, request).encode()
        reply = decode_reply(handler.answer(by.public.exchange, payload))
        store.close()
        assert isinstance(reply, Refused)
        return reply

    return ask


def in_force(*statements: object, day: date = MADE) -> KeysInForce:
    return KeysInForce(KeyStatements.of(statements), day)  # type: ignore[arg-type]


def proposal(*keys: bytes) -> ProposeSession:
    return ProposeSession(b"s" * 16, (), keys=keys)


def test_keys_that_the_study_names_are_not_told_and_others_are() -> None:
    assert written(STUDY, named_keys(STUDY)) == ()
    assert proposed_keys(STUDY, ()) == named_keys(STUDY)
    told = written(STUDY, KEYS)
    assert len(told) == 3
    assert proposed_keys(STUDY, told) == KEYS
    for malformed in (told[:2], (*told, told[0]), (told[0], told[1], told[2][:-1])):
        with pytest.raises(BadFrame):
            proposed_keys(STUDY, malformed)


def test_a_server_that_lacks_a_change_says_whose_key_it_does_not_know(asked: Asking) -> None:
    reply = asked(proposal(*written(STUDY, KEYS)), P0, P1, in_force())
    assert reply.code == "keys-differ"
    assert f"helper uses the key {fingerprint(NEW.public)}" in reply.what
    assert "P1 refuses" in reply.what
    assert "[keys] changes" in reply.advice
    known = asked(proposal(*written(STUDY, KEYS)), P0, P1, in_force(OF_HELPER))
    assert known.code == "too-early"  # the keys are right, and there are no uploads


def test_a_server_whose_own_key_is_another_says_which(asked: Asking) -> None:
    reply = asked(proposal(*written(STUDY, KEYS)), P0, HELPER, in_force(OF_HELPER))
    assert reply.code == "keys-differ"
    assert fingerprint(HELPER.public) in reply.what
    assert fingerprint(NEW.public) in reply.what


def test_an_old_key_after_its_overlap_is_refused_to_its_holder_with_the_reason(
    asked: Asking,
) -> None:
    reply = asked(proposal(), P0, P1, in_force(OF_P0, day=AFTER))
    assert reply.code == "stranger"
    assert "accepted until 2026-12-22" in reply.what
    taken = asked(proposal(), NEW, P1, in_force(OF_P0, day=AFTER))
    assert taken.code == "keys-differ"
    assert "P0" in taken.what


def test_a_revoked_and_an_expired_key_are_refused_with_the_reason(asked: Asking) -> None:
    reply = asked(AskStatus(), ANN, P0, in_force(revoked(ANN)))
    assert "was revoked by its holder" in reply.what
    dated = Identity.from_private(NEW.private_bytes(), MADE)
    change = changed(ANN, dated, MADE, 30)
    late = asked(AskStatus(), NEW, P0, in_force(change, day=AFTER))
    assert "was good until 2026-11-22" in late.what
    stranger = asked(AskStatus(), Identity.generate(), P0, in_force(change))
    assert "is not in this server's version" in stranger.what
