"""Replies to an owner about its upload: announced, sent, stored, withdrawn."""

from __future__ import annotations

from collections.abc import Callable

from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DiskCode, DiskFault, UploadDamaged, UploadRefused
from ppaurora.parties.requests.messages import (
    UPLOAD_BYTES,
    BeginUpload,
    CommitUpload,
    ConfirmUpload,
    Received,
    Refused,
    Reply,
    Request,
    SendChunk,
    Withdraw,
    Withdrawn,
)
from ppaurora.parties.requests.refusals import Code, refused
from ppaurora.parties.server.answering.study_status import StudyStatus
from ppaurora.parties.server.answering.upload_sizes import beyond_rule, sizes_fit
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.new_version import confirm
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.keeping.uploads import Upload, stored_bytes
from ppaurora.parties.server.watching.counts import UPLOADS, Counts
from ppaurora.parties.server.watching.logs import LogLevel, log_often
from ppaurora.parties.study.schedule import day
from ppaurora.parties.study.study import ParticipantEntry, Study


class UploadRequests:
    """Answers owners, at a server that holds shares."""

    def __init__(
        self,
        store: Store,
        runner: SessionRunner,
        status: StudyStatus,
        most_samples: int,
        on_change: Callable[[], None],
        counts: Counts,
        version: Callable[[bytes], Study | None],
    ) -> None:
        """`version` gives an accepted study by its hash."""
        self._confirmations = Confirmations(store, version)
        self._store = store
        self._runner = runner
        self._status = status
        self._most_samples = most_samples
        self._on_change = on_change
        self._counts = counts

    def answer(self, study: Study, who: ParticipantEntry, request: Request) -> Reply:
        """The reply to an owner's request about its own upload."""
        return (
            self._withdrawn(study, who, request)
            or self._stored_already(study, who, request)
            or self._too_late(study)
            or self._closed(study, request)
            or self._upload(study, who, request)
        )

    def _withdrawn(self, study: Study, who: ParticipantEntry, request: Request) -> Refused | None:
        """The reply to what is still under way of an upload that its owner has withdrawn."""
        if not isinstance(request, BeginUpload | SendChunk | CommitUpload):
            return None
        if request.upload not in self._store.withdrawals.of(study.hash, who.name):
            return None
        return refused(
            Code.WITHDRAWN,
            "This upload was withdrawn or refused meanwhile, so nothing more of it is taken",
            "If the list is to count after all, upload it again: `ppaurora outsource`.",
        )

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
        """Refusal if the uploads of this study can no longer change; None while they can."""
        why = self._store.ended(study)
        if why:
            return refused(Code.ENDED, f"The study is over: {why}", "A new study needs a new id.")
        result = self._store.results.find(study.hash)
        if result is not None and (result.sealed or self._status.role(study) is Role.P0):
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

    def _closed(self, study: Study, request: Request) -> Refused | None:
        """Refusal of a list for a release that takes no more; it can still be withdrawn."""
        if not study.period or isinstance(request, Withdraw):
            return None
        closes = study.schedule.closes(study.schedule.period(study.period))
        if self._store.now() < closes:
            return None
        return refused(
            Code.ENDED,
            f"The release of {study.period} takes no more lists: it closed on {day(closes)}",
            "Nothing of it is taken into another release; upload the next period's list for that.",
        )

    def _upload(self, study: Study, who: ParticipantEntry, request: Request) -> Reply:
        if isinstance(request, Withdraw):
            if any(len(name) != UPLOAD_BYTES for name in request.uploads):
                return refused(Code.MALFORMED, "The name of an upload of an impossible length")
            if self._store.withdraw(study, who.name, request.uploads):
                log_often("upload withdrawn", of=who.name, study=study.id, owner=who.name)
            return Withdrawn(self._store.withdrawals.of(study.hash, who.name))
        if isinstance(request, ConfirmUpload):
            reply = self._confirmations.answer(study, who, request)
            self._on_change()
            return reply
        if isinstance(request, BeginUpload):
            return self._begin(study, who, request)
        assert isinstance(request, SendChunk | CommitUpload)
        upload = self._own_upload(study, who, request.upload)
        if upload is None:
            return self._not_announced(study, who)
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
        form = study.options.pipeline.form(request.samples)
        whole = stored_bytes(study, self._status.role(study), form)
        named = len(request.upload) == UPLOAD_BYTES
        fitting = sizes_fit(study, request.samples, request.folds)
        if not named or not fitting or request.size != whole:
            return refused(Code.MALFORMED, "An upload of an impossible size")
        if form.numbers > self._most_samples:
            return refused(
                Code.TOO_LARGE,
                f"{form.numbers} numbers are more than the {self._most_samples} samples it stores",
                "Its operator can raise most_samples in the server's site.toml.",
            )
        spent = self._store.withdrawals.spent(study.hash, who.name)
        if spent and self._own_upload(study, who, request.upload) is None:
            advice = "Ask those who run the study for another one, with a new id."
            return refused(Code.TOO_OFTEN, spent, advice)
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
            return _not_taken(refusal)
        return Received(self._store.received(study, upload), upload.stored)

    def _not_announced(self, study: Study, who: ParticipantEntry) -> Refused:
        """The reply to a piece of an upload that is not here, or not any more."""
        if any(one.owner == who.name for one in self._store.uploads(study)):
            return refused(
                Code.OTHER_DATA,
                "Another upload of yours was begun meanwhile, and has taken the place of this one",
                "Let that one end; to replace it, run `ppaurora outsource --withdraw` first.",
            )
        return refused(Code.DAMAGED, "That upload was not announced", "Start it again.")

    def _own_upload(self, study: Study, who: ParticipantEntry, name: bytes) -> Upload | None:
        uploads = self._store.uploads(study)
        return next((one for one in uploads if (one.owner, one.upload) == (who.name, name)), None)


