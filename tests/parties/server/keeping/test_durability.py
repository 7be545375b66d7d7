"""Acknowledged data are on the disk by then, as they were sent; deleted data are not."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DiskCode, PeerRefused
from ppaurora.parties.private_file import write_private
from ppaurora.parties.requests.messages import AskStored, CommitUpload, Done, Request, SealSession
from ppaurora.parties.requests.refusals import Code, refused, to_error
from ppaurora.parties.server.computing.leader import StudyLeader
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.store import Store
from tests.parties.disk_trouble import disk_fault
from tests.parties.sample import study
from tests.parties.server.offline import OfflineStudy
from tests.parties.server.stored import SESSION, STUDY, put, reopened, upload

COVERT = study(assurance="covert", dealings=4)
P0 = Identity.from_private(bytes([1]) * 64)


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[str, ...]]]:
    """The paths that were forced to the disk, in order, with the content of folders by then."""
    fsync = os.fsync
    found: list[tuple[str, tuple[str, ...]]] = []

    def noted(handle: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        fsync(handle)
        found.append((str(path), tuple(sorted(os.listdir(path))) if path.is_dir() else ()))

    monkeypatch.setattr(os, "fsync", noted)
    return found


def test_a_private_file_is_on_the_disk_before_it_takes_its_place_and_its_place_after(
    tmp_path: Path, synced: list[tuple[str, tuple[str, ...]]]
) -> None:
    write_private(tmp_path / "record", b"old")
    synced.clear()
    write_private(tmp_path / "record", b"new")
    first, last = synced
    assert Path(first[0]).parent == tmp_path
    assert Path(first[0]).name != "record"
    assert last == (str(tmp_path), ("record",))


def test_a_share_is_on_the_disk_whole_and_by_its_name_when_it_is_acknowledged(
    store: Store, synced: list[tuple[str, tuple[str, ...]]]
) -> None:
    one = store.begin(STUDY, upload())
    store.append(STUDY, one, 0, bytes(range(200)) * 4)
    synced.clear()
    store.commit(STUDY, one)
    shares = [(path, held) for path, held in synced if "/shares/" in path]
    assert [Path(path).suffix for path, _ in shares] == [".part", ""]
    assert shares[-1][1] == (f"{one.name}.share",)


def test_records_wait_for_the_disk(store: Store) -> None:
    """SQLite forces each transaction to the disk by itself, where it is told to."""
    [full] = store._db._db.execute("PRAGMA synchronous").fetchone()
    assert full == 2


def test_what_fails_in_a_transaction_leaves_nothing(store: Store, tmp_path: Path) -> None:
    put(store, upload())

    def failing() -> None:
        with store.transaction():
            store.withdraw(STUDY, "ann")
            raise KeyError("a bug behind it")

    with pytest.raises(KeyError):
        failing()
    assert [one.owner for one in store.stored_uploads(STUDY)] == ["ann"]
    store = reopened(store, tmp_path)
    assert [one.owner for one in store.stored_uploads(STUDY)] == ["ann"]
    assert store.read_share(STUDY, upload().upload)


def test_a_deleted_share_of_a_result_is_in_no_byte_of_the_records(
    store: Store, tmp_path: Path
) -> None:
    told = "a word that only this result has, " * 20
    store.put_result(STUDY, SESSION, [7], told, ())
    path = tmp_path / "state" / "server.sqlite"
    assert told.encode() in path.read_bytes()
    store.end(STUDY, "for a test")
    assert b"only this result" not in path.read_bytes()


def test_a_share_whose_bytes_changed_on_the_disk_is_not_computed_on(
    store: Store, tmp_path: Path
) -> None:
    put(store, upload())
    [path] = (tmp_path / "state" / "shares").rglob("*.share")
    data = bytearray(path.read_bytes())
    data[17] ^= 1
    path.write_bytes(data)
    with disk_fault(DiskCode.SHARE_DAMAGED, match="of ann was damaged"):
        store.read_share(STUDY, upload().upload)
    assert store.damaged(STUDY) == ("ann",)
    assert not store.stored_uploads(STUDY)


class Told:
    """The other servers of a covert study, of which `lacks` has no share of the session."""

    role = Role.P0

    def __init__(self, asked: list[tuple[Role, Request]], lacks: Role | None) -> None:
        self._asked, self._lacks = asked, lacks

    def client(self, _: object, __: object, role: Role, ___: object) -> Told:
        told = Told(self._asked, self._lacks)
        told.role = role
        return told

    def __enter__(self) -> Told:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def ask(self, request: Request, _: type[Done], *, patience: float) -> Done:
        self._asked.append((self.role, request))
        if self.role is self._lacks:
            raise to_error(refused(Code.UNKNOWN_SESSION, "it was lost"), COVERT, str(self.role))
        return Done()


Seal = Callable[[Role | None], list[tuple[Role, Request]]]


@pytest.fixture
def seal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Store, Seal]:
    """P0 with a result that nobody has sealed yet; what it asks whom to seal it."""
    store = Store(tmp_path / "state")
    store.register(COVERT)
    store.put_result(COVERT, SESSION, [7], "", ())
    runner = SessionRunner(P0, store, "127.0.0.1", Limits())

    def sealing(lacks: Role | None) -> list[tuple[Role, Request]]:
        asked: list[tuple[Role, Request]] = []
        monkeypatch.setattr(
            "ppaurora.parties.server.computing.other_servers.ServerClient",
            Told(asked, lacks).client,
        )
        StudyLeader(P0, store, runner, lambda: [COVERT])._seal(COVERT)
        return asked

    return store, sealing


def test_nobody_seals_before_all_have_stored_and_p0_seals_last(seal: tuple[Store, Seal]) -> None:
    store, sealing = seal
    assert sealing(None) == [
        (Role.HELPER, AskStored(SESSION)),
        (Role.P1, SealSession(SESSION)),
        (Role.HELPER, SealSession(SESSION)),
    ]
    found = store.results.find(COVERT.hash)
    assert found is not None
    assert found.sealed


@pytest.mark.parametrize("lacks", [Role.HELPER, Role.P1])
def test_a_result_of_which_a_server_lost_its_share_is_sealed_by_nobody(
    seal: tuple[Store, Seal], lacks: Role
) -> None:
    store, sealing = seal
    with pytest.raises(PeerRefused, match="it was lost"):
        sealing(lacks)
    assert store.results.find(COVERT.hash) is None


def test_an_upload_counts_at_p0_only_once_p1_has_acknowledged_its_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = OfflineStudy(tmp_path, monkeypatch)
    committed: list[Role] = []
    ask = world.ask

    def noting(who: str, role: Role, request: Request) -> object:
        if isinstance(request, CommitUpload):
            committed.append(role)
        return ask(who, role, request)

    monkeypatch.setattr(world, "ask", noting)
    world.upload()
    assert committed
    assert committed == [Role.P1, Role.P0] * (len(committed) // 2)
    world.stop()


def test_records_are_read_as_they_were_written_or_not_at_all(store: Store, tmp_path: Path) -> None:
    """A foe of the disk is not kept out by a digest, but an error of it is."""
    put(store, upload())
    store.close()
    path = tmp_path / "state" / "server.sqlite"
    with sqlite3.connect(path) as beside:
        beside.execute("UPDATE uploads SET samples = samples + 1")
    beside.close()
    assert not reopened(store, tmp_path).stored_uploads(STUDY)


def test_what_is_set_aside_of_damaged_records_is_bounded(store: Store, tmp_path: Path) -> None:
    """A disk that damages every row, again and again, does not fill itself."""
    store.close()
    path = tmp_path / "state" / "server.sqlite"
    damaged = [(STUDY.hash, float(at), "no note of this server", bytes(16)) for at in range(1100)]
    with sqlite3.connect(path) as beside:
        beside.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", damaged)
    beside.close()
    store = reopened(store, tmp_path)
    assert not [text for _, text in store.history.of(STUDY.hash) if "of this server" in text]
    store.close()
    with sqlite3.connect(path) as beside:
        [kept] = beside.execute("SELECT COUNT(*) FROM damaged_rows").fetchone()
    beside.close()
    assert kept == 1000
