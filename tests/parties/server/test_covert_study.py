"""A covert study at three real servers: three rotated runs, equal results or none, stops."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppaurora import Server, Site
from ppaurora.mpc.committed import CommittedDealing
from ppaurora.mpc.errors import AuroraError, CheatingDetected
from ppaurora.mpc.keys import fingerprint
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import Links
from ppaurora.mpc.words import Words
from ppaurora.parties.commands.study import restart
from ppaurora.parties.errors import StudyStopped, UploadWithdrawn
from ppaurora.parties.evidence.commitment import blinded
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.prepared import Prepared, shared
from ppaurora.parties.reports.verification import verified
from ppaurora.parties.requests.messages import CommitUpload
from ppaurora.parties.requests.status import State
from ppaurora.parties.server import runner, study_session
from ppaurora.parties.server.logs import own_server
from ppaurora.parties.server.store import Store
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study
from ppaurora.protocols.evaluate import Evaluation
from tests.parties.world import World, generated, until_done, with_options

pytestmark = pytest.mark.zeromq
SECONDS = 30.0


def covert(study: Study) -> Study:
    rule = replace(study.rule, least_owners=2, least_samples=4)
    options = with_options(
        study, assurance="covert", dealings=2, merge="network", metrics=("auroc",)
    ).options
    return replace(study, rule=rule, options=options, participants=study.participants[:2])


@contextmanager
def covert_world(folder: Path, runs: int = 0) -> Iterator[World]:
    """Three servers in this process, and two owners with short lists; so many studies instead."""
    with World(folder, owners=("ann", "ben"), change=covert) as world, ExitStack() as stack:
        world.tables = {
            name: generated(6 + place, place) for place, name in enumerate(world.tables)
        }
        if runs:
            world.make_runs(runs)
        for role in Role:
            stack.enter_context(Server(Site.load(world.site(role))).running())
        yield world


def is_at(world: World, server: Role) -> bool:
    """Whether this thread works for that server."""
    return own_server() == fingerprint(world.study.server(server).public)


def once(action: Callable[..., Any], when: Callable[..., bool]) -> Callable[..., Any]:
    """The action, which breaks the first time that it is called so."""
    lock, done = threading.Lock(), []

    def breaks(*given: Any, **named: Any) -> Any:
        with lock:
            first = not done and when(*given)
            done.extend([True] * first)
        if first:
            raise RuntimeError("broken by the test")
        return action(*given, **named)

    return breaks


def states(world: World) -> set[State]:
    return {world.status(role).state for role in Role}


def await_states(world: World, *expected: State) -> None:
    """Until all three servers tell of one of these states."""

    def look() -> None:
        if not states(world) <= {*expected}:
            raise StudyStopped("not yet")

    until_done(look, SECONDS)


def test_three_rotated_runs_give_what_the_pooled_data_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upload that breaks off is repeated soundly, and one that is withdrawn is gone."""
    with covert_world(tmp_path) as world:
        world.upload("ben")
        with world.owner("ben") as ben:
            assert ben.withdraw()
        assert not any(world.status(role).uploads for role in Role)

        plain = Participant._ask
        commits: list[Role] = []

        def break_off(self: Participant, role: Role, request: Any, answer: Any) -> Any:
            if isinstance(request, CommitUpload):
                commits.append(role)
                if len(commits) == 2:
                    raise KeyboardInterrupt
            return plain(self, role, request, answer)

        with monkeypatch.context() as patched:
            patched.setattr(Participant, "_ask", break_off)
            with pytest.raises(KeyboardInterrupt):
                world.upload("ann")
        stored = {role: [one.stored for one in world.status(role).uploads] for role in Role}
        assert stored == {Role.P0: [False], Role.P1: [False], Role.HELPER: [True]}

        world.upload()
        with world.owner("ann") as owner:
            result = owner.result(wait=SECONDS)
        assert result.values == world.pooled()
        assert verified(result.to_json(), world.study).values == world.pooled()
        assert result.content["options"]["assurance"] == "covert"  # type: ignore[index]


def test_a_shifted_share_stops_the_study_until_all_three_operators_restart_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shifted(words: Sequence[int]) -> tuple[int, ...]:
        more = int(is_at(world, Role.P0))
        return blinded([(word + more) % 2**64 for word in words])

    with covert_world(tmp_path) as world:
        with monkeypatch.context() as patched:
            patched.setattr(study_session, "blinded", shifted)
            world.upload()
            with world.owner("ann") as ann, pytest.raises(CheatingDetected) as refused:
                ann.result(wait=SECONDS)
        assert "P0, P1, helper were told" in str(refused.value)
        assert states(world) == {State.STOPPED}
        with world.owner("ben") as ben, pytest.raises(StudyStopped, match="ann says"):
            ben.result()
        assert "study stopped" in (tmp_path / "state-helper" / "audit.jsonl").read_text()

        for role in (Role.P0, Role.P1):
            restart(tmp_path / "study.toml", world.site(role))
        world.upload()
        assert states(world) <= {State.STARTING, State.WAITING, State.READY, State.STOPPED}
        assert world.status(Role.HELPER).state is State.STOPPED
        restart(tmp_path / "study.toml", world.site(Role.HELPER))
        assert world.result("ben") == world.pooled()


