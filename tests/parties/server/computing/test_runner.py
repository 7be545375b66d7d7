"""A few sessions at a time, and none that its leader has given up stays in the way of the next."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.link import Limits, Link, memory_links
from ppaurora.mpc.role import Role
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.study import Study
from ppaurora.protocols.sorting.sort import USUAL
from tests.parties.server.offline import IDENTITIES, STUDY

ROSTER = tuple(StoredUpload(name, name.encode().ljust(16), 10) for name in ("ann", "ben", "cleo"))
FIRST, SECOND = b"1" * 16, b"2" * 16


@pytest.fixture(name="waiting")
def _waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SessionRunner]:
    """A helper that has dealt everything and waits for P0, of which it will never hear again."""
    begun, links = threading.Event(), memory_links()[Role.HELPER]

    def compute(*_: object, on_links: Callable[[Mapping[Role, Link]], None], **__: object) -> None:
        on_links(links)
        begun.set()
        links[Role.P0].finish()

    monkeypatch.setattr("ppaurora.parties.server.computing.runner.compute", compute)
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
    """Return whether the runner becomes free."""
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


SLOTS = replace(
    STUDY,
    servers=tuple(
        replace(one, link_ports=tuple(7101 + place for place in range(2 * (Role.HELPER - role))))
        for role, one in zip(Role, STUDY.servers, strict=True)
    ),
)
"""The study, with link ports for two sessions at once."""


def other(number: int) -> Study:
    """Another study with the same ports."""
    return replace(SLOTS, id=f"other-{number}")


def reserved(runner: SessionRunner, study: Study, role: Role, slot: int = 0) -> bool:
    return runner.reserve(study, role, study.hash[:16], ROSTER, USUAL, slot=slot)


@pytest.fixture(name="two")
def _two(tmp_path: Path) -> SessionRunner:
    """A server that runs two sessions at once."""
    store = Store(tmp_path / "state")
    for study in (SLOTS, *map(other, range(3))):
        store.register(study)
    return SessionRunner(IDENTITIES["P0"], store, "127.0.0.1", Limits(), sessions=2)


def test_as_many_sessions_are_reserved_as_may_run_at_once(two: SessionRunner) -> None:
    assert [reserved(two, other(number), Role.HELPER) for number in range(3)] == [True, True, False]
    two.free(other(0).hash[:16])
    assert reserved(two, other(2), Role.HELPER)


def test_two_sessions_never_wait_on_the_same_port(two: SessionRunner) -> None:
    assert two.free_slots(SLOTS, Role.P0) == (0, 1)
    assert reserved(two, SLOTS, Role.P0, slot=1)
    assert two.free_slots(other(0), Role.P0) == (0,)
    assert not reserved(two, other(0), Role.P0, slot=1)
    assert reserved(two, other(0), Role.P0, slot=0)
    assert two.free_slots(other(1), Role.P0) == ()


def test_a_session_named_like_one_of_another_study_does_not_take_its_place(
    two: SessionRunner,
) -> None:
    assert reserved(two, other(0), Role.HELPER)
    assert not two.reserve(other(1), Role.HELPER, other(0).hash[:16], ROSTER, USUAL)
    assert two.busy_with(other(0))


def test_a_session_that_never_started_gives_its_place_to_the_study_s_next(
    two: SessionRunner,
) -> None:
    assert reserved(two, SLOTS, Role.P0, slot=1)
    assert two.reserve(SLOTS, Role.P0, SECOND, ROSTER, USUAL, slot=1)
    assert not two.start(SLOTS.hash[:16])
    assert reserved(two, other(0), Role.P0, slot=0)


def test_a_session_for_which_the_system_gives_no_thread_lapses(
    two: SessionRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("ppaurora.parties.server.computing.runner.RESERVED_SECONDS", 0.0)
    assert reserved(two, SLOTS, Role.P0)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", none_left)
        with pytest.raises(RuntimeError):
            two.start(SLOTS.hash[:16])
    assert not two.busy_with(SLOTS)
    assert reserved(two, SLOTS, Role.P0)
