"""Uploads are kept when a version with more owners takes the place of the one before it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.parties.errors import ConfigurationError, DiskCode, DiskFault
from ppaurora.parties.requests.messages import (
    ConfirmUpload,
    Received,
    Refused,
    Reply,
    Withdraw,
)
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.new_version import close_before, confirm
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.study import ParticipantEntry, Study
from tests.parties.disk_trouble import disk_fault
from tests.parties.sample import KEYS, study
from tests.parties.server.stored import DATA, SESSION, opened, upload
from tests.parties.server.stored import STUDY as SAMPLE

STUDY = study(rule=replace(SAMPLE.rule, least_list=1))
MORE = replace(
    STUDY,
    participants=(*STUDY.participants, ParticipantEntry("dora", KEYS[6])),
    follows=STUDY.hash.hex(),
)
P1 = Identity.from_private(bytes([2]) * 64)
ANN, BEN = upload("ann", 1), upload("ben", 2)
DAY = 86400.0


@pytest.fixture(params=[False, True], ids=["plain", "encrypted"])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Store:
    """Two uploads for the version before, which was closed then."""
    opened = Store(tmp_path / "state", secrets=tmp_path / "secrets", encrypt=request.param)
    opened.register(STUDY)
    for one in (ANN, BEN):
        opened.append(STUDY, opened.begin(STUDY, one), 0, DATA)
        opened.commit(STUDY, one)
    close_before(opened, STUDY, MORE)
    opened.register(MORE)
    return opened


def share_files(folder: Path) -> list[Path]:
    return [path for path in (folder / "state" / "shares").rglob("*.*") if path.is_file()]


def stored(store: Store, of: Study) -> list[str]:
    return [one.owner for one in store.uploads(of) if one.stored]


def answering(store: Store) -> Callable[[ConfirmUpload | Withdraw], Reply]:
    """The reply of P1 to ann, who takes part in the new version."""
    handler = RequestHandler(
        P1.public,
        {MORE.id: MORE},
        store,
        SessionRunner(P1, store, "127.0.0.1", Limits()),
        most_samples=1000,
        on_change=lambda: None,
        version=lambda hash: STUDY if hash == STUDY.hash else None,
    )

    def ask(request: ConfirmUpload | Withdraw) -> Reply:
        payload = Envelope(MORE.id, MORE.hash, request).encode()
        return decode_reply(handler.answer(KEYS[3].exchange, payload))

    return ask


def test_an_upload_counts_once_its_owner_confirms_it_and_lies_in_one_place(
    store: Store, tmp_path: Path
) -> None:
    assert stored(store, MORE) == []
    ask = answering(store)
    for _ in range(2):
        assert ask(ConfirmUpload(STUDY.hash)) == Received(len(DATA), stored=True)
    assert (stored(store, MORE), stored(store, STUDY)) == (["ann"], ["ben"])
    assert store.read_share(MORE, ANN.upload) == DATA
    assert len(share_files(tmp_path)) == 2


def test_an_upload_for_other_options_is_not_confirmed(store: Store) -> None:
    said = answering(store)(ConfirmUpload(study(decimals=6).hash))
    assert isinstance(said, Refused)
    assert said.code == "no-upload"
    assert "counts for the options that it was made on" in said.what


def test_a_confirmation_that_was_cut_off_is_finished_by_the_next_one(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> bool:
        raise DiskFault("full", code=DiskCode.FULL)

    with monkeypatch.context() as patch:
        patch.setattr(type(store.versions), "forget_uploads", full)
        with disk_fault(DiskCode.FULL):
            confirm(store, MORE, STUDY, ANN)
    assert len(share_files(tmp_path)) == 3
    confirm(store, MORE, STUDY, ANN)
    assert len(share_files(tmp_path)) == 2
    assert store.read_share(MORE, ANN.upload) == DATA


def test_a_damaged_share_is_not_confirmed(store: Store, tmp_path: Path) -> None:
    for path in share_files(tmp_path):
        path.write_bytes(b"x" * path.stat().st_size)
    with disk_fault(DiskCode.SHARE_DAMAGED):
        confirm(store, MORE, STUDY, BEN)
    said = answering(store)(ConfirmUpload(STUDY.hash))
    assert isinstance(said, Refused)
    assert stored(store, MORE) == []


def test_whoever_withdraws_from_the_new_version_withdraws_from_the_one_before(
    store: Store, tmp_path: Path
) -> None:
    answering(store)(Withdraw())
    assert (stored(store, MORE), stored(store, STUDY)) == ([], ["ben"])
    assert len(share_files(tmp_path)) == 1


def test_what_nobody_confirmed_is_deleted_with_the_rest(store: Store, tmp_path: Path) -> None:
    confirm(store, MORE, STUDY, ANN)
    store.put_result(MORE, SESSION, (1, 2), "{}")
    store.seal(MORE, SESSION)
    assert share_files(tmp_path) == []


def test_what_nobody_confirmed_expires(store: Store, tmp_path: Path) -> None:
    assert not store.expire(MORE, store.now() + DAY)
    assert store.expire(MORE, store.now() + (STUDY.rule.keep_days + 1) * DAY)
    assert share_files(tmp_path) == []


def test_a_closed_version_is_never_served_again(store: Store) -> None:
    with pytest.raises(ConfigurationError, match="closed in favour of one with more owners"):
        store.register(STUDY)
    assert "dora was added" in store.ended(STUDY)
    with pytest.raises(ConfigurationError, match="was changed after this server"):
        store.register(replace(MORE, title="another"))


def test_a_version_is_closed_in_favour_of_one_that_follows_it_only(tmp_path: Path) -> None:
    store = opened(tmp_path)
    with pytest.raises(ConfigurationError, match="may only add owners"):
        close_before(store, SAMPLE, replace(MORE, title="another"))
    later = replace(MORE, follows=MORE.hash.hex(), participants=(*MORE.participants, EVE))
    with pytest.raises(ConfigurationError, match="serves another version"):
        close_before(store, MORE, later)


EVE = ParticipantEntry("eve", Identity.from_private(bytes([8]) * 64).public)


def test_three_versions_follow_each_other(store: Store) -> None:
    later = replace(MORE, follows=MORE.hash.hex(), participants=(*MORE.participants, EVE))
    confirm(store, MORE, STUDY, ANN)
    close_before(store, MORE, later)
    store.register(later)
    assert store.versions.before(later.hash) == [MORE.hash, STUDY.hash]
    confirm(store, later, MORE, ANN)
    confirm(store, later, STUDY, BEN)
    assert stored(store, later) == ["ann", "ben"]
