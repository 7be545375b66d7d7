"""A server computes on the threads that its site file says."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.protocols.sorting.sort import Conditions
from tests.parties.server.offline import IDENTITIES, STUDY

ROSTER = tuple(StoredUpload(name, name.encode().ljust(16), 10) for name in ("ann", "ben", "cleo"))


def test_a_session_has_the_threads_that_the_server_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, ended = [], threading.Event()

    def compute(*_: object, threads: int, **__: object) -> None:
        given.append(threads)
        ended.set()
        raise LocalProtocolError("enough is known")

    monkeypatch.setattr("ppaurora.parties.server.computing.runner.compute", compute)
    store = Store(tmp_path / "state")
    store.register(STUDY)
    runner = SessionRunner(IDENTITIES["helper"], store, "127.0.0.1", Limits(), threads=3)
    assert runner.reserve(STUDY, Role.HELPER, b"1" * 16, ROSTER, Conditions())
    assert runner.start(b"1" * 16)
    assert ended.wait(10)
    assert given == [3]
