"""At most three sets of uploads of a study are computed on, whatever happens in between."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import RosterRefused
from ppaurora.parties.requests.messages import (
    AskCompute,
    AskStatus,
    Document,
    Done,
    ProposeSession,
    Refused,
)
from ppaurora.parties.requests.status import State, Status
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.computing.session_keys import named_keys, written
from ppaurora.parties.server.keeping.new_version import close_before
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.key_statements import changed
from ppaurora.parties.study.keys_in_force import KeysInForce, KeyStatements
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.study import ParticipantEntry, Study
from tests.parties.sample import KEYS
from tests.parties.server.offline import IDENTITIES, OfflineStudy
from tests.parties.server.offline import compute as linear_sum
from tests.parties.server.stored import STUDY, put, upload


def roster(*names: int) -> tuple[StoredUpload, ...]:
    return tuple(StoredUpload("ann", bytes([name]) * 16, 100) for name in names)


def opened(tmp_path: Path, study: Study = STUDY) -> Store:
    store = Store(tmp_path / "state")
    store.register(study)
    return store


def reopened(store: Store, tmp_path: Path, study: Study = STUDY) -> Store:
    store.close()
    return opened(tmp_path, study)


def test_the_fourth_roster_is_refused_and_the_first_three_may_be_repeated(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for number in (1, 2, 3):
        for _ in range(5):
            store.rosters.use(STUDY, roster(number))
    store = reopened(store, tmp_path)
    for number in (1, 2, 3):
        store.rosters.use(STUDY, roster(number))
    for other in (roster(4), roster(1, 2), ()):
        with pytest.raises(RosterRefused, match="a new study, with a new id"):
            store.rosters.use(STUDY, other)
    store.rosters.use(replace(STUDY, id="another-study"), roster(4))


def test_a_changed_study_file_makes_no_room_for_more(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.rosters.use(STUDY, roster(1))
    changed = replace(STUDY, rule=replace(STUDY.rule, least_samples=11))
    store = reopened(store, tmp_path, changed)
    store.rosters.use(changed, roster(1))
    store.rosters.use(changed, roster(2))
    with pytest.raises(RosterRefused):
        store.rosters.use(changed, roster(3))
    store = reopened(store, tmp_path)
    store.rosters.use(STUDY, roster(1))
    with pytest.raises(RosterRefused):
        store.rosters.use(STUDY, roster(2))


def test_a_version_with_more_owners_makes_no_room_for_more(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for number in (1, 2):
        store.rosters.use(STUDY, roster(number))
    dora = ParticipantEntry("dora", KEYS[6])
    people = (*STUDY.participants, dora)
    more = replace(STUDY, participants=people, follows=STUDY.hash.hex())
    close_before(store, STUDY, more)
    store.register(more)
    store.rosters.use(more, roster(3))
    store = reopened(store, tmp_path, more)
    with pytest.raises(RosterRefused):
        store.rosters.use(more, roster(4))


def test_other_contents_under_an_uploads_name_are_another_roster(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for number in range(4):
        put(store, upload("ann", 1, data := bytes([number]) * 800), data)
        last = number == 3
        with pytest.raises(RosterRefused) if last else contextlib.nullcontext():
            store.rosters.use(STUDY, store.stored_uploads(STUDY))
        store.withdraw(STUDY, "ann")


def test_a_damaged_record_of_a_roster_makes_no_room_for_more(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for number in (1, 2, 3):
        store.rosters.use(STUDY, roster(number))
    store.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "state" / "server.sqlite")) as database:
        database.execute("UPDATE rosters SET roster = x'00' WHERE rowid = 2")
        database.commit()
    store = opened(tmp_path)
    store.check_records()
    store.rosters.use(STUDY, roster(1))
    with pytest.raises(RosterRefused):
        store.rosters.use(STUDY, roster(4))


def handler_at(role: Role, store: Store, **more: Callable[[], KeysInForce]) -> RequestHandler:
    """The handler of requests at this role's port."""
    mine = IDENTITIES[str(role)]
    return RequestHandler(
        mine.public,
        {STUDY.id: STUDY},
        store,
        SessionRunner(mine, store, "127.0.0.1", Limits()),
        most_samples=10_000,
        on_change=lambda: None,
        **more,
    )


