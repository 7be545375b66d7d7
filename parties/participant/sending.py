"""Sending one prepared upload: the driver that takes the steps of `upload_steps`."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import PolicyRefusal, UploadWithdrawn
from ppaurora.parties.participant.chunks import send_chunks
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.participant.servers import Servers, may_come_back
from ppaurora.parties.participant.upload_progress import UPLOAD_PATIENCE, UploadProgress
from ppaurora.parties.participant.upload_records import UploadRecords
from ppaurora.parties.participant.upload_steps import (
    ENDING,
    AtServer,
    Trouble,
    UploadState,
    UploadStep,
)
from ppaurora.parties.requests.messages import BeginUpload, CommitUpload, Received

Report = Callable[[int, int], None]
"""Is told how many bytes of how many are acknowledged."""


class Sending:
    """One upload under way, from its records to the last server that has stored it."""

    def __init__(
        self, prepared: Prepared, servers: Servers, records: UploadRecords, report: Report | None
    ) -> None:
        self._prepared = prepared
        self._servers = servers
        self._records = records
        self._report = report
        self._parts = prepared.parts
        self._roles = tuple(self._parts)
        self._progress = UploadProgress({role: len(part) for role, part in self._parts.items()})
        self._there: dict[Role, Received] = {}
        self._begun = time.monotonic()
        self._state = UploadState((AtServer.UNANNOUNCED,) * len(self._roles))

    def run(self) -> None:
        """Take one step after the other until all servers have stored the upload."""
        error: AuroraError | None = None
        while (step := self._state.next_step()) not in ENDING:
            try:
                self._state = self._after(step)
            except AuroraError as raised:
                error = raised
                overdue = self._servers.overdue(self._begun, self._progress.made_at)
                self._state = replace(self._state, trouble=_trouble(error), overdue=overdue)
        if step is UploadStep.RETIRE:
            self._records.secret.retire()
        if step is not UploadStep.FINISH:
            assert error is not None
            if isinstance(error, PolicyRefusal) and not self._there:
                self._records.not_begun()
            raise error
        if self._report is not None:
            self._report(self._prepared.size, self._prepared.size)
        self._records.finish(self._prepared.upload)

    def _after(self, step: UploadStep) -> UploadState:
        """Take a step; the state after it."""
        state = self._state
        match step:
            case UploadStep.RECORD:
                self._records.keep(self._prepared.upload, self._prepared.rows)
                self._begun = time.monotonic()
                return replace(state, recorded=True)
            case UploadStep.REACH:
                self._servers.status(Role.P0)
                return replace(state, reached=True)
            case UploadStep.ANNOUNCE:
                return state.with_next(self._announce(self._roles[state.next_server]))
            case UploadStep.COMPARE:
                self._compare()
                return replace(state, compared=True)
            case UploadStep.SEND:
                self._send(self._roles[state.next_server])
                return state.with_next(AtServer.WHOLE)
            case UploadStep.COMMIT:
                request = CommitUpload(self._prepared.upload)
                self._servers.ask(self._roles[state.next_server], request, Received)
                return state.with_next(AtServer.STORED)
            case UploadStep.PAUSE:
                self._servers.pause()
                return state.begun_again()
        raise AssertionError(step)

    def _announce(self, role: Role) -> AtServer:
        part, prepared = self._parts[role], self._prepared
        digest = hashlib.sha256(part).digest()
        request = BeginUpload(prepared.upload, prepared.samples, len(part), digest, prepared.folds)
        there = self._there[role] = self._servers.ask(role, request, Received)
        return AtServer.WHOLE if there.stored or there.size >= len(part) else AtServer.SHORT

    def _compare(self) -> None:
        self._records.check_found(
            self._prepared.upload, max(there.size for there in self._there.values())
        )
        for role, there in self._there.items():
            self._progress.find(role, there.size)

    def _send(self, role: Role) -> None:
        send_chunks(
            self._servers.client(role),
            self._prepared.upload,
            self._parts[role],
            self._there[role],
            partial(self._acknowledge, role),
            patience=UPLOAD_PATIENCE,
        )

    def _acknowledge(self, role: Role, there: Received) -> None:
        self._progress.acknowledge(role, there.size)
        if self._report is not None:
            self._report(self._progress.bytes, self._prepared.size)


def _trouble(error: AuroraError) -> Trouble:
    if isinstance(error, UploadWithdrawn):
        return Trouble.WITHDRAWN
    return Trouble.SERVER_AWAY if may_come_back(error) else Trouble.LASTING
