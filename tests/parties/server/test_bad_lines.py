"""Every line of a study cuts, delays, throttles, repeats or flips: in the end the right number."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

from tests.parties.slow_line import BEHIND_THE_LINES, Line, Weather, lines_to_all_servers
from tests.parties.world import World, until_done

pytestmark = pytest.mark.zeromq
LONGEST_SECONDS = 120.0


def drawn(dice: random.Random) -> Line:
    """A line that does one of five harms to what it carries, or all of them, or none for long."""
    harms = {
        "cuts": dice.uniform(0.005, 0.1),
        "repeats": dice.uniform(0.005, 0.1),
        "flips": dice.uniform(0.005, 0.1),
        "delay": dice.uniform(0.001, 0.05),
        "bits_per_second": 10 ** dice.uniform(5.5, 7.5),
    }
    kind = dice.choice([*harms, *harms, "all"])
    return Line(**(harms if kind == "all" else {kind: harms[kind]}))


@pytest.mark.slow
def test_a_bad_line_to_each_server_changes_no_number(tmp_path: Path) -> None:
    run_over_bad_lines(tmp_path / "few", seed=40, schedules=2)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(41, 45))
def test_four_times_twenty_five_schedules_of_bad_lines_change_no_number(
    tmp_path: Path, seed: int
) -> None:
    run_over_bad_lines(tmp_path / "many", seed, schedules=25)


def run_over_bad_lines(folder: Path, seed: int, schedules: int) -> None:
    """So many studies, each in its own weather that begins before an upload or after the last."""
    dice = random.Random(seed)
    folder.mkdir()
    weather = Weather()
    with World(folder, patience=5.0, servers_listen_at=BEHIND_THE_LINES) as world:
        runs = world.make_runs(schedules)
        with lines_to_all_servers(world.study, weather.line, weather.line):
            world.start()
            for study in runs:
                line = drawn(dice)
                worse = partial(weather.turn, line, dice.uniform(1.0, 4.0))
                if dice.random() < 0.5:
                    worse()
                    world.upload_patiently(study, LONGEST_SECONDS)
                else:
                    world.upload_patiently(study, LONGEST_SECONDS)
                    worse()
                for name in world.tables:
                    with world.take_part(name, study) as receiver:
                        result = until_done(
                            partial(receiver.result, wait=LONGEST_SECONDS), LONGEST_SECONDS
                        )
                    assert result.values == world.pooled(), (seed, study.id, line)
                    assert result.agreed.refused == (), (seed, study.id, line)
                assert all(process.poll() is None for process in world.processes.values()), line
