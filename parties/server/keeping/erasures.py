"""Deleting everything that a server keeps of a study that its operator has ended."""

from __future__ import annotations

from collections.abc import Iterator

from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.server.keeping.audit_log import AuditLog
from ppaurora.parties.server.keeping.database import TABLES, Database
from ppaurora.parties.server.keeping.share_files import ShareFiles
from ppaurora.parties.server.keeping.versions import Versions
from ppaurora.parties.site.endings import ENDED
from ppaurora.parties.study.study import Study

BY_STUDY = [name for name, columns in TABLES.items() if columns.startswith("study ")]
BY_ID = [name for name, columns in TABLES.items() if columns.startswith("id ")]


class Erasures:
    """Studies erased at this server; nothing is stored of them again while the process runs."""

    def __init__(
        self, database: Database, files: ShareFiles, versions: Versions, audit: AuditLog
    ) -> None:
        self._db = database
        self._files = files
        self._versions = versions
        self._audit = audit
        self._erased: set[bytes] = set()

    def __contains__(self, hash: bytes) -> bool:
        return hash in self._erased

    def check(self, study: Study) -> None:
        """Refuse to keep anything of a study that was erased."""
        if study.hash in self._erased:
            raise PolicyRefusal(f"Nothing more is kept: {ENDED}")

    def erase(self, study: Study) -> list[bytes]:
        """Delete what there is of the study and of the versions before it; returns their hashes.

        Rows go in one transaction, and keys and files after it: a crash leaves no row that names a
        file which is gone. What it leaves is deleted by the next call.
        """
        hashes = [study.hash, *self._versions.before(study.hash)]
        self._erased |= set(hashes)
        if not any(self._rows(study, hashes)) and not any(map(self._files.has, hashes)):
            return hashes
        with self._db.transaction():
            self._audit.record("study ended", study=study.id, hash=study.hash.hex())
            for table in BY_ID:
                self._db.delete(table, id=study.id)
            for hash in hashes:
                for table in BY_STUDY:
                    self._db.delete(table, study=hash)
                self._db.forget_set_aside(hash)
        for hash in hashes:
            self._files.erase(hash)
        return hashes

    def _rows(self, study: Study, hashes: list[bytes]) -> Iterator[bool]:
        """For each table, True if it has rows of the study."""
        for table in BY_ID:
            yield bool(self._db.rows(table, id=study.id))
        for hash in hashes:
            for table in BY_STUDY:
                yield bool(self._db.rows(table, study=hash))
