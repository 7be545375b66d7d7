"""Charges to an owner's privacy budget for its uploads, at real stores and handlers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError, PolicyRefusal
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.site.site import Policy
from ppaurora.protocols.options import Options
from tests.parties.server import offline
from tests.parties.server.offline import IDENTITIES, STUDY, TABLES, OfflineStudy

NOISY = replace(STUDY, options=Options(metrics=("auroc_dp:epsilon=1,least_class=2",)))
POLICY = Policy(most_epsilon=Fraction(2), data_set="icu")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OfflineStudy]:
    monkeypatch.setattr(offline, "STUDY", NOISY)
    servers = OfflineStudy(tmp_path, monkeypatch)
    yield servers
    servers.stop()


def ann(world: OfflineStudy) -> Participant:
    """As a program that has just started."""
    return Participant(IDENTITIES["ann"], NOISY, POLICY, world.folder / "owners")


def there(world: OfflineStudy, role: Role) -> list[str]:
    """Of whom the server has a byte."""
    return [one.owner for one in ann(world).status()[str(role)].uploads if one.received]


def test_a_repeated_upload_is_charged_once_and_each_after_a_withdrawal_again(
    world: OfflineStudy,
) -> None:
    for _ in range(3):
        ann(world).outsource(TABLES["ann"])
    assert ann(world).withdraw()
    ann(world).outsource(TABLES["ann"])
    assert ann(world).withdraw()
    with pytest.raises(PolicyRefusal, match="2 of 2 are spent"):
        ann(world).outsource(TABLES["ann"])
    assert there(world, Role.P0) == there(world, Role.P1) == []


def test_servers_that_lost_their_state_do_not_get_the_upload_for_nothing(
    world: OfflineStudy,
) -> None:
    ann(world).outsource(TABLES["ann"])
    world.stop()
    for role in Role:
        shutil.rmtree(world.folder / str(role))
        world.start(role)
    with pytest.raises(PolicyRefusal, match="fresh noise"):
        ann(world).outsource(TABLES["ann"])
    assert there(world, Role.P0) == there(world, Role.P1) == []
    ann(world).withdraw()
    ann(world).outsource(TABLES["ann"])
    assert there(world, Role.P0) == there(world, Role.P1) == ["ann"]
    ann(world).withdraw()
    with pytest.raises(PolicyRefusal, match="2 of 2 are spent"):
        ann(world).outsource(TABLES["ann"])


def test_one_server_that_lost_its_state_gets_the_same_upload_again(world: OfflineStudy) -> None:
    ann(world).outsource(TABLES["ann"])
    world.stores[Role.P1].close()
    shutil.rmtree(world.folder / str(Role.P1))
    world.start(Role.P1)
    ann(world).outsource(TABLES["ann"])
    assert there(world, Role.P0) == there(world, Role.P1) == ["ann"]


@pytest.mark.parametrize("file", ["privacy-budget.json", "accepted/privacy-budget.anchor"])
def test_an_owner_whose_budget_was_taken_away_sends_nothing(world: OfflineStudy, file: str) -> None:
    ann(world).outsource(TABLES["ann"])
    ann(world).withdraw()
    (world.folder / "owners" / file).unlink()
    with pytest.raises(ConfigurationError, match="is missing"):
        ann(world).outsource(TABLES["ann"])
    assert there(world, Role.P0) == there(world, Role.P1) == []
