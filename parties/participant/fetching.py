"""Fetching a result: every server's shares of it, put together here, or refused.

Where the runs of a covert study do not come to the same result, nothing of it is shown or kept, and
every server is shown the proof: two runs that differ, or a share that its proxy has signed and that
is not the one it is bound to. Each server judges the proof by itself, and stops the study.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from ppaurora.mpc.errors import AuroraError, CheatingDetected, RemoteProtocolError
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import EvidenceRefused, ProxiesDisagree
from ppaurora.parties.evidence.commitment import hand_out, is_handed_out
from ppaurora.parties.evidence.mismatch import Openings, openings_of
from ppaurora.parties.reports.result import Result, combine
from ppaurora.parties.requests.client import Answer
from ppaurora.parties.requests.json_document import MOST_LETTERS
from ppaurora.parties.requests.messages import (
    AskResult,
    Done,
    ReportMismatch,
    Request,
    ResultPart,
)
from ppaurora.parties.requests.result_parts import at_roles, run_parts
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.runs import holders, runs_of
from ppaurora.parties.study.study import Study

__all__ = ["fetched", "rest"]

SHORTEST_REST, LONGEST_REST = 0.3, 5.0
LEAVING_SECONDS = 1.0
"""A rest that is worth new connections after it."""

SHOW_OPERATORS = "Show it to the operators of all three servers"


class Ask(Protocol):
    """Asks a server, named by its role in the study."""

    def __call__(self, role: Role, request: Request, answer: type[Answer]) -> Answer: ...


def fetched(study: Study, ask: Ask, in_force: KeysInForce, receiver: PublicKey) -> Result:
    """The result, from the shares of all servers that hold any; all of one computation.

    `receiver` is this receiver's key as the study names it.
    """
    keys = in_force.ever_of_servers(study)
    parts: list[ResultPart] = []
    for server in holders(study):
        session = parts[0].session if parts else b""
        part = ask(server, AskResult(session), ResultPart)
        words = hand_out(study.hash, part.session, receiver, part.words)
        if not is_handed_out(part.signature, words, keys[server]):
            raise EvidenceRefused(
                f"{server} has not signed the share that it hands out",
                advice=f"It is not used, and no server is told. Ask the operator of {server}.",
            )
        parts.append(part)
    try:
        return combine(study, *parts, keys=keys)
    except (CheatingDetected, EvidenceRefused, ProxiesDisagree) as error:
        if len(runs_of(study)) == 1:
            raise
        handed = zip(holders(study), parts, strict=True)
        held = at_roles(study, [run_parts(study, server, one) for server, one in handed])
        raise _told(ask, parts[0].session, openings_of(study, parts, held, keys), error) from None


def _told(
    ask: Ask, session: bytes, openings: Openings | None, error: RemoteProtocolError
) -> CheatingDetected:
    """Show every server the proof of the mismatch; what there is to say then."""
    text = openings.to_json() if openings is not None else ""
    if not text or len(text) > MOST_LETTERS:
        why = "is too long to be sent" if text else "proves nothing to others"
        advice = f"What was received {why}, so no server stops. {SHOW_OPERATORS}."
        return CheatingDetected(error.what, advice=advice, session=session.hex()[:8])
    told, others = [], []
    for server in Role:
        try:
            ask(server, ReportMismatch(session, text), Done)
            told.append(str(server))
        except AuroraError as refusal:
            others.append(f"{server}: {refusal.what}")
    whom = f"{', '.join(told)} were told and stop the study" if told else "No server stops"
    advice = f"{whom}. It goes on when the operators of all three servers have restarted it."
    if others:
        advice += f" Not told: {'; '.join(others)}."
    return CheatingDetected(error.what, advice=advice, session=session.hex()[:8])


def rest(waited: float, leave: Callable[[], object]) -> None:
    """The pause of a receiver who has waited so long already: the longer, the longer.

    Before a long one it leaves its places at the servers to other programs with the same key.
    """
    pause = min(LONGEST_REST, max(SHORTEST_REST, 0.1 * waited))
    if pause >= LEAVING_SECONDS:
        leave()
    time.sleep(pause)
