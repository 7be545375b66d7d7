"""A stop lasts until this server's operator ends it, whoever tells of it and however often."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from ppaurora.parties.server.new_version import close_before
from ppaurora.parties.server.store import Store
from ppaurora.parties.study.study import ParticipantEntry
from tests.parties.sample import KEYS
from tests.parties.server.stored import LATER, SESSION, STUDY, opened, put, reopened, upload


def test_a_stop_outlives_a_crash_and_deletes_the_result_that_is_none(
    store: Store, tmp_path: Path
) -> None:
    put(store, upload())
    store.put_result(STUDY, SESSION, [1], "", store.holdings(STUDY))
    assert store.seal(STUDY, SESSION)
    assert store.stops.add(STUDY, SESSION, "ann says so")
    store = reopened(store, tmp_path)
    stop = store.stops.standing(STUDY)
    assert stop is not None
    assert (stop.session, stop.why) == (SESSION, "ann says so")
    assert store.result(STUDY) is None
    assert [text for _, text in store.notes.of(STUDY.hash)][-1] == "stopped: ann says so"
    # the owner uploads again, and is counted anew
    assert not store.counted(STUDY, "ann", upload().upload)
    put(store, upload())
    assert store.holdings(STUDY)


def test_after_a_restart_the_same_stop_is_told_in_vain_and_another_one_is_not(store: Store) -> None:
    assert not store.stops.restart(STUDY)
    assert store.stops.add(STUDY, SESSION, "why")
    assert not store.stops.add(STUDY, LATER, "while it is stopped")
    assert store.stops.restart(STUDY)
    assert not store.stops.add(STUDY, SESSION, "again")
    assert store.stops.standing(STUDY) is None
    assert store.stops.last(STUDY) == SESSION
    assert store.stops.add(STUDY, LATER, "of another session")
    assert store.stops.last(STUDY) == LATER


def test_a_server_that_is_ended_during_a_check_of_dealings_starts_with_the_study_stopped(
    store: Store, tmp_path: Path
) -> None:
    store.stops.checking(STUDY, SESSION, True)
    store = reopened(store, tmp_path)
    stop = store.stops.standing(STUDY)
    assert stop is not None
    assert (stop.session, stop.why) == (
        SESSION,
        "this server was ended while it checked what a helper dealt",
    )
    assert store.stops.restart(STUDY)
    assert reopened(store, tmp_path).stops.standing(STUDY) is None


def test_a_study_that_comes_back_during_a_check_of_dealings_goes_on(store: Store) -> None:
    store.stops.checking(STUDY, SESSION, True)
    store.register(STUDY)
    assert store.stops.standing(STUDY) is None


def test_a_server_that_is_ended_after_a_check_of_dealings_goes_on(
    store: Store, tmp_path: Path
) -> None:
    store.stops.checking(STUDY, SESSION, True)
    store.stops.checking(STUDY, SESSION, False)
    assert reopened(store, tmp_path).stops.standing(STUDY) is None


def test_a_damaged_record_of_a_stop_keeps_the_study_stopped(store: Store, tmp_path: Path) -> None:
    store.stops.add(STUDY, SESSION, "why")
    store.close()
    with sqlite3.connect(tmp_path / "state" / "server.sqlite") as records:
        records.execute("UPDATE stops SET restarted = 1")
    store = opened(tmp_path)
    assert store.stops.standing(STUDY) is not None


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
    assert p0.stops.add(STUDY, SESSION, "why")
    assert p0.stops.restart(STUDY)
    for one in stores:
        close_before(one, STUDY, more)
        one.register(more)
    assert p0.stops.standing(more) is None
    told = p0.stops.last(more)
    assert told == SESSION
    assert p1.stops.add(more, told, "P0 tells of a mismatch")
    assert not p0.stops.add(more, told, "P1 tells of a mismatch")
    assert p1.stops.restart(more)
    assert p1.stops.standing(more) is None
