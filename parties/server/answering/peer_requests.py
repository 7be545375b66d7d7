"""Replies to P0: this server's uploads, clock and halts, sessions to reserve, the seal."""

from __future__ import annotations

from collections.abc import Callable

from ppaurora.mpc.link import SESSION_BYTES
from ppaurora.mpc.role import Role
from ppaurora.parties.requests.messages import (
    AskStored,
    AskUploads,
    Done,
    ProposeSession,
    Refused,
    Reply,
    Request,
    SealSession,
    StartSession,
    StoredUploads,
)
from ppaurora.parties.requests.refusals import Code, refused
from ppaurora.parties.server.answering.halt_requests import stopped
from ppaurora.parties.server.answering.study_status import StudyStatus
from ppaurora.parties.server.answering.upload_sizes import impossible
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.computing.session_keys import proposed_keys, refusal_of
from ppaurora.parties.server.keeping.damage_words import LOST
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.keeping.verdict_records import differs, known_to_any
from ppaurora.parties.server.watching.clock import Clock, compare
from ppaurora.parties.server.watching.logs import LogLevel, log
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.rule import breaks_rule
from ppaurora.parties.study.runs import runs_of
from ppaurora.parties.study.study import Study
from ppaurora.protocols.sorting.sort import Conditions


class PeerRequests:
    """Answers P0, at P1 and at the helper."""

    def __init__(
        self,
        store: Store,
        runner: SessionRunner,
        status: StudyStatus,
        clock: Clock,
        keys: Callable[[], KeysInForce],
    ) -> None:
        self._store = store
        self._runner = runner
        self._status = status
        self._clock = clock
        self._keys = keys

    def answer(self, study: Study, request: Request) -> Reply | None:
        """The reply to P0; None to what P0 may not ask this server."""
        holds = self._status.holds_shares(study)
        match request:
            case AskUploads() if holds:
                return self._stored_uploads(study, request)
            case ProposeSession():
                return self._propose(study, request)
            case StartSession():
                if self._runner.start(request.session):
                    return Done()
                return refused(
                    Code.BUSY, "This session is no longer reserved here", "P0 tries again."
                )
            case AskStored() | SealSession() if holds:
                return self._seal(study, request)
        return None

    def _stored_uploads(self, study: Study, request: AskUploads) -> Reply:
        """This server's uploads, unless it or P0 has lost its share of a sealed result.

        Of a halt both tell each other first.
        """
        compare(self._clock, study, request.clock, Role.P0)
        if len(request.stopped) not in (0, SESSION_BYTES):
            return _no_name()
        if request.stopped and len(runs_of(study)) > 1:
            self._store.halts.add(study, request.stopped, "P0 tells of a mismatch of the runs")
        if halt := self._store.halts.current(study):
            return StoredUploads((), (), self._clock.seconds(), halt.session)
        result = self._store.results.find(study.hash)
        ended = bool(self._store.ended(study))
        if request.sealed and not ended and (result is None or result.session != request.sealed):
            log("result lost", level=LogLevel.ERROR, study=study.id)
            self._store.end(study, LOST)
        if not request.sealed and (ended or (result is not None and result.sealed)):
            return refused(
                Code.RESULT_LOST,
                f"{self._status.role(study)} has sealed a result, and P0 asks for uploads",
            )
        stored_uploads = self._store.stored_uploads(study)
        return StoredUploads(
            stored_uploads,
            self._store.damaged(study),
            self._clock.seconds(),
            verdicts=self._store.verdicts.known(study, stored_uploads),
        )

    def _propose(self, study: Study, request: ProposeSession) -> Reply:
        role, holds = self._status.role(study), self._status.holds_shares(study)
        if len(request.session) != SESSION_BYTES:
            return _no_name()
        if refusal := stopped(self._store, study):
            return refusal
        if self._store.halts.because_of(study, request.session):
            return refused(
                Code.MALFORMED,
                "A session of this name has stopped the study; what is found in another one under "
                "the same name would be taken for that halt",
            )
        try:
            conditions = Conditions(request.round_trip_us, request.megabits)
        except ValueError:
            return refused(Code.MALFORMED, "The network that P0 tells of is none")
        keys = proposed_keys(study, request.keys)
        if differing := refusal_of(study, role, self._status.public, keys, self._keys()):
            return differing
        result = self._store.results.find(study.hash)
        if self._store.ended(study) or (result is not None and result.sealed):
            return refused(Code.COMPUTED, "The study is computed already")
        roster = request.roster
        if why := impossible(study, roster):
            return refused(Code.MALFORMED, why)
        broken = breaks_rule(study, roster)
        if broken:
            return refused(Code.TOO_EARLY, f"The study's rule is not met: {broken}")
        if holds:
            self._store.check_shares(study)
        if damage := self._status.damage(study):
            return refused(Code.OWN_FAULT, damage)
        if holds and not set(roster) <= set(self._store.stored_uploads(study)):
            return refused(Code.TOO_EARLY, f"These are not the uploads that {role} holds")
        if not 0 <= request.slot < study.slots:
            return refused(Code.MALFORMED, f"The study has no slot {request.slot} of link ports")
        own = self._store.verdicts.known(study, roster)
        if differs(study, role, own, request.verdicts):
            return refused(
                Code.MALFORMED, f"P0 tells of other verdicts on the lists than {role} keeps"
            )
        reserve, verdicts = self._runner.reserve, known_to_any(study, roster, request.verdicts)
        session, slot = request.session, request.slot
        if not reserve(
            study, role, session, roster, conditions, keys, verdicts=verdicts, slot=slot
        ):
            return refused(Code.BUSY, "This server computes something else", "P0 tries again.")
        return Done()

    def _seal(self, study: Study, request: AskStored | SealSession) -> Reply:
        """Tell P0 whether the session's shares are stored here; seal them if it asks."""
        if self._runner.busy_with(study):
            return refused(Code.BUSY, "This server is still storing its share", "P0 tries again.")
        if isinstance(request, AskStored):
            found = self._store.results.find(study.hash)
            stored = found is not None and found.session == request.session
        else:
            stored = self._store.seal(study, request.session)
        if not stored and not self._store.ended(study):
            return refused(Code.UNKNOWN_SESSION, "This server holds no result of that session")
        if isinstance(request, SealSession):
            log("result sealed", study=study.id, session=request.session.hex()[:8])
        return Done()


def _no_name() -> Refused:
    return refused(Code.MALFORMED, f"The name of a session that has not {SESSION_BYTES} bytes")
