"""Three servers in one process, a study and its version with one more owner, and who asks them."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import (
    Unreachable,
)
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.requests.client import Answer
from ppaurora.parties.requests.messages import (
    Refused,
    Request,
)
from ppaurora.parties.requests.refusals import to_error
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.answering.studies import ServedStudies
from ppaurora.parties.server.answering.study_files import StudyFiles
from ppaurora.parties.server.computing import runner
from ppaurora.parties.server.computing.leader import StudyLeader
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.site import Watched
from ppaurora.parties.study.study import ParticipantEntry, Study
from ppaurora.parties.study.writing import study_text
from tests.parties.in_order import InOrder
from tests.parties.server.offline import IDENTITIES, POLICY, STUDY, TABLES, compute
from tests.parties.world import generated
from tests.until import SECONDS

OLD = STUDY
PEOPLE = {**IDENTITIES, "dora": Identity.from_private(bytes([9]) * 64)}
LISTS = {**TABLES, "dora": generated(12, seed=9)}


def with_owner(study: Study, name: str, identity: Identity) -> Study:
    """The version of a study that adds this owner."""
    more = ParticipantEntry(name, identity.public)
    return replace(study, participants=(*study.participants, more), follows=study.hash.hex())


NEW = with_owner(OLD, "dora", PEOPLE["dora"])


class Versions:
    """Three servers without sockets that watch one folder; every message may be lost.

    The old version's file is there and accepted; the new one's is there.
    """

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, seed: int = 0) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        self.losses = 0.0
        patch.setattr("ppaurora.parties.server.keeping.database.SYNCHRONOUS", "OFF")
        for module in (
            "private_file",
            "server.keeping.share_files",
            "server.keeping.audit_log",
        ):
            patch.setattr(f"ppaurora.parties.{module}.sync", lambda path: None)
        patch.setattr(runner, "RESERVED_SECONDS", 0.05)
        for name in ("RETRY_SECONDS", "POLL_SECONDS"):
            patch.setattr(f"ppaurora.parties.participant.servers.{name}", 0.0)
        for module in ("server.computing.other_servers", "participant.servers"):
            patch.setattr(f"ppaurora.parties.{module}.ServerClient", self.client)
        patch.setattr("ppaurora.parties.server.computing.runner.compute", compute)
        (folder / "studies").mkdir(parents=True)
        for name, study in (("old", OLD), ("new", NEW)):
            (folder / "studies" / f"{name}.toml").write_text(study_text(study), encoding="utf-8")
        self.stores: dict[Role, Store] = {}
        self.served: dict[Role, ServedStudies] = {}
        self.runners: dict[Role, runner.SessionRunner] = {}
        self.handlers: dict[Role, RequestHandler] = {}
        for role in Role:
            self.accept(role, OLD)
            self.start(role)

    def accept(self, role: Role, study: Study) -> None:
        Acceptances(self.folder / str(role)).add(study)

    def start(self, role: Role) -> None:
        """Start a server anew, whatever it was doing."""
        if role in self.stores:
            self.await_idle(role)
            self.stores[role].close()
        identity = IDENTITIES[str(role)]
        store = self.stores[role] = Store(self.folder / str(role))
        running = self.runners[role] = runner.SessionRunner(identity, store, "127.0.0.1", Limits())
        acceptances = Acceptances(self.folder / str(role))
        files = StudyFiles([Watched(self.folder / "studies")])
        files.look()
        served = self.served[role] = ServedStudies(
            identity.public, {}, files, acceptances, store, lambda _: "", running.busy_with
        )
        if role is Role.P0:
            self.leader = StudyLeader(
                identity,
                store,
                running,
                served.values,
                follower=served.follower,
                on_newer=served.served_by_other_proxy,
            )
        self.handlers[role] = RequestHandler(
            identity.public,
            served,
            store,
            running,
            most_samples=1000,
            on_change=lambda: None,
            not_served=served.why_not,
            on_newer=served.served_by_other_proxy,
            version=acceptances.find,
        )

    def stop(self) -> None:
        for role, store in self.stores.items():
            self.await_idle(role)
            store.close()

    def await_idle(self, role: Role) -> None:
        until = time.monotonic() + SECONDS
        while any(self.runners[role].busy_with(study) for study in (OLD, NEW)):
            assert time.monotonic() < until
            time.sleep(0.001)

    def look(self, role: Role) -> None:
        with self.runners[role].lock:
            self.served[role].look()

    def lead(self) -> None:
        self.leader._pauses.clear()
        self.leader._exchange_due.clear()
        for study in tuple(self.served[Role.P0].values()):
            self.leader._attend(study)

    def participant(self, name: str, study: Study) -> Participant:
        return Participant(PEOPLE[name], study, POLICY, state=self.folder / "owners")

    def client(self, identity: Identity, study: Study, role: Role, *_: object) -> Client:
        return Client(self, identity, study, role)

    def sealed(self, *roles: Role) -> set[bytes]:
        """The versions of which some proxy, or one of these, has a sealed result."""
        return {
            study.hash
            for study in (OLD, NEW)
            for role in roles or (Role.P0, Role.P1)
            if (found := self.stores[role].results.find(study.hash)) is not None and found.sealed
        }

    def upload(self, name: str, study: Study) -> None:
        self.participant(name, study).outsource(LISTS[name])

    def confirm(self, name: str) -> bool:
        return self.participant(name, NEW).accept(OLD)


class Client(InOrder):
    """Asks a server of `Versions`; the request or the reply may be lost."""

    def __init__(self, world: Versions, identity: Identity, study: Study, role: Role) -> None:
        super().__init__()
        self.world, self.identity, self.study, self.role = world, identity, study, role

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def ask(self, request: Request, answer: type[Answer], *, patience: float) -> Answer:
        lost = self.world.random.random()
        if lost < self.world.losses / 2:
            raise Unreachable("the request was lost")
        payload = Envelope(self.study.id, self.study.hash, request).encode()
        answered = self.world.handlers[self.role].answer(self.identity.public.exchange, payload)
        if lost < self.world.losses:
            raise Unreachable("the reply was lost")
        reply = decode_reply(answered)
        if isinstance(reply, Refused):
            raise to_error(reply, self.study, str(self.role))
        assert isinstance(reply, answer)
        return reply
