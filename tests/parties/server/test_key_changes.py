"""Keys change and end while a study waits, at three real servers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from ppaurora.mpc.errors import IdentityRefused
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import EvidenceRefused, KeyFault
from ppaurora.parties.evidence.audit_chain import entries
from ppaurora.parties.reports.verification import verified
from ppaurora.parties.site.key_files import create_identity
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.key_days import day_at
from ppaurora.parties.study.key_statements import KeyChange, Statement, changed, revoked
from tests.parties.world import World, on_request

EVERYBODY = ("P0", "P1", "helper", "ann", "ben", "cleo")


class Changing(World):
    """A world in which everybody has a folder for statements about keys."""

    given = 0

    def write_site(self, name: str, *, study: str = "study.toml", more: str = "") -> Path:
        (self.folder / f"changes-{name}").mkdir(exist_ok=True)
        keys = f'\n[keys]\nchanges = ["changes-{name}/*.toml"]\n'
        return super().write_site(name, study=study, more=more + keys)

    def rotate(self, name: str, overlap: int = 30) -> KeyChange:
        """A new key for `name`, which its site names from now on; nobody else is told."""
        new = create_identity(self.folder / f"{name}-new.key")
        change = changed(self.keys[name], new, day_at(time.time()), overlap)
        self.give(change, name)
        site = self.site(name)
        site.write_text(site.read_text().replace(f"{name}.key", f"{name}-new.key"))
        return change

    def give(self, statement: Statement, *names: str) -> None:
        """Put the statement's file where each of these looks for it; everybody, without names."""
        self.given += 1
        for name in names or EVERYBODY:
            (self.folder / f"changes-{name}" / f"{self.given}.toml").write_text(statement.text)

    def await_statements(self, count: int, *roles: Role) -> None:
        """Until each of these servers has read so many."""
        until = time.monotonic() + 60
        for role in roles:
            while self.log(role).count('"key statement",') < count:
                assert time.monotonic() < until, f"{role} has not read {count} statements"
                time.sleep(0.05)

    def awaited(self, role: Role, event: str) -> dict[str, str]:
        """The first line about this event in the server's log."""
        self.await_log(role, event)
        lines = map(json.loads, self.log(role).splitlines())
        return next(one for one in lines if one["event"] == event)


def test_a_faulty_file_is_told_at_once_and_takes_no_other_study_down_at_a_restart(
    tmp_path: Path,
) -> None:
    with Changing(tmp_path) as world:
        without_ann = tuple(one for one in world.study.participants if one.name != "ann")
        other = replace(world.study, id="other", participants=without_ann)
        (tmp_path / "studies").mkdir()
        for study in (world.study, other):
            world.write_study(f"studies/{study.id}.toml", study)
        site = world.write_site("P1", study="studies/")
        world.accept(Role.P1, world.study, other)
        port = free_ports(1)[0]
        with site.open("a", encoding="utf-8") as file:
            file.write(f'health = "127.0.0.1:{port}"\n')

        def health() -> str:
            asked = world.run("health", "--site=P1.toml")
            assert asked.returncode == 0, asked.stdout + asked.stderr
            return asked.stdout

        def await_health(fits: Callable[[str], bool]) -> None:
            until = time.monotonic() + 60
            while not fits(told := health()):
                assert time.monotonic() < until, told

        world.start(Role.P1)
        assert health() == "ok\n"
        good = changed(world.keys["ann"], Identity.generate(), day_at(time.time()), 30).text
        path = tmp_path / "changes-P1" / "of-ann.toml"
        path.write_text(good.replace("signed_by_new", "signed by new"))
        await_health(lambda told: str(path) in told)
        assert "a restart leaves out the studies" in health()
        with world.take_part("ann", world.study) as ann:
            assert ann.status()["P1"].sentence.startswith("waiting")

        world.kill(Role.P1)
        world.start(Role.P1)
        await_health(lambda told: "Study trial is not served before" in told)
        assert world.log(Role.P1).count('"key statement refused"') == 2
        with world.take_part("ben", other) as ben:
            assert ben.status()["P1"].sentence.startswith("waiting")
        with world.take_part("ann", world.study) as ann:
            assert "paused by its operator" in ann.status()["P1"].sentence

        path.write_text(good)
        await_health(lambda told: told == "ok\n")
        with world.take_part("ann", world.study) as ann:
            assert ann.status()["P1"].sentence.startswith("waiting")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Changing]:
    with Changing(tmp_path, change=on_request) as world:
        world.start()
        yield world


def test_a_study_goes_on_while_keys_change_and_end(world: Changing, tmp_path: Path) -> None:
    world.upload()
    # ann has a new key; a server that is not told of it does not let her in
    of_ann = world.rotate("ann")
    with world.owner("ann") as ann, pytest.raises(IdentityRefused, match="does not know your key"):
        ann.progress()
    world.give(of_ann)
    tampered = replace(of_ann, old_until=of_ann.old_until + timedelta(days=300))
    world.give(tampered, "P0")
    world.await_log(Role.P0, "key statement refused")
    world.await_statements(1, Role.P0, Role.P1)
    with world.owner("ann") as ann:
        ann.outsource(world.tables["ann"])  # the same list is the same upload under the new key
    (tmp_path / "changes-P0" / f"{world.given}.toml").unlink()

    # ben's key was stolen: what was uploaded with it may be the thief's
    world.give(world.rotate("ben", overlap=0))
    world.give(revoked(world.keys["ben"]))
    world.await_statements(3, Role.P0, Role.P1)
    for role in (Role.P0, Role.P1):
        world.await_log(role, "upload deleted")
        status = world.status(role)
        assert [one.owner for one in status.uploads] == ["ann", "cleo"]
        assert "ben had its key" in status.notes[-1].text
    with (
        world.take_part("ben", world.study) as thief,
        pytest.raises(KeyFault, match="was revoked by its holder"),
    ):
        thief.progress()
    world.upload("ben")

    # P1 starts again with a new key that all know of, the helper with one that P1 does not know
    world.give(world.rotate("P1"))
    of_helper = world.rotate("helper")
    world.give(of_helper, "P0", "ben")
    world.await_statements(5, Role.P0)
    for role in (Role.P1, Role.HELPER):
        world.kill(role)
    world.start(Role.P1, Role.HELPER)
    with world.owner("cleo") as cleo:
        cleo.compute()
    waits = world.awaited(Role.P0, "study waits")
    assert "helper uses the key" in waits["error"]
    assert "of which nothing is known here" in waits["error"]
    assert "[keys] changes" in waits["error"]
    world.give(of_helper, "P1", "ann")
    assert world.result("ann") == world.pooled()

    # the result is signed by two keys that the study does not name
    with world.owner("ben") as ben:
        text = ben.result().to_json()
    with pytest.raises(EvidenceRefused, match="not signed by its key in the study"):
        verified(text, world.study)
    keys = Keyring(Site.load(world.site("ben")).keys).in_force()
    assert verified(text, world.study, keys.ever_of_servers(world.study)).agreed.owners
    with (tmp_path / "state-P0" / "audit.jsonl").open("rb") as file:
        said = [one.facts["says"] for one in entries(file) if one.event == "key statement"]
    assert said[0] == of_ann.sentence
    assert len(said) == 5
