"""State of a server: uploads as files, all else in SQLite; nothing acknowledged is lost.

An acknowledged fact is on the disk: files are written beside, synced and renamed; SQLite commits
with full synchronisation. So the process may be killed at any moment and simply starts again. What
the disk has damaged is never used: it is set aside, noted, and asked for again from its owner.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ppaurora.parties.errors import DiskCode, DiskFault, UploadDamaged, UploadRefused
from ppaurora.parties.server.keeping.audit_log import AUDIT_HEAD, AuditLog, tell_of_damaged_head
from ppaurora.parties.server.keeping.damage_words import (
    LOST,
    RECOMPUTED,
    UNKNOWN_OWNER,
    UNKNOWN_SHARE,
    UNSOUND_LIST,
    record_damaged,
    share_damaged,
)
from ppaurora.parties.server.keeping.database import DATABASE, TABLES, Database, Row
from ppaurora.parties.server.keeping.erasures import Erasures
from ppaurora.parties.server.keeping.event_history import EventHistory
from ppaurora.parties.server.keeping.mismatch_halts import MismatchHalts
from ppaurora.parties.server.keeping.rosters import ComputationRequests, Rosters
from ppaurora.parties.server.keeping.secret_keys import SecretKeys
from ppaurora.parties.server.keeping.share_files import DeferredDeletions, ShareFiles, make_private
from ppaurora.parties.server.keeping.stored_results import ResultWords, StoredResult, StoredResults
from ppaurora.parties.server.keeping.uploads import Upload
from ppaurora.parties.server.keeping.verdict_records import VerdictRecords
from ppaurora.parties.server.keeping.versions import Versions
from ppaurora.parties.server.keeping.withdrawals import Revocations, Withdrawals
from ppaurora.parties.site.endings import ENDED
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.study import Study

IDLE_SECONDS = 600.0


class Store:
    """The state of one server, in one directory that belongs to its user alone."""

    def __init__(
        self,
        folder: Path,
        now: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
        secrets: Path | None = None,
        encrypt: bool = False,
    ) -> None:
        """`secrets` is the folder with the keys of what is stored encrypted; see `SecretKeys`."""
        self.now = now
        self._steady = steady
        self._last_byte: dict[bytes, float] = {}
        self._studies: dict[bytes, Study] = {}
        make_private(folder)
        keys = SecretKeys.open(secrets, folder, needed=encrypt)
        self._files = ShareFiles(folder, keys, encrypt=encrypt)
        self._db = Database(folder / DATABASE, self._row_was_damaged)
        self.transaction = self._db.transaction
        self.audit = AuditLog(folder, now, self._db)
        self.history = EventHistory(self._db, now)
        self.requests = ComputationRequests(self._db)
        self.rosters = Rosters(self._db)
        self.verdicts = VerdictRecords(self._db)
        self.revocations = Revocations(self._db)
        self.withdrawals = Withdrawals(self._db)
        self._deletions = DeferredDeletions(self._db, self._files)
        words = ResultWords(keys, encrypt=encrypt)
        self.versions = Versions(self._db, self._deletions)
        self.results = StoredResults(self._db, words, self._deletions, self._row_was_damaged)
        self.erasures = Erasures(self._db, self._files, self.versions, self.audit)
        self.halts = MismatchHalts(
            self._db, self.results, self.versions, self.audit, self.history, self.verdicts
        )

    def close(self) -> None:
        """Close the database; nothing is written any more."""
        self.halts.write_pending()
        self._db.close()

    # -- studies -----------------------------------------------------------------------------------

    def know(self, studies: Iterable[Study]) -> None:
        """Note studies, served or not, so that damage to their records is acted upon."""
        self._studies |= {study.hash: study for study in studies}

    def register(self, study: Study) -> None:
        """Remember which study goes by this id; another one under the same id is refused.

        What is stored of the study is held against its digests.
        """
        self.versions.check(study)
        if self.versions.current(study.id) != study.hash:
            self.audit.record("study served", study=study.id, hash=study.hash.hex())
        self.know([study])
        self.versions.serve(study)
        self.halts.add_interrupted(study)
        self.halts.add_broken(study)
        if self.ended(study):
            self._files.discard_set_aside(study.hash)
        stored = {one.upload: one.stored for one in self.uploads(study)}
        for _ in range(self._files.recover(study.hash, stored)):
            self.add_event(study, UNKNOWN_SHARE)
        self.check_shares(study)

    def check_records(self) -> None:
        """Hold every row against its digest, those of unknown studies too."""
        for table in TABLES:
            self._db.rows(table)

    # -- uploads -----------------------------------------------------------------------------------

    def uploads(self, study: Study) -> list[Upload]:
        """Every upload, whole or partial, by owner."""
        rows = self._db.rows("uploads", study=study.hash)
        return sorted(map(Upload.of, rows), key=lambda one: one.owner)

    def stored_uploads(self, study: Study) -> tuple[StoredUpload, ...]:
        """The uploads that are whole."""
        return tuple(one.stored_upload for one in self.uploads(study) if one.stored)

    def begin(self, study: Study, new: Upload) -> Upload:
        """Announce an upload, or find it again if it was announced before.

        A stored upload of the same owner is not replaced by another one, but for one that was found
        unsound: a server that ends between the verdict and the deletion still has it.
        """
        with self._db.transaction():
            for old in self.uploads(study):
                if old.owner != new.owner and old.upload == new.upload:
                    raise UploadRefused("This upload belongs to another owner")
                if old.owner == new.owner and old.upload == new.upload:
                    if old.announced != new.announced:
                        raise UploadRefused("An upload of this name with other contents is there")
                    return old
                if old.owner == new.owner and old.stored:
                    if not self.verdicts.unsound(study, old.upload):
                        raise UploadRefused("Other data of this owner is stored already")
                    self.refuse_upload(study, old.owner)
                elif old.owner == new.owner:
                    self._forget(study, old)
            self._put_upload(study, new, stored=False)
            self._last_byte[new.upload] = self._steady()
        return new

    def reserving(self, study: Study) -> list[Upload]:
        """The uploads that count towards the study's bounds: stored ones, and those under way."""
        return [one for one in self.uploads(study) if one.stored or not self._is_idle(one)]

    def drop_unsent(self, study: Study) -> None:
        """Forget announcements of which no byte ever came."""
        for one in self.uploads(study):
            if not one.stored and self._is_idle(one) and not self.received(study, one):
                with self._db.transaction():
                    self._forget(study, one)

    def _is_idle(self, upload: Upload) -> bool:
        """True if no byte has come for `IDLE_SECONDS` while this server ran."""
        now = self._steady()
        return now - self._last_byte.setdefault(upload.upload, now) > IDLE_SECONDS

    def _put_upload(self, study: Study, one: Upload, *, stored: bool) -> None:
        self._db.replace(
            "uploads",
            study.hash, one.owner, one.upload, one.samples, one.size, one.digest, int(stored),
            self.now(), " ".join(map(str, one.folds)),
            study=study.hash, owner=one.owner,
        )  # fmt: skip

    def received(self, study: Study, upload: Upload) -> int:
        """Number of bytes of an upload that are there."""
        return upload.size if upload.stored else self._files.size(study.hash, upload)

    def append(self, study: Study, upload: Upload, offset: int, data: bytes) -> int:
        """Write the bytes at `offset` if they are the next ones; returns how many are there."""
        there = self.received(study, upload)
        if upload.stored or offset != there or there + len(data) > upload.size:
            return there
        self._files.append(study.hash, upload, data)
        if data:
            self._last_byte[upload.upload] = self._steady()
        return there + len(data)

    def commit(self, study: Study, upload: Upload) -> None:
        """Keep the upload for good if its bytes are those announced; else delete them and raise.

        The error is `UploadDamaged`. An upload that is stored already stays as it is.
        """
        if upload.stored:
            return
        if self.received(study, upload) != upload.size or (
            self._files.digest(study.hash, upload) != upload.digest
        ):
            self._files.discard(study.hash, upload.name)
            raise UploadDamaged(f"The upload of {upload.owner} arrived damaged")
        self._files.keep(study.hash, upload)
        with self._db.transaction():
            self._put_upload(study, upload, stored=True)
            self._db.delete("damaged", study=study.hash, owner=upload.owner)

    def withdraw(self, study: Study, owner: str, elsewhere: Iterable[bytes] = ()) -> bool:
        """Delete what `owner` uploaded; take none of it again, nor of what it had elsewhere."""
        with self._db.transaction():
            self.withdrawals.add(study.hash, owner, elsewhere)
            return self.drop_upload(study, owner, "withdrew its upload; its share was deleted")

    def refuse_upload(self, study: Study, owner: str) -> bool:
        """Delete a list that the private check found unsound; it is not taken again by its name.

        Its verdict is final, so the same list comes back as another upload or not at all.
        """
        with self._db.transaction():
            self.withdrawals.add(study.hash, owner, ())
            return self.drop_upload(study, owner, UNSOUND_LIST)

    def drop_upload(self, study: Study, owner: str, why: str) -> bool:
        """Delete what an owner uploaded, for this reason; whether there was anything."""
        with self._db.transaction():
            mine = [one for one in self.uploads(study) if one.owner == owner]
            for one in mine:
                self._forget(study, one)
            before = self.versions.forget_uploads(study, owner)
            damaged = self._db.rows("damaged", study=study.hash, owner=owner)
            for _, _, upload in damaged:
                assert isinstance(upload, bytes)
                self._deletions.add(study.hash, upload)
            self._db.delete("damaged", study=study.hash, owner=owner)
            self._db.delete("counted", study=study.hash, owner=owner)
            self.requests.drop_with(study.hash, owner)
            if mine or damaged or before:
                self.add_event(study, f"{owner} {why}")
        return bool(mine or damaged or before)

    def _forget(self, study: Study, upload: Upload) -> None:
        self._db.delete("uploads", study=study.hash, upload=upload.upload)
        self._deletions.add(study.hash, upload.upload)

    # -- damage ------------------------------------------------------------------------------------

    def read_share(self, study: Study, upload: bytes) -> bytes:
        """The bytes of a stored upload, if they are those that were acknowledged.

        A share that is not is set aside, and with it every other damaged one of the study.
        """
        found = next((one for one in self.uploads(study) if one.upload == upload), None)
        data = self._files.read(study.hash, found) if found else None
        if found and data is not None and hashlib.sha256(data).digest() == found.digest:
            return data
        self.check_shares(study)
        names = ", ".join(self.damaged(study)) or "an owner"
        raise DiskFault(
            f"This server's share of the list of {names} was damaged on its own disk",
            code=DiskCode.SHARE_DAMAGED,
            advice=f"Its operator looks after the disk; {names} uploads again.",
        )

    def check_shares(self, study: Study) -> None:
        """Hold every stored share against its digest, and set the damaged ones aside."""
        for one in self.uploads(study):
            if one.stored and self._files.whole_digest(study.hash, one) != one.digest:
                self._share_was_damaged(study, one.owner, one.upload)

    def damaged(self, study: Study) -> tuple[str, ...]:
        """The owners whose shares were damaged here and who have not uploaded again yet."""
        return tuple(sorted({str(row[1]) for row in self._db.rows("damaged", study=study.hash)}))

    def _share_was_damaged(self, study: Study, owner: str, upload: bytes) -> None:
        with self._db.transaction():
            self._files.set_aside(study.hash, upload.hex())
            self._db.delete("uploads", study=study.hash, upload=upload)
            self._db.replace(
                "damaged", study.hash, owner, upload, study=study.hash, owner=owner, upload=upload
            )
            self.add_event(study, share_damaged(owner))

    def _row_was_damaged(self, table: str, row: Row) -> None:
        """Act for the study when one of its rows was damaged and set aside."""
        study = self._studies.get(row[0]) if isinstance(row[0], bytes) else None
        if study is not None and table == "results":
            self.results.drop_key(study.hash, row)
        if table == "rosters":
            self.rosters.count_unknown(row[0])
        if table == AUDIT_HEAD:
            tell_of_damaged_head()
        if table in ("openings", "verdicts"):
            self.verdicts.count_unknown(row[0])
        if study is None:
            for each in self._studies.values():
                self.add_event(each, record_damaged(table))
        elif table == "uploads":
            owner, upload = row[1], row[2]
            known = owner in {one.name for one in study.owners} and isinstance(upload, bytes)
            if known and isinstance(upload, bytes):
                self._share_was_damaged(study, str(owner), upload)
            else:
                self.add_event(study, UNKNOWN_OWNER)
        elif table == "results" and self.stored_uploads(study):
            self._db.delete("counted", study=study.hash)
            self.add_event(study, RECOMPUTED)
        elif table == "results":
            self.end(study, LOST)
        elif table in ("halts", "checks"):
            self.halts.add_unknown(study)
        elif table == "closed":
            self.end(study, "the study is over; the record that tells why was damaged")
        elif table != "events":
            self.add_event(study, record_damaged(table))

    # -- the computation and its result ------------------------------------------------------------

    def put_result(
        self,
        study: Study,
        session: bytes,
        words: Sequence[int],
        about: str,
        roster: Sequence[StoredUpload] = (),
    ) -> None:
        """Keep this proxy's share, not yet sealed; a later session replaces an unsealed one."""
        self.erasures.check(study)
        new = StoredResult(session, False, tuple(words), about, self.now())
        with self._db.transaction():
            found = self.results.find(study.hash)
            if found is None or not (found.sealed or found.session == session):
                self.results.put(study.hash, new, roster)

    def counted(self, study: Study, owner: str, upload: bytes) -> bool:
        """True if this upload is in the study's result, and this server has not lost that."""
        found = self._db.rows("counted", study=study.hash, owner=owner, upload=upload)
        return bool(found) and (
            self.results.find(study.hash) is not None or bool(self.ended(study))
        )

    def drop_unsealed(self, study: Study) -> None:
        """Delete the shares of a session of which another server holds none."""
        with self._db.transaction():
            if (found := self.results.find(study.hash)) and not found.sealed:
                self.results.forget(study.hash)

    def seal(self, study: Study, session: bytes) -> bool:
        """Make the share of `session` the final one and delete the uploads; False if it is gone."""
        with self._db.transaction():
            found = self.results.find(study.hash)
            if found is None or found.session != session:
                return False
            if not found.sealed:
                self.results.seal(study.hash)
                self._forget_uploads(study)
                self.add_event(study, "computed; the shares of all uploads were deleted")
        return True

    def result_saved(self, study: Study, name: str) -> None:
        """A receiver has the result; when all have it, the result's shares are deleted too."""
        with self._db.transaction():
            if {one.name for one in study.receivers} <= self.results.saved_by(study.hash, name):
                self.end(study, "every receiver has the result; its shares were deleted")

    def end(self, study: Study, why: str) -> None:
        """Delete every share of the study for good."""
        with self._db.transaction():
            self._forget_uploads(study)
            self.results.drop(study.hash)
            self._db.forget_set_aside(study.hash)
            if not self.ended(study):
                self._db.put("closed", study.hash, why, self.now())
            self.add_event(study, why)

    def _forget_uploads(self, study: Study) -> None:
        """Delete all uploads, and what was set aside of them."""
        for one in self.uploads(study):
            self._forget(study, one)
        self.versions.forget_uploads(study)
        self._db.delete("damaged", study=study.hash)
        self._db.afterwards(lambda: self._files.discard_set_aside(study.hash))

    def ended(self, study: Study) -> str:
        """Reason why the study is over; empty while it is not."""
        if study.hash in self.erasures:
            return ENDED
        return "".join(str(row[1]) for row in self._db.rows("closed", study=study.hash)[:1])

    def expire(self, study: Study, now: float) -> bool:
        """Delete what is older than the study's retention time; whether anything was."""
        oldest = now - 86400 * study.rule.keep_days
        with self._db.transaction():
            old = [one for one in self.uploads(study) if one.at < oldest]
            for one in old:
                self._forget(study, one)
                if one.stored:
                    self.add_event(study, f"{one.owner}: kept long enough; its share was deleted")
            before = self.versions.forget_uploads(study, older=oldest)
            if (found := self.results.find(study.hash)) and found.at < oldest:
                self.end(study, "the result was kept long enough; its shares were deleted")
                return True
        return bool(old) or before

    def add_event(self, study: Study, text: str) -> None:
        """Add to what the study's status tells about the past, and to the audit log."""
        self.audit.record("noted", study=study.id, text=text)
        self.history.add(study.hash, text)
