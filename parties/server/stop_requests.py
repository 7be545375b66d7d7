"""What a server answers about stops: a receiver reports a mismatch, its own operator restarts."""

from __future__ import annotations

from ppaurora.parties.requests.messages import Done, Refused, ReportMismatch
from ppaurora.parties.requests.refusals import Code, refused
from ppaurora.parties.server.store import Store
from ppaurora.parties.study.study import ParticipantEntry, Study

__all__ = ["reported", "restarted", "stopped"]


def reported(store: Store, study: Study, who: ParticipantEntry, request: ReportMismatch) -> Done:
    """Stop the study, if the report is about the result that this server gives out."""
    found = store.result(study)
    if found is not None and found.sealed and found.session == request.session:
        why = f"{who.name} says that the runs do not come to the same result"
        store.stops.add(study, request.session, why)
    return Done()


def restarted(store: Store, study: Study) -> Done:
    """Go on with the study at this server; the others wait for their own operators."""
    store.stops.restart(study)
    return Done()


def stopped(store: Store, study: Study) -> Refused | None:
    """The refusal of what cannot be done for a stopped study; None if the study goes on."""
    stop = store.stops.standing(study)
    if stop is None:
        return None
    return refused(
        Code.STOPPED,
        f"The study is stopped: {stop.why}",
        "It goes on when the operators of all three servers have run `ppaurora study restart`.",
    )