def test_a_list_that_only_some_runs_refuse_stops_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What all three see of a proxy that lies about one of its verdicts in one run."""
    plain = study_session.evaluated

    def lied(party: Party, *given: Any) -> Evaluation:
        # the helper of the study is a proxy in the second run
        second = party.role == (own_role(world) - 1) % 3
        return Evaluation({}, (0,), 0) if second else plain(party, *given)

    with covert_world(tmp_path) as world:
        monkeypatch.setattr(study_session, "evaluated", lied)
        world.upload()
        await_states(world, State.STOPPED)
        with world.owner("ann") as ann, pytest.raises(StudyStopped, match="the same lists"):
            ann.result()


def test_a_list_that_all_runs_refuse_is_deleted_everywhere_and_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ascending(upload: bytes, samples: int, words: Words, *more: Any) -> Prepared:
        return shared(upload, samples, np.sort(words), *more)

    def deleted() -> None:
        uploads = [one.owner for role in Role for one in world.status(role).uploads]
        if uploads != ["ann"] * 3:
            raise StudyStopped("not yet")

    with covert_world(tmp_path) as world:
        world.upload("ann")
        with monkeypatch.context() as patched:
            patched.setattr("ppaurora.parties.participant.prepared.shared", ascending)
            world.upload("ben")
        until_done(deleted, SECONDS)
        assert "the lists of ben were refused" in world.status(Role.HELPER).last_problem.lower()
        # its verdict is final, so the same list comes back as another upload
        with pytest.raises(UploadWithdrawn, match="withdrawn or refused"):
            world.upload("ben")
        world.upload("ben")
        assert world.result("ann") == world.pooled()


def test_cheating_that_one_server_notices_stops_all_three(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = study_session.evaluated

    def noticed(party: Party, *given: Any) -> Evaluation:
        if is_at(world, Role.HELPER) and not party.is_helper:
            raise CheatingDetected("the helper dealt other words than it committed to")
        return plain(party, *given)

    with covert_world(tmp_path) as world:
        monkeypatch.setattr(study_session, "evaluated", noticed)
        world.upload()
        await_states(world, State.STOPPED)
        told = {role: world.status(role).detail for role in Role}
        assert "dealt other words" in told[Role.HELPER]
        assert told[Role.P0] == "helper tells of a mismatch"
        assert told[Role.P1].startswith("P0 tells of a mismatch")


def own_role(world: World) -> Role:
    return next(role for role in Role if is_at(world, role))


def test_a_helper_that_stands_still_while_it_commits_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed, heard = threading.Event(), []
    commit, compute = CommittedDealing._commit, runner.compute

    def standing_still(self: CommittedDealing, links: Links) -> dict[Role, bytes]:
        if not heard:
            heard.append(failed.wait(10.0))
        return commit(self, links)

    @contextmanager
    def watched(identity: Any, run: Any, publics: Any, links: Links) -> Iterator[None]:
        if is_at(world, Role.P0) and not failed.is_set():
            links[Role.HELPER].declare_lost("has given no sign of life")
        yield

    def told(*given: Any, **named: Any) -> Any:
        try:
            return compute(*given, **named)
        except AuroraError:
            failed.set()
            raise

    monkeypatch.setattr(CommittedDealing, "_commit", standing_still)
    monkeypatch.setattr(study_session, "watched", watched)
    monkeypatch.setattr(runner, "compute", told)
    with covert_world(tmp_path) as world:
        world.upload()
        assert world.result("ann") == world.pooled()
    assert heard == [True]


def test_a_crash_between_runs_or_at_the_seal_ends_in_one_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def second_run(run: StudyRun, server: Role, *_: Any) -> bool:
        return run.number == 1 and server is Role.P1

    with covert_world(tmp_path) as world:
        monkeypatch.setattr(runner, "compute", once(runner.compute, second_run))
        for role in Role:
            breaking = once(Store.seal, lambda *_, role=role: is_at(world, role))
            monkeypatch.setattr(Store, "seal", breaking)
        world.upload()
        assert world.result("ann") == world.result("ben") == world.pooled()
        account = (tmp_path / "state-P0" / "audit.jsonl").read_text()
        assert account.count("session begins") == 2
        assert account.count('"computed"') == 1
