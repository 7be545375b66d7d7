"""Which uploads were withdrawn, by name: what is still under way of them is taken no more.

A withdrawal may come from another process than the one that uploads, between any two of its
requests. Deleting is not enough then: the upload would go on, or begin again, under the name that
it has. An upload that is begun after its withdrawal has another name, because its secret is fresh.
"""

from __future__ import annotations

from collections.abc import Iterable

from ppaurora.parties.requests.messages import MOST_WITHDRAWN
from ppaurora.parties.server.database import Database

__all__ = ["Withdrawals"]


class Withdrawals:
    """The names of withdrawn uploads, by study and owner."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, study: bytes, owner: str, elsewhere: Iterable[bytes]) -> None:
        """Remember what `owner` has here, whole, in part or damaged, and what it had elsewhere."""
        with self._db.transaction():
            here = [
                row[2]
                for table in ("uploads", "damaged")
                for row in self._db.rows(table, study=study, owner=owner)
            ]
            for name in (*elsewhere, *here):
                self._db.replace(
                    "withdrawn", study, owner, name, study=study, owner=owner, upload=name
                )
            self._db.forget_oldest("withdrawn", MOST_WITHDRAWN, study=study, owner=owner)

    def of(self, study: bytes, owner: str) -> tuple[bytes, ...]:
        """The names of what this owner has withdrawn, the oldest first."""
        rows = self._db.rows("withdrawn", study=study, owner=owner)
        return tuple(row[2] for row in rows if isinstance(row[2], bytes))
