"""The shares of results in the records: put, sealed, dropped; their keys go with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ppaurora.parties.server.database import Database, Row
from ppaurora.parties.server.discards import Discards
from ppaurora.parties.server.records import StoredResult
from ppaurora.parties.server.result_words import ResultWords, result_name
from ppaurora.parties.study.holding import Holding

__all__ = ["StoredResults"]


class StoredResults:
    """This server's shares of each study's result; `on_damage` is told of unreadable ones."""

    def __init__(
        self,
        database: Database,
        words: ResultWords,
        discards: Discards,
        on_damage: Callable[[str, Row], None],
    ) -> None:
        self._db = database
        self._words = words
        self._discards = discards
        self._on_damage = on_damage

    def find(self, study: bytes) -> StoredResult | None:
        """The share that is stored, sealed or not, if there is one that can be read."""
        for row in self._db.rows("results", study=study)[:1]:
            if (found := StoredResult.of(row, self._words)) is not None:
                return found
            with self._db.transaction():
                self._db.delete("results", study=study)
                self._on_damage("results", row)
        return None

    def put(self, study: bytes, new: StoredResult, roster: Sequence[Holding] = ()) -> None:
        """Keep this share, over these uploads, and no other one."""
        self.forget(study)
        self._db.put("results", *new.row(study, self._words))
        for one in roster:
            self._db.put("counted", study, one.owner, one.upload)

    def seal(self, study: bytes) -> None:
        """Mark the share as the final one."""
        for _, session, _, *rest in self._db.rows("results", study=study):
            self._db.replace("results", study, session, int(True), *rest, study=study)

    def saved_by(self, study: bytes, name: str) -> set[str]:
        """Remember that this receiver has the result; everybody who has."""
        self._db.replace("saved", study, name, study=study, name=name)
        return {str(row[1]) for row in self._db.rows("saved", study=study)}

    def drop(self, study: bytes) -> None:
        """Delete the share, and then its key."""
        for row in self._db.rows("results", study=study):
            self.drop_key(study, row)
        self._db.delete("results", study=study)

    def forget(self, study: bytes) -> None:
        """Delete the share, and that any upload was counted in a result or a result fetched."""
        self.drop(study)
        for table in ("counted", "saved"):
            self._db.delete(table, study=study)

    def drop_key(self, study: bytes, row: Row) -> None:
        """Delete the key of this row of `results`, if the row still names it."""
        if isinstance(row[1], bytes):
            self._discards.add(study, result_name(row[1]))
