"""Several sessions at once on the same three servers, each on link ports of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import Role
from ppaurora.parties.study.study import Study
from tests.parties.world import World, on_request

SESSIONS, STUDIES = 3, 4


def with_ports_for_three(study: Study) -> Study:
    """The study, on request, with three sets of link ports."""
    ports = iter(free_ports(3 * SESSIONS))
    servers = tuple(
        replace(
            one, link_ports=tuple(next(ports) for _ in range(SESSIONS * (Role.HELPER - one.role)))
        )
        for one in study.servers
    )
    return on_request(replace(study, servers=servers))


def most_at_once(log: str) -> int:
    """The most sessions between whose beginning and end a server was at one moment."""
    running, most = 0, 0
    for line in log.splitlines():
        event = json.loads(line)["event"]
        running += (event == "session starts") - (event in ("session ends", "session failed"))
        most = max(most, running)
    return most


@pytest.mark.zeromq
@pytest.mark.slow
def test_studies_are_computed_side_by_side_and_each_with_its_own_result(tmp_path: Path) -> None:
    with World(tmp_path, change=with_ports_for_three, sessions=SESSIONS) as world:
        runs = world.make_runs(STUDIES)
        world.start()
        for study in runs:
            world.upload_patiently(study, 20)
        for study in runs:
            with world.take_part("ann", study) as owner:
                owner.compute()
        for study in runs:
            with world.take_part("ben", study) as owner:
                assert owner.result(wait=30).values == world.pooled()
        for role in Role:
            assert 1 < most_at_once(world.log(role)) <= SESSIONS
