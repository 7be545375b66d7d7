"""Verdicts are kept with their uploads; sessions that break at them are counted and few."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ppaurora.mpc.errors import PeerLost
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.parties.errors import EvidenceRefused, UploadRefused, UploadWithdrawn
from ppaurora.parties.requests.messages import KnownVerdict
from ppaurora.parties.server.computing import runner
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.computing.study_session import Outcome
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.keeping.verdict_records import (
    MOST_BROKEN,
    KeptVerdicts,
    known_for,
    known_to_any,
    verdicts_digest,
)
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study
from ppaurora.protocols.sorting.sort import USUAL
from tests.parties.sample import study
from tests.parties.server.offline import STUDY as OFFLINE
from tests.parties.server.offline import TABLES, OfflineStudy, number_of_the_lists
from tests.parties.server.stored import DATA, STUDY, opened, put, reopened, upload

COVERT = study(assurance="covert", dealings=4)
SESSIONS = [bytes([number]) * 16 for number in range(10)]


def known(store: Store) -> tuple[KnownVerdict, ...]:
    return store.verdicts.known(STUDY, store.stored_uploads(STUDY))


def begun(store: Store, session: bytes) -> KeptVerdicts:
    """A session over the uploads that are here, which has begun to open its verdicts."""
    stored_uploads = store.stored_uploads(STUDY)
    verdicts = KeptVerdicts.of(
        store.verdicts, StudyRun(STUDY), session, stored_uploads, known(store)
    )
    verdicts.begin()
    return verdicts


def test_a_kept_verdict_outlives_a_crash_and_goes_with_its_upload(
    store: Store, tmp_path: Path
) -> None:
    for name, owner in enumerate(("ann", "ben")):
        put(store, upload(owner, name))
    begun(store, SESSIONS[0]).keep({0: True, 1: False})
    store = reopened(store, tmp_path)
    first, second = (one.upload for one in store.stored_uploads(STUDY))
    assert known(store) == (KnownVerdict(first, 0, True), KnownVerdict(second, 0, False))
    assert begun(store, SESSIONS[1]).known == {0: True, 1: False}
    store.refuse_upload(STUDY, "ben")
    assert known(store) == (KnownVerdict(first, 0, True),)
    put(store, upload("ben", 7))
    assert begun(store, SESSIONS[2]).known == {0: True}


def test_two_sessions_that_break_at_their_verdicts_are_borne_and_no_third(store: Store) -> None:
    """The number that the page of threats gives: each may have told a bit of every list."""
    put(store, upload())
    for session in SESSIONS[:2]:
        begun(store, session)
        store.halts.add_broken(STUDY, session)
    assert store.halts.current(STUDY) is None
    begun(store, SESSIONS[2])
    store.halts.add_broken(STUDY, SESSIONS[2])
    assert store.halts.current(STUDY) is not None


def test_a_session_that_kept_its_verdicts_is_not_broken_whatever_becomes_of_it(
    store: Store, tmp_path: Path
) -> None:
    put(store, upload())
    for session in SESSIONS:
        begun(store, session).keep({0: True})
        store.halts.add_broken(STUDY, session)
    assert reopened(store, tmp_path).halts.current(STUDY) is None


def test_the_third_session_that_breaks_at_its_verdicts_stops_the_study(
    store: Store, tmp_path: Path
) -> None:
    put(store, upload())
    for number, session in enumerate(SESSIONS[:MOST_BROKEN], start=1):
        begun(store, session)
        assert store.halts.current(STUDY) is None, "one that is under way is not broken"
        store.halts.add_broken(STUDY, session)
        assert (store.halts.current(STUDY) is not None) is (number == MOST_BROKEN)
    stop = store.halts.current(STUDY)
    assert stop is not None
    assert "broke off while the verdicts on the lists were opened" in stop.why
    store = reopened(store, tmp_path)
    assert store.halts.current(STUDY) is not None
    # the operator gives it as many again, and no more
    assert store.halts.restart(STUDY)
    for number, session in enumerate(SESSIONS[MOST_BROKEN:][:MOST_BROKEN], start=1):
        begun(store, session)
        store = reopened(store, tmp_path)
        assert (store.halts.current(STUDY) is not None) is (number == MOST_BROKEN)


def test_neither_other_uploads_nor_another_file_of_the_study_make_room_for_more(
    store: Store, tmp_path: Path
) -> None:
    for number, session in enumerate(SESSIONS[: MOST_BROKEN - 1]):
        put(store, upload(name=number))
        begun(store, session)
        store.withdraw(STUDY, "ann")
    changed = replace(STUDY, rule=replace(STUDY.rule, least_samples=11))
    store.close()
    store = Store(tmp_path / "state")
    store.register(changed)
    assert store.halts.current(changed) is None
    store.verdicts.begin(changed, SESSIONS[5])
    store.halts.add_broken(changed, SESSIONS[5])
    assert store.halts.current(changed) is not None


def test_a_damaged_record_of_a_broken_session_counts(store: Store, tmp_path: Path) -> None:
    put(store, upload())
    for session in SESSIONS[: MOST_BROKEN - 1]:
        begun(store, session)
    store.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "state" / "server.sqlite")) as database:
        database.execute("UPDATE openings SET session = x'00' WHERE rowid = 1")
        database.commit()
    store = opened(tmp_path)
    store.check_records()
    begun(store, SESSIONS[8])
    store.halts.add_broken(STUDY, SESSIONS[8])
    assert store.halts.current(STUDY) is not None


def test_what_servers_keep_is_put_together_and_contradictions_are_refused(store: Store) -> None:
    for name, owner in enumerate(("ann", "ben")):
        put(store, upload(owner, name))
    roster = store.stored_uploads(STUDY)
    ann, ben = (KnownVerdict(one.upload, 0, True) for one in roster)
    assert known_to_any(STUDY, roster, [ben], [ann, ben]) == (ann, ben)
    stranger = KnownVerdict(b"z" * 16, 0, True)
    assert known_to_any(STUDY, roster, [stranger, replace(ann, run=2)], []) == ()
    with pytest.raises(EvidenceRefused, match="different verdicts"):
        known_to_any(STUDY, roster, [ann], [replace(ann, sound=False)])
    names = {verdicts_digest(one) for one in ((), (ann,), (ben,), (replace(ann, sound=False),))}
    assert len(names) == 4


def test_sessions_that_p0_gives_one_name_are_counted_one_by_one(
    store: Store, tmp_path: Path
) -> None:
    """P0 chooses the names: under the same one it would break off as often as it likes."""
    put(store, upload())
    for number in range(1, MOST_BROKEN + 1):
        begun(store, SESSIONS[0])
        store.halts.add_broken(STUDY, SESSIONS[0])
        assert (store.halts.current(STUDY) is not None) is (number == MOST_BROKEN)


def test_verdicts_that_are_kept_take_back_no_session_that_broke_under_their_name(
    store: Store,
) -> None:
    put(store, upload())
    for _ in range(MOST_BROKEN - 1):
        begun(store, SESSIONS[0])
        store.halts.add_broken(STUDY, SESSIONS[0])
    begun(store, SESSIONS[0]).keep({0: True})
    store.halts.add_broken(STUDY, SESSIONS[0])
    put(store, upload("ben", 2))
    begun(store, SESSIONS[1])
    store.halts.add_broken(STUDY, SESSIONS[1])
    assert store.halts.current(STUDY) is not None


def test_a_session_of_another_study_hides_no_broken_one_of_its_name(store: Store) -> None:
    other = replace(STUDY, id="another-one")
    put(store, upload())
    for session in SESSIONS[:MOST_BROKEN]:
        begun(store, session)
        store.verdicts.over(STUDY, session)
    store.verdicts.begin(other, SESSIONS[0])
    assert store.verdicts.broken(STUDY) == MOST_BROKEN


def test_nobody_else_can_have_the_verdict_on_an_upload_forgotten(
    store: Store, tmp_path: Path
) -> None:
    """An owner in another study of this server names its upload like the one of a victim."""
    other = replace(STUDY, id="another-one")
    store.register(other)
    put(store, upload())
    begun(store, SESSIONS[0]).keep({0: True})
    kept = known(store)
    store.begin(other, upload("ben"))
    assert store.withdraw(other, "ben")
    assert known(store) == kept
    store.begin(other, upload("ben"))
    store.erasures.erase(other)
    assert known(reopened(store, tmp_path)) == kept


def test_a_refused_upload_is_not_judged_again_when_it_comes_back(store: Store) -> None:
    """The owner repeats it under the same secret, so by the same name and over the same set."""
    put(store, upload())
    begun(store, SESSIONS[0]).keep({0: False})
    store.refuse_upload(STUDY, "ann")
    assert upload().upload in store.withdrawals.of(STUDY.hash, "ann")
    put(store, upload())
    assert begun(store, SESSIONS[1]).known == {0: False}


def test_a_verdict_of_one_study_is_none_in_another(store: Store) -> None:
    """An upload has a name that its owner chose, and another study may hold its list to another
    rule: what is sound in a grid of few bins may not be so in order."""
    other = replace(STUDY, id="another-one")
    store.register(other)
    put(store, upload())
    begun(store, SESSIONS[0]).keep({0: True})
    assert known(store)
    assert store.verdicts.known(other, store.stored_uploads(STUDY)) == ()


def test_a_verdict_that_contradicts_a_kept_one_is_not_kept(store: Store) -> None:
    """Somebody has added to its shares in one of the two sessions, or in both."""
    put(store, upload())
    begun(store, SESSIONS[0]).keep({0: False})
    again = begun(store, SESSIONS[1])
    with pytest.raises(EvidenceRefused, match="sound once and unsound once"):
        again.keep({0: True})
    assert [one.sound for one in known(store)] == [False]
    again.keep({0: False})


def test_in_a_covert_study_a_verdict_is_known_if_both_proxies_of_its_run_keep_it(
    store: Store,
) -> None:
    put(store, upload())
    roster = store.stored_uploads(STUDY)
    [name] = (one.upload for one in roster)
    for number in range(3):
        one = KnownVerdict(name, number, True)
        run = StudyRun(COVERT, number)
        for server in Role:
            others = {role: (one,) for role in Role if role is not server}
            assert known_for(COVERT, roster, {server: (one,)}) == ()
            both = run.role(server) is Role.HELPER
            assert known_for(COVERT, roster, others) == ((one,) if both else ())


def test_a_session_that_opens_again_what_is_kept_counts_as_one_that_broke_off(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each opening may tell a bit; P0 must not have as many as it likes by naming none as known."""

    def failing(*_: object, **__: object) -> None:
        raise PeerLost("the line broke")

    monkeypatch.setattr("ppaurora.parties.server.computing.runner.compute", failing)
    store.register(COVERT)
    one = store.begin(COVERT, upload())
    store.append(COVERT, one, 0, DATA)
    store.commit(COVERT, one)
    roster = store.stored_uploads(COVERT)
    run = StudyRun(COVERT)
    KeptVerdicts.of(store.verdicts, run, SESSIONS[0], roster, ()).keep({0: True})
    kept = store.verdicts.known(COVERT, roster)
    runner = SessionRunner(Identity.from_private(bytes([1]) * 64), store, "127.0.0.1", Limits())
    for session, told, broken in ((SESSIONS[1], kept, 0), (SESSIONS[2], (), 1)):
        assert runner.reserve(COVERT, Role.P0, session, roster, USUAL, verdicts=told)
        with pytest.raises(PeerLost):
            runner.run(session)
        assert store.verdicts.broken(COVERT) == broken


