"""The client of a data owner or a receiver: upload, ask, withdraw, fetch.

    owner = Participant.of(Path("site.toml"))
    owner.outsource(owner.take(Path("scores.csv")))
    result = owner.result(wait=600)

Sending the same list again is harmless: the shares are derived from the list and a random secret
of this upload, so they are the same shares again, and of another list they would be others. After a
withdrawal the secret is another one, and the servers cannot tell whether the list is the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Self

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import (
    DataError,
    DocumentRefused,
    KeyFault,
    PeerRefused,
    PolicyRefusal,
    TooEarly,
    Unreachable,
    UploadWithdrawn,
)
from ppaurora.parties.participant.chunks import send_chunks
from ppaurora.parties.participant.data_set import DataSet
from ppaurora.parties.participant.fetching import fetched, rest
from ppaurora.parties.participant.prepared import Prepared, shared
from ppaurora.parties.participant.upload_progress import UPLOAD_PATIENCE, UploadProgress
from ppaurora.parties.participant.upload_secret import UploadSecret, derive_drawing, derive_upload
from ppaurora.parties.participant.upload_words import upload_words
from ppaurora.parties.participant.withdrawing import withdraw_everywhere
from ppaurora.parties.reports.result import Result
from ppaurora.parties.requests.client import Answer, ServerClient
from ppaurora.parties.requests.messages import (
    AskCompute,
    AskStatus,
    BeginUpload,
    CommitUpload,
    ConfirmUpload,
    Document,
    Done,
    Received,
    Request,
    ResultSaved,
)
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.requests.status import Status
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.passphrase import asked
from ppaurora.parties.site.policy import check_samples, check_study
from ppaurora.parties.site.site import Policy, Site
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import source_of, study_data
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.key_days import day_at, nears_its_end
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.runs import holders
from ppaurora.parties.study.study import ParticipantEntry, Study
from ppaurora.parties.study.versions import check_only_adds_owners

__all__ = ["Participant"]

PATIENCE = 20.0
RETRY_SECONDS = 20.0
POLL_SECONDS = 0.3

Report = Callable[[int, int], None]


class Participant:
    """One participant of one study, connected to its servers.

    `folder` holds the files that `simulate(..., folder=folder)` leaves. While the servers run,
    `owner.outsource(...)` sends a list and `owner.result()` fetches the result.

    >>> with Participant.of(folder / "owner-1.toml") as owner:
    ...     owner.name
    'owner-1'
    """

    def __init__(
        self,
        identity: Identity,
        study: Study,
        policy: Policy | None = None,
        state: Path | None = None,
        fold_key: Path | None = None,
        keys: KeysInForce | None = None,
    ) -> None:
        """`state` is the folder that outlives this process, for repeating interrupted uploads.

        `fold_key` is the file of the key that owners share in a study of folds. `keys` are those in
        force for the ones that the study names.
        """
        self.study = study
        self.identity = identity
        self.keys = keys or KeysInForce(day=day_at(time.time()))
        self._policy = policy or Policy()
        self.keys.check_own(study, identity.public)
        self.role = self.keys.role_of(study, identity.public)
        self._fold_key = fold_key
        self._clients: dict[Role, ServerClient] = {}
        self._named = named = self.keys.named(study, identity.public)
        self._secret = UploadSecret.of(state, study, named)
        self._accepted = Acceptances(state) if state else None
        self._data_set = DataSet(self._policy, state)

    @classmethod
    def of(cls, site_path: Path, study_path: Path | None = None) -> Self:
        """The participant whose site file this is."""
        site = Site.load(site_path)
        study = Study.load(study_path or site.only_study)
        identity = own_identity(site, asked)
        keys = Keyring(site.keys).in_force()
        return cls(identity, study, site.policy, site.participant_state, site.fold_key, keys)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def entry(self) -> ParticipantEntry:
        """What the study says about this participant."""
        found = self.study.participant_of(self._named)
        if found is None:
            raise KeyFault(
                f"You are {self.role} in this study, which neither uploads nor receives",
                advice="Use the site file of an owner or a receiver.",
            )
        return found

    @property
    def name(self) -> str:
        """Who this is, a server or a participant."""
        return self.entry.name if self.role is None else str(self.role)

    @property
    def drawing_secret(self) -> bytes:
        """From what the owner draws at random; as lasting as the secret of the upload."""
        return derive_drawing(self._secret.get(), self._named, self.study)

    @property
    def key_warnings(self) -> list[str]:
        """What is to be said of keys in this study that near their end, or are revoked."""
        end = nears_its_end(self.identity.public, self.keys.day)
        own = [f"your key {fingerprint(self.identity.public)} {end}"] if end else []
        return own + self.keys.warnings(self.study)

    def close(self) -> None:
        """Close the connections to the servers."""
        for client in self._clients.values():
            client.__exit__()
        self._clients.clear()

    # -- uploading ---------------------------------------------------------------------------------

    def take(self, given: object, columns: Columns | None = None) -> Labelled | Counted:
        """What this study needs of a list: its rows, or its counts, made where the data lie.

        `given` is a path, a source, or data in memory; `columns` says which columns of a file.
        """
        study = self.study
        return study_data(source_of(given, columns), study.scores, study.options, study.fold_by)

    def prepare(self, table: Labelled | Counted) -> Prepared:
        """Check everything that can be checked here, and split the list; sends nothing."""
        if not self.entry.uploads:
            raise KeyFault(
                f"{self.entry.name} receives the result but uploads nothing in this study",
                advice="See [[participants]] in study.toml.",
            )
        check_study(self._policy, self.study)
        check_samples(self._policy, len(table))
        if not len(table):
            raise DataError("The list is empty", advice="Give a list with at least one sample.")
        words, folds = upload_words(self.study, table, self._fold_key, self.drawing_secret)
        least = self.study.rule.least_list
        if len(table) < least:
            raise PolicyRefusal(
                f"The study takes lists of at least {least} samples, this one has {len(table)}",
                advice="Nothing was sent. See least_list under [rule] in study.toml.",
            )
        seeds, upload = derive_upload(self._secret.get(), self._named, self.study, words, folds)
        self._data_set.check(self.study, upload)
        return shared(upload, len(table), words, seeds, folds)

    def outsource(self, table: Labelled | Counted, report: Report | None = None) -> Prepared:
        """Check, split and send; once this returns, all servers have stored their part."""
        prepared = self.prepare(table)
        self.send(prepared, report)
        return prepared

    def send(self, prepared: Prepared, report: Report | None = None) -> None:
        """Send what was prepared; an interrupted upload goes on where it was.

        One that was withdrawn meanwhile does not, and has to be prepared again.
        """
        self._secret.keep()
        self._data_set.keep(self.study, prepared.upload)
        if self._accepted is not None:
            self._accepted.add(self.study)
        progress = UploadProgress({role: len(data) for role, data in prepared.parts.items()})
        try:
            self._through_restarts(partial(self._send, prepared, progress, report), progress)
        except UploadWithdrawn:
            self._secret.retire()
            raise
        self._data_set.stored(prepared.upload)

    def _send(self, prepared: Prepared, progress: UploadProgress, report: Report | None) -> None:
        parts = prepared.parts
        # all servers accept the upload before any gets a byte of it
        begun = {role: self._begin(prepared, role, data) for role, data in parts.items()}
        self._data_set.found(prepared.upload, max(there.size for there in begun.values()))
        for role, there in begun.items():
            progress.find(role, there.size)

        def acknowledged(role: Role, there: Received) -> None:
            progress.acknowledge(role, there.size)
            if report is not None:
                report(progress.bytes, prepared.size)

        for role, there in begun.items():
            send_chunks(
                self._client(role),
                prepared.upload,
                parts[role],
                there,
                partial(acknowledged, role),
                patience=UPLOAD_PATIENCE,
            )
        # P0 keeps its part last: once it has, every server holds its own, and the upload counts
        for role in reversed(parts):
            self._ask(role, CommitUpload(prepared.upload), Received)
        if report is not None:
            report(prepared.size, prepared.size)

    def _begin(self, prepared: Prepared, role: Role, data: memoryview) -> Received:
        digest = hashlib.sha256(data).digest()
        request = BeginUpload(prepared.upload, prepared.samples, len(data), digest, prepared.folds)
        return self._ask(role, request, Received)

    def accept(self, before: Study) -> bool:
        """Accept this version in place of the one `before`; whether an upload counts for it now.

        The shares that were sent for the version before are not sent again. Where there are none
        the list has yet to be uploaded.
        """
        check_only_adds_owners(before, self.study)
        check_study(self._policy, self.study)
        if self._accepted is not None:
            self._accepted.add(self.study)
        if not self.entry.uploads:
            return False
        self._data_set.carry_over(before, self.study)
        try:
            for role in reversed(holders(self.study)):
                request = ConfirmUpload(before.hash)
                self._through_restarts(partial(self._ask, role, request, Received))
        except PeerRefused as refusal:
            if refusal.code != Code.NO_UPLOAD:
                raise
            return False
        return True

    def withdraw(self) -> bool:
        """Have all servers delete their part of this owner's upload, before it is computed on.

        What another process still sends of it is refused by all of them, also by one that it has
        reached only after this withdrawal had. False if none has told of an upload.
        """
        there = [self._lists_own(role) for role in holders(self.study)]

        def ask(role: Role, request: Request, answer: type[Answer]) -> Answer:
            replies: list[Answer] = []
            self._through_restarts(lambda: replies.append(self._ask(role, request, answer)))
            return replies[0]

        withdraw_everywhere(self.study, ask)
        self._secret.forget()
        return any(there)

    def _lists_own(self, role: Role) -> bool:
        """Whether the server tells of an upload of this owner."""
        with contextlib.suppress(Unreachable):
            return self.entry.name in [one.owner for one in self._told_by(role).uploads]
        return False

    # -- asking ------------------------------------------------------------------------------------

    def status(self) -> dict[str, Status]:
        """What each server says, by its name; of one that does not answer, why."""
        return {str(role): self._status_or_why_not(role) for role in Role}

    def compute(self) -> None:
        """Ask P0 to start; a study that starts by itself needs no asking."""
        self._ask(Role.P0, AskCompute(), Done)

    def progress(self) -> Status:
        """What P0 says of the study at this moment."""
        return self._told_by(Role.P0)

    def result(self, wait: float = 0.0, watch: Callable[[Status], None] | None = None) -> Result:
        """The result, put together here; waits up to `wait` seconds for it."""
        begun = time.monotonic()
        while True:
            try:
                return fetched(self.study, self._ask, self.keys, self._named)
            except (TooEarly, Unreachable):
                if time.monotonic() - begun >= wait:
                    raise
            if watch is not None:
                watch(self._status_or_why_not(Role.P0))
            rest(time.monotonic() - begun, self.close)

    def saved(self, session: bytes) -> None:
        """Tell the servers that the session's result is kept here, so that they need not keep it.

        Each is told whatever the other one says; then the first failure is raised.
        """
        failures = []
        for role in holders(self.study):
            try:
                self._ask(role, ResultSaved(session), Done)
            except AuroraError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def _told_by(self, role: Role) -> Status:
        """The server's status, which must be its own and of this study."""
        told = Status.from_json(self._ask(role, AskStatus(), Document).text)
        if (told.study, told.server) != (self.study.id, str(role)):
            raise DocumentRefused(f"{role} sends the status of another study or server")
        return told

    def _status_or_why_not(self, role: Role) -> Status:
        try:
            return self._told_by(role)
        except AuroraError as error:
            return Status.unanswered(self.study, str(role), str(error))

    # -- speaking ----------------------------------------------------------------------------------

    def _ask(self, role: Role, request: Request, answer: type[Answer]) -> Answer:
        patience = UPLOAD_PATIENCE if isinstance(request, CommitUpload) else PATIENCE
        return self._client(role).ask(request, answer, patience=patience)

    def _client(self, role: Role) -> ServerClient:
        client = self._clients.get(role)
        if client is None:
            client = self._clients[role] = ServerClient(self.identity, self.study, role, self.keys)
        return client

    def _through_restarts(
        self, action: Callable[[], object], upload: UploadProgress | None = None
    ) -> None:
        """Do it; when a server goes away meanwhile, try again for as long as a restart may take.

        An upload is tried again for as long as it makes progress.
        """
        reached = False
        begun = time.monotonic()
        while True:
            try:
                if not reached:
                    self.progress()
                    reached = True
                action()
                return
            except (Unreachable, PeerRefused) as error:
                lost = isinstance(error, Unreachable) or error.code == Code.DAMAGED
                until = begun + RETRY_SECONDS
                if upload is not None:
                    until = max(until, upload.made_at + UPLOAD_PATIENCE)
                if not (lost and reached) or time.monotonic() > until:
                    raise
                time.sleep(POLL_SECONDS)
