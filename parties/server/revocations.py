"""Which revocations of keys this server has acted upon, so that each deletes an upload once."""

from __future__ import annotations

from ppaurora.parties.server.database import Database

__all__ = ["Revocations"]


class Revocations:
    """The revoked keys, by fingerprint, for which a study's uploads were looked through."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def done(self, study: bytes, key: str) -> bool:
        """Whether this was done for the key."""
        return bool(self._db.rows("revoked", study=study, key=key))

    def note_done(self, study: bytes, key: str) -> None:
        """Remember that it was done, also after a crash."""
        self._db.put("revoked", study, key)
