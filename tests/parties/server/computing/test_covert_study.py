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
from ppaurora.mpc.errors import AuroraError, CheatingDetected, RemoteProtocolError
from ppaurora.mpc.keys import fingerprint
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import Links
from ppaurora.mpc.words import Words
from ppaurora.parties.commands.study import restart
from ppaurora.parties.errors import (
    DiskCode,
    DiskFault,
    PeerRefused,
    PolicyRefusal,
    StudyStopped,
    UploadWithdrawn,
)
from ppaurora.parties.evidence.commitment import blinded, hand_out
from ppaurora.parties.evidence.mismatch import HandedShare, Openings
from ppaurora.parties.participant.prepared import Prepared, shared
from ppaurora.parties.participant.servers import Servers
from ppaurora.parties.reports.verification import verified
from ppaurora.parties.requests.messages import (
    CommitUpload,
    Done,
    KnownVerdict,
    ReportMismatch,
    ResultPart,
)
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.requests.status import State
from ppaurora.parties.server.answering import handler
from ppaurora.parties.server.answering.halt_requests import MOST_FALSE
from ppaurora.parties.server.computing import leader, runner, study_session
from ppaurora.parties.server.keeping.database import Database
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.logs import own_server
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study
from ppaurora.protocols.evaluate import Evaluation
from tests.mpc.committed.cheats import Altering
from tests.parties.world import World, generated, until_done, with_options
from tests.until import until

pytestmark = pytest.mark.zeromq
SECONDS = 30.0


def covert(study: Study) -> Study:
    rule = replace(study.rule, least_owners=2, least_samples=4)
    options = with_options(
        study, assurance="covert", dealings=2, merge="network", metrics=("auroc",)
    ).options
    return replace(study, rule=rule, options=options, participants=study.participants[:2])


@contextmanager
def covert_world(folder: Path, runs: int = 0, patience: float = 8.0) -> Iterator[World]:
    """Three servers in this process, and two owners with short lists; so many studies instead."""
    owners = "ann", "ben"
    with (
        World(folder, owners, patience=patience, change=covert) as world,
        ExitStack() as stack,
    ):
        world.tables = {
            name: generated(6 + place, place) for place, name in enumerate(world.tables)
        }
        if runs:
            world.make_runs(runs)
        for role in Role:
            stack.enter_context(Server(Site.load(world.site(role))).running())
        yield world


def is_at(world: World, server: Role) -> bool:
    """Return whether this thread works for that server."""
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

        plain = Servers.ask
        commits: list[Role] = []

        def break_off(self: Servers, role: Role, request: Any, answer: Any) -> Any:
            if isinstance(request, CommitUpload):
                commits.append(role)
                if len(commits) == 2:
                    raise KeyboardInterrupt
            return plain(self, role, request, answer)

        with monkeypatch.context() as patched:
            patched.setattr(Servers, "ask", break_off)
            with pytest.raises(KeyboardInterrupt):
                world.upload("ann")
        stored = {role: [one.stored for one in world.status(role).uploads] for role in Role}
        assert stored == {Role.P0: [False], Role.P1: [False], Role.HELPER: [True]}

        world.upload()
        with world.owner("ann") as owner:
            result = owner.result(wait=SECONDS)
        assert result.values == world.pooled()
        assert verified(result.to_json(), world.study).values == world.pooled()
        assert result.content["options"]["protocol"]["assurance"] == "covert"  # type: ignore[index]


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
        with world.owner("ben") as ben, pytest.raises(StudyStopped, match="ann has shown"):
            ben.result()
        assert "study stopped" in (tmp_path / "state-helper" / "audit.jsonl").read_text()

        for role in (Role.P0, Role.P1):
            restart(tmp_path / "study.toml", world.site(role))
        world.upload()
        assert states(world) <= {State.STARTING, State.WAITING, State.READY, State.STOPPED}
        assert world.status(Role.HELPER).state is State.STOPPED
        restart(tmp_path / "study.toml", world.site(Role.HELPER))
        assert world.result("ben") == world.pooled()


