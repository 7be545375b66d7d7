"""Many covert studies at real servers, in which one server cheats or breaks: no wrong number."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from ppaurora.mpc.errors import CheatingDetected
from ppaurora.mpc.role import Role
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.requests.client import ServerClient
from ppaurora.parties.requests.messages import Done, RestartStudy
from ppaurora.parties.server.computing import runner, study_session
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study
from tests.parties.server.computing.test_covert_study import covert_world, is_at
from tests.parties.world import World, until_done

pytestmark = [pytest.mark.zeromq, pytest.mark.soak]
SECONDS = 60.0
WAYS = ("honest", "shifts its shares", "breaks before a run", "breaks after a run")


@dataclass
class Plan:
    """The wrong that one server does in one study, the first time that the study is computed."""

    way: str
    server: Role
    run: int
    done: bool = False


@pytest.mark.parametrize("seed", [1, 2])
def test_sixteen_studies_with_a_bad_server_each_give_the_right_number_or_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    dice = random.Random(seed)
    ways = [way for way in WAYS for _ in range(4)]
    plans = {
        f"run-{number}": Plan(way, dice.choice(list(Role)), dice.randrange(3))
        for number, way in enumerate(dice.sample(ways, len(ways)))
    }
    words, compute = study_session._words, runner.compute

    def shifting(study: Study, *given: Any) -> list[int]:
        found, plan = words(study, *given), plans[study.id]
        cheats = plan.way == "shifts its shares" and is_at(world, plan.server) and not plan.done
        return [(word + cheats) % 2**64 for word in found]

    def breaking(run: StudyRun, server: Role, *given: Any, **named: Any) -> Any:
        plan = plans[run.study.id]
        here = (server, run.number) == (plan.server, plan.run) and not plan.done
        if here and plan.way == "breaks before a run":
            plan.done = True
            raise RuntimeError("broken by the test")
        outcome = compute(run, server, *given, **named)
        if here and plan.way == "breaks after a run":
            plan.done = True
            raise RuntimeError("broken by the test")
        return outcome

    monkeypatch.setattr(study_session, "_words", shifting)
    monkeypatch.setattr(runner, "compute", breaking)
    found: Counter[tuple[str, str]] = Counter()
    with covert_world(tmp_path, runs=len(plans)) as world:
        expected = world.pooled()
        for id, plan in plans.items():
            study = replace(world.study, id=id)
            world.upload_patiently(study, SECONDS)
            with world.take_part("ann", study) as ann:
                outcome = of_result(ann, expected)
            found[plan.way, outcome] += 1
            if outcome == "stopped":
                plan.done = True
                restart_everywhere(world, study)
                world.upload_patiently(study, SECONDS)
                with world.take_part("ben", study) as ben:
                    assert of_result(ben, expected) == "right"
    print(dict(found))
    assert found == {(way, "stopped" if way == "shifts its shares" else "right"): 4 for way in WAYS}


def of_result(receiver: Participant, expected: object) -> str:
    try:
        values = receiver.result(wait=SECONDS).values
    except CheatingDetected:
        return "stopped"
    return "right" if values == expected else "wrong"


def restart_everywhere(world: World, study: Study) -> None:
    for role in Role:
        with ServerClient(world.keys[str(role)], study, role) as own:
            until_done(lambda own=own: own.ask(RestartStudy(), Done, patience=SECONDS), SECONDS)  # type: ignore[misc]
