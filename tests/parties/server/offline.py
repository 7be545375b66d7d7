"""P0, P1 and the helper of one study in this process, without sockets and without the protocol.

Stores, handlers, leader and participants are the real ones. Requests go from hand to hand, and a
computation is a fixed linear function of the shares, which each proxy can apply by itself: if a
damaged share were computed on, the number would be another one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DiskCode, DiskFault, PolicyRefusal, TooEarly
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.requests.client import Answer
from ppaurora.parties.requests.messages import (
    AskResult,
    Refused,
    Request,
    ResultPart,
)
from ppaurora.parties.requests.refusals import to_error
from ppaurora.parties.requests.session_facts import Agreed, ServerFacts, SessionFacts
from ppaurora.parties.requests.status import Status
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.computing import runner
from ppaurora.parties.server.computing.leader import StudyLeader
from ppaurora.parties.server.computing.study_session import Outcome
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.clock import Clock
from ppaurora.parties.site.site import Policy
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import ParticipantEntry, Rule, Study
from ppaurora.protocols.lists.outsourcing import SHARE_OF, UploadForm
from tests.parties.in_order import InOrder
from tests.parties.sample import study
from tests.parties.world import generated
from tests.until import SECONDS

OWNERS = ("ann", "ben", "cleo")
IDENTITIES = {
    name: Identity.from_private(bytes([place + 1]) * 64)
    for place, name in enumerate((*map(str, Role), *OWNERS))
}
STUDY = study(
    metrics=("auroc",),
    rule=Rule(least_samples=10, least_list=1, most_share=1.0),
    participants=tuple(ParticipantEntry(name, IDENTITIES[name].public) for name in OWNERS),
)
POLICY = Policy(metrics=tuple(one.name for one in STUDY.options.statistics))
"""An owner's policy that names the metrics of its small study."""
TABLES = {name: generated(8 + place, seed=place) for place, name in enumerate(OWNERS)}


Read: TypeAlias = Callable[[bytes], bytes]


def linear(role: Role, roster: Sequence[StoredUpload], read: Read) -> tuple[int, ...]:
    """Sum over all lists and places of an odd weight times the share, in Z_2^64, at a proxy."""
    total = 0
    for number, one in enumerate(roster):
        share = (
            SHARE_OF[role].from_bytes(read(one.upload), UploadForm.of_words(one.samples)).words()
        )
        weights = np.arange(share.size, dtype=np.uint64) * np.uint64(2 * number + 6) + np.uint64(1)
        total += int((weights * share).sum(dtype=np.uint64))
    return (total % (1 << 64),)


def number_of_the_lists() -> int:
    """The number that both proxies' numbers must add up to, from the owners' own lists."""
    parts = {
        name: Participant(IDENTITIES[name], STUDY, POLICY).prepare(TABLES[name]) for name in OWNERS
    }
    roster = [StoredUpload(name, name.encode(), parts[name].samples) for name in OWNERS]

    def share(role: Role) -> Read:
        return lambda name: parts[name.decode()].shares[role].to_bytes()

    numbers = [linear(role, roster, share(role))[0] for role in (Role.P0, Role.P1)]
    return sum(numbers) % (1 << 64)