@pytest.mark.parametrize("survivor", [Role.P0, Role.P1])
def test_an_owner_whose_list_was_refused_uploads_again_though_a_proxy_ended_before_deleting_it(
    survivor: Role, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other proxy has deleted its part, so the owner's next upload is a new one."""
    world = OfflineStudy(tmp_path, monkeypatch)
    ended = Role.P1 if survivor is Role.P0 else Role.P0
    computed = runner.compute

    def finds_ann_unsound(*given: Any, verdicts: KeptVerdicts, **more: Any) -> Outcome:
        verdicts.keep({0: False, 1: True, 2: True})
        outcome = computed(*given, **more)
        agreed = replace(outcome.about.agreed, refused=("ann",))
        return Outcome((), replace(outcome.about, agreed=agreed))

    def ends(study: Study, owner: str) -> bool:
        raise RuntimeError("this server ends here")

    world.upload()
    with monkeypatch.context() as patch:
        patch.setattr(runner, "compute", finds_ann_unsound)
        patch.setattr(world.stores[ended], "refuse_upload", ends)
        world.lead(1)
    world.stores[ended].close()
    world.start(ended)
    of_ann = [[one.owner for one in world.stores[role].uploads(OFFLINE)] for role in PROXIES]
    assert of_ann[survivor] == ["ben", "cleo"]
    assert of_ann[ended] == ["ann", "ben", "cleo"]

    with pytest.raises(UploadWithdrawn):
        world.participant("ann").outsource(TABLES["ann"])
    world.participant("ann").outsource(TABLES["ann"])
    world.lead()
    assert world.number() == number_of_the_lists()
    world.stop()


def test_a_stored_list_that_was_found_sound_is_not_replaced(store: Store) -> None:
    put(store, upload())
    begun(store, SESSIONS[0]).keep({0: True})
    with pytest.raises(UploadRefused, match="stored already"):
        store.begin(STUDY, upload(name=2))
