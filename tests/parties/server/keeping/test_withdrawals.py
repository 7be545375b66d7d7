"""A withdrawal holds, whatever another process of the same owner still sends of the upload."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import PeerRefused, PolicyRefusal, UploadWithdrawn
from ppaurora.parties.evidence.audit_chain import entries
from ppaurora.parties.participant import chunks
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.requests.messages import (
    BeginUpload,
    CommitUpload,
    Received,
    Request,
    SendChunk,
    Withdraw,
    Withdrawn,
)
from ppaurora.parties.server.keeping.store import Store
from tests.parties.server.offline import STUDY, TABLES, OfflineStudy
from tests.parties.server.stored import DATA, put, reopened, upload
from tests.parties.server.stored import STUDY as STORED

PROXIES = (Role.P0, Role.P1)
SENDS = BeginUpload | SendChunk | CommitUpload


@pytest.fixture(name="world")
def _world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OfflineStudy]:
    monkeypatch.setattr(chunks, "LEAST_BYTES", 32)
    monkeypatch.setattr(chunks, "QUICK_SECONDS", -1.0)
    world = OfflineStudy(tmp_path, monkeypatch)
    yield world
    world.stop()


def names_at(world: OfflineStudy) -> list[list[bytes]]:
    """The uploads of which either proxy holds anything, whole or in part."""
    return [[one.upload for one in world.stores[role].uploads(STUDY)] for role in PROXIES]


class Meanwhile:
    """Has something done by another process before some of the requests of an upload.

    `before` has the places of these requests, `SENT` if there are fewer.
    """

    def __init__(self, world: OfflineStudy, before: Sequence[int], restarts: bool = False) -> None:
        self.sent: list[tuple[Role, Request]] = []
        self._world, self._ask = world, world.ask
        self._gate = threading.Semaphore(0)
        self._paused = threading.Semaphore(0)
        self._before = list(before)
        self._restarts = restarts
        self._other = threading.Thread(target=self._withdraw)
        world.ask = self._asked  # type: ignore[method-assign]

    def _withdraw(self) -> None:
        self._pause()
        with self._world.participant("ann") as other:
            other.withdraw()
        self._paused.release()

    def _pause(self) -> None:
        self._paused.release()
        assert self._gate.acquire(timeout=10)

    def _go_on(self) -> None:
        """Let the other process go on to its next withdrawal, or to its end."""
        self._gate.release()
        assert self._paused.acquire(timeout=10)
        if self._restarts:
            for role in PROXIES:
                self._world.stores[role].close()
                self._world.start(role)

    def _asked(self, who: str, role: Role, request: Request) -> object:
        if threading.current_thread() is self._other:
            if isinstance(request, Withdraw):
                self._pause()
        elif isinstance(request, SENDS):
            while self._before and self._before[0] == len(self.sent):
                self._before.pop(0)
                self._go_on()
            self.sent.append((role, request))
        return self._ask(who, role, request)

    def upload(self, owner: Participant) -> AuroraError | None:
        """Upload meanwhile, then let the other process end; the error that the upload met."""
        self._other.start()
        assert self._paused.acquire(timeout=10)
        self._go_on()  # to the first withdrawal
        failure = None
        try:
            owner.outsource(TABLES["ann"])
        except AuroraError as error:
            failure = error
        self._restarts = False
        while self._other.is_alive():
            self._gate.release()
            self._other.join(0.01)
        self._world.ask = self._ask  # type: ignore[method-assign]
        return failure


def requests_of_an_upload(world: OfflineStudy) -> int:
    """The number of requests of an upload that nobody disturbs."""
    counted = Meanwhile(world, ())
    with world.participant("ann") as owner:
        counted.upload(owner)
        owner.withdraw()
    return len(counted.sent)


def test_what_was_withdrawn_between_any_two_requests_of_its_upload_is_not_there_again(
    world: OfflineStudy,
) -> None:
    requests = requests_of_an_upload(world)
    assert requests > 6
    for before in combinations_with_replacement(range(requests), 2):
        meanwhile = Meanwhile(world, before)
        with world.participant("ann") as owner:
            owner.uploading.records.secret.keep()
            failure = meanwhile.upload(owner)
            first, second = names_at(world)
            assert first == second, before
            begun_later = before == (0, 0)
            assert len(first) == begun_later, before
            assert begun_later or isinstance(failure, UploadWithdrawn), before
            owner.withdraw()


def test_a_withdrawal_holds_when_servers_and_processes_start_again(world: OfflineStudy) -> None:
    """A killed owner's process starts again with the secret that it has kept, as does a server."""
    meanwhile = Meanwhile(world, (3, 3), restarts=True)
    with world.participant("ann") as owner:
        prepared = owner.prepare(TABLES["ann"])
        secret = owner.uploading.records.secret.get()
        assert isinstance(meanwhile.upload(owner), UploadWithdrawn)
        for again in range(3):
            owner.uploading.records.secret._secret = secret
            owner.uploading.records.secret.keep()
            with pytest.raises(UploadWithdrawn, match="upload it again"):
                owner.send(prepared)
            assert names_at(world) == [[], []]
            assert not list((world.folder / "owners").glob("*.secret")), again