def _not_taken(refusal: UploadRefused) -> Refused:
    return refused(
        Code.OTHER_DATA,
        f"{refusal.what}, so this upload is not taken",
        "To replace it, run `ppaurora outsource --withdraw` first.",
    )


class Confirmations:
    """Answers owners at one proxy; `version` gives an accepted study by its hash."""

    def __init__(self, store: Store, version: Callable[[bytes], Study | None]) -> None:
        self._store = store
        self._version = version

    def answer(self, study: Study, who: ParticipantEntry, request: ConfirmUpload) -> Reply:
        """The upload, stored for this version; the same request again changes nothing."""
        stored = [one for one in self._store.uploads(study) if one.stored]
        before = self._version(request.before)
        if before is None or request.before not in self._store.versions.before(study.hash):
            return refused(
                Code.NO_UPLOAD,
                "That is no version before this one: an upload counts for the options that it was "
                "made on",
                "Upload the list for this version: `ppaurora outsource`.",
            )
        mine = [one for one in self._store.uploads(before) if one.stored and one.owner == who.name]
        if not mine:
            done = next((one for one in stored if one.owner == who.name), None)
            if done is not None:
                return Received(done.size, stored=True)
            return refused(
                Code.NO_UPLOAD,
                "No whole upload of yours for the version before is here",
                "Upload the list for this version: `ppaurora outsource`.",
            )
        if beyond := beyond_rule(study, who, mine[0].samples, stored):
            return beyond
        try:
            confirm(self._store, study, before, mine[0])
        except UploadRefused as refusal:
            return _not_taken(refusal)
        except DiskFault as error:
            if error.code is not DiskCode.SHARE_DAMAGED:
                raise
            return refused(Code.DAMAGED, error.what, error.advice)
        self._store.audit.record("upload confirmed", study=study.id, owner=who.name)
        log_often("upload confirmed", of=who.name, study=study.id, owner=who.name)
        return Received(mine[0].size, stored=True)
