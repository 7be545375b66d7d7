"""Many studies at once with one key of an owner and one of a receiver: none loses anything."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.link.connection_quota import Caps
from ppaurora.mpc.role import Role
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.study.study import ParticipantEntry, Study
from tests.parties.world import ANY_METRIC, World, generated

pytestmark = pytest.mark.zeromq
WAIT = 400.0


def with_receiver(study: Study) -> Study:
    """The study, whose last participant uploads nothing."""
    *owners, last = study.participants
    receiver = ParticipantEntry(last.name, last.public, uploads=False)
    return replace(study, participants=(*owners, receiver))


def studies_at_once(folder: Path, count: int, owners: Sequence[str]) -> None:
    """So many studies of the same owners and receiver: uploaded, waited for and fetched at once.

    Every upload and every result is one call of the program, and none may fail. The receiver waits
    before the owners come.
    """
    with World(folder, (*owners, "eve"), patience=30.0, sessions=2, change=with_receiver) as world:
        world.tables = {name: generated(12 + at, at) for at, name in enumerate(owners)}
        studies = world.make_runs(count)
        world.start()

        def participant(name: str, study: Study) -> Participant:
            return Participant(
                world.keys[name], study, ANY_METRIC, state=folder / f"of-{name}-{study.id}"
            )

        def upload(name: str, study: Study) -> None:
            with participant(name, study) as owner:
                owner.outsource(world.tables[name])

        def result(study: Study) -> object:
            with participant("eve", study) as eve:
                return eve.result(wait=WAIT).values

        with ThreadPoolExecutor(count * (len(owners) + 1)) as pool:
            results = [pool.submit(result, study) for study in studies]
            uploads = [pool.submit(upload, name, study) for study in studies for name in owners]
            for one in uploads:
                one.result()
            for got in results:
                assert got.result() == world.pooled()
        for role in Role:
            print(role, "has turned away", world.log(role).count("has too many"), "in its log")


@pytest.mark.slow
@pytest.mark.parametrize("count", [10, pytest.param(24, marks=pytest.mark.weekly)])
def test_studies_at_once_with_one_key_of_each_kind_lose_nothing(tmp_path: Path, count: int) -> None:
    studies_at_once(tmp_path, count, ("ann", "ben"))


@pytest.mark.soak
def test_fifty_studies_at_once_of_three_owners_and_a_receiver_lose_nothing(tmp_path: Path) -> None:
    assert Caps().of_a_key < 50
    studies_at_once(tmp_path, 50, ("ann", "ben", "cleo"))
