"""Count of the different sets of uploads on which a study was computed: three at most.

What hides something from a server in every session of a study, such as a number of dummies, is the
same whenever a session is repeated over the same uploads. Over other uploads it is another one, and
over ever new ones it would average out. So each server counts for itself, in its own records, and
computes on no fourth set, whichever version of the study's file it belongs to. A server whose key
has changed draws another number, so the same uploads under other keys count as another set.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256

import msgpack

from ppaurora.parties.errors import RosterRefused
from ppaurora.parties.server.keeping.database import Database, Value
from ppaurora.parties.server.keeping.uploads import Upload
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.study import Study

NO_SHARE = sha256(b"").digest()
"""The digest of a share that this server does not have."""


def roster_digest(roster: Sequence[StoredUpload]) -> str:
    """One short name for exactly these uploads, in this order."""
    content = [[one.owner, one.upload, *one.sizes] for one in roster]
    return sha256(msgpack.packb(content)).hexdigest()


def session_fingerprint(
    study: Study, roster: Sequence[StoredUpload], digests: Sequence[bytes]
) -> bytes:
    """Content that a repeated session shares with the first: the study and exactly these shares.

    A name of an upload is chosen by its owner, so the digests of this server's shares are in it as
    well.
    """
    return b"".join([study.hash, bytes.fromhex(roster_digest(roster)), *digests])


MOST_ROSTERS = 3


class Rosters:
    """The sets of uploads on which each study was computed at this server, by the study's id."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def spent(
        self, study: Study, roster: Sequence[StoredUpload], keys: Sequence[bytes] = ()
    ) -> str:
        """Reason why no session over this roster may begin, and what to do; empty if one may.

        `keys` are the servers' in it, where they are not all named by the study.
        """
        known = {row[1] for row in self._db.rows("rosters", id=study.id)}
        if len(known) < MOST_ROSTERS or self._name(study, roster, keys) in known:
            return ""
        return (
            f"sessions of this study have begun over {MOST_ROSTERS} different sets of uploads, and "
            "none begins over another one: agree on a new study, with a new id"
        )

    def check(
        self, study: Study, roster: Sequence[StoredUpload], keys: Sequence[bytes] = ()
    ) -> None:
        """Refuse a roster that would be one too many."""
        if why := self.spent(study, roster, keys):
            raise RosterRefused(f"The study is not computed: {why}")

    def use(self, study: Study, roster: Sequence[StoredUpload], keys: Sequence[bytes] = ()) -> None:
        """Count this roster; once this returns, it is counted after any crash."""
        with self._db.transaction():
            self.check(study, roster, keys)
            name = self._name(study, roster, keys)
            if not self._db.rows("rosters", id=study.id, roster=name):
                self._db.put("rosters", study.id, name)

    def count_unknown(self, id: Value) -> None:
        """Count a roster whose record was damaged: it never makes room for another one."""
        self._db.put("rosters", id, os.urandom(32))

    def _name(self, study: Study, roster: Sequence[StoredUpload], keys: Sequence[bytes]) -> bytes:
        """SHA-256 of the session's fingerprint, as far as known here, and of the servers' keys."""
        stored = map(Upload.of, self._db.rows("uploads", study=study.hash))
        digests = {one.upload: one.digest for one in stored}
        contents = [digests.get(one.upload, NO_SHARE) for one in roster]
        return sha256(session_fingerprint(study, roster, contents) + b"".join(keys)).digest()


class ComputationRequests:
    """The request of each study, if somebody made one."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def make(self, study: bytes, roster: Sequence[StoredUpload]) -> None:
        """Remember that somebody asked for the computation of these uploads."""
        with self._db.transaction():
            self._db.delete("asked", study=study)
            for one in roster:
                self._db.put("asked", study, one.owner, one.upload)

    def stands(self, study: bytes, roster: Sequence[StoredUpload]) -> bool:
        """True if a request was made, and every upload that it was made for is in this roster."""
        asked = {(row[1], row[2]) for row in self._db.rows("asked", study=study)}
        return bool(asked) and asked <= {(one.owner, one.upload) for one in roster}

    def drop_with(self, study: bytes, owner: str) -> None:
        """Forget the request if it was made for an upload of this owner."""
        if self._db.rows("asked", study=study, owner=owner):
            self._db.delete("asked", study=study)
