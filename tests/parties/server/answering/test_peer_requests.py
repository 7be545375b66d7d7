"""Impossible proposals of another server are refused before anything is done with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.requests.messages import (
    AskUploads,
    Done,
    ProposeSession,
    Refused,
    Reply,
    Request,
    StoredUploads,
)
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.study import Study
from tests.parties.sample import KEYS, study
from tests.parties.server.offline import STUDY as OFFLINE
from tests.parties.server.offline import OfflineStudy

STUDY = study(metrics=("auroc",), merge="auto")
FOLDED = study(
    metrics=("auroc_folds",), folds=2, extra=(FoldBy(column="patient", form="number", least=1),)
)
SESSION, UPLOAD = b"s" * 16, b"u" * 16
Ask = Callable[[Study, Request], Reply]


@pytest.fixture(name="ask")
def _ask(tmp_path: Path) -> Iterator[Ask]:
    """P0 asks the helper."""
    store = Store(tmp_path / "state")
    helper = Identity.from_private(bytes([1 + Role.HELPER]) * 64)

    def ask(about: Study, request: Request) -> Reply:
        store.register(about)
        handler = RequestHandler(
            helper.public,
            {about.id: about},
            store,
            SessionRunner(helper, store, "127.0.0.1", Limits()),
            most_samples=10_000,
            on_change=lambda: None,
        )
        asked = Envelope(about.id, about.hash, request).encode()
        return decode_reply(handler.answer(KEYS[0].exchange, asked))

    yield ask
    store.close()


def roster(
    samples: int = 200, folds: tuple[int, ...] = (), name: bytes = UPLOAD
) -> tuple[StoredUpload, ...]:
    return tuple(StoredUpload(one.name, name, samples, folds) for one in STUDY.owners)


@pytest.mark.parametrize(
    ("about", "proposed"),
    [
        (STUDY, roster(2**63)),
        (STUDY, roster(2**40)),
        (STUDY, roster(200, (2**63, 2**63))),
        (STUDY, roster(200, (100, 100))),
        (STUDY, roster(name=b"")),
        (STUDY, (*roster(), roster()[0])),
        (STUDY, (roster()[0], roster()[0])),
        (STUDY, (*roster(), StoredUpload("eve", UPLOAD, 200))),
        (STUDY, roster(name=bytes(3000))),
        (FOLDED, roster(200)),
        (FOLDED, roster(200, (200,))),
        (FOLDED, roster(200, (100, 101))),
        (FOLDED, (roster(200, (100, 100))[0], roster(200, (100, 50, 50))[1])),
    ],
)
def test_uploads_that_cannot_be_are_refused_at_once(
    ask: Ask, about: Study, proposed: tuple[StoredUpload, ...]
) -> None:
    """Predicting the cost of such a session would take hours, with nobody answered meanwhile."""
    reply = ask(about, ProposeSession(SESSION, proposed))
    assert isinstance(reply, Refused)
    assert reply.code == "malformed"


def test_uploads_that_can_be_are_agreed_to(ask: Ask) -> None:
    assert ask(STUDY, ProposeSession(SESSION, roster())) == Done()
    assert ask(FOLDED, ProposeSession(SESSION, roster(200, (100, 100)))) == Done()


def test_the_place_of_a_session_is_given_before_its_cost_is_foreseen(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some sorts have so many steps that this takes longer than P0 waits."""
    monkeypatch.setattr("ppaurora.parties.server.computing.progress.phase_estimates", None)
    assert ask(STUDY, ProposeSession(SESSION, roster())) == Done()


@pytest.mark.parametrize("name", [b"", b"x", bytes(17), bytes(3000)])
def test_a_session_has_a_name_of_sixteen_bytes(ask: Ask, name: bytes) -> None:
    reply = ask(STUDY, ProposeSession(name, roster()))
    assert isinstance(reply, Refused)
    assert reply.code == "malformed"


@pytest.mark.parametrize(
    "told",
    [
        StoredUploads((), ("a" * 1_000_000,), 0),
        StoredUploads((), ("eve",), 0),
        StoredUploads((), ("ann", "ann"), 0),
        StoredUploads((), (), 0, b"x" * 1000),
    ],
)
def test_what_p1_tells_falsely_is_neither_repeated_nor_kept_by_p0(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    told: StoredUploads,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """P0 would be taken for whoever says it, and its status be too long to be read."""
    world = OfflineStudy(tmp_path, monkeypatch)
    world.upload()
    ask = world.ask

    def lying(who: str, role: Role, request: Request) -> object:
        return told if isinstance(request, AskUploads) else ask(who, role, request)

    monkeypatch.setattr(world, "ask", lying)
    world.lead()
    status = world.status(Role.P0)
    assert "eve" not in status.detail
    assert len(status.detail) < 200
    assert not world.stores[Role.P0].halts.last(OFFLINE)
    assert "P1 tells of uploads or of a halt that cannot be" in capsys.readouterr().err
    monkeypatch.setattr(world, "ask", ask)
    world.lead()
    assert world.number() is not None
    world.stop()


def test_the_name_of_a_stop_that_p0_tells_has_sixteen_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = OfflineStudy(tmp_path, monkeypatch)
    reply = world.ask("P0", Role.P1, AskUploads(0, b"", b"x" * 1000))
    assert isinstance(reply, Refused)
    assert reply.code == "malformed"
    world.stop()
