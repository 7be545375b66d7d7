"""One session at a time, and none that its leader has given up stays in the way of the next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.link import Limits, Link, memory_links
from ppaurora.mpc.role import Role
from ppaurora.parties.server.runner import SessionRunner
from ppaurora.parties.server.store import Store
from ppaurora.parties.study.holding import Holding
from ppaurora.protocols.sorting.sort import USUAL
from tests.parties.server.offline import IDENTITIES, STUDY

ROSTER = tuple(Holding(name, name.encode().ljust(16), 10) for name in ("ann", "ben", "cleo"))
FIRST, SECOND = b"1" * 16, b"2" * 16


@pytest.fixture(name="waiting")
def _waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SessionRunner]:
    """A helper that has dealt everything and waits for P0, of which it will never hear again."""
    begun, links = threading.Event(), memory_links()[Role.HELPER]

    def compute(*_: object, on_links: Callable[[Mapping[Role, Link]], None], **__: object) -> None:
        on_links(links)
        begun.set()
        links[Role.P0].finish()

    monkeypatch.setattr("ppaurora.parties.server.runner.compute", compute)
    store = Store(tmp_path / "state")
    store.register(STUDY)
    runner = SessionRunner(IDENTITIES["helper"], store, "127.0.0.1", Limits())
    assert runner.reserve(STUDY, Role.HELPER, FIRST, ROSTER, USUAL)
    assert runner.start(FIRST)
    assert begun.wait(10)
    yield runner
    for link in links.values():
        link.declare_lost("is gone: the trial is over")


def free(runner: SessionRunner) -> bool:
    """Whether the runner becomes free."""
    for _ in range(100):
        if not runner.busy_with(STUDY):
            return True
        threading.Event().wait(0.05)
    return False


def test_a_session_that_p0_has_given_up_ends_when_p0_proposes_another_one(
    waiting: SessionRunner,
) -> None:
    assert not waiting.reserve(STUDY, Role.HELPER, SECOND, ROSTER, USUAL)
    assert free(waiting)
    assert "P0 has begun another one" in waiting.failure(STUDY)
    assert waiting.reserve(STUDY, Role.HELPER, SECOND, ROSTER, USUAL)


def test_another_study_waits_until_the_session_is_over(waiting: SessionRunner) -> None:
    assert not waiting.reserve(replace(STUDY, id="other"), Role.HELPER, SECOND, ROSTER, USUAL)
    threading.Event().wait(0.5)
    assert waiting.busy_with(STUDY)
