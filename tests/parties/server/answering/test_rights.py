"""The rights at a server: each request of each party, as somebody would send it who has none."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.evidence.audit_chain import entries
from ppaurora.parties.requests.messages import (
    AskCompute,
    AskResult,
    AskStored,
    AskUploads,
    BeginUpload,
    CommitUpload,
    ConfirmUpload,
    Done,
    ProposeSession,
    Received,
    Refused,
    Reply,
    ReportMismatch,
    Request,
    RestartStudy,
    ResultPart,
    ResultSaved,
    SealSession,
    SendChunk,
    StartSession,
    Withdraw,
)
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.server.answering.halt_requests import MOST_FALSE
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.study import Study
from tests.parties.sample import KEYS, study

COVERT = study(assurance="covert", dealings=4)
PLAIN = study()
SESSION, OTHER = b"s" * 16, b"t" * 16
P0, P1, HELPER, ANN, BEN, READER = range(6)
"""By their places among the keys: three servers, two owners, and who only receives."""
NAMES = ("P0", "P1", "helper", "ann", "ben", "reader")
UPLOAD = b"u" * 16
WHOSE = {
    BeginUpload(UPLOAD, 60, 32, bytes(32)): {ANN, BEN},
    SendChunk(UPLOAD, 0, b"x"): {ANN, BEN},
    CommitUpload(UPLOAD): {ANN, BEN},
    Withdraw(): {ANN, BEN},
    ConfirmUpload(bytes(32)): {ANN, BEN},
    AskResult(b""): {ANN, READER},
    ResultSaved(SESSION): {ANN, READER},
    AskUploads(0, b""): {P0},
    ProposeSession(SESSION, ()): {P0},
    StartSession(SESSION): {P0},
    AskStored(SESSION): {P0},
    SealSession(SESSION): {P0},
}
"""The requests that each party may make to P1; ben uploads and does not receive."""

Ask = Callable[[int, Request], Reply]


def server(store: Store, served: Study, role: Role) -> Ask:
    """A server of the study: what it replies to whom."""
    store.register(served)
    own = Identity.from_private(bytes([1 + role]) * 64)
    handler = RequestHandler(
        own.public,
        {served.id: served},
        store,
        SessionRunner(own, store, "127.0.0.1", Limits()),
        most_samples=1000,
        on_change=lambda: None,
    )

    def ask(who: int, request: Request) -> Reply:
        payload = Envelope(served.id, served.hash, request).encode()
        return decode_reply(handler.answer(KEYS[who].exchange, payload))

    return ask


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state")


def is_not_theirs(reply: Reply) -> bool:
    return isinstance(reply, Refused) and reply.code == "not-yours"


def sealed(store: Store, served: Study, session: bytes = SESSION) -> None:
    """A study that is computed."""
    store.put_result(served, session, [7], "about", ())
    assert store.seal(served, session)


@pytest.mark.parametrize("who", range(6), ids=NAMES)
@pytest.mark.parametrize("request_", WHOSE, ids=lambda one: type(one).__name__)
def test_a_request_is_answered_to_those_whose_it_is_and_refused_to_all_others(
    store: Store, request_: Request, who: int
) -> None:
    ask = server(store, PLAIN, Role.P1)
    assert is_not_theirs(ask(who, request_)) == (who not in WHOSE[request_])


@pytest.mark.parametrize("who", range(6), ids=NAMES)
def test_the_helper_takes_no_upload_and_gives_no_result(store: Store, who: int) -> None:
    ask = server(store, PLAIN, Role.HELPER)
    for request in (BeginUpload(UPLOAD, 60, 32, bytes(32)), Withdraw(), AskResult(b"")):
        assert is_not_theirs(ask(who, request))


@pytest.mark.parametrize("who", range(6), ids=NAMES)
@pytest.mark.parametrize("role", Role)
def test_a_stop_is_lifted_by_the_servers_own_operator_and_by_nobody_else(
    store: Store, role: Role, who: int
) -> None:
    ask = server(store, COVERT, role)
    assert store.halts.add(COVERT, SESSION, "the runs differ")
    reply = ask(who, RestartStudy())
    assert is_not_theirs(reply) == (who != role)
    assert (store.halts.current(COVERT) is None) == (who == role)


def test_a_receiver_with_the_result_of_another_session_has_not_this_one(store: Store) -> None:
    """If it counted, the only shares would be deleted before anybody had their numbers."""
    ask = server(store, PLAIN, Role.P0)
    sealed(store, PLAIN)
    for who in (ANN, READER):
        ask(who, ResultSaved(OTHER))
    assert not store.ended(PLAIN)
    assert isinstance(ask(READER, AskResult(b"")), ResultPart)
    for who in (ANN, READER):
        assert not store.ended(PLAIN)
        assert ask(who, ResultSaved(SESSION)) == Done()
    assert "every receiver has the result" in store.ended(PLAIN)


def test_who_does_not_receive_cannot_say_that_a_receiver_has_the_result(store: Store) -> None:
    ask = server(store, PLAIN, Role.P0)
    sealed(store, PLAIN)
    for who in (P0, P1, HELPER, BEN):
        assert is_not_theirs(ask(who, ResultSaved(SESSION)))
    assert not store.ended(PLAIN)


@pytest.mark.parametrize("who", range(6), ids=NAMES)
def test_only_a_receiver_reports_a_mismatch_and_what_proves_nothing_stops_nothing(
    store: Store, who: int
) -> None:
    ask = server(store, COVERT, Role.P1)
    sealed(store, COVERT)
    for shown in ("", "{}", '{"runs": {}, "handed": null}'):
        reply = ask(who, ReportMismatch(SESSION, shown))
        assert isinstance(reply, Refused)
        assert reply.code == ("not-proved" if who in (ANN, READER) else "not-yours")
    assert store.halts.current(COVERT) is None
    assert store.results.find(COVERT.hash) is not None


@pytest.mark.parametrize("session", [OTHER, b""])
def test_a_mismatch_of_another_session_is_not_even_looked_at(store: Store, session: bytes) -> None:
    ask = server(store, COVERT, Role.P1)
    sealed(store, COVERT)
    for _ in range(2 * MOST_FALSE):
        reply = ask(ANN, ReportMismatch(session, "{}"))
        assert isinstance(reply, Refused)
        assert reply.code == "unknown-session"
    assert store.results.find(COVERT.hash) is not None


def test_a_receiver_makes_a_server_look_at_ten_false_reports_and_no_more(store: Store) -> None:
    """Each takes the work of checking signatures; another receiver's are looked at still."""
    ask = server(store, COVERT, Role.P1)
    sealed(store, COVERT)
    codes = []
    for _ in range(12):
        reply = ask(ANN, ReportMismatch(SESSION, "{}"))
        assert isinstance(reply, Refused)
        codes.append(reply.code)
    assert codes == ["not-proved"] * 10 + ["too-often"] * 2
    reply = ask(READER, ReportMismatch(SESSION, "{}"))
    assert isinstance(reply, Refused)
    assert reply.code == "not-proved"


