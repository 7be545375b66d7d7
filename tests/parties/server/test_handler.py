"""What a server answers when something fails: whose fault it was, and never somebody else's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.parties.errors import DiskFull, DiskUnreadable
from ppaurora.parties.requests.messages import (
    AskResult,
    AskStatus,
    BeginUpload,
    Document,
    Envelope,
    Refused,
    Reply,
    SendChunk,
    decode_reply,
)
from ppaurora.parties.requests.status import State, Status
from ppaurora.parties.server.handler import RequestHandler
from ppaurora.parties.server.runner import SessionRunner
from ppaurora.parties.server.store import Store
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
    """What P0 replies to ann."""
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


def test_a_bug_of_the_server_is_its_own_fault(
    answer: Callable[[bytes], Reply],
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def broken(_: object) -> None:
        raise KeyError("a secret detail")

    monkeypatch.setattr(store, "result", broken)
    said = refusal(answer(ASKED))
    assert said.code == "own-fault"
    assert "the request is not to blame" in said.what
    assert "an unexpected KeyError" in capsys.readouterr().err
    assert "secret" not in said.what + said.advice


@pytest.mark.parametrize(
    ("fault", "code"), [(DiskFull("full"), "full"), (DiskUnreadable("worn out"), "own-fault")]
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

    monkeypatch.setattr(store, "result", failing)
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
    assert empty.detail == "0 of at least 2 owners have uploaded"
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
