"""What an owner prepares: shares that depend on the list and its key alone, checked before."""

from __future__ import annotations

import os
import pty
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DataError, KeyFault, PolicyRefusal
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.simulation.processes import command, environment
from ppaurora.parties.site.site import Policy
from ppaurora.parties.sources.reader import Labelled
from tests.parties.sample import study
from tests.parties.world import World, generated

ANN = Identity.from_private(bytes([4]) * 64)
TABLE = generated(50, seed=1)


def shuffled(table: Labelled) -> Labelled:
    order = np.random.default_rng(0).permutation(len(table))
    return Labelled(table.scores[order], table.labels[order])


def test_the_same_list_in_any_order_gives_the_same_shares() -> None:
    first = Participant(ANN, study()).prepare(TABLE)
    second = Participant(ANN, study()).prepare(shuffled(TABLE))
    assert first.upload == second.upload
    for role in (Role.P0, Role.P1):
        assert first.shares[role].to_bytes() == second.shares[role].to_bytes()


def test_another_list_study_or_key_gives_other_shares() -> None:
    nearly = Labelled(TABLE.scores.copy(), TABLE.labels)
    nearly.scores[0] = np.nextafter(nearly.scores[0], 1)
    other_key = Identity.from_private(bytes([5]) * 64)
    seeds = {
        Participant(ANN, study()).prepare(TABLE).shares[Role.P0].to_bytes(),
        Participant(ANN, study()).prepare(nearly).shares[Role.P0].to_bytes(),
        Participant(ANN, study(decimals=5)).prepare(TABLE).shares[Role.P0].to_bytes(),
        Participant(other_key, study()).prepare(TABLE).shares[Role.P0].to_bytes(),
    }
    assert len(seeds) == 4


def test_the_shares_add_up_to_the_sorted_keys() -> None:
    prepared = Participant(ANN, study()).prepare(TABLE)
    keys = prepared.shares[Role.P0].words() + prepared.shares[Role.P1].words()
    assert (keys[:-1] >= keys[1:]).all()
    assert prepared.size == 32 + 8 * 50


def test_what_cannot_be_sent_is_refused_before_anything_is() -> None:
    owner = Participant(ANN, study(), Policy(least_own_samples=51))
    with pytest.raises(PolicyRefusal, match="at least 51 samples"):
        owner.prepare(TABLE)
    outside = Labelled(TABLE.scores + 1, TABLE.labels)
    with pytest.raises(DataError, match="not between 0 and 1 in 50 rows") as caught:
        Participant(ANN, study()).prepare(outside)
    assert 'code = "real"' in caught.value.advice
    missing = Labelled(np.full(3, np.nan), np.ones(3, np.uint8))
    with pytest.raises(DataError, match="missing or not a number"):
        Participant(ANN, study(code="real")).prepare(missing)
    uneven = Labelled(np.full(3, 0.5), np.ones(2, np.uint8))
    with pytest.raises(DataError, match="3 scores and 2 labels") as caught:
        Participant(ANN, study()).prepare(uneven)
    assert caught.value.advice == "Give every score its label."
    empty = Labelled(np.empty(0), np.empty(0, np.uint8))
    with pytest.raises(DataError, match="is empty"):
        Participant(ANN, study(), Policy(least_own_samples=0)).prepare(empty)


def test_who_only_receives_uploads_nothing() -> None:
    reader = Identity.from_private(bytes([6]) * 64)
    with pytest.raises(KeyFault, match="uploads nothing"):
        Participant(reader, study()).prepare(TABLE)
    with pytest.raises(KeyFault, match="is not in study"):
        Participant(Identity.generate(), study())


@pytest.mark.zeromq
def test_on_a_terminal_the_owner_is_asked_and_sees_progress(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        for answer, code in (("n", 4), ("y", 0)):
            mine, theirs = pty.openpty()
            process = subprocess.Popen(
                command("outsource", "ann.csv", "--site=ann.toml"),
                cwd=tmp_path,
                env={**environment(), "TERM": "xterm", "NO_COLOR": "1"},
                stdin=theirs,
                stderr=theirs,
                stdout=subprocess.PIPE,
            )
            os.close(theirs)
            os.write(mine, f"{answer}\n".encode())
            out, _ = process.communicate(timeout=20)
            shown = os.read(mine, 65536).decode()
            os.close(mine)
            assert (process.returncode, out) == (code, b"")
            assert "your list has 40 samples" in shown
            assert "Send it?" in shown
            assert ("sending" in shown) == (answer == "y")
        with world.owner("ann") as owner:
            assert [one.owner for one in owner.status()["P0"].uploads] == ["ann"]


def test_the_studys_least_owners_guard_the_single_one() -> None:
    alone = replace(study().rule, least_owners=1)
    with pytest.raises(PolicyRefusal, match="at least 1 other owners"):
        Participant(ANN, study(rule=alone)).prepare(TABLE)
