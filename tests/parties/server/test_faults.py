"""Faults done to the real processes: never a wrong number, never a hang."""

from __future__ import annotations

import hashlib
import math
import resource
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ppaurora.mpc.errors import IdentityRefused
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import (
    PolicyRefusal,
    ServerFault,
    StudyDiffers,
    TooEarly,
    Unreachable,
    UploadWithdrawn,
)
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.requests.messages import BeginUpload, CommitUpload, Received, SendChunk
from ppaurora.parties.requests.status import State
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.outsourcing import WordShare
from tests.parties.slow_line import (
    BEHIND_THE_LINES,
    LATE,
    Line,
    Weather,
    lines_to_all_servers,
)
from tests.parties.world import ANY_METRIC, World, generated, on_request, with_options
from tests.until import until

pytestmark = pytest.mark.zeromq
LONGEST_SECONDS = 30.0
OWNERS = ("ann", "ben", "cleo")


def test_one_two_or_ten_equal_uploads_give_one_result(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        for name, times in (("ben", 2), ("cleo", 10)):
            with world.owner(name) as owner:
                for _ in range(times):
                    owner.outsource(world.tables[name])
        world.upload("ann")
        assert world.result("ben") == world.pooled()


def test_half_an_upload_never_counts_and_is_completed_later(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ben", "cleo")
        world.kill(Role.P1)
        with world.owner("ann") as owner:
            prepared = owner.prepare(world.tables["ann"])
            owner.uploading.records.secret.keep()
            data = prepared.shares[Role.P0].to_bytes()
            _store(owner, Role.P0, prepared, data)
            with pytest.raises(Unreachable):
                owner.servers.ask(
                    Role.P1, _announced(prepared, prepared.shares[Role.P1].to_bytes()), Received
                )
        world.start(Role.P1)
        with world.owner("ann") as owner:
            words = prepared.shares[Role.P1].to_bytes()
            owner.servers.ask(Role.P1, _announced(prepared, words), Received)
            owner.servers.ask(Role.P1, SendChunk(prepared.upload, 0, words[:100]), Received)
        time.sleep(1.5)
        with pytest.raises(TooEarly):
            world.result("ben", wait=0)
        world.upload("ann")
        assert world.result("ben") == world.pooled()


def test_other_data_is_refused_until_withdrawn_which_also_ends_an_upload_under_way(
    tmp_path: Path,
) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann")
        other = generated(33, seed=99)
        with world.owner("ann") as owner:
            with pytest.raises(PolicyRefusal, match="withdraw"):
                owner.outsource(other)
            owner.withdraw()
            with world.owner("ann") as second, pytest.raises(UploadWithdrawn, match="meanwhile"):
                owner.outsource(other, lambda *_: second.withdraw())
            owner.outsource(other)
        world.tables["ann"] = other
        world.upload("ben", "cleo")
        assert world.result("ann") == world.pooled()


def test_two_owners_under_one_key_cannot_both_upload(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann")
        world.site("ben").write_text(world.site("ann").read_text())
        refused = world.run("outsource", "ben.csv", "--yes", "--site=ben.toml")
        assert refused.returncode == 4
        assert "Other data of this owner is stored already" in refused.stderr


def test_an_owner_whose_key_is_not_in_the_study_sends_nothing(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        stranger = world.add_owner("eve")
        (tmp_path / "eve.csv").write_text((tmp_path / "ann.csv").read_text())
        refused = world.outsource("eve")
        assert refused.returncode == 5
        assert "is not in study trial" in refused.stderr
        # even with a study file of her own that names her, no server lets her in
        entry = replace(world.study.participants[0], name="eve", public=stranger.public)
        forged = replace(world.study, participants=(*world.study.participants, entry))
        refusal = pytest.raises(IdentityRefused, match="does not know your key")
        with Participant(stranger, forged, ANY_METRIC) as owner, refusal:
            owner.outsource(world.tables["ann"])
        world.await_log(Role.P0, "connection refused")
        with world.owner("ann") as owner:
            assert owner.status()["P0"].uploads == ()


@pytest.mark.parametrize(
    "role", [Role.P0, pytest.param(Role.P1, marks=pytest.mark.weekly), Role.HELPER]
)
def test_servers_with_another_study_file_do_not_compute(tmp_path: Path, role: Role) -> None:
    with World(tmp_path) as world:
        world.write_study("other.toml", with_options(world.study, decimals=5))
        world.write_site(str(role), study="other.toml")
        world.start()
        if role is Role.HELPER:
            world.upload()
            with world.owner("ann") as owner:
                until(lambda: "decimals" in owner.status()["helper"].detail)
                problem = owner.status()["helper"].detail
                assert "another version of study trial" in problem
            world.await_log(Role.P0, "study waits")
            told = world.status(Role.P0)
            assert told.state is State.WAITING
            assert "another version of study trial" in told.detail
            world.kill(role)
            world.write_site(str(role))
            world.start(role)
            assert world.result("ann") == world.pooled()
        else:
            refusal = pytest.raises(StudyDiffers, match=r"metrics\.decimals")
            with world.owner("ann") as owner, refusal:
                owner.outsource(world.tables["ann"])


def test_a_replayed_upload_changes_nothing(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann")
        with world.owner("ann") as ann, world.owner("ben") as ben:
            prepared = ann.prepare(world.tables["ann"])
            data = prepared.shares[Role.P1].to_bytes()
            again = ann.servers.ask(Role.P1, _announced(prepared, data), Received)
            assert again.stored
            assert ann.servers.ask(Role.P1, SendChunk(prepared.upload, 0, data), Received).stored
            # another owner cannot pass it for its own
            with pytest.raises(PolicyRefusal, match="belongs to another owner"):
                ben.servers.ask(Role.P1, _announced(prepared, data), Received)
        world.upload("ben", "cleo")
        assert world.result("ann") == world.pooled()
        with world.owner("ann") as ann:
            ann.send(prepared)
            with pytest.raises(PolicyRefusal, match="computed already"):
                ann.outsource(generated(33, seed=99))
        assert world.result("cleo") == world.pooled()


def test_a_full_disk_is_told_and_survived(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        large = generated(50_000, seed=5)
        world.start(Role.P0, Role.HELPER)
        world.start(Role.P1, limits={resource.RLIMIT_FSIZE: 300_000})
        with world.owner("ann") as owner, pytest.raises(ServerFault, match="no room left"):
            owner.outsource(large)
        world.upload("ben")
        world.kill(Role.P1)
        world.start(Role.P1)
        with world.owner("ann") as owner:
            owner.outsource(large)
        world.tables["ann"] = large
        world.upload("cleo")
        assert world.result("ann") == world.pooled()


def test_a_study_is_not_about_to_be_computed_while_a_server_is_down(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann", "ben")
        world.kill(Role.HELPER)
        world.upload("cleo")
        world.await_log(Role.P0, "study waits")
        told = world.status(Role.P0)
        assert told.state is State.WAITING
        assert told.detail.startswith("helper of study trial at")
        assert "is not running" in told.detail
        world.start(Role.HELPER)
        assert world.result("ann") == world.pooled()


def test_state_that_is_lost_after_sealing_is_told_at_both_proxies(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload()
        world.result("ann")
        world.kill(Role.P1)
        (tmp_path / "state-P1" / "server.sqlite").unlink()
        world.start(Role.P1)
        refused = world.run("result", "--site=ann.toml")
        assert refused.returncode == 5
        assert "P1 holds no share of the result that the other proxy gave out" in refused.stderr
        world.kill(Role.P0)
        world.start(Role.P0)
        until(lambda: world.status(Role.P1).state is State.OVER, LONGEST_SECONDS)
        assert "damaged or lost on its disk" in world.status(Role.P1).detail


def test_a_stopped_server_is_noticed_and_the_study_goes_on(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann", "ben")
        world.signal(Role.HELPER, signal.SIGSTOP)
        world.upload("cleo")
        begun = time.monotonic()
        world.await_log(Role.P0, "study waits")
        assert time.monotonic() - begun < LONGEST_SECONDS
        world.signal(Role.HELPER, signal.SIGCONT)
        assert world.result("ann") == world.pooled()
        assert time.monotonic() - begun < LONGEST_SECONDS


def test_a_server_stopped_in_the_middle_of_the_computation_is_noticed(tmp_path: Path) -> None:
    weather = Weather()
    weather.turn(LATE, math.inf)
    with (
        World(tmp_path, servers_listen_at=BEHIND_THE_LINES) as world,
        lines_to_all_servers(world.study, Line, weather.line),
    ):
        world.start()
        world.upload()
        world.await_steps(Role.P1)
        world.signal(Role.P1, signal.SIGSTOP)
        world.await_log(Role.P0, "session failed", seconds=LONGEST_SECONDS)
        weather.clear_up()
        world.signal(Role.P1, signal.SIGCONT)
        assert world.result("ann") == world.pooled()


def test_a_lying_owner_is_refused_by_name_and_the_study_goes_on(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann", "ben")
        with world.owner("cleo") as owner:
            honest = owner.prepare(world.tables["cleo"])
            owner.send(unsorted(honest))
            result = owner.result(wait=LONGEST_SECONDS)
        assert result.agreed.refused == ("cleo",)
        assert result.values == world.pooled("ann", "ben")


def test_too_few_sound_lists_give_no_result(tmp_path: Path) -> None:
    def all_three(study: Study) -> Study:
        return replace(study, rule=replace(study.rule, least_owners=3))

    with World(tmp_path, change=all_three) as world:
        world.start()
        world.upload("ann", "ben")
        with world.owner("cleo") as owner:
            honest = owner.prepare(world.tables["cleo"])
            owner.send(unsorted(honest))
            world.await_log(Role.P0, "session failed")
            world.await_log(Role.P1, "session failed")

            def missing() -> str:
                with pytest.raises(TooEarly) as caught:
                    owner.result()
                return str(caught.value)

            until(lambda: "1 of 3 owners has not uploaded" in missing())
            # the upload of this name was refused for good: the list comes back as another one
            owner.withdraw()
            owner.outsource(world.tables["cleo"])
            assert owner.result(wait=LONGEST_SECONDS).values == world.pooled()


def test_withdrawing_before_the_computation_and_starting_on_request(tmp_path: Path) -> None:
    with World(tmp_path, change=on_request) as world:
        world.start()
        world.upload("ann")
        early = world.run("compute", "--site=ann.toml")
        assert (early.returncode, early.stdout) == (4, "")
        assert "1 of at least 2 owners" in early.stderr
        world.upload("ben", "cleo")
        withdrawn = world.run("outsource", "--withdraw", "--site=cleo.toml")
        assert withdrawn.returncode == 0, withdrawn.stderr
        until(lambda: "ppaurora compute" in world.status(Role.P0).detail)
        asked = world.run("compute", "--site=ann.toml", "--wait")
        assert asked.returncode == 0, asked.stderr
        assert world.result("cleo") == world.pooled("ann", "ben")
        with world.owner("cleo") as owner, pytest.raises(PolicyRefusal, match="computed already"):
            owner.outsource(world.tables["cleo"])


def test_a_changed_study_with_data_does_not_start(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        world.start()
        world.upload("ann")
        world.kill(Role.P0)
        world.write_study("study.toml", with_options(world.study, decimals=6))
        refused = world.run("server", "P0.toml")
        assert refused.returncode == 2
        assert "was changed after this server had received data" in refused.stderr
        world.write_study("study.toml", world.study)
        world.start(Role.P0)


def unsorted(honest: Prepared) -> Prepared:
    """The upload of an owner whose list is not sorted: its own, with 0, 1, 2, ... added."""
    more = np.arange(honest.samples, dtype=np.uint64)
    share = honest.shares[Role.P1]
    assert isinstance(share, WordShare)
    lie = replace(share, share=share.words() + more)
    return replace(honest, shares={**honest.shares, Role.P1: lie})


def _announced(prepared: Prepared, data: bytes) -> BeginUpload:
    digest = hashlib.sha256(data).digest()
    return BeginUpload(prepared.upload, prepared.samples, len(data), digest)


def _store(owner: Participant, role: Role, prepared: Prepared, data: bytes) -> None:
    owner.servers.ask(role, _announced(prepared, data), Received)
    owner.servers.ask(role, SendChunk(prepared.upload, 0, data), Received)
    owner.servers.ask(role, CommitUpload(prepared.upload), Received)
