"""Replies about halts: a receiver reports a mismatch, this server's operator restarts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.parties.evidence.mismatch import Openings, what_differs
from ppaurora.parties.requests.messages import Done, Refused, Reply, ReportMismatch
from ppaurora.parties.requests.refusals import Code, refused
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.logs import LogLevel, log_often
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.study import ParticipantEntry, Study

MOST_FALSE = 10


class MismatchReports:
    """Judges by itself what receivers show of a mismatch; only one that is proved stops a study.

    Of one receiver and study so many false ones are looked at until the server starts again.
    """

    def __init__(self, store: Store, keys: Callable[[], KeysInForce]) -> None:
        self._store = store
        self._keys = keys
        self._false: Counter[tuple[bytes, str]] = Counter()

    def answer(self, study: Study, who: ParticipantEntry, request: ReportMismatch) -> Reply:
        """Stop the study, if the report proves that its runs differ; else say why it does not."""
        halts, found = self._store.halts, self._store.results.find(study.hash)
        if halts.because_of(study, request.session):
            return Done()
        if found is None or not found.sealed or found.session != request.session:
            return refused(
                Code.UNKNOWN_SESSION,
                "This server gives out no result of the session that is reported",
                "Nothing is stopped. See `ppaurora status`.",
            )
        if self._false[study.hash, who.name] >= MOST_FALSE:
            return refused(
                Code.TOO_OFTEN,
                f"{MOST_FALSE} reports of {who.name} have proved nothing; no more are looked at",
                "Ask the server's operator.",
            )
        try:
            shown = Openings.from_json(request.openings)
            why = what_differs(study, request.session, shown, who.public, self._keys())
        except RemoteProtocolError as error:
            self._false[study.hash, who.name] += 1
            return self._not_proved(study, who, request.session, error.what)
        halts.add(study, request.session, f"{who.name} has shown that {why}")
        return Done()

    def _not_proved(self, study: Study, who: ParticipantEntry, session: bytes, why: str) -> Refused:
        self._store.audit.record(
            "report of a mismatch refused",
            study=study.id,
            session=session.hex(),
            by=who.name,
            why=why,
        )
        log_often(
            "report refused",
            level=LogLevel.WARNING,
            of=who.name,
            study=study.id,
            by=who.name,
            error=why,
        )
        return refused(
            Code.NOT_PROVED,
            f"The report does not prove that the runs differ: {why}",
            "Nothing is stopped. Show the three servers' operators what you have received.",
        )


def restarted(store: Store, study: Study) -> Done:
    """Let the study go on at this server; the others wait for their own operators."""
    store.halts.restart(study)
    return Done()


def stopped(store: Store, study: Study) -> Refused | None:
    """The refusal of what cannot be done for a stopped study; None if the study goes on."""
    halt = store.halts.current(study)
    if halt is None:
        return None
    return refused(
        Code.STOPPED,
        f"The study is stopped: {halt.why}",
        "It goes on when the operators of all three servers have run `ppaurora study restart`.",
    )
