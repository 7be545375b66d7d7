"""The two servers that P0 leads: clients of them, which of them hold shares, their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import SESSION_BYTES
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import DocumentRefused
from ppaurora.parties.requests.client import ServerClient
from ppaurora.parties.requests.messages import AskUploads, StoredUploads
from ppaurora.parties.server.computing.session_keys import SessionKeys
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.runs import holders
from ppaurora.parties.study.study import Study

ASK_SECONDS = 5.0


class OtherServers:
    """P1 and the helper of each study, by the keys in force at the moment."""

    def __init__(self, identity: Identity, keys: Callable[[], KeysInForce]) -> None:
        self._identity = identity
        self._keys = keys

    @contextmanager
    def clients(self, study: Study) -> Iterator[dict[Role, ServerClient]]:
        """Clients of both; each connects when it asks."""
        keys = self._keys()
        with ExitStack() as stack:
            yield {
                server: stack.enter_context(ServerClient(self._identity, study, server, keys))
                for server in Role.P0.others
            }

    def holders(self, study: Study) -> list[Role]:
        """Servers that hold shares."""
        return [server for server in holders(study) if server is not Role.P0]

    def session_keys(self, study: Study, clients: Mapping[Role, ServerClient]) -> SessionKeys:
        """The keys that all three use now; of one that may have two, the one it proves."""
        keys = {Role.P0: self._identity.public}
        for server, client in clients.items():
            newest, *older = self._keys().of_server(study, server)
            keys[server] = client.server_key(patience=ASK_SECONDS) if older else newest
        return keys


def told_uploads(study: Study, other: ServerClient, request: AskUploads) -> StoredUploads:
    """Uploads that the other server lists; an error if the list cannot be one.

    Whom it names is told to everybody in the study by P0, which answers for what it says.
    """
    told = other.ask(request, StoredUploads, patience=ASK_SECONDS)
    owners = {one.name for one in study.owners}
    named = len(set(told.damaged)) == len(told.damaged) and set(told.damaged) <= owners
    if not named or len(told.stopped) not in (0, SESSION_BYTES):
        raise DocumentRefused(
            f"{other.role} tells of uploads or of a halt that cannot be",
            advice=f"Ask its operator to look at the log and the version of {other.role}.",
            peer=str(other.role),
        )
    return told
