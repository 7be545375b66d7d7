"""Preparation at an owner: shares of a list that repeat an upload, checked before."""

from __future__ import annotations

import os
import pty
import stat
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError, DataError, KeyFault, PolicyRefusal
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.simulation.processes import command, environment
from ppaurora.parties.site.site import Policy
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.reader import Labelled
from ppaurora.protocols.grid.grid import Bins
from ppaurora.protocols.options import Options
from tests.parties.sample import study
from tests.parties.world import World, generated
from tests.until import SECONDS

ANN = Identity.from_private(bytes([4]) * 64)
TABLE = generated(50, seed=1)
COUNTED: dict[str, object] = {"metrics": ("auroc",), "resolution": "bins:64"}


def shuffled(table: Labelled) -> Labelled:
    order = np.random.default_rng(0).permutation(len(table))
    return Labelled(table.scores[order], table.labels[order])


def with_secret(owner: Participant, table: Labelled) -> Prepared:
    owner.uploading.records.secret._secret = bytes(32)
    return owner.prepare(table)


def kept(folder: Path, identity: Identity = ANN, **changes: object) -> Participant:
    """A participant in a process of its own, whose upload's secret lies in the folder."""
    owner = Participant(identity, study(**changes), state=folder)
    owner.uploading.records.secret.keep()
    return owner


def test_an_interrupted_upload_goes_on_with_the_same_shares(tmp_path: Path) -> None:
    """Also where another process repeats it, with the rows in another order."""
    first = kept(tmp_path).prepare(TABLE)
    second = kept(tmp_path).prepare(shuffled(TABLE))
    assert first.upload == second.upload
    for role in (Role.P0, Role.P1):
        assert first.shares[role].to_bytes() == second.shares[role].to_bytes()


def test_an_interrupted_upload_draws_its_replicates_again_and_a_fresh_one_draws_others(
    tmp_path: Path,
) -> None:
    def words(owner: Participant) -> list[int]:
        shares = owner.prepare(TABLE).shares
        return (shares[Role.P0].words() + shares[Role.P1].words()).tolist()

    options = Options(metrics=("bootstrap:replicates=20,bins=2",), resolution="bins:2")
    of_study = study(options=options)
    owner = Participant(ANN, of_study, state=tmp_path)
    owner.uploading.records.secret.keep()
    first = words(owner)
    assert words(Participant(ANN, of_study, state=tmp_path)) == first
    owner.uploading.records.secret.forget()
    fresh = words(owner)
    # the counts of two bins and both classes, and then the replicates
    assert fresh[:4] == first[:4]
    assert fresh[4:] != first[4:]
    assert len(first) == 4 + 20 * 4


def test_two_fresh_uploads_of_one_list_have_nothing_in_common(tmp_path: Path) -> None:
    owner = kept(tmp_path)
    prepared = [owner.prepare(TABLE)]
    owner.uploading.records.secret.forget()  # as a withdrawal does
    assert list(tmp_path.iterdir()) == []
    prepared += [owner.prepare(TABLE), Participant(ANN, study()).prepare(TABLE)]
    assert len({one.upload for one in prepared}) == 3
    for role in (Role.P0, Role.P1):
        words = [set(one.shares[role].words().tolist()) for one in prepared]
        assert not words[0] & words[1]
        assert not words[0] & words[2]
    assert len({one.shares[Role.P0].to_bytes() for one in prepared}) == 3


def test_a_check_alone_keeps_nothing_and_a_kept_secret_is_private(tmp_path: Path) -> None:
    owner = Participant(ANN, study(), state=tmp_path / "state")
    owner.prepare(TABLE)
    assert not (tmp_path / "state").exists()
    owner.uploading.records.secret.keep()
    [path] = (tmp_path / "state").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert owner.uploading.records.secret.get().hex() not in repr(owner.uploading.records.secret)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file in the way")
    with pytest.raises(ConfigurationError, match="cannot be") as caught:
        kept(tmp_path / "state")
    assert "[participant] state" in caught.value.advice


def test_another_list_study_or_key_gives_other_shares() -> None:
    """Even from one secret, if somebody copied it."""
    nearly = Labelled(TABLE.scores.copy(), TABLE.labels)
    nearly.scores[0] = np.nextafter(nearly.scores[0], 1)
    other_key = Identity.from_private(bytes([5]) * 64)
    seeds = {
        with_secret(owner, table).shares[Role.P0].to_bytes()
        for owner, table in (
            (Participant(ANN, study()), TABLE),
            (Participant(ANN, study()), nearly),
            (Participant(ANN, study(decimals=5)), TABLE),
            (Participant(other_key, study()), TABLE),
        )
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
    assert "another range" in caught.value.advice
    missing = Labelled(np.full(3, np.nan), np.ones(3, np.uint8))
    with pytest.raises(DataError, match="missing or not a number"):
        Participant(ANN, study(range=("any",))).prepare(missing)
    with pytest.raises(DataError, match="3 scores and 2 labels") as caught:
        Labelled(np.full(3, 0.5), np.ones(2, np.uint8))
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
def read_on(terminal: int) -> str:
    """The rest of what a terminal shows whose program has ended; empty at its end."""
    try:
        return os.read(terminal, 65536).decode()
    except OSError:  # Linux tells the end so
        return ""


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
            out, _ = process.communicate(timeout=SECONDS)
            shown = "".join(iter(partial(read_on, mine), ""))
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


def test_counts_make_the_same_upload_as_the_list(tmp_path: Path) -> None:
    for direction in ("higher", "lower"):
        owner = kept(tmp_path / direction, direction=direction, **COUNTED)
        grid = owner.study.options.pipeline.counting_grid
        assert grid is not None
        # an engine counts; a list that is here stays one
        assert isinstance(owner.take(TABLE), Labelled)
        first, second = owner.prepare(TABLE), owner.prepare(Counted.of(TABLE, grid))
        assert first.upload == second.upload
        for role in (Role.P0, Role.P1):
            assert first.shares[role].to_bytes() == second.shares[role].to_bytes()
        assert first.samples == len(TABLE)


def test_counts_on_another_grid_or_for_another_study_are_refused(tmp_path: Path) -> None:
    counted = Counted.of(TABLE, Bins(32))
    with pytest.raises(DataError, match=r"needs counts in 64 cells, .* of the list, and was given"):
        Participant(ANN, study(**COUNTED)).prepare(counted)
    turned = Counted.of(TABLE, Bins(64, direction="lower"))
    with pytest.raises(DataError, match=r"higher scores .* was given .* lower scores"):
        Participant(ANN, study(**COUNTED)).prepare(turned)
    with pytest.raises(DataError, match="needs every score of the list, and was given counts"):
        Participant(ANN, study()).prepare(counted)
