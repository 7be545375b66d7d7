"""A stop lasts until this server's operator ends it, whoever tells of it and however often."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.parties.errors import DiskCode, DiskFault
from ppaurora.parties.server.keeping.expiry import expire
from ppaurora.parties.server.keeping.key_watch import KeyWatch
from ppaurora.parties.server.keeping.mismatch_halts import MismatchHalt, MismatchHalts
from ppaurora.parties.server.keeping.new_version import close_before
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.clock import Clock
from ppaurora.parties.study.study import ParticipantEntry
from tests.parties.sample import KEYS
from tests.parties.server.stored import LATER, SESSION, STUDY, opened, put, reopened, upload


def test_a_stop_outlives_a_crash_and_deletes_the_result_that_is_none(
    store: Store, tmp_path: Path
) -> None:
    put(store, upload())
    store.put_result(STUDY, SESSION, [1], "", store.stored_uploads(STUDY))
    assert store.seal(STUDY, SESSION)
    assert store.halts.add(STUDY, SESSION, "ann says so")
    store = reopened(store, tmp_path)
    stop = store.halts.current(STUDY)
    assert stop is not None
    assert (stop.session, stop.why) == (SESSION, "ann says so")
    assert store.results.find(STUDY.hash) is None
    assert [text for _, text in store.history.of(STUDY.hash)][-1] == "stopped: ann says so"
    # the owner uploads again, and is counted anew
    assert not store.counted(STUDY, "ann", upload().upload)
    put(store, upload())
    assert store.stored_uploads(STUDY)


def test_after_a_restart_the_same_stop_is_told_in_vain_and_another_one_is_not(store: Store) -> None:
    assert not store.halts.restart(STUDY)
    assert store.halts.add(STUDY, SESSION, "why")
    assert not store.halts.add(STUDY, LATER, "while it is stopped")
    assert store.halts.restart(STUDY)
    assert not store.halts.add(STUDY, SESSION, "again")
    assert store.halts.current(STUDY) is None
    assert store.halts.last(STUDY) == SESSION
    assert store.halts.add(STUDY, LATER, "of another session")
    assert store.halts.last(STUDY) == LATER


def test_a_server_that_is_ended_during_a_check_of_dealings_starts_with_the_study_stopped(
    store: Store, tmp_path: Path
) -> None:
    store.halts.checking(STUDY, SESSION, True)
    store = reopened(store, tmp_path)
    stop = store.halts.current(STUDY)
    assert stop is not None
    assert (stop.session, stop.why) == (
        SESSION,
        "this server was ended while it checked what a helper dealt",
    )
    assert store.halts.restart(STUDY)
    assert reopened(store, tmp_path).halts.current(STUDY) is None


def test_a_study_that_comes_back_during_a_check_of_dealings_goes_on(store: Store) -> None:
    store.halts.checking(STUDY, SESSION, True)
    store.register(STUDY)
    assert store.halts.current(STUDY) is None


def test_a_server_that_is_ended_after_a_check_of_dealings_goes_on(
    store: Store, tmp_path: Path
) -> None:
    store.halts.checking(STUDY, SESSION, True)
    store.halts.checking(STUDY, SESSION, False)
    assert reopened(store, tmp_path).halts.current(STUDY) is None


def test_a_damaged_record_of_a_stop_keeps_the_study_stopped(store: Store, tmp_path: Path) -> None:
    store.halts.add(STUDY, SESSION, "why")
    store.close()
    with sqlite3.connect(tmp_path / "state" / "server.sqlite") as records:
        records.execute("UPDATE halts SET restarted = 1")
    store = opened(tmp_path)
    assert store.halts.current(STUDY) is not None


def test_a_stop_of_the_version_before_is_told_and_stops_those_that_have_not_heard_of_it(
    tmp_path: Path,
) -> None:
    more = replace(
        STUDY,
        participants=(*STUDY.participants, ParticipantEntry("dora", KEYS[6])),
        follows=STUDY.hash.hex(),
    )
    stores = [Store(tmp_path / name) for name in ("P0", "P1")]
    p0, p1 = stores
    for one in stores:
        one.register(STUDY)
    assert p0.halts.add(STUDY, SESSION, "why")
    assert p0.halts.restart(STUDY)
    for one in stores:
        close_before(one, STUDY, more)
        one.register(more)
    assert p0.halts.current(more) is None
    told = p0.halts.last(more)
    assert told == SESSION
    assert p1.halts.add(more, told, "P0 tells of a mismatch")
    assert not p0.halts.add(more, told, "P1 tells of a mismatch")
    assert p1.halts.restart(more)
    assert p1.halts.current(more) is None


@contextmanager
def failing_disk(store: Store) -> Iterator[None]:
    """The disk of this server takes nothing that is written."""
    store._db._db.execute("PRAGMA query_only = ON")
    try:
        yield
    finally:
        with suppress(sqlite3.ProgrammingError):  # it is closed
            store._db._db.execute("PRAGMA query_only = OFF")


def test_a_stop_whose_disk_fails_at_that_moment_holds_and_is_written_later(
    store: Store, tmp_path: Path
) -> None:
    put(store, upload())
    store.put_result(STUDY, SESSION, [1], "", store.stored_uploads(STUDY))
    with failing_disk(store):
        assert store.halts.add(STUDY, LATER, "why")
        stop = store.halts.current(STUDY)
        assert stop is not None
        assert (stop.session, stop.why) == (LATER, "why")
        assert store.halts.because_of(STUDY, LATER)
        assert store.halts.last(STUDY) == LATER
        assert store.halts.count([STUDY]) == 1
        assert not store.halts.add(STUDY, LATER, "told again")
        with pytest.raises(DiskFault):
            store.halts.restart(STUDY)
        assert store.halts.current(STUDY) is not None
    expire([], store, KeyWatch.__new__(KeyWatch), Clock(), lambda study: False)
    assert "study stopped" in (tmp_path / "state" / "audit.jsonl").read_text()
    assert store.results.find(STUDY.hash) is None
    store = reopened(store, tmp_path)
    assert store.halts.current(STUDY) == stop
    assert store.halts.restart(STUDY)
    assert store.halts.current(STUDY) is None
    assert reopened(store, tmp_path).halts.current(STUDY) is None


def test_a_server_that_ends_before_its_disk_took_a_stop_starts_with_the_study_stopped(
    store: Store, tmp_path: Path
) -> None:
    store.halts.checking(STUDY, SESSION, True)
    with failing_disk(store):
        assert store.halts.add(STUDY, SESSION, "why")
        store.halts.checking(STUDY, SESSION, False)
        assert store.halts.current(STUDY) is not None
        store._db.close()  # as if it was killed
    store = opened(tmp_path)
    stop = store.halts.current(STUDY)
    assert stop is not None
    assert stop.session == SESSION


def test_an_end_of_a_check_that_the_disk_does_not_take_stops_no_study(
    store: Store, tmp_path: Path
) -> None:
    """Also if the study's file comes back meanwhile, and once the disk takes it again."""
    store.halts.checking(STUDY, SESSION, True)
    with failing_disk(store):
        store.halts.checking(STUDY, SESSION, False)
    store.halts.add_interrupted(STUDY)
    assert store.halts.current(STUDY) is None
    assert reopened(store, tmp_path).halts.current(STUDY) is None


def test_a_check_whose_mark_cannot_be_written_does_not_begin(store: Store) -> None:
    with failing_disk(store), pytest.raises(DiskFault):
        store.halts.checking(STUDY, SESSION, True)
    store.halts.checking(STUDY, SESSION, False)
    assert store.halts.current(STUDY) is None


def test_an_old_stop_that_is_told_again_while_the_disk_cannot_be_read_is_no_new_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert store.halts.add(STUDY, SESSION, "why")
    assert store.halts.restart(STUDY)

    def unreadable(*_: object) -> list[MismatchHalt]:
        raise DiskFault("for this test", code=DiskCode.UNREADABLE)

    with monkeypatch.context() as patched:
        patched.setattr(MismatchHalts, "_written", unreadable)
        store.halts.add(STUDY, SESSION, "told again")
    store.halts.write_pending()
    assert store.halts.current(STUDY) is None