class OfflineStudy:
    """The three servers over the folders P0, P1 and helper in `folder`."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, *, encrypt: bool = False) -> None:
        self.folder = folder
        self.encrypt = encrypt
        self.stores: dict[Role, Store] = {}
        self.handlers: dict[Role, RequestHandler] = {}
        # no machine loses its power here, so nothing waits for a disk
        patch.setattr("ppaurora.parties.server.keeping.database.SYNCHRONOUS", "OFF")
        for module in ("private_file", "server.keeping.share_files", "server.keeping.secret_keys"):
            patch.setattr(f"ppaurora.parties.{module}.sync", lambda path: None)
        patch.setattr(runner, "RESERVED_SECONDS", 0.05)
        for module in ("server.computing.other_servers", "participant.servers"):
            patch.setattr(f"ppaurora.parties.{module}.ServerClient", self._client)
        patch.setattr("ppaurora.parties.server.computing.runner.compute", compute)
        for role in Role:
            self.start(role)

    def start(self, role: Role) -> None:
        """Start a server; records that are damaged as a whole are moved away, as it advises."""
        where = self.folder / str(role)
        clock = Clock()
        secrets = self.folder / f"secrets-{role}" if self.encrypt else None
        try:
            store = Store(where, secrets=secrets, encrypt=self.encrypt)
        except DiskFault as fault:
            if fault.code is not DiskCode.STATE_DAMAGED:
                raise
            (where / "server.sqlite").rename(where / "server.sqlite.damaged")
            store = Store(where, secrets=secrets, encrypt=self.encrypt)
        store.register(STUDY)
        store.check_records()
        identity = IDENTITIES[str(role)]
        running = runner.SessionRunner(identity, store, "127.0.0.1", Limits())
        leader = StudyLeader(identity, store, running, lambda: [STUDY], clock, 0.0)
        self.stores[role] = store
        self.handlers[role] = RequestHandler(
            identity.public,
            {STUDY.id: STUDY},
            store,
            running,
            most_samples=1000,
            on_change=lambda: None,
            clock=clock,
            obstacle=leader.obstacle,
        )
        if role is Role.P0:
            self.leader = leader

    def stop(self) -> None:
        for store in self.stores.values():
            store.close()

    def lead(self, rounds: int = 6) -> None:
        """Let P0 do what is next, some times."""
        for _ in range(rounds):
            self.leader._pauses.clear()
            self.leader._attend(STUDY)
            until = time.monotonic() + SECONDS
            while any(handler._runner.busy_with(STUDY) for handler in self.handlers.values()):
                assert time.monotonic() < until
                time.sleep(0.001)

    def upload(self) -> None:
        """Every owner sends its list, as it would again when asked to."""
        for name in OWNERS:
            try:
                self.participant(name).outsource(TABLES[name])
            except (PolicyRefusal, TooEarly):
                continue

    def participant(self, name: str) -> Participant:
        return Participant(IDENTITIES[name], STUDY, POLICY, state=self.folder / "owners")

    def number(self) -> int | None:
        """The sum of both proxies' numbers, if both give theirs out."""
        first = self.ask("ann", Role.P0, AskResult(b""))
        if not isinstance(first, ResultPart):
            return None
        second = self.ask("ann", Role.P1, AskResult(first.session))
        if not isinstance(second, ResultPart):
            return None
        return (first.words[0] + second.words[0]) % (1 << 64)

    def status(self, role: Role) -> Status:
        return Participant(IDENTITIES["ann"], STUDY).status()[str(role)]

    def ask(self, who: str, role: Role, request: Request) -> object:
        payload = Envelope(STUDY.id, STUDY.hash, request).encode()
        return decode_reply(self.handlers[role].answer(IDENTITIES[who].public.exchange, payload))

    def _client(self, identity: Identity, _: Study, role: Role, *__: object) -> OfflineClient:
        who = next(name for name, one in IDENTITIES.items() if one.public == identity.public)
        return OfflineClient(self, who, role)


class OfflineClient(InOrder):
    """Asks a server of an `OfflineStudy`, as `ServerClient` asks one over the network."""

    def __init__(self, world: OfflineStudy, who: str, role: Role) -> None:
        super().__init__()
        self._world, self._who, self.role = world, who, role

    def __enter__(self) -> OfflineClient:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def ask(self, request: Request, answer: type[Answer], *, patience: float) -> Answer:
        reply = self._world.ask(self._who, self.role, request)
        if isinstance(reply, Refused):
            raise to_error(reply, STUDY, str(self.role))
        assert isinstance(reply, answer)
        return reply


def compute(
    run: StudyRun,
    role: Role,
    identity: Identity,
    session: bytes,
    roster: Sequence[StoredUpload],
    read_share: Callable[[bytes], bytes],
    **_: object,
) -> Outcome:
    """Takes the place of the session's protocol."""
    words = () if role is Role.HELPER else linear(role, roster, read_share)
    facts = ServerFacts(links={}, hops=0, seconds=0.0, phases=())
    agreed = Agreed(
        study=run.study.hash.hex(),
        session=session.hex(),
        owners=tuple((one.owner, one.samples) for one in roster),
        refused=(),
        samples=sum(one.samples for one in roster),
        software="1",
        round_trip_us=0,
        megabits=1,
    )
    return Outcome(words, SessionFacts(agreed, facts, {}))
