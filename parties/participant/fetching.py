"""Fetching a result: every server's shares of it, put together here, or refused.

Where the runs of a covert study do not come to the same result, nothing of it is shown or kept, and
every server is shown the proof: two runs that differ, or a share that its proxy has signed and that
is not the one it is bound to. Each server judges the proof by itself, and stops the study.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ppaurora.mpc.errors import AuroraError, CheatingDetected, RemoteProtocolError
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import EvidenceRefused, ProxiesDisagree, TooEarly, Unreachable
from ppaurora.parties.evidence.commitment import hand_out, is_handed_out
from ppaurora.parties.evidence.mismatch import Openings, openings_of
from ppaurora.parties.participant.member import Member
from ppaurora.parties.participant.servers import Servers
from ppaurora.parties.reports.result import Result, combine
from ppaurora.parties.requests.json_document import MOST_LETTERS
from ppaurora.parties.requests.messages import (
    AskResult,
    Done,
    ReportMismatch,
    ResultPart,
    ResultSaved,
)
from ppaurora.parties.requests.result_parts import at_roles, run_parts
from ppaurora.parties.requests.status import Status
from ppaurora.parties.study.runs import holders, runs_of

SHORTEST_REST, LONGEST_REST = 0.3, 5.0
LEAVING_SECONDS = 1.0
"""A pause from which on the connections are closed meanwhile."""

SHOW_OPERATORS = "Show it to the operators of all three servers"


class Fetching:
    """The result of one study, fetched by one of its receivers."""

    def __init__(self, member: Member, servers: Servers) -> None:
        self._member = member
        self._study = member.study
        self._servers = servers

    def result(self, wait: float, watch: Callable[[Status], None] | None) -> Result:
        """The result, waited for up to `wait` seconds; `watch` is told P0's status meanwhile."""
        begun = time.monotonic()
        while True:
            try:
                return self._combined()
            except (TooEarly, Unreachable):
                if time.monotonic() - begun >= wait:
                    raise
            if watch is not None:
                watch(self._servers.status_or_fault(Role.P0))
            self._rest(time.monotonic() - begun)

    def saved(self, session: bytes) -> None:
        """Tell the servers that the session's result is kept here.

        Each is told whatever the other one says; then the first failure is raised.
        """
        failures = []
        for role in holders(self._study):
            try:
                self._servers.ask(role, ResultSaved(session), Done)
            except AuroraError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def _combined(self) -> Result:
        """The result, put together from the shares of every server that was a proxy in a run.

        Raises `EvidenceRefused` unless all are of one computation and signed.
        """
        study, member = self._study, self._member
        keys = member.keys.ever_of_servers(study)
        parts: list[ResultPart] = []
        for server in holders(study):
            session = parts[0].session if parts else b""
            part = self._servers.ask(server, AskResult(session), ResultPart)
            words = hand_out(study.hash, part.session, member.named, part.words)
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
            openings = openings_of(study, parts, held, keys)
            raise self._reported(parts[0].session, openings, error) from None

    def _reported(
        self, session: bytes, openings: Openings | None, error: RemoteProtocolError
    ) -> CheatingDetected:
        """The error to raise, once every server was shown the proof of the mismatch."""
        text = openings.to_json() if openings is not None else ""
        if not text or len(text) > MOST_LETTERS:
            why = "is too long to be sent" if text else "proves nothing to others"
            advice = f"What was received {why}, so no server stops. {SHOW_OPERATORS}."
            return CheatingDetected(error.what, advice=advice, session=session.hex()[:8])
        told, others = [], []
        for server in Role:
            try:
                self._servers.ask(server, ReportMismatch(session, text), Done)
                told.append(str(server))
            except AuroraError as refusal:
                others.append(f"{server}: {refusal.what}")
        whom = f"{', '.join(told)} were told and stop the study" if told else "No server stops"
        advice = f"{whom}. It goes on when the operators of all three servers have restarted it."
        if others:
            advice += f" Not told: {'; '.join(others)}."
        return CheatingDetected(error.what, advice=advice, session=session.hex()[:8])

    def _rest(self, waited: float) -> None:
        """Pause, the longer the longer this receiver has waited already.

        During a long pause its connections are closed, so that other programs with the same key
        find a free one.
        """
        pause = min(LONGEST_REST, max(SHORTEST_REST, 0.1 * waited))
        if pause >= LEAVING_SECONDS:
            self._servers.close()
        time.sleep(pause)