def test_a_receiver_that_reports_what_it_cannot_prove_stops_nothing_and_is_told(
    tmp_path: Path,
) -> None:
    """Not with nothing, not with the runs as they are, not with a share that it made up."""
    with covert_world(tmp_path) as world:
        world.upload()
        with world.owner("ann") as ann:
            result = ann.result(wait=SECONDS)
            evidence = [one.evidence for one in (result.proof, *result.rotated)]
            runs = {str(number): one for number, one in enumerate(evidence)}
            changed = {**runs, "1": replace(evidence[1], shares=evidence[0].shares)}
            words, signature = bytes(800).hex(), bytes(64).hex()
            reports = [
                Openings({}, None),
                Openings(runs, None),
                Openings({"0": evidence[0], "1": evidence[0]}, None),
                Openings(changed, None),
                Openings({"0": evidence[0]}, HandedShare("P0", words, signature)),
                Openings({"2": evidence[2]}, HandedShare("P1", words, signature)),
            ]
            for role in Role:
                for one in reports:
                    report = ReportMismatch(result.session, one.to_json())
                    with pytest.raises(PeerRefused, match="does not prove") as refused:
                        ann.servers.ask(role, report, Done)
                    assert refused.value.code == Code.NOT_PROVED
                garbage = ReportMismatch(result.session, "{}")
                for _ in range(MOST_FALSE - len(reports)):
                    with pytest.raises(PeerRefused, match="does not prove"):
                        ann.servers.ask(role, garbage, Done)
                with pytest.raises(PolicyRefusal, match="no more are looked at"):
                    ann.servers.ask(role, garbage, Done)
            with pytest.raises(PeerRefused, match="of the session that is reported"):
                ann.servers.ask(Role.P0, ReportMismatch(bytes(16), "{}"), Done)
        assert world.result("ben") == world.pooled() == result.values
        assert State.STOPPED not in states(world)
        account = (tmp_path / "state-helper" / "audit.jsonl").read_text()
        assert account.count("report of a mismatch refused") == MOST_FALSE


def test_a_share_that_a_proxy_did_not_commit_to_is_proved_by_its_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = handler.ResultPart

    def another(session: bytes, words: Any, about: str, signature: bytes) -> ResultPart:
        if not is_at(world, Role.P1):
            return plain(session, words, about, signature)
        words = (words[0] ^ 1, *words[1:])
        signed = hand_out(world.study.hash, session, world.keys["ann"].public, words)
        return plain(session, words, about, world.keys["P1"].sign(signed))

    with covert_world(tmp_path) as world:
        world.upload()
        assert world.result("ben") == world.pooled()
        monkeypatch.setattr(handler, "ResultPart", another)
        with world.owner("ann") as ann, pytest.raises(CheatingDetected) as refused:
            ann.result(wait=SECONDS)
        assert "P0, P1, helper were told" in str(refused.value)
        assert states(world) == {State.STOPPED}
        assert "P1 has handed out a share" in world.status(Role.HELPER).detail


def test_what_proves_nothing_to_others_is_not_used_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy that tells other statements than were signed, or does not sign what it hands out."""
    plain = handler.ResultPart

    def without_statements(session: bytes, words: Any, about: str, signature: bytes) -> ResultPart:
        about = about.replace(whole, "0" * len(whole)) if is_at(world, Role.P1) else about
        return plain(session, words, about, signature)

    def unsigned(session: bytes, words: Any, about: str, signature: bytes) -> ResultPart:
        return plain(session, words, about, bytes(64))

    with covert_world(tmp_path) as world:
        world.upload()
        with world.owner("ben") as ben:
            signed = ben.result(wait=SECONDS).proof.evidence.statements
        whole = signed["helper"].signature
        for instead, told in (
            (without_statements, "proves nothing to others, so no server stops"),
            (unsigned, "has not signed the share"),
        ):
            monkeypatch.setattr(handler, "ResultPart", instead)
            with world.owner("ann") as ann, pytest.raises(RemoteProtocolError, match=told):
                ann.result(wait=SECONDS)
            assert State.STOPPED not in states(world)
        monkeypatch.setattr(handler, "ResultPart", plain)
        assert world.result("ann") == world.pooled()


def test_a_list_that_only_some_runs_refuse_stops_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The view of all three of a proxy that lies about one of its verdicts in one run."""
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
            patched.setattr("ppaurora.parties.participant.uploading.shared", ascending)
            world.upload("ben")
        until_done(deleted, SECONDS)
        assert "the lists of ben were refused" in world.status(Role.HELPER).last_problem.lower()
        # its verdict is final, so the same list comes back as another upload
        with pytest.raises(UploadWithdrawn, match="withdrawn or refused"):
            world.upload("ben")
        world.upload("ben")
        assert world.result("ann") == world.pooled()


