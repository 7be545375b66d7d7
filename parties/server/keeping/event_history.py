"""Event history of a study: the last hundred events, and how many came before.

Clients bring events about, by withdrawing for instance, so there is a bound to them: a status must
fit into a message, whatever was done to the study.
"""

from __future__ import annotations

from collections.abc import Callable

from ppaurora.parties.server.keeping.database import Database

MOST_EVENTS = 100


class EventHistory:
    """The events of all studies of one server."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._db = database
        self._now = now

    def add(self, study: bytes, text: str) -> None:
        """Add an event; the oldest one goes when there are too many."""
        with self._db.transaction():
            self._db.put("events", study, self._now(), text)
            gone = self._db.forget_oldest("events", MOST_EVENTS, study=study)
            if gone:
                count = self._forgotten(study) + gone
                self._db.replace("forgotten", study, count, study=study)

    def of(self, study: bytes) -> list[tuple[float, str]]:
        """The events with their times, in order; first, if so, how many more there were."""
        events = [(float(at), str(text)) for _, at, text in self._db.rows("events", study=study)]
        count = self._forgotten(study)
        if count and events:
            events.insert(0, (events[0][0], f"{count} earlier events are not kept"))
        return events

    def _forgotten(self, study: bytes) -> int:
        return sum(int(count) for _, count in self._db.rows("forgotten", study=study))
