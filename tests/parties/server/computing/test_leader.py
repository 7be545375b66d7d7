"""A fault does not end the thread that leads studies."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DiskCode, DiskFault
from ppaurora.parties.server.computing.leader import StudyLeader
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.study import Study
from tests.parties.server.offline import IDENTITIES, STUDY, OfflineStudy


@pytest.mark.parametrize(
    "fault", [DiskFault("worn out", code=DiskCode.UNREADABLE), KeyError("a bug"), MemoryError()]
)
@pytest.mark.parametrize("where", ["ended", "find", "stored_uploads", "damaged"])
def test_the_leading_thread_survives_any_fault_of_the_store(
    fault: Exception, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "state")
    store.register(STUDY)
    asked = 0

    def failing(*_: object) -> None:
        nonlocal asked
        asked += 1
        raise fault

    monkeypatch.setattr(store.results if where == "find" else store, where, failing)
    monkeypatch.setattr("ppaurora.parties.server.computing.leader.FIRST_PAUSE", 0.01)
    leader = StudyLeader(
        IDENTITIES["P0"],
        store,
        SessionRunner(IDENTITIES["P0"], store, "127.0.0.1", Limits()),
        lambda: [STUDY],
        exchange_seconds=1e9,
    )
    leader._exchange_due[STUDY.hash] = time.monotonic() + 1e9
    stopping = threading.Event()
    thread = threading.Thread(target=leader.run, args=(stopping,), daemon=True)
    thread.start()
    until = time.monotonic() + 60
    while asked < 2:
        assert time.monotonic() < until
        leader.wake()
        time.sleep(0.01)
    assert thread.is_alive()
    stopping.set()
    leader.wake()
    thread.join()


def test_the_leading_thread_survives_what_fails_outside_of_any_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path / "state")
    asked = threading.Semaphore(0)

    def failing() -> list[None]:
        asked.release()
        raise RuntimeError("the studies changed while they were listed")

    runner = SessionRunner(IDENTITIES["P0"], store, "127.0.0.1", Limits())
    leader = StudyLeader(IDENTITIES["P0"], store, runner, failing)  # type: ignore[arg-type]
    stopping = threading.Event()
    thread = threading.Thread(target=leader.run, args=(stopping,), daemon=True)
    thread.start()
    for _ in range(2):
        leader.wake()
        assert asked.acquire(timeout=10)
    assert thread.is_alive()
    stopping.set()
    leader.wake()
    thread.join()
    assert "an unexpected RuntimeError" in capsys.readouterr().err


def test_a_study_with_one_run_is_not_stopped_by_what_another_server_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = OfflineStudy(tmp_path, monkeypatch)
    world.upload()
    world.lead()
    found = world.stores[Role.P0].results.find(STUDY.hash)
    assert found is not None
    assert found.sealed
    world.stores[Role.P1].halts.add(STUDY, b"s" * 16, "it says so")
    world.lead()
    assert world.stores[Role.P0].halts.current(STUDY) is None
    assert world.stores[Role.P0].results.find(STUDY.hash) == found
    world.stop()


def test_a_study_that_is_paused_before_its_turn_comes_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "state")
    store.register(STUDY)
    served = [STUDY]
    advanced: list[Study] = []
    runner = SessionRunner(IDENTITIES["P0"], store, "127.0.0.1", Limits())
    leader = StudyLeader(IDENTITIES["P0"], store, runner, lambda: served)
    monkeypatch.setattr(leader, "_advance", advanced.append)
    leader._attend(STUDY)
    served.clear()
    leader._attend(STUDY)
    assert advanced == [STUDY]
