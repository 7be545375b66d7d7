"""What a server answers to each request: who may ask it, what is done, what the reply says.

Knows nothing of sockets. Whoever asks is known by its key; an owner can change its own uploads
only, and only P0 can ask the other two servers to compute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import (
    DiskFault,
    DiskFull,
    RosterRefused,
    UploadDamaged,
    UploadRefused,
)
from ppaurora.parties.evidence.audit_chain import Fact
from ppaurora.parties.requests.messages import (
    AskCompute,
    AskHoldings,
    AskResult,
    AskStatus,
    BeginUpload,
    CommitUpload,
    ConfirmUpload,
    Document,
    Done,
    Opened,
    ProposeSession,
    Received,
    Refused,
    Reply,
    Request,
    ResultPart,
    ResultSaved,
    SealSession,
    SendChunk,
    StartSession,
    Withdraw,
    encode_reply,
    open_envelope,
)
from ppaurora.parties.requests.refusals import Code, refused
from ppaurora.parties.requests.status import in_words
from ppaurora.parties.server.clock import Clock
from ppaurora.parties.server.confirmations import Confirmations
from ppaurora.parties.server.counts import REFUSALS, REQUESTS, UPLOADS, Counts
from ppaurora.parties.server.logs import LogLevel, log_often, log_unexpected
from ppaurora.parties.server.occasion import roster_digest
from ppaurora.parties.server.peer_requests import PeerRequests
from ppaurora.parties.server.records import Upload
from ppaurora.parties.server.runner import SessionRunner
from ppaurora.parties.server.standing import Standing
from ppaurora.parties.server.store import Store
from ppaurora.parties.server.studies import unknown_study
from ppaurora.parties.server.upload_sizes import beyond_rule
from ppaurora.parties.study.rule import waits_for
from ppaurora.parties.study.study import ParticipantEntry, Study
from ppaurora.protocols.lists.outsourcing import SHARE_OF

__all__ = ["RequestHandler"]

FROM_P0 = (AskHoldings, ProposeSession, StartSession, SealSession)
"""What only P0 may ask; from anybody else it is not even decoded."""


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
    ) -> None:
        """`on_newer` is told of a version that P0 serves and this server does not.

        `version` gives an accepted study by its hash.
        """
        self._not_served = not_served
        self._on_newer = on_newer
        self._confirmations = Confirmations(store, version)
        self._standing = Standing(public, store, runner, obstacle)
        self._peers = PeerRequests(store, runner, self._standing, clock or Clock())
        self._studies = studies
        self._store = store
        self._runner = runner
        self._most_samples = most_samples
        self._on_change = on_change
        self._counts = counts or Counts()
        self._recorded: set[tuple[str, bytes, str, str]] = set()

    def answer(self, exchange: bytes, payload: bytes) -> bytes:
        """The encoded reply to one encoded request over a connection with the key `exchange`."""
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
        except DiskFull as error:
            log_often("storage full", level=LogLevel.ERROR)
            return refused(Code.FULL, error.what, error.advice)
        except DiskFault as error:
            log_often("disk fault", level=LogLevel.ERROR, error=str(error))
            return refused(Code.OWN_FAULT, error.what, error.advice)
        except Exception as error:
            log_unexpected("request failed", error)
            return refused(
                Code.OWN_FAULT,
                "This server met a fault of its own; the request is not to blame",
                "Its log says more to its operator; nothing acknowledged is changed.",
            )

    def _answer(self, exchange: bytes, envelope: Opened) -> Reply:
        study = self._studies.get(envelope.study_id)
        public = study.holder_of(exchange) if study is not None else None
        if study is None or public is None:
            return self._not_served(envelope.study_id, exchange)
        if study.hash != envelope.study_hash:
            if envelope.kind in FROM_P0 and study.role_of(public) is Role.P0:
                self._on_newer(study.id, envelope.study_hash)
            return Refused(Code.STUDY_DIFFERS.value, study.canonical().decode("ascii"), "")
        if envelope.kind in FROM_P0 and study.role_of(public) is not Role.P0:
            return _not_yours(study)
        request = envelope.request()
        if isinstance(request, AskStatus):
            return Document(self._standing.status(study).to_json())
        participant = study.participant_of(public)
        if participant is not None:
            return self._from_participant(study, participant, request)
        return self._peers.answer(study, request) or _not_yours(study)

    def _role(self, study: Study) -> Role:
        return self._standing.role(study)

    # -- participants ------------------------------------------------------------------------------

    def _from_participant(self, study: Study, who: ParticipantEntry, request: Request) -> Reply:
        match request:
            case AskCompute() if self._role(study) is Role.P0:
                return self._compute(study, who)
            case AskResult() if who.receives and self._role(study) is not Role.HELPER:
                return self._result(study, who, request)
            case ResultSaved() if who.receives:
                return self._saved(study, who, request)
            case BeginUpload() | SendChunk() | CommitUpload() | Withdraw() | ConfirmUpload() if (
                who.uploads and self._role(study) is not Role.HELPER
            ):
                return (
                    self._stored_already(study, who, request)
                    or self._too_late(study)
                    or self._upload(study, who, request)
                )
        return _not_yours(study)

    def _stored_already(
        self, study: Study, who: ParticipantEntry, request: Request
    ) -> Received | None:
        """The reply to an upload that stands, whose owner may have missed that it does.

        It is stored and computed on at this moment, or in the result already: nothing to do.
        """
        if isinstance(request, Withdraw | ConfirmUpload):
            return None
        assert isinstance(request, BeginUpload | SendChunk | CommitUpload)
        if self._store.counted(study, who.name, request.upload):
            return Received(0, stored=True)
        upload = self._own_upload(study, who, request.upload)
        if upload is None or not upload.stored or not self._runner.busy_with(study):
            return None
        if isinstance(request, BeginUpload) and request.digest != upload.digest:
            return None
        return Received(upload.size, stored=True)

    def _too_late(self, study: Study) -> Refused | None:
        """Why the uploads of this study can no longer change; None while they can."""
        why = self._store.ended(study)
        if why:
            return refused(Code.ENDED, f"The study is over: {why}", "A new study needs a new id.")
        result = self._store.result(study)
        if result is not None and (result.sealed or self._role(study) is Role.P0):
            return refused(
                Code.COMPUTED,
                "The study is computed already, its uploads are fixed",
                "Fetch the result with `ppaurora result`.",
            )
        if self._runner.busy_with(study):
            return refused(
                Code.COMPUTING,
                "The study is being computed at this moment",
                "Look at `ppaurora status` in a moment.",
            )
        return None

    def _upload(self, study: Study, who: ParticipantEntry, request: Request) -> Reply:
        if isinstance(request, Withdraw):
            if self._store.withdraw(study, who.name):
                log_often("upload withdrawn", of=who.name, study=study.id, owner=who.name)
            return Done()
        if isinstance(request, ConfirmUpload):
            reply = self._confirmations.answer(study, who, request)
            self._on_change()
            return reply
        if isinstance(request, BeginUpload):
            return self._begin(study, who, request)
        assert isinstance(request, SendChunk | CommitUpload)
        upload = self._own_upload(study, who, request.upload)
        if upload is None:
            return refused(Code.DAMAGED, "That upload was not announced", "Start it again.")
        if isinstance(request, SendChunk):
            there = self._store.append(study, upload, request.offset, request.data)
            return Received(there, upload.stored)
        stored = [one for one in self._store.uploads(study) if one.stored]
        beyond = beyond_rule(study, who, upload.samples, stored)
        if beyond:
            return beyond
        try:
            self._store.commit(study, upload)
        except UploadDamaged:
            log_often(
                "upload damaged",
                of=who.name,
                level=LogLevel.WARNING,
                study=study.id,
                owner=who.name,
            )
            return refused(Code.DAMAGED, "The upload arrived damaged", "Send it again.")
        if not upload.stored:
            self._counts.add(UPLOADS)
            self._store.audit.record(
                "upload stored", study=study.id, owner=who.name, samples=upload.samples
            )
            log_often(
                "upload stored", of=who.name, study=study.id, owner=who.name, samples=upload.samples
            )
            self._on_change()
        return Received(upload.size, stored=True)

    def _begin(self, study: Study, who: ParticipantEntry, request: BeginUpload) -> Reply:
        words = study.options.pipeline.words(request.samples)
        whole = SHARE_OF[self._role(study)].size(words)
        possible = request.samples >= 1 and request.size == whole and len(request.upload) == 16
        folds = request.folds or (request.samples,)
        of_study = len(folds) == max(1, study.options.folds) and sum(folds) == request.samples
        if not possible or not of_study or bool(request.folds) != bool(study.options.folds):
            return refused(Code.MALFORMED, "An upload of an impossible size")
        if words > self._most_samples:
            return refused(
                Code.TOO_LARGE,
                f"{words} numbers are more than the {self._most_samples} samples it stores",
                "Its operator can raise most_samples in the server's site.toml.",
            )
        beyond = beyond_rule(study, who, request.samples, self._store.reserving(study))
        if beyond:
            return beyond
        new = Upload(
            who.name,
            request.upload,
            request.samples,
            request.size,
            request.digest,
            stored=False,
            at=0.0,
            folds=request.folds,
        )
        try:
            upload = self._store.begin(study, new)
        except UploadRefused as refusal:
            return refused(
                Code.OTHER_DATA,
                f"{refusal.what}, so this upload is not taken",
                "To replace it, run `ppaurora outsource --withdraw` first.",
            )
        return Received(self._store.received(study, upload), upload.stored)

    def _own_upload(self, study: Study, who: ParticipantEntry, name: bytes) -> Upload | None:
        uploads = self._store.uploads(study)
        return next((one for one in uploads if (one.owner, one.upload) == (who.name, name)), None)

    def _compute(self, study: Study, who: ParticipantEntry) -> Reply:
        if self._store.result(study) is not None or self._store.ended(study):
            return Done()
        missing = self._standing.damage(study) or waits_for(
            study, self._store.holdings(study), asked=True
        )
        if missing:
            return refused(
                Code.TOO_EARLY,
                f"The computation cannot start yet: {missing}",
                "See `ppaurora status`; ask again when more owners have uploaded."
                if study.rule.start == "request"
                else "It starts by itself when all have uploaded; see `ppaurora status`.",
            )
        roster = self._store.holdings(study)
        self._store.rosters.check(study, roster)
        self._record_once("computation asked for", study, who, roster_digest(roster))
        self._store.ask_to_compute(study)
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
        found = self._store.result(study)
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
                f"There is no result yet: {in_words(*self._standing.state(study))}",
                "Look at `ppaurora status`, or wait for it with `ppaurora result --wait`.",
            )
        session = found.session.hex()
        self._record_once("share of the result handed out", study, who, session, session=session)
        return ResultPart(found.session, found.words, found.about)

    def _saved(self, study: Study, who: ParticipantEntry, request: ResultSaved) -> Reply:
        found = self._store.result(study)
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
