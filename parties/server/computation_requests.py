"""Requests to compute: each stands for exactly the uploads that were there when it was made."""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.parties.server.database import Database
from ppaurora.parties.study.holding import Holding

__all__ = ["ComputationRequests"]


class ComputationRequests:
    """The request of each study, if somebody made one."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def make(self, study: bytes, roster: Sequence[Holding]) -> None:
        """Remember that somebody asked for the computation of these uploads."""
        with self._db.transaction():
            self._db.delete("asked", study=study)
            for one in roster:
                self._db.put("asked", study, one.owner, one.upload)

    def stands(self, study: bytes, roster: Sequence[Holding]) -> bool:
        """Whether a request was made, and every upload that it was made for is in this roster."""
        asked = {(row[1], row[2]) for row in self._db.rows("asked", study=study)}
        return bool(asked) and asked <= {(one.owner, one.upload) for one in roster}

    def drop_with(self, study: bytes, owner: str) -> None:
        """Forget the request if it was made for an upload of this owner."""
        if self._db.rows("asked", study=study, owner=owner):
            self._db.delete("asked", study=study)
