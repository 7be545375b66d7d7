"""Leading studies, as P0 does: start when the rule is met, ask the others, seal the result.

A result counts once both proxies have stored their shares of one session. P0 stores first, then
asks P1 to seal; only what P1 has sealed does P0 seal and give out. A crash anywhere in between ends
in the same one result, or in a new session.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import SESSION_BYTES
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import PeerRefused
from ppaurora.parties.requests.client import ServerClient
from ppaurora.parties.requests.messages import (
    AskHoldings,
    Done,
    Holdings,
    ProposeSession,
    SealSession,
    StartSession,
)
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.server.clock import EXCHANGE_SECONDS, Clock
from ppaurora.parties.server.damage_words import LOST, damage_in_words
from ppaurora.parties.server.logs import LogLevel, log, log_unexpected
from ppaurora.parties.server.peer_address import peer_address
from ppaurora.parties.server.runner import SessionRunner
from ppaurora.parties.server.store import Store
from ppaurora.parties.study.holding import Holding
from ppaurora.parties.study.rule import common_roster, waits_for
from ppaurora.parties.study.study import Study
from ppaurora.protocols.sorting.auto import AutoSort
from ppaurora.protocols.sorting.sort import LONGEST_US, USUAL, Conditions

__all__ = ["StudyLeader"]

POLL_SECONDS = 0.2
FIRST_PAUSE, LONGEST_PAUSE = 0.3, 5.0
LONGEST_PAUSE_OF_SESSIONS = 300.0
ASK_SECONDS = 5.0
EXCHANGE_RETRY_SECONDS = 60.0
ASKED_FOR_ROUND_TRIP = 3
ANSWERING_US = 800
"""What an answer takes beside the line: what `ppaurora demo` measured on one busy machine."""


@dataclass(slots=True)
class Pause:
    """When to try a study again, and how long to wait after the next failure.

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