def test_an_upload_after_the_withdrawal_counts_and_the_old_one_does_not_end_it(
    world: OfflineStudy,
) -> None:
    with world.participant("ann") as old, world.participant("ann") as other:
        stale = old.prepare(TABLES["ann"])
        old.send(stale)
        assert other.withdraw()
        fresh = other.outsource(TABLES["ann"])
        with pytest.raises(PolicyRefusal, match="Another process"):
            old.send(stale)
        assert names_at(world) == [[fresh.upload]] * 2
        # the old process prepares it again, and goes on with the secret of the new one
        assert old.outsource(TABLES["ann"]).upload == fresh.upload
        for _ in range(2):
            other.withdraw()
        assert names_at(world) == [[], []]


def test_of_two_uploads_at_once_the_one_begun_later_goes_on(world: OfflineStudy) -> None:
    """Neither begins again in the other's place, for ever in turn."""
    with world.participant("ann") as first, world.participant("ann") as second:
        one, other = first.prepare(TABLES["ann"]), second.prepare(TABLES["ben"])
        for role, data in one.parts.items():
            digest = sha256(data).digest()
            request = BeginUpload(one.upload, one.samples, len(data), digest, one.folds)
            first.servers.ask(role, request, Received)
        second.send(other)
        with pytest.raises(PolicyRefusal, match="taken the place"):
            first.servers.ask(Role.P1, SendChunk(one.upload, 0, bytes(32)), Withdrawn)
        assert names_at(world) == [[other.upload]] * 2


@pytest.mark.parametrize("names", [(b"short",), (bytes(16),) * 65])
def test_a_server_that_names_impossible_uploads_is_blamed_before_another_is_asked(
    world: OfflineStudy, names: tuple[bytes, ...]
) -> None:
    ask = world.ask

    def lying(who: str, role: Role, request: Request) -> object:
        assert not (isinstance(request, Withdraw) and role is Role.P0)
        return Withdrawn(names) if isinstance(request, Withdraw) else ask(who, role, request)

    world.ask = lying  # type: ignore[method-assign]
    with world.participant("ann") as owner, pytest.raises(PeerRefused, match="P1 answers strange"):
        owner.withdraw()


def test_only_the_last_withdrawn_uploads_are_remembered_those_of_a_damaged_share_too(
    store: Store, tmp_path: Path
) -> None:
    put(store, upload())
    for share in (tmp_path / "state" / "shares").rglob("*.share"):
        share.write_bytes(DATA[:-1])
    store.check_shares(STORED)
    assert store.damaged(STORED) == ("ann",)
    store.withdraw(STORED, "ann", [bytes([9]) * 16])
    store = reopened(store, tmp_path)
    told = store.withdrawals.of
    assert told(STORED.hash, "ann") == (bytes([9]) * 16, bytes([1]) * 16)
    assert told(STORED.hash, "ben") == ()
    store.withdraw(STORED, "ann", (number.to_bytes(16, "big") for number in range(100)))
    assert told(STORED.hash, "ann")[-1] == (99).to_bytes(16, "big")
    assert len(told(STORED.hash, "ann")) == 64


def test_an_owner_who_uploads_and_withdraws_for_ever_fills_no_audit_log(
    world: OfflineStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ppaurora.parties.server.keeping.withdrawals.MOST_UPLOADS", 3)

    def logged(role: Role) -> list[str]:
        with (world.folder / str(role) / "audit.jsonl").open("rb") as file:
            return [one.event for one in entries(file)]

    with world.participant("ann") as owner:
        for _ in range(3):
            owner.outsource(TABLES["ann"])
            assert owner.withdraw()
        before = [logged(role) for role in PROXIES]
        assert [told.count("upload stored") for told in before] == [3, 3]
        for _ in range(2):
            for _ in range(5):
                with pytest.raises(PolicyRefusal, match="3 uploads of yours were") as caught:
                    owner.outsource(TABLES["ann"])
                assert "a new id" in caught.value.advice
                owner.withdraw()
            assert [logged(role) for role in PROXIES] == before
            for role in PROXIES:
                world.stores[role].close()
                world.start(role)
    with world.participant("ben") as other:
        of_ben = other.outsource(TABLES["ben"]).upload
        assert names_at(world) == [[of_ben]] * 2


def test_what_stands_after_many_withdrawals_can_still_be_withdrawn(
    world: OfflineStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    with world.participant("ann") as owner:
        owner.outsource(TABLES["ann"])
        owner.withdraw()
        fresh = owner.outsource(TABLES["ann"])
        monkeypatch.setattr("ppaurora.parties.server.keeping.withdrawals.MOST_UPLOADS", 1)
        assert owner.outsource(TABLES["ann"]).upload == fresh.upload
        assert owner.withdraw()
        assert names_at(world) == [[], []]
