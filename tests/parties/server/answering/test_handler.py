"""Answers of a server when something fails: they name whose fault it was."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.errors import DiskCode, DiskFault
from ppaurora.parties.requests.messages import (
    AskCompute,
    AskResult,
    AskStatus,
    BeginUpload,
    CommitUpload,
    Document,
    Done,
    ProposeSession,
    Received,
    Refused,
    Reply,
    Request,
    SendChunk,
    Withdraw,
)
from ppaurora.parties.requests.status import State, Status
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.study import Rule
from tests.parties.sample import KEYS, study

STUDY = study()
P0 = Identity.from_private(bytes([1]) * 64)
ANN = KEYS[3]
ASKED = Envelope(STUDY.id, STUDY.hash, AskResult(b"")).encode()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = Store(tmp_path / "state")
    opened.register(STUDY)
    return opened


@pytest.fixture
def answer(store: Store) -> Callable[[bytes], Reply]:
    """The reply of P0 to ann."""
    handler = RequestHandler(
        P0.public,
        {STUDY.id: STUDY},
        store,
        SessionRunner(P0, store, "127.0.0.1", Limits()),
        most_samples=1000,
        on_change=lambda: None,
    )
    return lambda payload: decode_reply(handler.answer(ANN.exchange, payload))


def refusal(reply: Reply) -> Refused:
    assert isinstance(reply, Refused)
    return reply


def test_a_request_that_cannot_be_read_is_malformed(answer: Callable[[bytes], Reply]) -> None:
    assert refusal(answer(b"noise")).code == "malformed"


def test_what_only_p0_may_ask_is_not_decoded_for_others(answer: Callable[[bytes], Reply]) -> None:
    whole = Envelope(STUDY.id, STUDY.hash, ProposeSession(b"s" * 16, ())).encode()
    said = refusal(answer(whole[:-1] + b"\x91"))
    assert said.code == "not-yours"


def test_a_bug_of_the_server_is_its_own_fault(
    answer: Callable[[bytes], Reply],
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(_: object) -> None:
        raise KeyError("a secret detail")

    monkeypatch.setattr(store.results, "find", broken)
    said = refusal(answer(ASKED))
    assert said.code == "own-fault"
    assert "your request was valid" in said.what
    assert "an unexpected KeyError" in capsys.readouterr().err
    assert "secret" not in said.what + said.advice


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (DiskFault("full", code=DiskCode.FULL), "full"),
        (DiskFault("worn out", code=DiskCode.UNREADABLE), "own-fault"),
    ],
)
def test_a_fault_of_the_servers_disk_is_the_servers(
    answer: Callable[[bytes], Reply],
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    fault: Exception,
    code: str,
) -> None:
    def failing(_: object) -> None:
        raise fault

    monkeypatch.setattr(store.results, "find", failing)
    said = refusal(answer(ASKED))
    assert (said.code, said.what) == (code, str(fault))


def status(answer: Callable[[bytes], Reply]) -> Status:
    reply = answer(Envelope(STUDY.id, STUDY.hash, AskStatus()).encode())
    assert isinstance(reply, Document)
    return Status.from_json(reply.text)


def test_a_status_says_how_the_study_stands_and_what_is_there(
    answer: Callable[[bytes], Reply], store: Store
) -> None:
    empty = status(answer)
    assert (empty.study, empty.server, empty.state) == (STUDY.id, "P0", State.WAITING)
    assert empty.detail == "2 of 2 owners have not uploaded yet"
    name = b"n" * 16
    answer(Envelope(STUDY.id, STUDY.hash, BeginUpload(name, 60, 32, bytes(32))).encode())
    answer(Envelope(STUDY.id, STUDY.hash, SendChunk(name, 0, b"half of the seed")).encode())
    (there,) = status(answer).uploads
    assert (there.owner, there.samples, there.stored) == ("ann", 60, False)
    assert (there.received, there.size) == (16, 32)
    store.end(STUDY, "for a test")
    over = status(answer)
    assert (over.state, over.detail) == (State.OVER, "for a test")
    assert [note.text for note in over.notes] == ["for a test"]


@pytest.mark.parametrize("server", [Role.P1, Role.HELPER])
@pytest.mark.parametrize(
    ("start", "sizes", "told"),
    [
        ("complete", {"ann": 100}, "1 of 2 owners has not uploaded"),
        ("request", {"ann": 100}, "1 of at least 2 owners"),
        ("request", {"ann": 1000, "ben": 19}, "ben has 19 of at least 20 samples"),
        ("request", {"ann": 1000, "ben": 200}, "ann has more than 80% of all samples"),
        ("complete", {"ann": 750, "ben": 751}, "1501 samples are more than"),
    ],
)
def test_the_other_servers_check_the_rule_themselves(
    tmp_path: Path, server: Role, start: str, sizes: dict[str, int], told: str
) -> None:
    ruled = study(rule=Rule(least_owners=2, start=start, most_samples=1500))
    own_store = Store(tmp_path / "own")
    own_store.register(ruled)
    own = Identity.from_private(bytes([1 + server]) * 64)
    handler = RequestHandler(
        own.public,
        {ruled.id: ruled},
        own_store,
        SessionRunner(own, own_store, "127.0.0.1", Limits()),
        most_samples=10_000,
        on_change=lambda: None,
    )
    roster = tuple(StoredUpload(owner, b"u" * 16, size) for owner, size in sizes.items())
    proposed = Envelope(ruled.id, ruled.hash, ProposeSession(b"s" * 16, roster)).encode()
    reply = refusal(decode_reply(handler.answer(P0.public.exchange, proposed)))
    assert "rule is not met" in reply.what
    assert told in reply.what


def test_a_session_named_like_one_that_stopped_the_study_is_refused(tmp_path: Path) -> None:
    own_store = Store(tmp_path / "own")
    own_store.register(STUDY)
    helper = Identity.from_private(bytes([1 + Role.HELPER]) * 64)
    handler = RequestHandler(
        helper.public,
        {STUDY.id: STUDY},
        own_store,
        SessionRunner(helper, own_store, "127.0.0.1", Limits()),
        most_samples=10_000,
        on_change=lambda: None,
    )
    roster = tuple(StoredUpload(one.name, b"u" * 16, 200) for one in STUDY.owners)

    def proposed(session: bytes) -> Reply:
        envelope = Envelope(STUDY.id, STUDY.hash, ProposeSession(session, roster))
        return decode_reply(handler.answer(P0.public.exchange, envelope.encode()))

    own_store.halts.add(STUDY, b"s" * 16, "the runs differ")
    assert own_store.halts.restart(STUDY)
    reply = refusal(proposed(b"s" * 16))
    assert reply.code == "malformed"
    assert "has stopped the study" in reply.what
    assert proposed(b"t" * 16) == Done()


@pytest.mark.parametrize("network", [(10_000, 0), (60_000_001, 1000)])
def test_a_proposal_that_tells_of_an_impossible_network_is_refused(
    tmp_path: Path, network: tuple[int, int]
) -> None:
    own_store = Store(tmp_path / "own")
    own_store.register(STUDY)
    helper = Identity.from_private(bytes([1 + Role.HELPER]) * 64)
    handler = RequestHandler(
        helper.public,
        {STUDY.id: STUDY},
        own_store,
        SessionRunner(helper, own_store, "127.0.0.1", Limits()),
        most_samples=10_000,
        on_change=lambda: None,
    )
    proposed = Envelope(STUDY.id, STUDY.hash, ProposeSession(b"s" * 16, (), *network)).encode()
    reply = refusal(decode_reply(handler.answer(P0.public.exchange, proposed)))
    assert reply.code == "malformed"
    assert "network" in reply.what


@pytest.mark.parametrize(
    ("samples", "code"), [(19, "too-small"), (20, ""), (1000, ""), (1001, "too-large")]
)
def test_lists_shorter_or_longer_than_the_rule_allows_are_not_begun(
    tmp_path: Path, samples: int, code: str
) -> None:
    ruled = study(rule=Rule(least_owners=2, most_samples=1000))
    own_store = Store(tmp_path / "own")
    own_store.register(ruled)
    handler = RequestHandler(
        P0.public,
        {ruled.id: ruled},
        own_store,
        SessionRunner(P0, own_store, "127.0.0.1", Limits()),
        most_samples=10_000,
        on_change=lambda: None,
    )
    begin = BeginUpload(b"u" * 16, samples, 32, bytes(32))
    payload = Envelope(ruled.id, ruled.hash, begin).encode()
    reply = decode_reply(handler.answer(ANN.exchange, payload))
    assert (reply.code if isinstance(reply, Refused) else "") == code


@pytest.mark.parametrize(
    ("folds", "fits"),
    [
        ((20, 20, 20), True),
        ((60, 0, 0), True),
        ((), False),
        ((30, 30), False),
        ((20, 20, 21), False),
    ],
)
def test_the_sizes_of_folds_must_make_the_list(
    tmp_path: Path, folds: tuple[int, ...], fits: bool
) -> None:
    by = FoldBy(column="patient", key="ab" * 32)
    folded = study(metrics=("auroc_folds",), folds=3, extra=(by,))
    own_store = Store(tmp_path / "own")
    own_store.register(folded)
    handler = RequestHandler(
        P0.public,
        {folded.id: folded},
        own_store,
        SessionRunner(P0, own_store, "127.0.0.1", Limits()),
        most_samples=10_000,
        on_change=lambda: None,
    )
    begin = BeginUpload(b"u" * 16, 60, 32, sha256(bytes(32)).digest(), folds)
    for request in (begin, SendChunk(b"u" * 16, 0, bytes(32)), CommitUpload(b"u" * 16)):
        payload = Envelope(folded.id, folded.hash, request).encode()
        reply = decode_reply(handler.answer(ANN.exchange, payload))
        if request is begin:
            assert (reply.code if isinstance(reply, Refused) else "") == (
                "" if fits else "malformed"
            )
    assert [one.sizes for one in own_store.stored_uploads(folded)] == ([folds] if fits else [])


def test_sizes_of_folds_are_refused_where_the_study_has_none(
    answer: Callable[[bytes], Reply],
) -> None:
    begin = BeginUpload(b"u" * 16, 60, 32, bytes(32), (60,))
    assert refusal(answer(Envelope(STUDY.id, STUDY.hash, begin).encode())).code == "malformed"


def test_nobody_starts_a_complete_study_before_all_have_uploaded(
    answer: Callable[[bytes], Reply], store: Store
) -> None:
    begin = BeginUpload(b"n" * 16, 1000, 32, sha256(bytes(32)).digest())
    for request in (begin, SendChunk(b"n" * 16, 0, bytes(32)), CommitUpload(b"n" * 16)):
        answer(Envelope(STUDY.id, STUDY.hash, request).encode())
    assert len(store.stored_uploads(STUDY)) == 1
    early = refusal(answer(Envelope(STUDY.id, STUDY.hash, AskCompute()).encode()))
    assert "1 of 2 owners has not uploaded yet" in early.what
    assert "starts by itself" in early.advice


def test_asking_again_for_the_same_computation_adds_nothing_to_the_audit_log(
    answer: Callable[[bytes], Reply], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ppaurora.parties.server.answering.handler.waits_for", lambda *_, **__: "")

    def ask(request: Request) -> Reply:
        return answer(Envelope(STUDY.id, STUDY.hash, request).encode())

    def lines() -> int:
        log = (tmp_path / "state" / "audit.jsonl").read_text(encoding="utf-8")
        return log.count("computation asked for")

    for name, told in ((b"n" * 16, 1), (b"o" * 16, 2)):
        begin = BeginUpload(name, 1000, 32, sha256(bytes(32)).digest())
        for request in (begin, SendChunk(name, 0, bytes(32)), CommitUpload(name)):
            ask(request)
        for _ in range(3):
            assert ask(AskCompute()) == Done()
        assert lines() == told
        ask(Withdraw())


def test_an_owner_that_missed_an_acknowledgement_hears_it_while_the_study_is_computed(
    answer: Callable[[bytes], Reply], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(request: BeginUpload | SendChunk | CommitUpload | Withdraw) -> Reply:
        return answer(Envelope(STUDY.id, STUDY.hash, request).encode())

    begin = BeginUpload(b"n" * 16, 1000, 32, sha256(bytes(32)).digest())
    same = (begin, SendChunk(b"n" * 16, 0, bytes(32)), CommitUpload(b"n" * 16))
    for request in same:
        ask(request)
    monkeypatch.setattr(SessionRunner, "busy_with", lambda *_: True)
    for request in same:
        assert ask(request) == Received(32, stored=True)
    other_list = BeginUpload(b"n" * 16, 1000, 32, sha256(b"other").digest())
    other_upload = CommitUpload(b"o" * 16)
    for late in (other_list, other_upload, Withdraw()):
        assert refusal(ask(late)).code == "computing"
