"""Covert studies at honest servers that are slow: nobody is accused, and the result comes."""

from __future__ import annotations

import faulthandler
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ppaurora.mpc.committed import CommittedDealing
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.listener import RequestListener
from ppaurora.parties.requests.status import State
from ppaurora.parties.server.computing.life_signs import SILENT_SECONDS
from ppaurora.parties.server.computing.study_session import run_limits, silence_limit
from ppaurora.parties.study.runs import runs_of
from ppaurora.protocols.options import Options
from tests.parties.server.computing.test_covert_study import covert, covert_world, is_at, states
from tests.parties.server.slow_server import slow_program
from tests.parties.server.unrest import pauses, quarter_of_a_core
from tests.parties.slow_line import BEHIND_THE_LINES, Line, lines_to_all_servers
from tests.parties.world import World, generated, until_done, with_options

pytestmark = pytest.mark.zeromq
SECONDS, LONG = 60.0, 3000.0
COVERT, SEMI_HONEST = Options(assurance="covert", dealings=4), Options()


def never_stopped(world: World) -> bool:
    """Return whether no server has ever stopped a study."""
    accounts = [world.folder / f"state-{role}" / "audit.jsonl" for role in Role]
    return not any("study stopped" in one.read_text(encoding="utf-8") for one in accounts)


@pytest.mark.parametrize("share", [0.4, 1.3])
def test_checks_longer_than_a_quarter_of_the_patience_and_than_all_of_it_end_in_a_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    recomputed, patience = CommittedDealing._recomputed, 1.0

    def slowly(self: CommittedDealing, *about: Any) -> Any:
        if self._role is not Role.HELPER:
            time.sleep(share * patience)
        return recomputed(self, *about)

    monkeypatch.setattr(CommittedDealing, "_recomputed", slowly)
    with covert_world(tmp_path, patience=patience) as world:
        world.upload()
        with world.owner("ann") as ann:
            assert ann.result(wait=SECONDS).values == world.pooled()
        assert State.STOPPED not in states(world)
        assert never_stopped(world)


@pytest.mark.slow
def test_a_proxy_that_stands_still_after_the_toss_makes_nobody_accuse_the_helper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its life signs are missing for longer than a session of another study waits for one."""
    checked, receive = CommittedDealing._checked, RequestListener.receive
    standing, done = threading.Event(), threading.Event()

    def after_a_stop(self: CommittedDealing, *about: Any) -> Any:
        if is_at(world, Role.P1) and not done.is_set():
            time.sleep(2.0)  # until the others have heard a sign of life
            standing.set()
            time.sleep(SILENT_SECONDS + 2.0)
            standing.clear()
            done.set()
        return checked(self, *about)

    def receiving(self: RequestListener, seconds: float) -> Any:
        while standing.is_set() and is_at(world, Role.P1):
            time.sleep(0.05)
        return receive(self, seconds)

    monkeypatch.setattr(CommittedDealing, "_checked", after_a_stop)
    monkeypatch.setattr(RequestListener, "receive", receiving)
    with covert_world(tmp_path, patience=30.0) as world:
        world.upload()
        with world.owner("ann") as ann:
            assert ann.result(wait=SECONDS).values == world.pooled()
        assert done.is_set()
        assert never_stopped(world)


def test_in_covert_studies_a_silent_server_is_waited_for_as_long_as_the_patience() -> None:
    assert silence_limit(COVERT, Limits(deadline=30.0)) == 30.0
    assert silence_limit(COVERT, Limits(deadline=1.0)) == SILENT_SECONDS
    assert silence_limit(SEMI_HONEST, Limits(deadline=30.0)) == SILENT_SECONDS


def test_connecting_takes_longer_after_each_try_in_vain_and_in_every_later_run(
    tmp_path: Path,
) -> None:
    limits = Limits(deadline=8.0, connect=3.0)
    with World(tmp_path, owners=("ann", "ben"), change=covert) as world:
        first, second, _ = runs_of(world.study)
    leading = [run_limits(limits, first, Role.P0, tries).connect for tries in range(6)]
    assert leading == [3.0, 6.0, 12.0, 24.0, 30.0, 30.0]
    for run, server in ((first, Role.P1), (first, Role.HELPER), (second, Role.P0)):
        assert run_limits(limits, run, server, 0).connect == 8.0
        assert run_limits(limits, run, server, 1).connect == 16.0
    assert run_limits(limits, first, Role.P0, 0).goodbye == 2 * limits.goodbye
    patient = replace(limits, deadline=600.0)
    assert run_limits(patient, second, Role.P0, 9).connect == 600.0


def slow_studies(folder: Path, count: int, seed: int, patience: float = 2.0) -> None:
    """So many covert studies at real servers with slow checks, which are paused every now and then.

    A check takes from a tenth of the patience to three times as long; the lines are late.
    """
    lines = Line, lambda: Line(delay=0.005)
    with (
        World(
            folder,
            ("ann", "ben"),
            patience=patience,
            servers_listen_at=BEHIND_THE_LINES,
            change=covert,
        ) as world,
        lines_to_all_servers(world.study, *lines),
    ):
        world.tables = {name: generated(6 + at, at) for at, name in enumerate(world.tables)}
        world.program = slow_program(0.1 * patience, 3 * patience, seed)
        studies = world.make_runs(count)
        world.start()
        with pauses(world, patience, seed):
            for study in studies:
                world.upload_patiently(study, LONG)
            for study in studies:
                with world.take_part("ann", study) as ann:
                    got = until_done(lambda ann=ann: ann.result(wait=LONG), LONG)  # type: ignore[misc]
                assert got.values == world.pooled()
        assert never_stopped(world)


@pytest.mark.slow
def test_a_study_with_slow_checks_and_pauses_accuses_nobody(tmp_path: Path) -> None:
    slow_studies(tmp_path, 1, 0, patience=1.2)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_four_times_ten_studies_with_slow_checks_and_pauses_accuse_nobody(
    tmp_path: Path, seed: int
) -> None:
    slow_studies(tmp_path, 10, seed)


@pytest.mark.soak
@pytest.mark.parametrize("share_of_a_core", ["all", "quarter"])
@pytest.mark.parametrize(("rows", "dealings"), [(150_000, 16), (60_000, 64)])
def test_three_long_lists_and_many_dealings_come_to_their_result(
    tmp_path: Path, rows: int, dealings: int, share_of_a_core: str
) -> None:
    # a quarter of a core takes longer than the ten minutes after which a test counts as hung
    faulthandler.cancel_dump_traceback_later()

    def change(study: Any) -> Any:
        return with_options(
            study, assurance="covert", dealings=dealings, merge="network", metrics=("auroc",)
        )

    with World(tmp_path, patience=30.0, change=change) as world, ExitStack() as stack:
        world.tables = {name: generated(rows, at) for at, name in enumerate(world.tables)}
        world.start()
        if share_of_a_core == "quarter":
            stack.enter_context(quarter_of_a_core(world))
        begun = time.monotonic()
        for name, table in world.tables.items():
            with world.owner(name) as owner:
                until_done(lambda owner=owner, table=table: owner.outsource(table), LONG)  # type: ignore[misc]
        with world.owner("ann") as ann:
            got = until_done(lambda: ann.result(wait=LONG), LONG)
        print(rows, dealings, share_of_a_core, round(time.monotonic() - begun), "s")
        assert got.values == world.pooled()
        assert never_stopped(world)
