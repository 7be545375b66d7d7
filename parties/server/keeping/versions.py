"""Versions of each study: the one that a server serves, and those closed for a later one.

A closed version is never computed by this server again. A session needs all three servers, and each
takes part in the new version only once it has closed the old one. So the first of them to close it
ends the old version, a session of the new one begins only after the last of them has, and never are
both computed.
"""

from __future__ import annotations

from math import inf

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.server.keeping.database import Database, Value
from ppaurora.parties.server.keeping.share_files import DeferredDeletions
from ppaurora.parties.server.keeping.uploads import Upload
from ppaurora.parties.study.study import Study

DATA = ("uploads", "results", "closed")


class Versions:
    """The versions of all studies of one server, by their hashes."""

    def __init__(self, database: Database, deletions: DeferredDeletions) -> None:
        self._db = database
        self._deletions = deletions

    def current(self, id: str) -> bytes:
        """The version that was served last under this id, empty if there was none."""
        rows = self._db.rows("studies", id=id)
        return next((row[1] for row in rows if isinstance(row[1], bytes)), b"")

    def check(self, study: Study) -> None:
        """Refuse a closed version, and another study under an id for which there are data."""
        if self.after(study.hash):
            raise ConfigurationError(
                f"This version of study {study.id} was closed in favour of one with more owners",
                advice="Serve the new version; this one can no longer be computed.",
            )
        known = self.current(study.id)
        if known not in (b"", study.hash) and (
            any(self._db.rows(table, study=known) for table in DATA) or self.before(known)
        ):
            raise ConfigurationError(
                f"Study {study.id} was changed after this server had received data for it",
                advice="Bring back the old study.toml, or give the changed study a new id.",
            )

    def serve(self, study: Study) -> None:
        """Serve this version under the study's id from now on."""
        self._db.replace("studies", study.id, study.hash, id=study.id)
        for hash in (study.hash, *self.before(study.hash)):
            self._deletions.finish(hash)

    def close(self, before: Study, study: Study, why: str, at: float) -> None:
        """Close the version `before` in favour of `study`."""
        with self._db.transaction():
            self._db.put("superseded", before.hash, study.hash, at)
            self._db.put("closed", before.hash, why, at)
            self._db.replace("studies", study.id, study.hash, id=study.id)

    def after(self, study: bytes) -> bytes:
        """The version in favour of which this one was closed, empty if it was not."""
        rows = self._db.rows("superseded", study=study)
        return next((row[1] for row in rows if isinstance(row[1], bytes)), b"")

    def before(self, study: Value) -> list[bytes]:
        """All versions that were closed on the way to this one, the latest first."""
        chain: list[bytes] = []
        while rows := self._db.rows("superseded", follower=chain[-1] if chain else study):
            if not isinstance(rows[0][0], bytes) or rows[0][0] in chain:
                break
            chain.append(rows[0][0])
        return chain

    def forget_uploads(self, study: Study, owner: str = "", older: float = inf) -> bool:
        """Delete what was uploaded for versions before, of this owner or of all; whether any was.

        Only what is `older` than that time is deleted.
        """
        whose: dict[str, Value] = {"owner": owner} if owner else {}
        found = False
        with self._db.transaction():
            for hash in self.before(study.hash):
                for one in map(Upload.of, self._db.rows("uploads", study=hash, **whose)):
                    if one.at < older:
                        found = True
                        self._db.delete("uploads", study=hash, upload=one.upload)
                        self._deletions.add(hash, one.upload)
        return found