def test_a_share_is_given_out_once_it_is_sealed_and_while_the_study_goes_on(store: Store) -> None:
    ask = server(store, COVERT, Role.P0)
    store.put_result(COVERT, SESSION, [7], "about", ())
    early = ask(READER, AskResult(b""))
    assert isinstance(early, Refused)
    assert early.code == "too-early"
    sealed(store, COVERT)
    given = ask(READER, AskResult(b""))
    assert isinstance(given, ResultPart)
    assert tuple(given.words) == (7,)


def test_nobody_asks_for_the_result_or_the_computation_of_a_stopped_study(store: Store) -> None:
    ask = server(store, COVERT, Role.P0)
    assert store.halts.add(COVERT, SESSION, "the runs differ")
    for request in (AskResult(b""), AskCompute()):
        reply = ask(ANN, request)
        assert isinstance(reply, Refused)
        assert reply.code == "stopped"


def test_an_owner_changes_no_upload_of_another_owner(store: Store) -> None:
    """Not even if it has learnt its name."""
    ask = server(store, PLAIN, Role.P0)
    ask(ANN, BeginUpload(UPLOAD, 60, 32, bytes(32)))
    for request in (
        BeginUpload(UPLOAD, 60, 32, bytes(32)),
        SendChunk(UPLOAD, 0, b"ben was here"),
        CommitUpload(UPLOAD),
    ):
        assert isinstance(ask(BEN, request), Refused)
    ask(BEN, Withdraw((UPLOAD,)))
    [there] = store.uploads(PLAIN)
    assert (there.owner, store.received(PLAIN, there)) == ("ann", 0)


def test_a_request_under_another_hash_is_answered_with_the_study_as_it_is_served(
    store: Store,
) -> None:
    store.register(PLAIN)
    own = Identity.from_private(bytes([1]) * 64)
    runner = SessionRunner(own, store, "127.0.0.1", Limits())
    handler = RequestHandler(
        own.public,
        {PLAIN.id: PLAIN},
        store,
        runner,
        most_samples=1000,
        on_change=lambda: None,
    )
    changed = Envelope(PLAIN.id, bytes(32), BeginUpload(UPLOAD, 60, 32, bytes(32))).encode()
    reply = decode_reply(handler.answer(KEYS[ANN].exchange, changed))
    assert reply == Refused("study-differs", PLAIN.canonical().decode("ascii"), "")
    assert not store.uploads(PLAIN)


def test_a_stop_that_p0_tells_is_one_here_and_of_a_study_of_one_run_it_is_none(
    tmp_path: Path,
) -> None:
    for served, stops in ((COVERT, True), (PLAIN, False)):
        own = Store(tmp_path / served.options.assurance)
        ask = server(own, served, Role.P1)
        sealed(own, served)
        ask(P0, AskUploads(0, SESSION, OTHER))
        assert (own.halts.current(served) is not None) == stops
        assert (own.results.find(served.hash) is None) == stops


def test_who_uploaded_what_and_who_has_which_share_stands_in_the_audit_log(
    store: Store, tmp_path: Path
) -> None:
    ask = server(store, PLAIN, Role.P0)
    seed = bytes(32)
    for request in (
        BeginUpload(UPLOAD, 60, 32, sha256(seed).digest()),
        SendChunk(UPLOAD, 0, seed),
        CommitUpload(UPLOAD),
    ):
        assert isinstance(ask(ANN, request), Received)
    sealed(store, PLAIN)
    assert isinstance(ask(READER, AskResult(b"")), ResultPart)
    ask(READER, ResultSaved(SESSION))
    with (tmp_path / "state" / "audit.jsonl").open("rb") as file:
        told = [(one.event, dict(one.facts)) for one in entries(file)]
    of, session = {"study": PLAIN.id}, SESSION.hex()
    assert ("upload stored", {**of, "owner": "ann", "samples": 60}) in told
    for event in ("share of the result handed out", "result kept by a receiver"):
        assert (event, {**of, "by": "reader", "session": session}) in told
