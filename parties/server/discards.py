"""What is to be deleted once a transaction is on the disk, and by the next start if it crashes."""

from __future__ import annotations

from ppaurora.parties.server.database import Database
from ppaurora.parties.server.share_files import ShareFiles

__all__ = ["Discards"]


class Discards:
    """The names, by study, whose keys and files are to be deleted."""

    def __init__(self, database: Database, files: ShareFiles) -> None:
        self._db = database
        self._files = files

    def add(self, study: bytes, name: bytes) -> None:
        """Delete what is called so as soon as the transaction is on the disk, the key first."""
        self._db.put("discarded", study, name)
        self._db.afterwards(lambda: self._discard(study, name))

    def finish(self, study: bytes) -> None:
        """Delete what a crash has left to do."""
        for _, name in self._db.rows("discarded", study=study):
            assert isinstance(name, bytes)
            self._discard(study, name)

    def _discard(self, study: bytes, name: bytes) -> None:
        self._files.discard(study, name.hex())
        self._db.delete("discarded", study=study, upload=name)
