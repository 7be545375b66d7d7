"""Answering requests: who may ask, what is done, and what the reply says.

Knows nothing of sockets. Whoever asks is known by its key; an owner can change its own uploads
only, and only P0 can ask the other two servers to compute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import (
    DiskCode,
    DiskFault,
    RosterRefused,
)
from ppaurora.parties.evidence.audit_chain import Fact
from ppaurora.parties.evidence.commitment import hand_out
from ppaurora.parties.requests.messages import (
    AskCompute,
    AskResult,
    AskStatus,
    AskStored,
    AskUploads,
    BeginUpload,
    CommitUpload,
    ConfirmUpload,
    Document,
    Done,
    ProposeSession,
    Refused,
    Reply,
    ReportMismatch,
    Request,
    RestartStudy,
    ResultPart,
    ResultSaved,
    SealSession,
    SendChunk,
    StartSession,
    Withdraw,
)
from ppaurora.parties.requests.refusals import Code, refused, refused_key
from ppaurora.parties.requests.status import in_words
from ppaurora.parties.requests.wire import Opened, encode_reply, open_envelope
from ppaurora.parties.server.answering.halt_requests import MismatchReports, restarted, stopped
from ppaurora.parties.server.answering.peer_requests import PeerRequests
from ppaurora.parties.server.answering.studies import unknown_study
from ppaurora.parties.server.answering.study_status import StudyStatus
from ppaurora.parties.server.answering.upload_requests import UploadRequests
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.rosters import roster_digest
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.clock import Clock
from ppaurora.parties.server.watching.counts import REFUSALS, REQUESTS, Counts
from ppaurora.parties.server.watching.logs import LogLevel, log_often, log_unexpected
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.rule import waits_for
from ppaurora.parties.study.runs import runs_of
from ppaurora.parties.study.study import ParticipantEntry, Study

FROM_P0 = (AskUploads, ProposeSession, StartSession, AskStored, SealSession)
"""Requests that only P0 may make; from anybody else they are not even decoded."""


class RequestHandler:
    """Answers the requests about all the studies of this server."""

    def __init__(
        self,
        public: PublicKey,
        studies: Mapping[str, Study],
        store: Store,
        runner: SessionRunner,
        *,
        most_samples: int,
        on_change: Callable[[], None],
        clock: Clock | None = None,
        obstacle: Callable[[Study], str] = lambda study: "",
        counts: Counts | None = None,
        not_served: Callable[[str, bytes], Refused] = unknown_study,
        on_newer: Callable[[str, bytes], None] = lambda id, hash: None,
        version: Callable[[bytes], Study | None] = lambda hash: None,
        keys: Callable[[], KeysInForce] = KeysInForce,
    ) -> None:
        """`on_newer` is told of a version that P0 serves and this server does not.

        `version` gives an accepted study by its hash.
        """
        self._keys = keys
        self._not_served = not_served
        self._on_newer = on_newer
        self._status = StudyStatus(public, store, runner, obstacle, keys)
        self._peers = PeerRequests(store, runner, self._status, clock or Clock(), keys)
        self._counts = counts or Counts()
        self._studies = studies
        self._store = store
        self._runner = runner
        self._uploads = UploadRequests(
            store, runner, self._status, most_samples, on_change, self._counts, version
        )
        self._on_change = on_change
        self._reports = MismatchReports(store, keys)
        self._recorded: set[tuple[str, bytes, str, str]] = set()

    def answer(self, exchange: bytes, payload: bytes) -> bytes:
        """The encoded reply to one encoded request; a refusal or a fault of the server is one, too.

        `exchange` is the public key of the connection's other end.
        """
        try:
            envelope = open_envelope(payload)
            self._counts.add(REQUESTS, envelope.kind.__name__)
            reply = self._answer_or_own_fault(exchange, envelope)
        except BadFrame as error:
            reply = refused(Code.MALFORMED, error.what, "Compare the versions at both ends.")
        if isinstance(reply, Refused):
            self._counts.add(REFUSALS, reply.code)
        return encode_reply(reply)

    def _answer_or_own_fault(self, exchange: bytes, envelope: Opened) -> Reply:
        """The reply; whatever fails from here on is this server's fault, and it says so."""
        try:
            with self._runner.lock:
                return self._answer(exchange, envelope)
        except BadFrame:
            raise
        except RosterRefused as error:
            return refused(Code.ENDED, error.what)
        except DiskFault as error:
            if error.code is DiskCode.FULL:
                log_often("storage full", level=LogLevel.ERROR)
                return refused(Code.FULL, error.what, error.advice)
            log_often("disk fault", level=LogLevel.ERROR, error=str(error))
            return refused(Code.OWN_FAULT, error.what, error.advice)
        except Exception as error:
            log_unexpected("request failed", error)
            return refused(
                Code.OWN_FAULT,
                "The server failed internally; your request was valid",
                "Its log says more to its operator; nothing acknowledged is changed.",
            )

    def _answer(self, exchange: bytes, envelope: Opened) -> Reply:
        study = self._studies.get(envelope.study_id)
        holder = self._keys().holder(study, exchange) if study is not None else None
        if study is None or holder is None:
            return self._not_served(envelope.study_id, exchange)
        if holder.refusal:
            return refused_key(holder)
        public = holder.named
        if study.hash != envelope.study_hash:
            if envelope.kind in FROM_P0 and study.role_of(public) is Role.P0:
                self._on_newer(study.id, envelope.study_hash)
            return Refused(Code.STUDY_DIFFERS.value, study.canonical().decode("ascii"), "")
        if envelope.kind in FROM_P0 and study.role_of(public) is not Role.P0:
            return _not_yours(study)
        request = envelope.request()
        if isinstance(request, AskStatus):
            return Document(self._status.report(study).to_json())
        if isinstance(request, RestartStudy) and study.role_of(public) is self._role(study):
            return restarted(self._store, study)
        participant = study.participant_of(public)
        if participant is not None:
            return self._from_participant(study, participant, request)
        return self._peers.answer(study, request) or _not_yours(study)

    def _role(self, study: Study) -> Role:
        return self._status.role(study)

    # -- participants ------------------------------------------------------------------------------

    def _from_participant(self, study: Study, who: ParticipantEntry, request: Request) -> Reply:
        match request:
            case AskCompute() if self._role(study) is Role.P0:
                return self._compute(study, who)
            case AskResult() if who.receives and self._status.holds_shares(study):
                return self._result(study, who, request)
            case ReportMismatch() if who.receives and len(runs_of(study)) > 1:
                return self._reports.answer(study, who, request)
            case ResultSaved() if who.receives:
                return self._saved(study, who, request)
            case BeginUpload() | SendChunk() | CommitUpload() | Withdraw() | ConfirmUpload() if (
                who.uploads and self._status.holds_shares(study)
            ):
                return self._uploads.answer(study, who, request)
        return _not_yours(study)

    def _compute(self, study: Study, who: ParticipantEntry) -> Reply:
        if self._store.results.find(study.hash) is not None or self._store.ended(study):
            return Done()
        if refusal := stopped(self._store, study):
            return refusal
        missing = self._status.damage(study) or waits_for(
            study, self._store.stored_uploads(study), asked=True
        )
        if missing:
            return refused(
                Code.TOO_EARLY,
                f"The computation cannot start yet: {missing}",
                "See `ppaurora status`; ask again when more owners have uploaded."
                if study.rule.start == "request"
                else "It starts by itself when all have uploaded; see `ppaurora status`.",
            )
        roster = self._store.stored_uploads(study)
        if why := self._status.spent(study, roster):
            return refused(Code.ENDED, f"The study is not computed: {why}")
        self._record_once("computation asked for", study, who, roster_digest(roster))
        self._store.requests.make(study.hash, self._store.stored_uploads(study))
        log_often("computation asked for", of=who.name, study=study.id, by=who.name)
        self._on_change()
        return Done()

    def _result(self, study: Study, who: ParticipantEntry, request: AskResult) -> Reply:
        ended = self._store.ended(study)
        if ended:
            return refused(
                Code.ENDED,
                f"The result is no longer here: {ended}",
                "Use the file that `ppaurora result` saved at the receivers.",
            )
        if refusal := stopped(self._store, study):
            return refusal
        found = self._store.results.find(study.hash)
        if request.session and (found is None or found.session != request.session):
            return refused(
                Code.RESULT_LOST,
                f"{self._role(study)} holds no share of the result that the other proxy gave out: "
                "its state was lost, or is older",
                "Ask its operator; without that state, only a new study gives the result.",
            )
        if found is None or not found.sealed:
            return refused(
                Code.TOO_EARLY,
                f"There is no result yet: {in_words(*self._status.state(study))}",
                "Look at `ppaurora status`, or wait for it with `ppaurora result --wait`.",
            )
        session = found.session.hex()
        self._record_once("share of the result handed out", study, who, session, session=session)
        words = hand_out(study.hash, found.session, who.public, found.words)
        signature = self._runner.identity.sign(words)
        return ResultPart(found.session, found.words, found.about, signature)

    def _saved(self, study: Study, who: ParticipantEntry, request: ResultSaved) -> Reply:
        found = self._store.results.find(study.hash)
        if found is not None and found.sealed and found.session == request.session:
            session = found.session.hex()
            self._record_once("result kept by a receiver", study, who, session, session=session)
            self._store.result_saved(study, who.name)
            log_often("result fetched", of=who.name, study=study.id, by=who.name)
        return Done()

    def _record_once(
        self, event: str, study: Study, who: ParticipantEntry, of: str, **facts: Fact
    ) -> None:
        """Add to the audit log what may be asked repeatedly, once since the start `of` each."""
        if (event, study.hash, of, who.name) not in self._recorded:
            self._store.audit.record(event, study=study.id, by=who.name, **facts)
            self._recorded.add((event, study.hash, of, who.name))


def _not_yours(study: Study) -> Refused:
    return refused(
        Code.NOT_YOURS,
        f"This is not for you to ask in study {study.id}",
        "See in study.toml who uploads, who receives, and which server does what.",
    )
