"""Asking a server about one study: a typed request, and a typed reply or the error that fits."""

from __future__ import annotations

from typing import Self, TypeVar

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.keys import Identity, PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import PeerRefused
from ppaurora.parties.requests.connection import RequestConnection
from ppaurora.parties.requests.messages import (
    Refused,
    Request,
)
from ppaurora.parties.requests.refusals import to_error
from ppaurora.parties.requests.wire import Envelope, decode_reply
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.study import Study

Answer = TypeVar("Answer")

CROWDED_SECONDS = 120.0
"""For how long a participant tries a server again that has too many connections of this key."""


class ServerClient:
    """The client of one server of a study; the first request opens the connection.

    A participant whose key has too many connections there waits for one to end. A server does not:
    it has other studies to attend to.

    The server may have any key that is in force for the one that the study names.
    """

    def __init__(
        self, identity: Identity, study: Study, role: Role, keys: KeysInForce | None = None
    ) -> None:
        keys = keys or KeysInForce()
        server = study.server(role)
        self.role = role
        self._study = study
        self._connection = RequestConnection(
            identity,
            f"{role} of study {study.id}",
            server.host,
            server.port,
            *keys.of_server(study, role),
            crowded_seconds=CROWDED_SECONDS if keys.role_of(study, identity.public) is None else 0,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        self._connection.close()

    def server_key(self, *, patience: float) -> PublicKey:
        """The key that the server has proved to hold."""
        return self._connection.server_key(patience)

    def ask(self, request: Request, answer: type[Answer], *, patience: float) -> Answer:
        """The server's reply, which must be an `answer`; a refusal becomes the error that fits."""
        return self.answer(self.send(request, patience=patience), answer, patience=patience)

    def send(self, request: Request, *, patience: float) -> bytes:
        """Ask without waiting for the reply, whose number is returned."""
        payload = Envelope(self._study.id, self._study.hash, request).encode()
        return self._connection.send(payload, patience)

    def answer(self, number: bytes, answer: type[Answer], *, patience: float) -> Answer:
        """The reply of this number; replies are awaited in the order of their requests."""
        try:
            reply = decode_reply(self._connection.answer(number, patience))
        except BadFrame as error:
            raise self._strange(error.what) from None
        if isinstance(reply, Refused):
            raise to_error(reply, self._study, str(self.role))
        if not isinstance(reply, answer):
            raise self._strange("An answer of another kind than was asked for")
        return reply

    def _strange(self, what: str) -> PeerRefused:
        return PeerRefused(
            f"{self.role} answers strangely: {what}",
            advice="Compare the versions of ppaurora at both ends.",
        )
