"""The servers of a study as one of its members asks them, over one connection to each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DocumentRefused, PeerRefused, Unreachable
from ppaurora.parties.participant.member import Member
from ppaurora.parties.participant.upload_progress import UPLOAD_PATIENCE
from ppaurora.parties.requests.client import Answer, ServerClient
from ppaurora.parties.requests.messages import AskStatus, CommitUpload, Document, Request
from ppaurora.parties.requests.refusals import Code
from ppaurora.parties.requests.status import Status

PATIENCE = 20.0
RETRY_SECONDS = 20.0
"""The time that a server's restart may take."""
POLL_SECONDS = 0.3


class Servers:
    """The three servers of the study of this member; connections are opened when needed."""

    def __init__(self, member: Member) -> None:
        self.clients: dict[Role, ServerClient] = {}
        self._member = member

    def ask(self, role: Role, request: Request, answer: type[Answer]) -> Answer:
        """The server's reply to a request."""
        patience = UPLOAD_PATIENCE if isinstance(request, CommitUpload) else PATIENCE
        return self.client(role).ask(request, answer, patience=patience)

    def client(self, role: Role) -> ServerClient:
        """The connection to a server."""
        client = self.clients.get(role)
        if client is None:
            member = self._member
            client = ServerClient(member.identity, member.study, role, member.keys)
            self.clients[role] = client
        return client

    def status(self, role: Role) -> Status:
        """The server's status, which must be its own and of this study."""
        told = Status.from_json(self.ask(role, AskStatus(), Document).text)
        if (told.study, told.server) != (self._member.study.id, str(role)):
            raise DocumentRefused(f"{role} sends the status of another study or server")
        return told

    def status_or_fault(self, role: Role) -> Status:
        """The server's status; of one that does not answer, a status that says why."""
        try:
            return self.status(role)
        except AuroraError as error:
            return Status.unanswered(self._member.study, str(role), str(error))

    def through_restarts(self, action: Callable[[], object]) -> None:
        """Call `action`; if a server goes away, again for as long as a restart may take.

        P0 is asked for its status first: a study whose P0 cannot be reached is not tried again.
        """
        begun = time.monotonic()
        self.status(Role.P0)
        while True:
            try:
                action()
                return
            except (Unreachable, PeerRefused) as error:
                if not may_come_back(error) or self.overdue(begun):
                    raise
                self.pause()

    def overdue(self, begun: float, progress_at: float = -math.inf) -> bool:
        """True if a server has been away for longer than a restart takes.

        An upload is tried again for as long as it makes progress: `progress_at` is when it did.
        """
        return time.monotonic() > max(begun + RETRY_SECONDS, progress_at + UPLOAD_PATIENCE)

    def pause(self) -> None:
        """Wait a little before a server is asked again."""
        time.sleep(POLL_SECONDS)

    def close(self) -> None:
        """Close the connections."""
        for client in self.clients.values():
            client.__exit__()
        self.clients.clear()


def may_come_back(error: AuroraError) -> bool:
    """True if a server went away or has lost an upload on its disk: then asking again may help."""
    damaged = isinstance(error, PeerRefused) and error.code == Code.DAMAGED
    return damaged or isinstance(error, Unreachable)
