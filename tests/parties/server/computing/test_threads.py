"""A server computes on the threads that its site file says."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.study import Study
from ppaurora.protocols.sorting.sort import Conditions
from tests.parties.server.offline import IDENTITIES, STUDY
from tests.parties.world import World, generated, pooled
from tests.until import SECONDS

SAMPLES = 150_000

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


@pytest.mark.slow
@pytest.mark.zeromq
def test_servers_of_three_four_and_eight_threads_have_the_pooled_result(tmp_path: Path) -> None:
    """Lists so long that a layer has several blocks, which go over bulk lanes."""

    def by_the_network(study: Study) -> Study:
        options = replace(study.options, merge="network", metrics=("auroc", "average_precision"))
        return replace(study, options=options)

    with World(tmp_path, ("ann", "ben"), change=by_the_network, patience=SECONDS) as world:
        for role, threads in zip(Role, (3, 4, 8), strict=True):
            site = world.site(role)
            text = site.read_text(encoding="utf-8")
            site.write_text(text.replace("sessions = 1", f"sessions = 1\nthreads = {threads}"))
        world.tables = {name: generated(SAMPLES, seed) for seed, name in enumerate(("ann", "ben"))}
        world.start()
        world.upload()
        with world.owner("ann") as ann:
            found = ann.result(wait=SECONDS)
    expected = pooled(world.study, list(world.tables.values()))
    assert {name: str(one) for name, one in found.values.items()} == {
        name: str(one) for name, one in expected.items()
    }
