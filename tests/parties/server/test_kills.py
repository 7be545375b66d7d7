"""kill -9 of any server at any moment: nothing is lost, and no number is ever wrong."""

from __future__ import annotations

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.study.study import Study
from tests.parties.world import ANY_METRIC, World, generated

pytestmark = pytest.mark.zeromq
LONGEST_SECONDS = 30.0
OWNERS = ("ann", "ben", "cleo")
MOMENTS = ("before", "uploading", "computing", "computing", "done")


@pytest.mark.slow
def test_a_kill_at_each_moment_loses_nothing_and_gives_no_wrong_number(tmp_path: Path) -> None:
    run_with_kills(tmp_path, seed=20, kills=len(MOMENTS))


@pytest.mark.soak
def test_a_hundred_kills_lose_nothing_and_never_give_a_wrong_number(tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        halves = [
            pool.submit(run_with_kills, tmp_path / str(seed), seed, kills=50) for seed in (20, 21)
        ]
    for half in halves:
        half.result()


def run_with_kills(folder: Path, seed: int, kills: int) -> None:
    """So many studies at the same three servers, one of which is killed once in each."""
    dice = random.Random(seed)
    folder.mkdir(exist_ok=True)
    with World(folder, patience=5.0) as world:
        world.tables = {name: generated(1500, seed=place) for place, name in enumerate(OWNERS)}
        runs = world.make_runs(kills)
        world.start()
        expected = world.pooled()
        for number, study in enumerate(runs):
            victim = dice.choice(tuple(Role))
            kill_once(world, study, victim, MOMENTS[number % len(MOMENTS)], dice)
            with Participant(world.keys["ann"], study, ANY_METRIC) as owner:
                assert owner.result(wait=LONGEST_SECONDS).values == expected


def kill_once(world: World, study: Study, victim: Role, moment: str, dice: random.Random) -> None:
    """Upload everything once, and somewhere along the way kill the victim and start it again."""

    def strike(after: float) -> None:
        time.sleep(after)
        world.kill(victim)
        world.start(victim)

    if moment == "before":
        strike(0)
    striking = threading.Thread(target=strike, args=(dice.uniform(0, 0.03),))
    if moment == "uploading":
        striking.start()
    world.upload_patiently(study, LONGEST_SECONDS)
    if moment == "uploading":
        striking.join()
    elif moment == "computing":
        strike(dice.uniform(0, 0.3))
    elif moment == "done":
        with Participant(world.keys["ben"], study, ANY_METRIC) as owner:
            owner.result(wait=LONGEST_SECONDS)
        strike(0)
