"""Withdrawn uploads, by name, of which no further byte is taken; and keys that were revoked.

A withdrawal may come from another process than the one that uploads, between any two of its
requests. Deleting is not enough then: the upload would go on, or begin again, under the name that
it has. An upload that is begun after its withdrawal has another name, because its secret is fresh.

A withdrawal is never refused, and leaves lines in the audit log that stay for ever. So it is the
uploads that end: of an owner who has withdrawn very many, a study takes no further one.
"""

from __future__ import annotations

from collections.abc import Iterable

from ppaurora.parties.requests.messages import MOST_WITHDRAWN
from ppaurora.parties.server.keeping.database import Database

MOST_UPLOADS = 1000
"""Most uploads that an owner may withdraw in a study; after them no further one is taken."""


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
            if here:
                count = self._count(study, owner) + 1
                self._db.replace("withdrawals", study, owner, count, study=study, owner=owner)

    def of(self, study: bytes, owner: str) -> tuple[bytes, ...]:
        """The names of what this owner has withdrawn, the oldest first."""
        rows = self._db.rows("withdrawn", study=study, owner=owner)
        return tuple(row[2] for row in rows if isinstance(row[2], bytes))

    def spent(self, study: bytes, owner: str) -> str:
        """Reason why no further upload of this owner is taken; empty while one is."""
        count = self._count(study, owner)
        if count < MOST_UPLOADS:
            return ""
        return f"{count} uploads of yours were withdrawn in this study, and no further one is taken"

    def _count(self, study: bytes, owner: str) -> int:
        return sum(int(row[2]) for row in self._db.rows("withdrawals", study=study, owner=owner))


class Revocations:
    """The revoked keys, by fingerprint, for which a study's uploads were looked through."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def done(self, study: bytes, key: str) -> bool:
        """True if the uploads were looked through for this key."""
        return bool(self._db.rows("revoked", study=study, key=key))

    def note_done(self, study: bytes, key: str) -> None:
        """Remember that it was done, also after a crash."""
        self._db.put("revoked", study, key)
