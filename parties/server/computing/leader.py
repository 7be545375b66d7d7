"""Leading studies, as P0 does: the driver of the steps that `next_step.py` names.

A result counts once every server that is to hold shares of it has stored them, of all runs of one
computation. P0 stores first and makes sure that all others have, then asks P1 to seal, then whoever
else holds shares; only what they have sealed does P0 seal and give out. A crash anywhere in between
ends in the same one result, or in a new session.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import SESSION_BYTES
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import PeerRefused, StudyDiffers
from ppaurora.parties.requests.client import ServerClient
from ppaurora.parties.requests.messages import (
    AskStatus,
    AskStored,
    AskUploads,
    Document,
    Done,
    ProposeSession,
    Request,
    SealSession,
    StartSession,
    StoredUploads,
)
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.server.computing.next_step import (
    ENDING,
    Halt,
    LeaderState,
    LeaderStep,
    Others,
    Session,
    Share,
)
from ppaurora.parties.server.computing.other_servers import ASK_SECONDS, OtherServers, told_uploads
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.computing.session_keys import written
from ppaurora.parties.server.computing.study_queue import StudyQueue
from ppaurora.parties.server.keeping.damage_words import LOST, damage_in_words
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.keeping.verdict_records import known_for
from ppaurora.parties.server.watching.clock import EXCHANGE_SECONDS, Clock, compare, not_compared
from ppaurora.parties.server.watching.logs import LogLevel, log, log_unexpected
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.rule import StoredUpload, common_roster, waits_for
from ppaurora.parties.study.runs import runs_of
from ppaurora.parties.study.study import Study
from ppaurora.protocols.sorting.auto import AutoSort
from ppaurora.protocols.sorting.sort import LONGEST_US, USUAL, Conditions

POLL_SECONDS = 0.2
FIRST_PAUSE, LONGEST_PAUSE = 0.3, 5.0
LONGEST_PAUSE_OF_SESSIONS, EXCHANGE_RETRY_SECONDS = 300.0, 60.0
ASKED_FOR_ROUND_TRIP = 3
ANSWERING_US = 800
"""Time that an answer takes apart from the line, as `ppaurora demo` on one busy machine has it."""


@dataclass(slots=True)
class Pause:
    """Time at which a study is tried again, and the wait after the next failure.

    Each session that breaks off may tell the servers something, so `broken_sessions` are counted
    until there is a result, and the more of them there are the longer is the pause.
    """

    until: float = 0.0
    seconds: float = FIRST_PAUSE
    broken_sessions: int = 0

    def postpone(self, now: float, *, longer: bool) -> None:
        """Wait for the pause from `now` on; the next one is twice as long if `longer`."""
        after_sessions = FIRST_PAUSE * 2 ** min(self.broken_sessions, 20)
        seconds = max(self.seconds, min(LONGEST_PAUSE_OF_SESSIONS, after_sessions))
        self.until = now + seconds * random.uniform(0.7, 1.3)
        if longer:
            self.seconds = min(LONGEST_PAUSE, 2 * self.seconds)


@dataclass(slots=True)
class Visit:
    """Facts gathered during one visit to a study; `opened` is closed at its end."""

    study: Study
    opened: ExitStack
    clocks_exchanged: bool = False
    halt_told: bool = False
    clients: Mapping[Role, ServerClient] = field(default_factory=dict)
    theirs: dict[Role, StoredUploads] = field(default_factory=dict)
    roster: tuple[StoredUpload, ...] = ()
    missing: str = ""
    others: Others = Others.UNASKED
    proposal: ProposeSession | None = None
    state: Session = Session.NONE


class StudyLeader:
    """Runs every study of which this server is P0, so many `sessions` at a time.

    They are attended to in order: none a second time before each of the others was.
    """

    def __init__(
        self,
        identity: Identity,
        store: Store,
        runner: SessionRunner,
        studies: Callable[[], Iterable[Study]],
        clock: Clock | None = None,
        exchange_seconds: float = EXCHANGE_SECONDS,
        *,
        sessions: int = 1,
        megabits: int = USUAL.megabits,
        keys: Callable[[], KeysInForce] = KeysInForce,
        follower: Callable[[Study], Study | None] = lambda study: None,
        on_newer: Callable[[str, bytes], None] = lambda id, hash: None,
    ) -> None:
        """`follower` is the accepted version that waits until a study is closed, if there is one.

        `on_newer` is told its id and its hash once another server that holds shares serves it.
        """
        self._keys = keys
        self._identity = identity
        self._others = OtherServers(identity, keys)
        self._store = store
        self._runner = runner
        self._studies = studies
        self._pauses: dict[bytes, Pause] = {}
        self._obstacles: dict[bytes, str] = {}
        self._clock = clock or Clock()
        self._exchange_seconds = exchange_seconds
        self._megabits = megabits
        self._exchange_due: dict[bytes, float] = {}
        self._told_of: dict[bytes, bytes] = {}
        self._wanted = threading.Event()
        self._queue = StudyQueue(self._attend, sessions)
        self._follower = follower
        self._on_newer = on_newer
        self._take: Mapping[LeaderStep, Callable[[Visit], None]] = {
            LeaderStep.EXCHANGE_CLOCKS: self._exchange_clocks,
            LeaderStep.TELL_HALT: self._tell_halt,
            LeaderStep.ASK_OTHERS: self._ask_others,
            LeaderStep.RESERVE: self._reserve,
            LeaderStep.GATHER: self._gather,
            LeaderStep.RUN: self._run,
        }

    def run(self, stopping: threading.Event) -> None:
        """Advance every study that this server leads, again and again, until `stopping`."""
        self._queue.begin()
        while not stopping.is_set():
            try:
                self._queue.give(self._due(), stopping)
            except Exception as error:
                log_unexpected("leading failed", error)
            self._wanted.wait(POLL_SECONDS)
            self._wanted.clear()
        self._queue.end()

    def _due(self) -> list[Study]:
        """The studies that this server leads and that nobody attends to, unless they pause."""
        own, now, keys = self._identity.public, time.monotonic(), self._keys()
        return [
            study
            for study in list(self._studies())
            if keys.role_of(study, own) is Role.P0
            and not self._queue.has(study)
            and self._pauses.setdefault(study.hash, Pause()).until <= now
        ]

    def wake(self) -> None:
        """Something has changed: look again at once."""
        self._wanted.set()

    def obstacle(self, study: Study) -> str:
        """Obstacle to a study whose uploads at P0 would allow its computation."""
        return self._obstacles.get(study.hash, "")

    def _attend(self, study: Study) -> None:
        """Take the next steps of a study, if it is still served; after an error, again later."""
        pause = self._pauses.setdefault(study.hash, Pause())
        try:
            if any(one.hash == study.hash for one in self._studies()):
                self._advance(study)
            pause.seconds = FIRST_PAUSE
        except AuroraError as error:
            busy = isinstance(error, PeerRefused) and error.code == Code.BUSY
            if not busy:
                self._obstacles[study.hash] = error.what
            log(
                "study waits",
                level=LogLevel.INFO if busy else LogLevel.WARNING,
                peer=study.address_of(error.peer),
                study=study.id,
                error=str(error),
            )
            pause.postpone(time.monotonic(), longer=not busy)
        except Exception as error:
            log_unexpected("study waits", error, study=study.id)
            pause.postpone(time.monotonic(), longer=True)

    def _advance(self, study: Study) -> None:
        """Take the steps of one visit, until one of them ends it."""
        with ExitStack() as opened:
            visit = Visit(study, opened)
            while (step := self._state(visit).next_step()) not in ENDING:
                self._take[step](visit)
            if step is LeaderStep.SEAL:
                opened.close()
                self._seal(study)
            elif step is LeaderStep.WAIT:
                self._obstacles[study.hash] = visit.missing
                self._pauses[study.hash].until = time.monotonic() + FIRST_PAUSE

    def _state(self, visit: Visit) -> LeaderState:
        """Everything that is known of the study at this moment of the visit."""
        study, halts = visit.study, self._store.halts
        found = self._store.results.find(study.hash)
        share = Share.NONE
        if found is not None:
            share = Share.SEALED if found.sealed else Share.UNSEALED
        halt = Halt.CURRENT if halts.current(study) else Halt.NONE
        if not visit.halt_told and self._told_of.get(study.hash, b"") != halts.last(study):
            halt = Halt.UNTOLD
        due = time.monotonic() >= self._exchange_due.get(study.hash, 0.0)
        return LeaderState(
            ended=bool(self._store.ended(study)),
            clocks_due=due and not visit.clocks_exchanged,
            halt=halt,
            share=share,
            ready=found is None and self._is_ready(study),
            others=visit.others,
            session=visit.state,
        )

    def _is_ready(self, study: Study) -> bool:
        """True if this server's own uploads meet the study's rule, and none is damaged."""
        mine = self._store.stored_uploads(study)
        asked = self._store.requests.stands(study.hash, mine)
        if self._store.damaged(study) or waits_for(study, mine, asked):
            self._obstacles.pop(study.hash, None)
            return False
        return True

    # -- steps -------------------------------------------------------------------------------------

    def _exchange_clocks(self, visit: Visit) -> None:
        """Exchange clocks, and learn whether a sealed result was lost.

        If a server does not answer, that is tried again later and keeps nothing from being done.
        """
        visit.clocks_exchanged, study = True, visit.study
        self._exchange_due[study.hash] = time.monotonic() + self._exchange_seconds
        with self._others.clients(study) as clients:
            for server in self._others.holders(study):
                try:
                    self._ask_uploads(study, clients[server])
                except AuroraError as error:
                    not_compared(self._clock, study, server, error)
                    retry = min(self._exchange_seconds, EXCHANGE_RETRY_SECONDS)
                    self._exchange_due[study.hash] = time.monotonic() + retry

    def _tell_halt(self, visit: Visit) -> None:
        """Tell the others of the last halt.

        Also after a restart here: a server that was away then would keep its result and take no
        uploads.
        """
        visit.halt_told, study = True, visit.study
        halt = self._store.halts.last(study)
        with self._others.clients(study) as clients:
            for server in self._others.holders(study):
                self._ask_uploads(study, clients[server])
        self._told_of[study.hash] = halt

    def _ask_others(self, visit: Visit) -> None:
        """Learn which uploads all holders of shares have in common."""
        study = visit.study
        visit.clients = visit.opened.enter_context(self._others.clients(study))
        for server in self._others.holders(study):
            told = self._ask_uploads(study, visit.clients[server])
            if told is None:
                visit.others = Others.LOST
                return
            visit.theirs[server] = told
        held = [one.uploads for one in visit.theirs.values()]
        visit.roster = common_roster(self._store.stored_uploads(study), *held)
        asked = self._store.requests.stands(study.hash, visit.roster)
        visit.missing = _obstacle(visit.theirs) or waits_for(study, visit.roster, asked)
        visit.others = Others.SHORT if visit.missing else Others.MET

    def _reserve(self, visit: Visit) -> None:
        """Reserve a session over these uploads here, in a slot whose link ports are free.

        Which of the free ones is left to chance: P1 may have others, of studies that it leads.
        """
        study, clients, roster = visit.study, visit.clients, visit.roster
        self._store.check_shares(study)
        session = os.urandom(SESSION_BYTES)
        kept = {server: one.verdicts for server, one in visit.theirs.items()}
        kept[Role.P0] = self._store.verdicts.known(study, roster)
        verdicts = known_for(study, roster, kept)
        conditions = self._conditions(study, clients[Role.P1])
        keys = self._others.session_keys(study, clients)
        visit.state = Session.REFUSED
        if not (free := self._runner.free_slots(study, Role.P0)):
            return
        slot = random.choice(free)
        reserve = self._runner.reserve
        if not reserve(
            study, Role.P0, session, roster, conditions, keys, verdicts=verdicts, slot=slot
        ):
            return
        visit.opened.callback(self._runner.free, session)
        network = conditions.round_trip_us, conditions.megabits
        visit.proposal = ProposeSession(
            session, roster, *network, slot, written(study, keys), verdicts
        )
        # an owner may have withdrawn or replaced its upload before the session was reserved
        if common_roster(self._store.stored_uploads(study), roster) == roster:
            visit.state = Session.RESERVED

    def _gather(self, visit: Visit) -> None:
        """Have both other servers reserve this session, and then start it."""
        assert visit.proposal is not None
        for message in (visit.proposal, StartSession(visit.proposal.session)):
            for server in (Role.HELPER, Role.P1):
                visit.clients[server].ask(message, Done, patience=ASK_SECONDS)
        visit.state = Session.GATHERED

    def _run(self, visit: Visit) -> None:
        """Compute the session in this thread."""
        assert visit.proposal is not None
        study = visit.study
        self._pauses[study.hash].broken_sessions += 1
        self._obstacles.pop(study.hash, None)
        self._runner.run(visit.proposal.session)
        self._pauses[study.hash].broken_sessions = 0
        visit.state = Session.OVER

    def _conditions(self, study: Study, p1: ServerClient) -> Conditions:
        """Conditions by which the sort is chosen, where the study leaves it open.

        The round trip is how long P1's answer takes over the connection that stands, the least of
        a few, without what the answering takes. The throughput is what this site says of it.
        """
        if study.options.merge != AutoSort.name:
            return USUAL
        seconds = []
        for _ in range(ASKED_FOR_ROUND_TRIP):
            begun = time.perf_counter()
            self._ask_uploads(study, p1)
            seconds.append(time.perf_counter() - begun)
        microseconds = max(0, int(1e6 * min(seconds)) - ANSWERING_US)
        return Conditions(min(microseconds, LONGEST_US), self._megabits)

    def _ask_uploads(self, study: Study, other: ServerClient) -> StoredUploads | None:
        """Uploads that a server holds; None if it has a sealed result, so that P0 has lost its own.

        Of a halt both tell each other.
        """
        found = self._store.results.find(study.hash)
        sealed = found.session if found is not None and found.sealed else b""
        halt = self._store.halts.last(study)
        request = AskUploads(self._clock.seconds(), sealed, halt)
        try:
            theirs = told_uploads(study, other, request)
        except PeerRefused as refusal:
            if refusal.code != Code.RESULT_LOST:
                raise
            log("result lost", level=LogLevel.ERROR, study=study.id)
            self._store.end(study, LOST)
            return None
        compare(self._clock, study, theirs.clock, other.role)
        if theirs.stopped and len(runs_of(study)) > 1:
            self._store.halts.add(study, theirs.stopped, f"{other.role} tells of a mismatch")
        return theirs

    def _seal(self, study: Study) -> None:
        """Seal the shares of a result everywhere, here at last; drop them if one has none.

        With the first seal it is decided, so all others must have stored theirs before.
        """
        found = self._store.results.find(study.hash)
        if found is None:
            return
        session = found.session
        first, *rest = self._others.holders(study)
        stored, seal = AskStored(session), SealSession(session)
        steps: list[tuple[Role, Request]] = [
            *((one, stored) for one in rest),
            (first, seal),
            *((one, seal) for one in rest),
        ]
        with self._others.clients(study) as clients:
            for server, request in steps:
                try:
                    clients[server].ask(request, Done, patience=ASK_SECONDS)
                except PeerRefused as refusal:
                    if refusal.code == Code.UNKNOWN_SESSION:
                        log(
                            "result dropped",
                            level=LogLevel.WARNING,
                            study=study.id,
                            session=session.hex()[:8],
                        )
                        self._store.drop_unsealed(study)
                    raise
                except StudyDiffers:
                    self._ask_whether_closed(study, server)
                    raise
        self._store.seal(study, session)
        log("result sealed", study=study.id, session=session.hex()[:8])

    def _ask_whether_closed(self, study: Study, server: Role) -> None:
        """Learn whether a server serves the version that follows: it closed this one, unsealed."""
        newer = self._follower(study)
        if newer is not None:
            with self._others.clients(newer) as clients:
                clients[server].ask(AskStatus(), Document, patience=ASK_SECONDS)
            self._on_newer(newer.id, newer.hash)


def _obstacle(theirs: Mapping[Role, StoredUploads]) -> str:
    """Obstacle to a study at the other servers; empty if there is none."""
    stopped = [str(server) for server, one in theirs.items() if one.stopped]
    if stopped:
        return f"stopped at {' and '.join(stopped)} until their operators restart it"
    damage = (damage_in_words(one.damaged, server) for server, one in theirs.items())
    return next(filter(None, damage), "")
