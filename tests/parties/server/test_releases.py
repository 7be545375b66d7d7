"""Releases of a schedule at the servers: served once open, and nothing goes to a later one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError, PolicyRefusal
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.requests.messages import (
    AskCompute,
    BeginUpload,
    CommitUpload,
    ConfirmUpload,
    Done,
    Received,
    Refused,
    Request,
    SendChunk,
    Withdraw,
    Withdrawn,
)
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.answering.studies import ServedStudies
from ppaurora.parties.server.answering.study_files import StudyFiles
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.ended_studies import EndedStudies
from ppaurora.parties.server.keeping.rosters import MOST_ROSTERS
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.keeping.verdict_records import MOST_BROKEN
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.site import Policy
from ppaurora.parties.study.rule import StoredUpload, breaks_rule, common_roster
from ppaurora.parties.study.schedule import Schedule
from ppaurora.parties.study.study import Rule, Study
from tests.parties.server import offline
from tests.parties.server.offline import IDENTITIES
from tests.parties.study.test_schedule import at
from tests.parties.world import generated

OWNERS = ("ann", "ben", "cleo")
AGREEMENT = replace(
    offline.STUDY,
    servers=tuple(
        replace(server, public=IDENTITIES[str(server.role)].public)
        for server in offline.STUDY.servers
    ),
    schedule=Schedule(every="month", first="2026-01", releases=3),
)
JANUARY, FEBRUARY, MARCH = AGREEMENT.releases
DATE = Path("study.toml")


class ServerAt:
    """One server of the agreement at a time that the test sets, without sockets."""

    def __init__(self, folder: Path, role: Role, moment: str, study: Study = AGREEMENT) -> None:
        self.time = at(moment)
        self.role = role
        identity = IDENTITIES[str(role)]
        self.acceptances = Acceptances(folder / f"state-{role}")
        self.store = Store(folder / f"state-{role}", lambda: self.time)
        self.busy: set[str] = set()
        self.served = ServedStudies(
            identity.public,
            {DATE: study},
            StudyFiles((), (DATE,)),
            self.acceptances,
            self.store,
            lambda study: "",
            lambda study: study.id in self.busy,
        )
        runner = SessionRunner(identity, self.store, "127.0.0.1", Limits())
        self.handler = RequestHandler(
            identity.public,
            self.served,
            self.store,
            runner,
            most_samples=1000,
            on_change=lambda: None,
            not_served=self.served.why_not,
            version=self.acceptances.find,
        )

    def set(self, moment: str) -> None:
        """Let it be that time, and the server look once more."""
        self.time = at(moment)
        self.served.look()

    def ask(self, who: str, study: Study, request: Request) -> object:
        payload = Envelope(study.id, study.hash, request).encode()
        return decode_reply(self.handler.answer(IDENTITIES[who].public.exchange, payload))

    def upload(self, who: str, study: Study, prepared: Prepared) -> object:
        """The reply to the last of the requests of one upload, or the first refusal."""
        part = bytes(prepared.parts[self.role])
        name = prepared.upload
        reply: object = None
        for request in (
            BeginUpload(name, prepared.samples, len(part), sha256(part).digest(), ()),
            SendChunk(name, 0, part),
            CommitUpload(name),
        ):
            reply = self.ask(who, study, request)
            if isinstance(reply, Refused):
                return reply
        return reply

    def roster(self, study: Study) -> list[StoredUpload]:
        return list(self.store.stored_uploads(study))


@pytest.fixture
def servers(tmp_path: Path) -> Callable[..., dict[Role, ServerAt]]:
    def started(moment: str) -> dict[Role, ServerAt]:
        return {role: ServerAt(tmp_path, role, moment) for role in (Role.P0, Role.P1)}

    return started


Started = Callable[..., Mapping[Role, ServerAt]]


def prepared(who: str, study: Study, folder: Path, seed: int = 0) -> Prepared:
    policy = Policy(metrics=("auroc",))
    owner = Participant(IDENTITIES[who], study, policy, folder / who)
    return owner.prepare(generated(20, seed=seed))


def test_each_release_is_served_from_its_opening_on_and_the_agreement_never(
    servers: Started,
) -> None:
    p0 = servers("2026-01-31T23:59:59")[Role.P0]
    assert list(p0.served) == []
    early = p0.ask("ann", JANUARY, AskCompute())
    assert isinstance(early, Refused)
    assert (early.code, early.what) == (
        Code.TOO_EARLY,
        "The release of 2026-01 opens on 2026-02-01 00:00 UTC",
    )
    for moment, ids in (
        ("2026-02-01", ["01"]),
        ("2026-03-01", ["01", "02"]),
        ("2026-03-31T23:59:59", ["01", "02"]),
        ("2028-02-29", ["01", "02", "03"]),
    ):
        p0.set(moment)
        assert list(p0.served) == [f"{AGREEMENT.id}.2026-{number}" for number in ids]
        assert p0.served.faults == []
    assert isinstance(p0.ask("ann", AGREEMENT, AskCompute()), Refused)
    assert IDENTITIES["ann"].public.exchange != IDENTITIES["ben"].public.exchange
    assert p0.served.admits(IDENTITIES["ann"].public.exchange)
    assert not p0.served.admits(Identity.from_private(bytes([99]) * 64).public.exchange)
    stranger = p0.served.why_not(
        JANUARY.id, Identity.from_private(bytes([99]) * 64).public.exchange
    )
    assert "opens" not in stranger.what


def test_a_release_takes_lists_until_it_closes_and_withdrawals_after_it(
    servers: Started, tmp_path: Path
) -> None:
    p0 = servers("2026-02-28T23:59:59")[Role.P0]
    assert isinstance(p0.upload("ann", JANUARY, prepared("ann", JANUARY, tmp_path)), Received)
    ben = prepared("ben", JANUARY, tmp_path, 1)
    part = bytes(ben.parts[Role.P0])
    begun = BeginUpload(ben.upload, 20, len(part), sha256(part).digest(), ())
    assert isinstance(p0.ask("ben", JANUARY, begun), Received)
    p0.set("2026-03-01")
    # an upload that is under way ends nowhere else
    for request in (begun, SendChunk(ben.upload, 0, part), CommitUpload(ben.upload)):
        late = p0.ask("ben", JANUARY, request)
        assert isinstance(late, Refused)
        assert late.code == Code.ENDED
        assert "takes no more lists: it closed on 2026-03-01 00:00 UTC" in late.what
    for request in (SendChunk(ben.upload, 0, part), CommitUpload(ben.upload)):
        assert isinstance(p0.ask("ben", FEBRUARY, request), Refused)
    assert p0.roster(FEBRUARY) == []
    state = p0.handler._status.state(JANUARY)[1]
    assert (
        state == "2 of 3 owners have not uploaded yet; the release closed on 2026-03-01 00:00 UTC"
    )
    assert isinstance(p0.ask("ann", JANUARY, Withdraw(())), Withdrawn)
    assert p0.roster(JANUARY) == []


def test_a_release_that_one_owner_misses_is_not_computed_or_without_it(
    servers: Started, tmp_path: Path
) -> None:
    p0 = servers("2026-02-15")[Role.P0]
    for place, who in enumerate(OWNERS[:2]):
        p0.upload(who, JANUARY, prepared(who, JANUARY, tmp_path, place))
    missing = p0.ask("ann", JANUARY, AskCompute())
    assert isinstance(missing, Refused)
    assert "1 of 3 owners has not uploaded yet" in missing.what
    on_request = replace(JANUARY, rule=replace(JANUARY.rule, start="request", least_owners=2))
    assert breaks_rule(on_request, p0.roster(JANUARY)) == ""
    p0.set("2026-03-15")
    for place, who in enumerate(OWNERS):
        p0.upload(who, FEBRUARY, prepared(who, FEBRUARY, tmp_path, 10 + place))
    assert isinstance(p0.ask("ann", FEBRUARY, AskCompute()), Done)
    assert [one.owner for one in p0.roster(FEBRUARY)] == list(OWNERS)
    assert [one.owner for one in p0.roster(JANUARY)] == list(OWNERS[:2])


def test_no_upload_of_a_former_release_ever_counts_for_a_later_one(
    servers: Started, tmp_path: Path
) -> None:
    both = servers("2026-02-15")
    lists = {who: prepared(who, JANUARY, tmp_path, place) for place, who in enumerate(OWNERS)}
    for one in both.values():
        for who in OWNERS:
            assert isinstance(one.upload(who, JANUARY, lists[who]), Received)
        one.set("2026-03-15")
    p0, p1 = both[Role.P0], both[Role.P1]
    # an owner cannot have it carried over, as to a version that adds owners
    carried = p0.ask("ann", FEBRUARY, ConfirmUpload(JANUARY.hash))
    assert isinstance(carried, Refused)
    assert carried.code == Code.NO_UPLOAD
    # nor does it go along under its old name with the later release's requests
    assert isinstance(p0.ask("ann", FEBRUARY, CommitUpload(lists["ann"].upload)), Refused)
    # a request about the one, sent under the other's id, is refused for its hash
    mixed = Envelope(FEBRUARY.id, JANUARY.hash, CommitUpload(lists["ann"].upload)).encode()
    reply = decode_reply(p0.handler.answer(IDENTITIES["ann"].public.exchange, mixed))
    assert isinstance(reply, Refused)
    assert reply.code == Code.STUDY_DIFFERS
    assert p0.roster(FEBRUARY) == p1.roster(FEBRUARY) == []
    # a proxy that puts its old shares into the later release by itself gets nobody's list in
    for who in OWNERS:
        p1.upload(who, FEBRUARY, lists[who])
    assert len(p1.roster(FEBRUARY)) == 3
    for who in OWNERS:
        p0.upload(who, FEBRUARY, prepared(who, FEBRUARY, tmp_path, 20 + OWNERS.index(who)))
    assert common_roster(p0.roster(FEBRUARY), p1.roster(FEBRUARY)) == ()


def test_the_names_and_seeds_of_the_same_list_differ_from_release_to_release(
    tmp_path: Path,
) -> None:
    # two states: the record of one would refuse the same list
    first, second = (prepared("ann", one, tmp_path / one.period) for one in (JANUARY, FEBRUARY))
    assert first.upload != second.upload
    for role in (Role.P0, Role.P1):
        assert bytes(first.parts[role]) != bytes(second.parts[role])


def test_sets_of_uploads_and_broken_sessions_count_for_each_release_by_itself(
    servers: Started,
) -> None:
    p0 = servers("2026-04-15")[Role.P0]
    for number in range(MOST_ROSTERS):
        p0.store.rosters.use(JANUARY, [StoredUpload("ann", bytes([number]) * 16, 5)])
    another = [StoredUpload("ann", b"z" * 16, 5)]
    assert "3 different sets of uploads" in p0.store.rosters.spent(JANUARY, another)
    assert p0.store.rosters.spent(FEBRUARY, another) == ""
    for _ in range(MOST_BROKEN):
        p0.store.verdicts.count_unknown(JANUARY.id)
    for one in (JANUARY, FEBRUARY):
        p0.store.halts.add_broken(one)
    assert p0.store.halts.current(JANUARY) is not None
    assert p0.store.halts.current(FEBRUARY) is None


def test_a_release_that_is_handed_in_as_a_file_is_not_served(tmp_path: Path) -> None:
    alone = ServerAt(tmp_path, Role.P0, "2026-02-15")
    assert list(alone.served) == [JANUARY.id]
    alone.store.close()
    with pytest.raises(ConfigurationError, match="makes the releases from the agreement"):
        ServerAt(tmp_path, Role.P0, "2026-02-15", MARCH)


def test_a_changed_agreement_does_not_take_the_place_of_one_with_uploads(
    tmp_path: Path,
) -> None:
    first = ServerAt(tmp_path, Role.P0, "2026-02-15")
    first.upload("ann", JANUARY, prepared("ann", JANUARY, tmp_path))
    first.store.close()
    changed = replace(AGREEMENT, rule=Rule(least_samples=11, least_list=1, most_share=1.0))
    second = ServerAt(tmp_path, Role.P0, "2026-03-15", changed)
    assert list(second.served) == [changed.releases[1].id]
    assert "was changed after this server had received data" in second.served.faults[0]


def test_an_ended_agreement_goes_with_all_its_releases_and_stays_away(
    servers: Started, tmp_path: Path
) -> None:
    p0 = servers("2026-03-15")[Role.P0]
    p0.set("2026-02-15")
    p0.upload("ann", JANUARY, prepared("ann", JANUARY, tmp_path))
    p0.set("2026-03-15")
    p0.upload("ann", FEBRUARY, prepared("ann", FEBRUARY, tmp_path, 3))
    ended = EndedStudies(p0.store, p0.acceptances, lambda study: study.id in p0.busy)
    p0.busy = {FEBRUARY.id}
    with pytest.raises(PolicyRefusal, match=rf"{FEBRUARY.id} is being computed at this moment"):
        ended.end(AGREEMENT)
    p0.busy = set()
    ended.end(AGREEMENT)
    assert p0.roster(JANUARY) == p0.roster(FEBRUARY) == []
    assert ended.of_id(JANUARY.id) == AGREEMENT
    assert all(ended.why_not(one) for one in (AGREEMENT, *AGREEMENT.releases))
    p0.store.close()
    with pytest.raises(ConfigurationError, match="was ended here by its operator"):
        ServerAt(tmp_path, Role.P0, "2026-04-15")
