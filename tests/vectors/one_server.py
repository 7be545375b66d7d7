"""One server of a study without sockets or its peers: it answers encoded requests in turn."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Limits
from ppaurora.mpc.role import Role
from ppaurora.parties.server.answering.handler import RequestHandler
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.study import Study
from tests.parties.evidence.session import SERVERS

MOST_SAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Asked:
    """An encoded request, the identity of whoever asks, and a description of it."""

    by: Identity
    what: str
    request: bytes


def asked_in_turn(
    study: Study, role: Role, asked: Sequence[Asked]
) -> Iterator[tuple[Asked, bytes]]:
    """Each request with the reply of a fresh server that serves this study alone."""
    identity = SERVERS[role]
    with tempfile.TemporaryDirectory() as folder, closing(Store(Path(folder))) as store:
        store.register(study)
        handler = RequestHandler(
            identity.public,
            {study.id: study},
            store,
            SessionRunner(identity, store, "127.0.0.1", Limits()),
            most_samples=MOST_SAMPLES,
            on_change=lambda: None,
        )
        for one in asked:
            yield one, handler.answer(one.by.public.exchange, one.request)
