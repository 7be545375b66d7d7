"""Acknowledged uploads survive anything; others leave no trace."""

from __future__ import annotations

import errno
import stat
import time
from pathlib import Path

import pytest

from ppaurora.parties.errors import ConfigurationError, DiskCode, UploadDamaged, UploadRefused
from ppaurora.parties.server.keeping.event_history import MOST_EVENTS
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.study import Rule
from tests.parties.disk_trouble import disk_fault
from tests.parties.sample import study
from tests.parties.server.stored import (
    DATA,
    LATER,
    SESSION,
    STUDY,
    files,
    put,
    reopened,
    upload,
)


def test_the_state_belongs_to_its_user_alone(store: Store, tmp_path: Path) -> None:
    put(store, upload())
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    share = next((tmp_path / "state" / "shares").rglob("*.share"))
    assert stat.S_IMODE(share.stat().st_mode) == 0o600


def test_one_state_directory_serves_one_server(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="one running server only"):
        Store(tmp_path / "state")


def test_a_stored_upload_survives_a_restart(store: Store, tmp_path: Path) -> None:
    put(store, upload())
    store = reopened(store, tmp_path)
    assert [one.owner for one in store.stored_uploads(STUDY)] == ["ann"]
    assert store.read_share(STUDY, upload().upload) == DATA


def test_a_partial_upload_goes_on_after_a_restart(store: Store, tmp_path: Path) -> None:
    store.append(STUDY, store.begin(STUDY, upload()), 0, DATA[:300])
    store = reopened(store, tmp_path)
    found = store.begin(STUDY, upload())
    assert not store.stored_uploads(STUDY)
    assert store.received(STUDY, found) == 300
    assert store.append(STUDY, found, 0, DATA[:50]) == 300
    assert store.append(STUDY, found, 300, DATA[300:]) == len(DATA)
    store.commit(STUDY, found)
    assert len(store.stored_uploads(STUDY)) == 1


def test_a_crash_between_renaming_and_recording_loses_nothing(store: Store, tmp_path: Path) -> None:
    store.append(STUDY, store.begin(STUDY, upload()), 0, DATA)
    part = next((tmp_path / "state" / "shares").rglob("*.part"))
    part.rename(part.with_suffix(".share"))
    store = reopened(store, tmp_path)
    found = store.begin(STUDY, upload())
    assert not store.stored_uploads(STUDY)
    assert store.received(STUDY, found) == len(DATA)
    store.commit(STUDY, found)
    assert len(store.stored_uploads(STUDY)) == 1


def test_files_that_nobody_knows_are_set_aside(store: Store, tmp_path: Path) -> None:
    put(store, upload())
    folder = next((tmp_path / "state" / "shares").iterdir())
    (folder / f"{'ab' * 16}.share").write_bytes(b"left over")
    store = reopened(store, tmp_path)
    assert files(tmp_path) == [".share"]
    assert "whose record was lost" in store.history.of(STUDY.hash)[-1][1]
    aside = next((tmp_path / "state" / "damaged").rglob("*.share"))
    assert aside.read_bytes() == b"left over"


def test_a_crash_before_a_file_is_deleted_leaves_that_to_the_next_start(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, upload())

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ppaurora.parties.server.keeping.share_files.ShareFiles.discard", crash)
    with pytest.raises(KeyboardInterrupt):
        store.withdraw(STUDY, "ann")
    monkeypatch.undo()
    assert files(tmp_path) == [".share"]
    store = reopened(store, tmp_path)
    assert files(tmp_path) == []
    assert not list((tmp_path / "state" / "damaged").rglob("*.*"))


def test_damaged_bytes_are_thrown_away(store: Store, tmp_path: Path) -> None:
    found = store.begin(STUDY, upload())
    store.append(STUDY, found, 0, DATA[::-1])
    with pytest.raises(UploadDamaged):
        store.commit(STUDY, found)
    assert store.received(STUDY, found) == 0
    assert files(tmp_path) == []


def test_a_share_that_cannot_be_written_is_the_disks_fault(store: Store, tmp_path: Path) -> None:
    found = store.begin(STUDY, upload())
    folder = next((tmp_path / "state" / "shares").iterdir())
    folder.rmdir()
    folder.write_bytes(b"a file where the folder should be")
    with disk_fault(DiskCode.UNWRITABLE):
        store.append(STUDY, found, 0, DATA)


def test_the_same_again_is_welcome_and_anything_else_is_not(store: Store) -> None:
    put(store, upload())
    assert store.begin(STUDY, upload()).stored
    with pytest.raises(UploadRefused, match="Other data"):
        store.begin(STUDY, upload(name=2))
    with pytest.raises(UploadRefused, match="other contents"):
        store.begin(STUDY, upload(data=DATA[:-8]))
    with pytest.raises(UploadRefused, match="another owner"):
        store.begin(STUDY, upload(owner="ben"))


def test_a_new_list_replaces_one_that_was_never_whole(store: Store, tmp_path: Path) -> None:
    store.append(STUDY, store.begin(STUDY, upload()), 0, DATA[:64])
    put(store, upload(name=2))
    assert files(tmp_path) == [".share"]
    assert [one.upload for one in store.stored_uploads(STUDY)] == [upload(name=2).upload]


def test_withdrawing_deletes_and_is_told(store: Store, tmp_path: Path) -> None:
    put(store, upload())
    assert store.withdraw(STUDY, "ann")
    assert not store.withdraw(STUDY, "ann")
    assert files(tmp_path) == []
    assert "withdrew" in store.history.of(STUDY.hash)[-1][1]
    put(store, upload(name=2))


