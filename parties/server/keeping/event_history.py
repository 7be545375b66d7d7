"""What happened to a study's uploads and result: the last hundred notes, and how many came before.

Clients bring notes about, by withdrawing for instance, so there is a bound to them: a status must
fit into a message, whatever was done to the study.
"""

from __future__ import annotations

from collections.abc import Callable

from ppaurora.parties.server.keeping.database import Database

__all__ = ["MOST_NOTES", "Notes"]

MOST_NOTES = 100


class Notes:
    """The notes of all studies of one server."""

    def __init__(self, database: Database, now: Callable[[], float]) -> None:
        self._db = database
        self._now = now

    def add(self, study: bytes, text: str) -> None:
        """Add a note; the oldest one goes when there are too many."""
        with self._db.transaction():
            self._db.put("notes", study, self._now(), text)
            gone = self._db.forget_oldest("notes", MOST_NOTES, study=study)
            if gone:
                count = self._forgotten(study) + gone
                self._db.replace("forgotten", study, count, study=study)

    def of(self, study: bytes) -> list[tuple[float, str]]:
        """The notes with their times, in order; first, if so, how many more there were."""
        notes = [(float(at), str(text)) for _, at, text in self._db.rows("notes", study=study)]
        count = self._forgotten(study)
        if count and notes:
            notes.insert(0, (notes[0][0], f"{count} more notes from before this are not kept"))
        return notes

    def _forgotten(self, study: bytes) -> int:
        return sum(int(count) for _, count in self._db.rows("forgotten", study=study))