class StudyLeader:
    """Runs every study of which this server is P0, one after the other."""

    def __init__(
        self,
        identity: Identity,
        store: Store,
        runner: SessionRunner,
        studies: Callable[[], Iterable[Study]],
        clock: Clock | None = None,
        exchange_seconds: float = EXCHANGE_SECONDS,
        megabits: int = USUAL.megabits,
    ) -> None:
        self._identity = identity
        self._store = store
        self._runner = runner
        self._studies = studies
        self._pauses: dict[bytes, Pause] = {}
        self._obstacles: dict[bytes, str] = {}
        self._clock = clock or Clock()
        self._exchange_seconds = exchange_seconds
        self._megabits = megabits
        self._exchange_due: dict[bytes, float] = {}
        self._wanted = threading.Event()

    def run(self, stopping: threading.Event) -> None:
        """Advance every study that this server leads, again and again, until `stopping`."""
        while not stopping.is_set():
            try:
                for study in list(self._studies()):
                    if study.role_of(self._identity.public) is Role.P0:
                        self._attend(study)
            except Exception as error:
                log_unexpected("leading failed", error)
            self._wanted.wait(POLL_SECONDS)
            self._wanted.clear()

    def wake(self) -> None:
        """Something has changed: look again at once."""
        self._wanted.set()

    def obstacle(self, study: Study) -> str:
        """What keeps a study from being computed though P0's own uploads would allow it."""
        return self._obstacles.get(study.hash, "")

    def _attend(self, study: Study) -> None:
        """Do what is next for this study; what fails is logged and tried again later."""
        pause = self._pauses.setdefault(study.hash, Pause())
        if time.monotonic() < pause.until:
            return
        try:
            if not self._store.ended(study):
                self._compare(study)
                self._advance(study)
            pause.seconds = FIRST_PAUSE
        except AuroraError as error:
            busy = isinstance(error, PeerRefused) and error.code == Code.BUSY
            if not busy:
                self._obstacles[study.hash] = error.what
            log(
                "study waits",
                level=LogLevel.INFO if busy else LogLevel.WARNING,
                peer=peer_address(study, error.peer),
                study=study.id,
                error=str(error),
            )
            pause.postpone(time.monotonic(), longer=not busy)
        except Exception as error:
            log_unexpected("study waits", error, study=study.id)
            pause.postpone(time.monotonic(), longer=True)

    def _compare(self, study: Study) -> None:
        """Exchange clocks with P1 every now and then, and learn whether a sealed result was lost.

        If P1 does not answer, that is tried again later and keeps nothing from being done. While
        this server's share is not sealed, P1's may be: that is sealed first.
        """
        result = self._store.result(study)
        unsealed = result is not None and not result.sealed
        if unsealed or time.monotonic() < self._exchange_due.get(study.hash, 0.0):
            return
        self._exchange_due[study.hash] = time.monotonic() + self._exchange_seconds
        try:
            with ServerClient(self._identity, study, Role.P1) as p1:
                self._ask_holdings(study, p1)
        except AuroraError as error:
            log(
                "clocks not compared",
                level=LogLevel.WARNING,
                peer=peer_address(study, str(Role.P1)),
                study=study.id,
                error=str(error),
            )
            retry = min(self._exchange_seconds, EXCHANGE_RETRY_SECONDS)
            self._exchange_due[study.hash] = time.monotonic() + retry

    def _advance(self, study: Study) -> None:
        """Compute the study if its rule allows that, and seal a result that is not sealed yet."""
        if self._store.ended(study):
            return
        result = self._store.result(study)
        if result is not None:
            if not result.sealed:
                self._seal(study, result.session)
            return
        mine = self._store.holdings(study)
        asked = self._store.asked_to_compute(study, mine)
        if self._store.damaged(study) or waits_for(study, mine, asked):
            self._obstacles.pop(study.hash, None)
            return
        with ServerClient(self._identity, study, Role.P1) as p1:
            theirs = self._ask_holdings(study, p1)
            if theirs is None:
                return
            roster = common_roster(self._store.holdings(study), theirs.uploads)
            asked = self._store.asked_to_compute(study, roster)
            missing = damage_in_words(theirs.damaged, Role.P1) or waits_for(study, roster, asked)
            if missing:
                self._obstacles[study.hash] = missing
                self._pauses[study.hash].until = time.monotonic() + FIRST_PAUSE
                return
            self._store.check_shares(study)
            session = os.urandom(SESSION_BYTES)
            conditions = self._conditions(study, p1)
            if not self._runner.reserve(study, Role.P0, session, roster, conditions):
                return
            try:
                # an owner may have withdrawn or replaced its upload before the session was reserved
                if common_roster(self._store.holdings(study), roster) != roster:
                    return
                self._gather(study, p1, session, roster, conditions)
                self._pauses[study.hash].broken_sessions += 1
                self._obstacles.pop(study.hash, None)
                self._runner.run(session)
                self._pauses[study.hash].broken_sessions = 0
            finally:
                self._runner.free(session)
        if self._store.result(study) is not None:
            self._seal(study, session)

    def _conditions(self, study: Study, p1: ServerClient) -> Conditions:
        """What the sort is chosen by, where the study leaves it open.

        The round trip is how long P1's answer takes over the connection that stands, the least of
        a few, without what the answering takes. The throughput is what this site says of it.
        """
        if study.options.merge != AutoSort.name:
            return USUAL
        seconds = []
        for _ in range(ASKED_FOR_ROUND_TRIP):
            begun = time.perf_counter()
            self._ask_holdings(study, p1)
            seconds.append(time.perf_counter() - begun)
        microseconds = max(0, int(1e6 * min(seconds)) - ANSWERING_US)
        return Conditions(min(microseconds, LONGEST_US), self._megabits)

    def _gather(
        self,
        study: Study,
        p1: ServerClient,
        session: bytes,
        roster: tuple[Holding, ...],
        conditions: Conditions,
    ) -> None:
        """Have both other servers reserve this session, and then start it."""
        proposal = ProposeSession(session, roster, conditions.round_trip_us, conditions.megabits)
        with ServerClient(self._identity, study, Role.HELPER) as helper:
            for message in (proposal, StartSession(session)):
                for other in (helper, p1):
                    other.ask(message, Done, patience=ASK_SECONDS)

    def _ask_holdings(self, study: Study, p1: ServerClient) -> Holdings | None:
        """What P1 holds; None if P1 has a sealed result, so that this server has lost its own."""
        found = self._store.result(study)
        sealed = found.session if found is not None and found.sealed else b""
        request = AskHoldings(self._clock.seconds(), sealed)
        try:
            theirs = p1.ask(request, Holdings, patience=ASK_SECONDS)
        except PeerRefused as refusal:
            if refusal.code != Code.RESULT_LOST:
                raise
            log("result lost", level=LogLevel.ERROR, study=study.id)
            self._store.end(study, LOST)
            return None
        self._clock.heard(study.hash, theirs.clock)
        return theirs

    def _seal(self, study: Study, session: bytes) -> None:
        """Seal the shares of this session at P1, then here; if P1 has none, drop those here."""
        with ServerClient(self._identity, study, Role.P1) as p1:
            try:
                p1.ask(SealSession(session), Done, patience=ASK_SECONDS)
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
        self._store.seal(study, session)
        log("result sealed", study=study.id, session=session.hex()[:8])
