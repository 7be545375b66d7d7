"""The result is on the disk and shown before any server hears that it may delete its share."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.commands.main import main
from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.servers import Servers
from ppaurora.parties.requests.messages import Done, ResultSaved
from tests.parties.server.offline import IDENTITIES, STUDY
from tests.parties.world import World


def test_both_proxies_are_told_whatever_one_of_them_says(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    def ask(_: Servers, role: Role, request: ResultSaved, __: type) -> Done:
        told.append(role)
        if role is Role.P0:
            raise PolicyRefusal("P0: The study is over")
        return Done()

    monkeypatch.setattr(Servers, "ask", ask)
    with pytest.raises(PolicyRefusal, match="is over"):
        Participant(IDENTITIES["ann"], STUDY).saved(b"s" * 16)
    assert told == [Role.P0, Role.P1]


@pytest.mark.zeromq
def test_a_proxy_that_is_lost_at_the_end_costs_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    happened = []
    telling = Participant.saved
    sync = os.fsync

    def synced(handle: int) -> None:
        happened.append("synced")
        sync(handle)

    def lost(self: Participant, session: bytes) -> None:
        happened.append("printed" if "AUROC" in capsys.readouterr().out else "not printed")
        world.kill(Role.P1)
        telling(self, session)

    with World(tmp_path) as world:
        world.start()
        world.upload()
        world.result("ann")
        with monkeypatch.context() as patch:
            patch.setattr(Participant, "saved", lost)
            patch.setattr(os, "fsync", synced)
            with pytest.raises(SystemExit) as left:
                main(["result", "--site", str(world.site("ann"))])
        assert left.value.code == 5
        assert happened == ["synced", "synced", "printed"]
        saved = tmp_path / "results" / "trial.json"
        assert json.loads(saved.read_text())["values"]["auroc"]["value"]
        # the same again: the servers are asked first, then the saved file is shown
        again = world.run("result", "--site=ann.toml", "--format=json")
        assert again.returncode == 0, again.stderr
        assert "saved as" in again.stderr
        assert json.loads(again.stdout) == json.loads(saved.read_text())
        world.start(Role.P1)
        for name in ("ann", "ben", "cleo"):
            done = world.run("result", f"--site={name}.toml", f"--output={name}.json")
            assert done.returncode == 0, done.stderr
        late = world.run("result", "--site=ann.toml", "--output=ann.json", "--format=json")
        assert late.returncode == 0, late.stderr
        assert "ann.json" in late.stderr
        assert json.loads(late.stdout)["values"]
        kept = tmp_path / "ann.json"
        kept.write_text(kept.read_text().replace('"samples": 150', '"samples": 151'))
        changed = world.run("result", "--site=ann.toml", "--output=ann.json", "--format=json")
        assert (changed.returncode, changed.stdout) == (6, ""), changed.stderr
        assert world.run("result", "--site=ben.toml", "--output=new.json").returncode == 4