def test_p0_and_an_owner_cannot_have_an_unsound_list_taken_for_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P0 tells the others of verdicts that nobody has opened, in all three runs."""

    def ascending(upload: bytes, samples: int, words: Words, *more: Any) -> Prepared:
        return shared(upload, samples, np.sort(words), *more)

    def claimed(
        study: Study, roster: Sequence[StoredUpload], kept: object
    ) -> tuple[KnownVerdict, ...]:
        names = sorted(one.upload for one in roster)
        return tuple(KnownVerdict(name, run, True) for name in names for run in range(3))

    with covert_world(tmp_path) as world:
        monkeypatch.setattr(leader, "known_for", claimed)
        world.upload("ann")
        with monkeypatch.context() as patched:
            patched.setattr("ppaurora.parties.participant.uploading.shared", ascending)
            world.upload("ben")

        def refused() -> None:
            if "other verdicts on the lists" not in world.status(Role.P0).detail:
                raise StudyStopped("not yet")

        until_done(refused, SECONDS)
        assert State.COMPUTED not in states(world)


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


class DealsAnother(Altering):
    """The link of a helper that deals other words than it committed to, once the lists are checked.

    Before that they would be found unsound, which is another matter.
    """

    label = "check"

    def send(self, kind: Kind, words: Words, step: int) -> None:
        if "check" in self.label:
            self._link.send(kind, words, step)
        else:
            super().send(kind, words, step)


def test_a_server_that_deals_other_words_than_it_committed_to_stops_the_study_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not only where its dealing makes the runs differ, which the receivers would see."""
    plain = study_session.evaluated

    def dealing(party: Party, *given: Any) -> Evaluation:
        if is_at(world, Role.HELPER) and party.is_helper:
            for peer, link in party.links.items():
                party.links[peer] = DealsAnother(link, kind=Kind.DEAL)  # type: ignore[assignment]
        return plain(party, *given)

    with covert_world(tmp_path) as world:
        monkeypatch.setattr(study_session, "evaluated", dealing)
        world.upload()
        await_states(world, State.STOPPED)
        told = [world.status(role).detail for role in (Role.P0, Role.P1)]
        assert any("the helper dealt other words than it committed to" in one for one in told)


def test_cheating_that_a_server_notices_whose_disk_fails_then_stops_all_three(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, transaction = study_session.evaluated, Database.transaction
    full = threading.Event()

    def noticed(party: Party, *given: Any) -> Evaluation:
        if is_at(world, Role.HELPER) and not party.is_helper:
            full.set()
            raise CheatingDetected("the helper dealt other words than it committed to")
        return plain(party, *given)

    @contextmanager
    def transacted(self: Database) -> Iterator[None]:
        with transaction(self):
            if full.is_set() and is_at(world, Role.HELPER):
                raise DiskFault("for this test", code=DiskCode.FULL)
            yield

    audit = tmp_path / "state-helper" / "audit.jsonl"
    with covert_world(tmp_path) as world:
        monkeypatch.setattr(study_session, "evaluated", noticed)
        monkeypatch.setattr(Database, "transaction", transacted)
        world.upload()
        await_states(world, State.STOPPED)
        assert "dealt other words" in world.status(Role.HELPER).detail
        assert "study stopped" not in audit.read_text()
        full.clear()
        until(lambda: "study stopped" in audit.read_text())
        assert states(world) == {State.STOPPED}


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
    def watched(
        identity: Any, run: Any, publics: Any, links: Links, silent: float
    ) -> Iterator[None]:
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