def test_one_result_is_sealed_and_stays(store: Store, tmp_path: Path) -> None:
    put(store, upload())
    store.put_result(STUDY, SESSION, [2**64 - 1, 0], "about")
    assert not store.seal(STUDY, LATER)
    store.put_result(STUDY, LATER, [1, 2], "about later")
    assert files(tmp_path) == [".share"]
    assert not store.seal(STUDY, SESSION)
    assert store.seal(STUDY, LATER)
    assert files(tmp_path) == []
    store.put_result(STUDY, SESSION, [3, 4], "too late")
    store.drop_unsealed(STUDY)
    store = reopened(store, tmp_path)
    found = store.results.find(STUDY.hash)
    assert found is not None
    assert (found.sealed, found.words, found.about) == (True, (1, 2), "about later")
    assert store.seal(STUDY, LATER)


def test_words_of_a_result_keep_all_their_bits(store: Store) -> None:
    store.put_result(STUDY, SESSION, [2**64 - 1, 2**63, 0], "")
    found = store.results.find(STUDY.hash)
    assert found is not None
    assert found.words == (2**64 - 1, 2**63, 0)
    assert "1844" not in repr(found)


def test_the_result_goes_when_every_receiver_has_it(store: Store) -> None:
    store.put_result(STUDY, SESSION, [1], "")
    store.seal(STUDY, SESSION)
    store.result_saved(STUDY, "ann")
    assert store.results.find(STUDY.hash) is not None
    store.result_saved(STUDY, "reader")
    assert store.results.find(STUDY.hash) is None
    assert "every receiver has the result" in store.ended(STUDY)


def test_what_was_kept_long_enough_is_deleted(store: Store, tmp_path: Path) -> None:
    put(store, upload())
    day = 86400.0
    assert not store.expire(STUDY, time.time() + 29 * day)
    assert store.expire(STUDY, time.time() + 31 * day)
    assert files(tmp_path) == []
    store.put_result(STUDY, SESSION, [1], "")
    store.seal(STUDY, SESSION)
    assert store.expire(STUDY, time.time() + 31 * day)
    assert store.results.find(STUDY.hash) is None
    assert "kept long enough" in store.ended(STUDY)


def test_a_study_may_change_only_while_nothing_is_stored(store: Store) -> None:
    changed = study(rule=Rule(least_samples=7))
    store.register(changed)
    store.register(STUDY)
    put(store, upload())
    with pytest.raises(ConfigurationError, match="was changed after"):
        store.register(changed)


def test_an_upload_in_the_result_is_remembered_until_withdrawn(store: Store) -> None:
    put(store, upload())
    store.put_result(STUDY, SESSION, [1], "", store.stored_uploads(STUDY))
    assert store.counted(STUDY, "ann", upload().upload)
    assert not store.counted(STUDY, "ben", upload().upload)
    store.withdraw(STUDY, "ann")
    assert not store.counted(STUDY, "ann", upload().upload)
    put(store, upload())
    store.put_result(STUDY, LATER, [1], "", store.stored_uploads(STUDY))
    store.seal(STUDY, LATER)
    store.end(STUDY, "over")
    assert store.counted(STUDY, "ann", upload().upload)


def test_notes_are_bounded_and_say_how_many_more_there_were(store: Store, tmp_path: Path) -> None:
    for number in range(MOST_EVENTS + 30):
        store.add_event(STUDY, f"note {number}")
    store = reopened(store, tmp_path)
    texts = [text for _, text in store.history.of(STUDY.hash)]
    assert texts[0] == "30 earlier events are not kept"
    assert texts[1:] == [f"note {number}" for number in range(30, MOST_EVENTS + 30)]


def test_a_full_disk_at_the_start_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    with disk_fault(DiskCode.FULL, match=r"no room left on the disk of .*state"):
        Store(tmp_path / "state")


def test_an_announcement_without_bytes_reserves_nothing_for_long(tmp_path: Path) -> None:
    steady = 0.0
    store = Store(tmp_path / "state", steady=lambda: steady)
    store.register(STUDY)
    store.begin(STUDY, upload("ann", 1))
    half = store.begin(STUDY, upload("ben", 2))
    store.append(STUDY, half, 0, DATA[:100])
    put(store, upload("reader", 3))
    steady = 599.0
    assert len(store.reserving(STUDY)) == 3
    store.append(STUDY, half, 100, DATA[100:200])
    steady = 601.0
    assert [one.owner for one in store.reserving(STUDY)] == ["ben", "reader"]
    store.drop_unsent(STUDY)
    steady = 5000.0
    store.drop_unsent(STUDY)
    assert [one.owner for one in store.reserving(STUDY)] == ["reader"]
    # what has come of ben's upload is kept, and goes on later
    assert store.received(STUDY, store.begin(STUDY, upload("ben", 2))) == 200


def test_a_request_to_compute_dies_with_any_upload_it_was_made_for(
    store: Store, tmp_path: Path
) -> None:
    put(store, upload("ann", 1))
    put(store, upload("ben", 2))
    store.requests.make(STUDY.hash, store.stored_uploads(STUDY))
    put(store, upload("reader", 3))
    store = reopened(store, tmp_path)
    assert store.requests.stands(STUDY.hash, store.stored_uploads(STUDY))
    assert not store.requests.stands(STUDY.hash, store.stored_uploads(STUDY)[1:])
    store.withdraw(STUDY, "ann")
    assert not store.requests.stands(STUDY.hash, store.stored_uploads(STUDY))
    put(store, upload("ann", 1))
    assert not store.requests.stands(STUDY.hash, store.stored_uploads(STUDY))
