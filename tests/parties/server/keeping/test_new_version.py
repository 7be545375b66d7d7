"""A study with more owners takes the place of the one before it, and never are both computed."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import (
    ConfigurationError,
    DiskCode,
    DiskFault,
    KeyFault,
    PeerRefused,
    StudyDiffers,
)
from ppaurora.parties.requests.messages import (
    AskStatus,
    ConfirmUpload,
    Document,
    Refused,
)
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.server.keeping.new_version import close_before
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.sorting.sort import USUAL
from tests.parties.server.stored import DATA, upload
from tests.parties.server.two_versions import LISTS, NEW, OLD, PEOPLE, Versions


def test_a_version_does_not_follow_one_in_which_a_check_of_dealings_was_interrupted(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path / "state")
    store.register(OLD)
    store.halts.checking(OLD, b"s" * 16, True)
    store.close()
    store = Store(tmp_path / "state")
    with pytest.raises(ConfigurationError, match="is stopped"):
        close_before(store, OLD, NEW)
    store.register(OLD)
    assert store.halts.restart(OLD)
    close_before(store, OLD, NEW)
    assert store.versions.after(OLD.hash) == NEW.hash


@pytest.fixture
def versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Versions]:
    return lambda seed: Versions(tmp_path / str(seed), monkeypatch, seed)


def actions(world: Versions) -> list[Callable[[], object]]:
    """The actions that anybody may take at any moment."""
    owners = ("ann", "ben", "cleo")
    return [
        world.lead,
        world.lead,
        *(partial(world.accept, role, NEW) for role in Role),
        *(partial(world.look, role) for role in (*Role, *Role)),
        *(partial(world.start, role) for role in Role),
        *(partial(world.upload, name, OLD) for name in owners),
        *(partial(world.confirm, name) for name in owners),
        partial(world.upload, "dora", NEW),
    ]


def outcome(world: Versions) -> set[bytes]:
    """The versions that were ever computed: at random first, then as everybody wants it."""
    seen: set[bytes] = set()
    for name in ("ann", "ben", "cleo")[: world.random.randint(2, 3)]:
        world.upload(name, OLD)
    world.losses = 0.2
    for _ in range(25):
        with contextlib.suppress(AuroraError):
            world.random.choice(actions(world))()
        seen |= world.sealed()
    world.losses = 0.0
    for role in Role:
        world.accept(role, NEW)
    for _ in range(100):
        for role in Role:
            world.await_idle(role)
            world.look(role)
        for name in LISTS:
            with contextlib.suppress(AuroraError):
                if name == "dora" or not world.confirm(name):
                    world.upload(name, NEW)
        world.lead()
        seen |= world.sealed()
        if world.sealed(Role.P0) and world.sealed(Role.P1):
            break
    assert world.sealed() == seen
    world.stop()
    return seen


@pytest.mark.parametrize(
    "schedules", [range(8, 14), pytest.param(range(14, 214), marks=pytest.mark.soak)]
)
def test_never_are_two_versions_computed_whatever_is_lost_or_killed(
    versions: Callable[[int], Versions], schedules: range
) -> None:
    computed = [outcome(versions(seed)) for seed in schedules]
    assert all(len(one) == 1 for one in computed), computed
    assert {OLD.hash, NEW.hash} == set().union(*computed)


def test_a_computed_study_takes_no_owner_and_says_so(versions: Callable[[int], Versions]) -> None:
    world = versions(0)
    for name in ("ann", "ben", "cleo"):
        world.upload(name, OLD)
    for _ in range(3):
        world.lead()
        for role in Role:
            world.await_idle(role)
    assert world.sealed() == {OLD.hash}
    for role in Role:
        world.accept(role, NEW)
        world.look(role)
    for role in (Role.P0, Role.P1):
        assert list(world.served[role].values()) == [OLD]
        [fault] = world.served[role].faults
        assert "was computed without dora, in the version before" in fault
    assert list(world.served[Role.HELPER].values()) == [NEW]
    world.stop()


@pytest.mark.parametrize("first", [Role.P0, Role.P1])
def test_an_unsealed_result_of_a_version_that_the_other_proxy_has_closed_is_dropped(
    versions: Callable[[int], Versions], first: Role
) -> None:
    world = versions(0)
    second = Role.P1 if first is Role.P0 else Role.P0
    for name in ("ann", "ben", "cleo"):
        world.upload(name, OLD)
    world.stores[second].put_result(OLD, b"s" * 16, (1,), "{}")
    for role in Role:
        world.accept(role, NEW)
        world.look(role)
    assert list(world.served[first].values()) == [NEW]
    assert list(world.served[second].values()) == [OLD]
    assert "has not sealed that yet" in world.served[second].faults[0]
    for name in ("ann", "ben", "cleo"):
        with pytest.raises(StudyDiffers):
            world.confirm(name)
    world.lead()
    world.look(second)
    for role in Role:
        assert list(world.served[role].values()) == [NEW]
    assert world.stores[second].results.find(OLD.hash) is None
    world.stop()


def test_a_server_goes_on_with_the_version_before_as_long_as_the_new_one_waits(
    versions: Callable[[int], Versions],
) -> None:
    world = versions(0)
    world.stores[Role.P0].put_result(OLD, b"s" * 16, (1,), "{}")
    (world.folder / "studies" / "old.toml").unlink()
    world.accept(Role.P0, NEW)
    world.start(Role.P0)
    world.look(Role.P0)
    assert list(world.served[Role.P0].values()) == [OLD]
    world.stop()


def test_a_new_owner_is_told_who_has_not_accepted_the_version_with_it(
    versions: Callable[[int], Versions],
) -> None:
    world = versions(0)
    for role in Role:
        with pytest.raises(PeerRefused, match="does not serve this study yet"):
            world.client(PEOPLE["dora"], NEW, role).ask(AskStatus(), Document, patience=1.0)
    (world.folder / "studies" / "new.toml").unlink()
    for role in Role:
        world.look(role)
        with pytest.raises(KeyFault, match="Your key is not in this server's version"):
            world.client(PEOPLE["dora"], NEW, role).ask(AskStatus(), Document, patience=1.0)
    world.stop()


def test_a_server_that_does_not_know_the_version_before_asks_for_it(
    versions: Callable[[int], Versions],
) -> None:
    world = versions(0)
    (world.folder / "studies" / "old.toml").unlink()
    (world.folder / "P1" / "accepted" / f"{OLD.hash.hex()}.json").unlink()
    world.accept(Role.P1, NEW)
    world.start(Role.P1)
    world.look(Role.P1)
    assert list(world.served[Role.P1].values()) == []
    assert "does not know the version that study" in world.served[Role.P1].faults[0]
    world.accept(Role.P1, OLD)
    world.look(Role.P1)
    assert list(world.served[Role.P1].values()) == [NEW]
    world.stop()


def test_a_session_keeps_its_version_from_being_closed(versions: Callable[[int], Versions]) -> None:
    world = versions(0)
    running = world.runners[Role.HELPER]
    roster = tuple(StoredUpload(name, b"n" * 16, 9) for name in ("ann", "ben", "cleo"))
    assert running.reserve(OLD, Role.HELPER, b"s" * 16, roster, USUAL)
    world.accept(Role.HELPER, NEW)
    world.look(Role.HELPER)
    assert list(world.served[Role.HELPER].values()) == [OLD]
    assert "is being computed at this moment" in world.served[Role.HELPER].faults[0]
    running.free(b"s" * 16)
    world.look(Role.HELPER)
    assert list(world.served[Role.HELPER].values()) == [NEW]
    assert not running.reserve(OLD, Role.HELPER, b"t" * 16, roster, USUAL)
    world.stop()


def test_a_stop_whose_record_was_damaged_while_the_study_was_paused_still_stops_it(
    versions: Callable[[int], Versions],
) -> None:
    world = versions(0)
    assert world.stores[Role.P1].halts.add(OLD, b"s" * 16, "why")
    world.stores[Role.P1].close()
    with sqlite3.connect(world.folder / "P1" / "server.sqlite") as records:
        records.execute("UPDATE halts SET restarted = 1")
    file = world.folder / "studies" / "old.toml"
    text = file.read_bytes()
    file.unlink()
    world.start(Role.P1)
    assert not world.served[Role.P1]
    world.stores[Role.P1].check_records()
    file.write_bytes(text)
    for _ in range(2):
        world.look(Role.P1)
    assert list(world.served[Role.P1].values()) == [OLD]
    assert world.stores[Role.P1].halts.current(OLD) is not None
    world.stop()


def test_a_disk_that_fails_one_study_keeps_no_other_one_from_being_served(
    versions: Callable[[int], Versions], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(study: Study) -> None:
        raise DiskFault("one share cannot be read", code=DiskCode.UNREADABLE)

    world = versions(0)
    other = replace(OLD, id="another")
    (world.folder / "studies" / "a.toml").write_text(study_text(other), encoding="utf-8")
    world.accept(Role.P1, other)
    with monkeypatch.context() as patch:
        patch.setattr(world.stores[Role.P1], "register", failing)
        for _ in range(2):
            world.look(Role.P1)
    assert list(world.served[Role.P1].values()) == [OLD]
    assert any("one share cannot be read" in fault for fault in world.served[Role.P1].faults)
    world.look(Role.P1)
    assert "another" in world.served[Role.P1]
    world.stop()


def test_an_upload_counts_for_the_next_version_by_its_own_owners_word_only(
    versions: Callable[[int], Versions],
) -> None:
    world = versions(0)
    world.upload("ann", OLD)
    for role in Role:
        world.accept(role, NEW)
        world.look(role)
    assert not world.confirm("ben")
    for role in (Role.P0, Role.P1):
        assert not world.stores[role].stored_uploads(NEW)
    assert world.confirm("ann")
    for role in (Role.P0, Role.P1):
        assert [one.owner for one in world.stores[role].stored_uploads(NEW)] == ["ann"]
    world.stop()


def test_an_upload_does_not_count_for_a_study_that_does_not_follow_its_own(
    versions: Callable[[int], Versions],
) -> None:
    """Though the server has accepted both: other options make another number of the same list."""
    world = versions(0)
    other = replace(OLD, id="another")
    for role in (Role.P0, Role.P1):
        world.accept(role, other)
        world.stores[role].register(other)
        one = upload("ann")
        begun = world.stores[role].begin(other, one)
        world.stores[role].append(other, begun, 0, DATA)
        world.stores[role].commit(other, begun)
    for role in (Role.P0, Role.P1):
        asked = Envelope(OLD.id, OLD.hash, ConfirmUpload(other.hash)).encode()
        reply = decode_reply(world.handlers[role].answer(PEOPLE["ann"].public.exchange, asked))
        assert isinstance(reply, Refused)
        assert "no version before this one" in reply.what
        assert not world.stores[role].stored_uploads(OLD)
    world.stop()
