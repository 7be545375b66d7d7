"""Owners upload over slow, late and breaking lines, as long as chunks get through."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ppaurora.parties.participant import servers
from tests.parties.slow_line import Line, over
from tests.parties.world import World, generated

pytestmark = pytest.mark.zeromq
HALF_A_MEGABIT = Line(bits_per_second=500_000)


@pytest.mark.parametrize(
    ("line", "samples"),
    [
        pytest.param(HALF_A_MEGABIT, 20_000, id="0.5 Mbit/s"),
        pytest.param(
            HALF_A_MEGABIT, 100_000, id="0.5 Mbit/s, a long list", marks=pytest.mark.weekly
        ),
        pytest.param(Line(delay=0.15), 20_000, id="300 ms there and back"),
    ],
)
def test_a_list_is_uploaded_over_a_bad_line(tmp_path: Path, line: Line, samples: int) -> None:
    with World(tmp_path) as world:
        world.tables["ann"] = generated(samples, seed=7)
        world.start()
        world.upload("ben", "cleo")
        with world.owner("ann") as owner, over(line, owner):
            owner.outsource(world.tables["ann"])
        assert world.result("ben") == world.pooled()


def test_an_upload_goes_on_over_a_line_that_breaks_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "RETRY_SECONDS", 0.0)
    with World(tmp_path) as world:
        world.tables["ann"] = generated(50_000, seed=7)
        world.start()
        world.upload("ben", "cleo")
        with world.owner("ann") as owner, over(Line(breaks_after=100_000), owner):
            owner.outsource(world.tables["ann"])
        assert world.result("ben") == world.pooled()


def test_a_wait_for_the_result_outlasts_a_line_that_breaks(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ben", "cleo")
        with world.owner("ben") as receiver, ThreadPoolExecutor(1) as pool:
            with over(Line(breaks_after=20), receiver):
                waiting = pool.submit(receiver.result, wait=60.0)
                time.sleep(3.0)
                assert not waiting.done()
            world.upload("ann")
            assert waiting.result().values == world.pooled()
