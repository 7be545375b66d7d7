"""Servers killed and stopped, up to three at once: nothing lost, no wrong number, no blame."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.result import Result
from ppaurora.parties.requests.status import State
from ppaurora.parties.study.study import Study
from tests.parties.world import ANY_METRIC, World, generated, until_done

pytestmark = pytest.mark.zeromq
LONGEST_SECONDS = 90.0
MOMENTS = ("upload", "computation", "hand-out", "clean-up")
FAR_APART = {"upload": 0.15, "computation": 0.5, "hand-out": 0.1, "clean-up": 0.05}
"""Within how many seconds from the moment's beginning the strikes fall."""


@dataclass(frozen=True, slots=True)
class Strike:
    """One server is killed or stopped `after` so many seconds, and is back after `away` more."""

    role: Role
    kills: bool
    after: float
    away: float

    def fall(self, world: World) -> None:
        """Strike, and let the server come back."""
        time.sleep(self.after)
        if self.kills:
            world.kill(self.role)
            time.sleep(self.away)
            world.start(self.role)
        else:
            world.signal(self.role, signal.SIGSTOP)
            time.sleep(self.away)
            world.signal(self.role, signal.SIGCONT)


@pytest.mark.slow
def test_a_strike_at_each_moment_loses_nothing_and_gives_no_wrong_number(tmp_path: Path) -> None:
    run_with_strikes(tmp_path / "few", seed=30, schedules=len(MOMENTS), encrypt=True)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(31, 37))
def test_six_times_fifty_schedules_of_kills_and_stops_lose_nothing(
    tmp_path: Path, seed: int
) -> None:
    with ThreadPoolExecutor(2) as pool:
        halves = [
            pool.submit(run_with_strikes, tmp_path / name, 2 * seed + encrypt, 25, encrypt=encrypt)
            for name, encrypt in (("plain", False), ("encrypted", True))
        ]
    for half in halves:
        half.result()


def run_with_strikes(folder: Path, seed: int, schedules: int, *, encrypt: bool) -> None:
    """So many studies at the same three servers, each with its own moment and strikes."""
    dice = random.Random(seed)
    folder.mkdir()
    with World(folder, patience=5.0, encrypt=encrypt) as world, ThreadPoolExecutor(3) as pool:
        world.tables = {
            name: generated(900 + place, seed=place) for place, name in enumerate(world.tables)
        }
        expected = world.pooled()
        runs = world.make_runs(schedules)
        world.start()
        for number, study in enumerate(runs):
            moment = MOMENTS[number % len(MOMENTS)]
            strikes = {moment: drawn(dice, FAR_APART[moment])}
            with struck(pool, world, strikes.get("upload", ())):
                world.upload_patiently(study, LONGEST_SECONDS)
            with struck(pool, world, strikes.get("computation", ())):
                *others, last = world.tables
            with struck(pool, world, strikes.get("hand-out", ())):
                results = [fetched(world, study, name) for name in others]
            with struck(pool, world, strikes.get("clean-up", ())):
                results.append(fetched(world, study, last))
            for result in results:
                assert result.values == expected, (seed, study.id, strikes)
                assert result.agreed.refused == (), (seed, study.id, strikes)
            await_clean_up(world, study)


@contextmanager
def struck(pool: ThreadPoolExecutor, world: World, strikes: Sequence[Strike]) -> Iterator[None]:
    """The strikes fall during the block, and when it is left all servers are back."""
    falling = [pool.submit(one.fall, world) for one in strikes]
    yield
    for one in falling:
        one.result()


def drawn(dice: random.Random, within: float) -> list[Strike]:
    """Strikes at one, two or three servers, mostly short, now and then for some seconds."""
    return [
        Strike(
            role,
            kills=dice.random() < 0.5,
            after=dice.uniform(0, within),
            away=dice.uniform(3, 6) if dice.random() < 0.1 else dice.uniform(0, 0.6),
        )
        for role in dice.sample(tuple(Role), dice.choice([1, 1, 2, 3]))
    ]


def fetched(world: World, study: Study, name: str) -> Result:
    """The result, fetched and acknowledged as `ppaurora result --wait` does it."""
    with world.take_part(name, study) as receiver:
        result = until_done(partial(receiver.result, wait=LONGEST_SECONDS), LONGEST_SECONDS)
        until_done(lambda: receiver.saved(result.session), LONGEST_SECONDS)
    return result


def await_clean_up(world: World, study: Study) -> None:
    """Both proxies say that the study is over and blame nobody, and no share of it is left."""
    with Participant(world.keys["ann"], study, ANY_METRIC) as owner:
        until = time.monotonic() + LONGEST_SECONDS
        while True:
            told = [owner.status()[str(role)] for role in (Role.P0, Role.P1)]
            if all(one.state is State.OVER for one in told):
                break
            assert time.monotonic() < until, told
            time.sleep(0.1)
    for one in told:
        assert "every receiver has the result" in one.detail
        assert not any(word in note.text for note in one.notes for word in ("unsorted", "damaged"))
    assert not list(world.folder.glob(f"state-*/shares/{study.hash.hex()[:32]}/*"))
    assert not list(world.folder.glob(f"secrets-*/{study.hash.hex()[:32]}*"))
    assert all(process.poll() is None for process in world.processes.values())
