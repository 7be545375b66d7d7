"""A server takes new statements, warns once a day, and deletes what a thief may have sent."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.parties.server.keeping.key_watch import KeyWatch
from ppaurora.parties.server.keeping.new_version import close_before
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.site.keyring import KeySettings
from ppaurora.parties.study.key_statements import changed, revoked
from ppaurora.parties.study.study import ParticipantEntry
from tests.parties.sample import KEYS
from tests.parties.server.stored import SESSION, STUDY, put, upload

DAY = 86_400.0
NOW = 1_795_300_000.0  # in November 2026
ANN, NEW = Identity.from_private(bytes([4]) * 64), Identity.generate()


class Affairs:
    """The affairs of P0 in `folder`, with clocks that a test moves."""

    def __init__(self, folder: Path, *, good_until: date | None = None) -> None:
        self.now = NOW
        self.changes = folder / "changes"
        self.changes.mkdir()
        own = replace(KEYS[0], good_until=good_until)
        settings = KeySettings(folder, changes=("changes/*.toml",))
        self.keys = KeyWatch(settings, own, lambda: self.now, lambda: self.now)


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    return [json.loads(one) for one in capsys.readouterr().err.splitlines()]


def test_keys_that_near_their_end_are_told_once_a_day(
    tmp_path: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    affairs = Affairs(tmp_path, good_until=date(2026, 12, 24))
    old = STUDY.participants
    dying = replace(
        STUDY,
        participants=(
            replace(old[0], public=replace(old[0].public, good_until=date(2026, 12, 1))),
            *old[1:],
        ),
    )
    capsys.readouterr()
    for _ in range(3):
        affairs.keys.look([dying, replace(dying, id="another")], store)
    first = lines(capsys)
    assert [one["event"] for one in first] == ["key warning", "key warning"]
    assert old[0].name in first[0]["detail"]
    assert "this server's key" in first[1]["detail"]
    assert "2026-12-24" in first[1]["detail"]
    affairs.now += DAY
    affairs.keys.look([dying], store)
    assert len(lines(capsys)) == 2


def test_without_last_days_nothing_is_told(
    tmp_path: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    affairs = Affairs(tmp_path)
    capsys.readouterr()
    affairs.keys.look([STUDY], store)
    assert lines(capsys) == []
    assert affairs.keys.days_left() == float("inf")


def test_new_statements_are_told_in_both_logs_and_faulty_ones_in_one(
    tmp_path: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    affairs = Affairs(tmp_path)
    change = changed(ANN, NEW, date(2026, 11, 22), 30)
    (affairs.changes / "good.toml").write_text(change.text)
    (affairs.changes / "bad.toml").write_text(change.text.replace("2026-11-22", "2026-11-21"))
    head = store.audit.head
    capsys.readouterr()
    affairs.keys.look([STUDY], store)
    affairs.keys.look([STUDY], store)
    told = lines(capsys)
    assert [one["event"] for one in told] == ["key statement refused", "key statement"]
    assert told[1]["detail"] == change.sentence
    assert store.audit.head != head
    (affairs.changes / "bad.toml").unlink()
    settings = KeySettings(tmp_path, changes=("changes/*.toml",))
    again = KeyWatch(settings, KEYS[0], lambda: NOW)
    again.look([STUDY], store)
    again.look([STUDY], store)
    assert [one["event"] for one in lines(capsys)] == ["key statement"]


def test_what_was_uploaded_before_a_revocation_is_deleted_once(
    tmp_path: Path, store: Store
) -> None:
    affairs = Affairs(tmp_path)
    owner = STUDY.owners[0]
    put(store, upload(owner.name))
    affairs.keys.set_aside(STUDY, store)
    assert [one.owner for one in store.uploads(STUDY)] == [owner.name]
    (affairs.changes / "one.toml").write_text(revoked(ANN).text)
    affairs.keys.look([STUDY], store)
    affairs.keys.set_aside(STUDY, store)
    assert store.uploads(STUDY) == []
    assert fingerprint(ANN.public) in store.history.of(STUDY.hash)[-1][1]
    put(store, upload(owner.name))
    affairs.keys.set_aside(STUDY, store)
    settings = KeySettings(tmp_path, changes=("changes/*.toml",))
    KeyWatch(settings, KEYS[0], lambda: NOW).set_aside(STUDY, store)
    assert [one.owner for one in store.uploads(STUDY)] == [owner.name]


def test_an_unsealed_result_is_decided_before_its_uploads_are_deleted(
    tmp_path: Path, store: Store
) -> None:
    affairs = Affairs(tmp_path)
    put(store, upload())
    store.put_result(STUDY, SESSION, [1, 2], "about", store.stored_uploads(STUDY))
    (affairs.changes / "one.toml").write_text(revoked(ANN).text)
    affairs.keys.look([STUDY], store)
    affairs.keys.set_aside(STUDY, store)
    assert store.uploads(STUDY)
    store.drop_unsealed(STUDY)
    affairs.keys.set_aside(STUDY, store)
    assert store.uploads(STUDY) == []


def test_what_is_computed_and_sealed_stays(tmp_path: Path, store: Store) -> None:
    affairs = Affairs(tmp_path)
    put(store, upload())
    store.put_result(STUDY, SESSION, [1, 2], "about", store.stored_uploads(STUDY))
    store.seal(STUDY, SESSION)
    (affairs.changes / "one.toml").write_text(revoked(ANN).text)
    affairs.keys.look([STUDY], store)
    affairs.keys.set_aside(STUDY, store)
    assert store.results.find(STUDY.hash) is not None
    assert store.counted(STUDY, "ann", upload().upload)


def test_a_clock_that_jumps_refuses_keys_and_deletes_nothing(tmp_path: Path, store: Store) -> None:
    affairs = Affairs(tmp_path)
    dated = Identity.from_private(NEW.private_bytes(), date(2028, 1, 1))
    change = changed(ANN, dated, date(2026, 11, 22), 1)
    (affairs.changes / "one.toml").write_text(change.text)
    put(store, upload())
    for years, accepted in ((100, ()), (0, (NEW.public, ANN.public)), (1, (NEW.public,))):
        affairs.now = NOW + 365 * DAY * years
        affairs.keys.look([STUDY], store)
        affairs.keys.set_aside(STUDY, store)
        assert affairs.keys.in_force().accepted(ANN.public) == accepted
        assert store.uploads(STUDY)


def test_a_revocation_that_was_acted_upon_is_not_acted_upon_again_in_the_next_version(
    tmp_path: Path, store: Store
) -> None:
    affairs = Affairs(tmp_path)
    owner = STUDY.owners[0]
    (affairs.changes / "one.toml").write_text(revoked(ANN).text)
    affairs.keys.look([STUDY], store)
    affairs.keys.set_aside(STUDY, store)
    put(store, upload(owner.name))
    more = replace(
        STUDY,
        participants=(*STUDY.participants, ParticipantEntry("dora", KEYS[6])),
        follows=STUDY.hash.hex(),
    )
    close_before(store, STUDY, more)
    store.register(more)
    affairs.keys.set_aside(more, store)
    assert [one.owner for one in store.uploads(STUDY)] == [owner.name]
