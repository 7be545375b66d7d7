"""What a server answers to each request: who may ask it, what is done, what the reply says.

Knows nothing of sockets. Whoever asks is known by its key; an owner can change its own uploads
only, and only P0 can ask the other two servers to compute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from ppaurora.mpc.errors import BadFrame, BoundExceeded
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DiskFault, DiskFull, UploadDamaged, UploadRefused
from ppaurora.parties.requests.messages import (
    AskCompute,
    AskHoldings,
    AskResult,
    AskStatus,
    BeginUpload,
    CommitUpload,
    Document,
    Done,
    Holdings,
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
from ppaurora.parties.requests.status import Note, State, Status, UploadStatus, in_words
from ppaurora.parties.server.logs import log, log_unexpected
from ppaurora.parties.server.runner import SessionRunner
from ppaurora.parties.server.store import Store, Upload
from ppaurora.parties.study.rule import breaks_rule, waits_for
from ppaurora.parties.study.study import ParticipantEntry, Study
from ppaurora.protocols.bounds import check_bounds
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
    ) -> None:
        self._public = public
        self._studies = studies
        self._store = store
        self._runner = runner
        self._most_samples = most_samples
        self._on_change = on_change

    def answer(self, exchange: bytes, payload: bytes) -> bytes:
        """The encoded reply to one encoded request over a connection with the key `exchange`."""
        try:
            return encode_reply(self._answer_or_own_fault(exchange, open_envelope(payload)))
        except BadFrame as error:
            return encode_reply(
                refused(Code.MALFORMED, error.what, "Compare the versions at both ends.")
            )

    def _answer_or_own_fault(self, exchange: bytes, envelope: Opened) -> Reply:
        """The reply; whatever fails from here on is this server's fault, and it says so."""
        try:
            with self._runner.lock:
                return self._answer(exchange, envelope)
        except BadFrame:
            raise
        except DiskFull as error:
            log("storage full")
            return refused(Code.FULL, error.what, error.advice)
        except DiskFault as error:
            log("disk fault", error=str(error))
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
        if study is None:
            return refused(
                Code.UNKNOWN_STUDY,
                "This server does not serve that study",
                "Its operator adds the study's file to the studies of its site.toml and restarts.",
            )
        public = study.holder_of(exchange)
        if public is None:
            return refused(
                Code.STRANGER,
                "Your key is not in this server's version of the study",
                "Compare study.toml with the server's operator.",
            )
        if study.hash != envelope.study_hash:
            return Refused(Code.STUDY_DIFFERS.value, study.canonical().decode("ascii"), "")
        if envelope.kind in FROM_P0 and study.role_of(public) is not Role.P0:
            return _not_yours(study)
        request = envelope.request()
        if isinstance(request, AskStatus):
            return Document(self._status(study).to_json())
        participant = study.participant_of(public)
        if participant is not None:
            return self._from_participant(study, participant, request)
        return self._from_server(study, study.role_of(public), request)

    def _role(self, study: Study) -> Role:
        role = study.role_of(self._public)
        assert role is not None
        return role

    # -- participants ------------------------------------------------------------------------------

    def _from_participant(self, study: Study, who: ParticipantEntry, request: Request) -> Reply:
        match request:
            case AskCompute() if self._role(study) is Role.P0:
                return self._compute(study, who)
            case AskResult() if who.receives:
                return self._result(study, request)
            case ResultSaved() if who.receives:
                return self._saved(study, who, request)
            case BeginUpload() | SendChunk() | CommitUpload() | Withdraw() if (
                who.uploads and self._role(study) is not Role.HELPER
            ):
                return (
                    self._counted(study, who, request)
                    or self._too_late(study)
                    or self._upload(study, who, request)
                )
        return _not_yours(study)

    def _counted(self, study: Study, who: ParticipantEntry, request: Request) -> Received | None:
        """The reply to an upload that is in the result already: it is stored, nothing to do."""
        if isinstance(request, Withdraw):
            return None
        assert isinstance(request, BeginUpload | SendChunk | CommitUpload)
        if self._store.counted(study, who.name, request.upload):
            return Received(0, stored=True)
        return None

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
                log("upload withdrawn", study=study.id, owner=who.name)
            return Done()
        if isinstance(request, BeginUpload):
            return self._begin(study, who, request)
        assert isinstance(request, SendChunk | CommitUpload)
        upload = self._own_upload(study, who, request.upload)
        if upload is None:
            return refused(Code.DAMAGED, "That upload was not announced", "Start it again.")
        if isinstance(request, SendChunk):
            there = self._store.append(study, upload, request.offset, request.data)
            return Received(there, upload.stored)
        try:
            self._store.commit(study, upload)
        except UploadDamaged:
            log("upload damaged", study=study.id, owner=who.name)
            return refused(Code.DAMAGED, "The upload arrived damaged", "Send it again.")
        if not upload.stored:
            log("upload stored", study=study.id, owner=who.name, samples=upload.samples)
            self._on_change()
        return Received(upload.size, stored=True)

    def _begin(self, study: Study, who: ParticipantEntry, request: BeginUpload) -> Reply:
        whole = SHARE_OF[self._role(study)].size(request.samples)
        if request.samples < 1 or request.size != whole or len(request.upload) != 16:
            return refused(Code.MALFORMED, "An upload of an impossible size")
        if request.samples > self._most_samples:
            return refused(
                Code.TOO_LARGE,
                f"{request.samples} samples are more than the {self._most_samples} it stores",
                "Its operator can raise most_samples in the server's site.toml.",
            )
        rule = study.rule
        if request.samples < rule.least_list:
            return refused(
                Code.TOO_SMALL,
                f"The study takes lists of at least {rule.least_list} samples, "
                f"this one has {request.samples}",
                "See least_list under [rule] in study.toml.",
            )
        others = [one for one in self._store.uploads(study) if one.owner != who.name]
        samples = request.samples + sum(one.samples for one in others)
        if rule.most_samples and samples > rule.most_samples:
            return refused(
                Code.TOO_LARGE,
                f"With this list there are {samples} samples, "
                f"more than the study's most_samples, {rule.most_samples}",
                "Agree with the other owners on who sends how many.",
            )
        try:
            check_bounds(study.options, [*(one.samples for one in others), request.samples])
        except BoundExceeded as error:
            return refused(Code.TOO_LARGE, error.what, error.advice)
        new = Upload(
            who.name,
            request.upload,
            request.samples,
            request.size,
            request.digest,
            stored=False,
            at=0.0,
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
        missing = waits_for(study, self._store.holdings(study), asked=True)
        if missing:
            return refused(
                Code.TOO_EARLY,
                f"The computation cannot start yet: {missing}",
                "See `ppaurora status`; ask again when more owners have uploaded."
                if study.rule.start == "request"
                else "It starts by itself when all have uploaded; see `ppaurora status`.",
            )
        self._store.ask_to_compute(study, who.name)
        log("computation asked for", study=study.id, by=who.name)
        self._on_change()
        return Done()

    def _result(self, study: Study, request: AskResult) -> Reply:
        ended = self._store.ended(study)
        if ended:
            return refused(
                Code.ENDED,
                f"The result is no longer here: {ended}",
                "Use the file that `ppaurora result` saved at the receivers.",
            )
        found = self._store.result(study)
        if found is None or not found.sealed or request.session not in (b"", found.session):
            return refused(
                Code.TOO_EARLY,
                f"There is no result yet: {in_words(*self._state(study))}",
                "Look at `ppaurora status`, or wait for it with `ppaurora result --wait`.",
            )
        return ResultPart(found.session, found.words, found.about)

    def _saved(self, study: Study, who: ParticipantEntry, request: ResultSaved) -> Reply:
        found = self._store.result(study)
        if found is not None and found.sealed and found.session == request.session:
            self._store.result_saved(study, who.name)
            log("result fetched", study=study.id, by=who.name)
        return Done()

    # -- status ------------------------------------------------------------------------------------

    def _state(self, study: Study) -> tuple[State, str]:
        """How the study stands here, and the detail to it."""
        ended = self._store.ended(study)
        if ended:
            return State.OVER, ended
        result = self._store.result(study)
        if result is not None:
            return (State.COMPUTED if result.sealed else State.UNSEALED), ""
        if self._runner.busy_with(study):
            return State.COMPUTING, ""
        if self._role(study) is Role.HELPER:
            return State.READY, ""
        asked = self._store.asked_to_compute(study)
        missing = waits_for(study, self._store.holdings(study), asked)
        return (State.WAITING if missing else State.STARTING), missing

    def _status(self, study: Study) -> Status:
        state, detail = self._state(study)
        return Status(
            study=study.id,
            hash=study.hash.hex(),
            server=str(self._role(study)),
            state=state,
            detail=detail,
            uploads=tuple(
                UploadStatus(
                    owner=one.owner,
                    samples=one.samples,
                    stored=one.stored,
                    received=self._store.received(study, one),
                    size=one.size,
                    at=datetime.fromtimestamp(one.at, UTC),
                )
                for one in self._store.uploads(study)
            ),
            progress=self._runner.progress(study),
            last_problem=self._runner.failure(study),
            notes=tuple(
                Note(datetime.fromtimestamp(at, UTC), text) for at, text in self._store.notes(study)
            ),
        )

    # -- the other servers -------------------------------------------------------------------------

    def _from_server(self, study: Study, speaker: Role | None, request: Request) -> Reply:
        if speaker is not Role.P0:
            return _not_yours(study)
        match request:
            case AskHoldings() if self._role(study) is Role.P1:
                return Holdings(self._store.holdings(study))
            case ProposeSession():
                return self._propose(study, request)
            case StartSession():
                if self._runner.start(request.session):
                    return Done()
                return refused(
                    Code.BUSY, "This session is no longer reserved here", "P0 tries again."
                )
            case SealSession() if self._role(study) is Role.P1:
                return self._seal(study, request)
        return _not_yours(study)

    def _propose(self, study: Study, request: ProposeSession) -> Reply:
        role = self._role(study)
        result = self._store.result(study)
        if self._store.ended(study) or (result is not None and result.sealed):
            return refused(Code.COMPUTED, "The study is computed already")
        roster = request.roster
        names = [one.owner for one in roster]
        known = {one.name for one in study.owners}
        if len(set(names)) != len(names) or not set(names) <= known:
            return refused(Code.MALFORMED, "These are not owners of this study, each once")
        broken = breaks_rule(study, roster)
        if broken:
            return refused(Code.TOO_EARLY, f"The study's rule is not met: {broken}")
        if role is Role.P1 and not set(roster) <= set(self._store.holdings(study)):
            return refused(Code.TOO_EARLY, "These are not the uploads that P1 holds")
        if not self._runner.reserve(study, role, request.session, roster):
            return refused(Code.BUSY, "This server computes something else", "P0 tries again.")
        return Done()

    def _seal(self, study: Study, request: SealSession) -> Reply:
        if self._runner.busy_with(study):
            return refused(Code.BUSY, "This server is still storing its share", "P0 tries again.")
        if not self._store.seal(study, request.session) and not self._store.ended(study):
            return refused(Code.UNKNOWN_SESSION, "This server holds no result of that session")
        log("result sealed", study=study.id, session=request.session.hex()[:8])
        return Done()


def _not_yours(study: Study) -> Refused:
    return refused(
        Code.NOT_YOURS,
        f"This is not for you to ask in study {study.id}",
        "See in study.toml who uploads, who receives, and which server does what.",
    )