@pytest.mark.parametrize("role", [Role.P1, Role.HELPER])
def test_each_other_server_refuses_by_itself_what_p0_proposes(tmp_path: Path, role: Role) -> None:
    store = opened(tmp_path)
    for name, owner in enumerate(("ann", "ben")):
        put(store, upload(owner, name))
    for number in (1, 2, 3):
        store.rosters.use(STUDY, roster(number))
    handler = handler_at(role, store)
    proposed = ProposeSession(b"s" * 16, store.stored_uploads(STUDY))
    payload = Envelope(STUDY.id, STUDY.hash, proposed).encode()
    reply = decode_reply(handler.answer(IDENTITIES["P0"].public.exchange, payload))
    assert isinstance(reply, Refused)
    assert "3 different sets of uploads" in reply.what
    assert "a new study, with a new id" in reply.what


def break_off(*_: object, **__: object) -> None:
    raise RuntimeError("a session that never ends well")


def test_sessions_that_break_off_over_ever_other_uploads_come_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = OfflineStudy(tmp_path, monkeypatch)
    monkeypatch.setattr("ppaurora.parties.server.computing.runner.compute", break_off)
    for attempt in range(4):
        world.upload()
        assert ("a new study" in world.status(Role.P0).detail) is (attempt == 3)
        world.lead(3)
        if attempt < 3:
            world.participant("ann").withdraw()
    for role in (Role.P0, Role.P1):
        told = world.status(role)
        assert told.state is State.WAITING
        assert "agree on a new study, with a new id" in told.detail
    early = world.ask("ann", Role.P0, AskCompute())
    assert isinstance(early, Refused)
    assert "a new study, with a new id" in early.what
    # what was refused is not computed later either, whatever the sessions would come to now
    monkeypatch.setattr("ppaurora.parties.server.computing.runner.compute", linear_sum)
    world.lead()
    assert world.number() is None


def test_the_same_uploads_under_other_keys_count_as_another_set(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for keys in ((), (b"a",), (b"b",)):
        for _ in range(2):
            store.rosters.use(STUDY, roster(1), keys)
    assert "begun over 3 different sets" in store.rosters.spent(STUDY, roster(1), (b"c",))
    assert store.rosters.spent(STUDY, roster(1)) == ""


def test_what_may_be_repeated_under_changed_keys_is_not_told_to_be_over(tmp_path: Path) -> None:
    store = opened(tmp_path)
    for name, owner in enumerate(("ann", "ben")):
        put(store, upload(owner, name))
    new = Identity.generate()
    change = changed(IDENTITIES["helper"], new, date(2026, 11, 22), 30)
    in_force = KeysInForce(KeyStatements.of([change]), date(2026, 11, 22))
    keys = written(STUDY, {**named_keys(STUDY), Role.HELPER: new.public})
    for used in (roster(1), roster(2), store.stored_uploads(STUDY)):
        store.rosters.use(STUDY, used, keys)
    handler = handler_at(Role.P0, store, keys=lambda: in_force)

    def ask(request: AskCompute | AskStatus) -> object:
        payload = Envelope(STUDY.id, STUDY.hash, request).encode()
        return decode_reply(handler.answer(KEYS[3].exchange, payload))

    told = ask(AskStatus())
    assert isinstance(told, Document)
    assert Status.from_json(told.text).state is State.STARTING
    assert ask(AskCompute()) == Done()
    store.withdraw(STUDY, "ann")
    put(store, upload("ann", 7))
    told = ask(AskStatus())
    assert isinstance(told, Document)
    assert "agree on a new study" in Status.from_json(told.text).detail
