"""Fetching a result: every server's shares of it, put together here, or refused.

Where the runs of a covert study do not come to the same result, nothing of it is shown or kept, and
the servers are told. They stop the study at a receiver's word: they cannot see what it saw.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Protocol

from ppaurora.mpc.errors import AuroraError, CheatingDetected
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import EvidenceRefused, ProxiesDisagree
from ppaurora.parties.evidence.statement import ServerKeys
from ppaurora.parties.reports.result import Result, combine
from ppaurora.parties.requests.client import Answer
from ppaurora.parties.requests.messages import (
    AskResult,
    Done,
    ReportMismatch,
    Request,
    ResultPart,
)
from ppaurora.parties.study.runs import holders, runs_of
from ppaurora.parties.study.study import Study

__all__ = ["fetched", "rest"]

SHORTEST_REST, LONGEST_REST = 0.3, 5.0
LEAVING_SECONDS = 1.0
"""A rest that is worth new connections after it."""


class Ask(Protocol):
    """Asks a server, named by its role in the study."""

    def __call__(self, role: Role, request: Request, answer: type[Answer]) -> Answer: ...


def fetched(study: Study, ask: Ask, keys: ServerKeys) -> Result:
    """The result, from the shares of all servers that hold any; all of one computation.

    `keys` are those by which the servers may have signed.
    """
    parts: list[ResultPart] = []
    for server in holders(study):
        session = parts[0].session if parts else b""
        parts.append(ask(server, AskResult(session), ResultPart))
    try:
        return combine(study, *parts, keys=keys)
    except (CheatingDetected, EvidenceRefused, ProxiesDisagree) as error:
        if len(runs_of(study)) == 1:
            raise
        raise _stopped(ask, parts[0].session, error) from None


def _stopped(ask: Ask, session: bytes, error: AuroraError) -> CheatingDetected:
    """Tell every server of the mismatch; what there is to say then."""
    told = []
    for server in Role:
        with contextlib.suppress(AuroraError):
            ask(server, ReportMismatch(session), Done)
            told.append(str(server))
    whom = f"{', '.join(told)} were told and stop the study" if told else "No server could be told"
    return CheatingDetected(
        error.what,
        advice=f"{whom}. It goes on when the operators of all three servers have restarted it.",
        session=session.hex()[:8],
    )


def rest(waited: float, leave: Callable[[], object]) -> None:
    """The pause of a receiver who has waited so long already: the longer, the longer.

    Before a long one it leaves its places at the servers to other programs with the same key.
    """
    pause = min(LONGEST_REST, max(SHORTEST_REST, 0.1 * waited))
    if pause >= LEAVING_SECONDS:
        leave()
    time.sleep(pause)
