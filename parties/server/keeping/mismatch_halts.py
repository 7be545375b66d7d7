"""Mismatches that have halted a covert study at this server, and whether it was restarted since.

A halt has the name of the session whose runs differed, so that however often and by whomever this
server is told of it, it is one halt. The study goes on once the operators of all three servers have
restarted it: each abort may have told a cheating server a bit, and people decide about that. What
stopped a version stops those that add owners to it: a server that has not heard of it yet does so
under the version that is served.

A halt holds from the moment at which it is known. If the disk fails then, it is kept in memory and
written as soon as the disk takes it again; a check of dealings that led to it stays marked until
then, so that a server which is started anew before that is stopped by the mark.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from ppaurora.parties.errors import DiskFault
from ppaurora.parties.server.keeping.audit_log import AuditLog
from ppaurora.parties.server.keeping.database import Database, Row
from ppaurora.parties.server.keeping.event_history import EventHistory
from ppaurora.parties.server.keeping.stored_results import StoredResults
from ppaurora.parties.server.keeping.verdict_records import MOST_BROKEN, VerdictRecords
from ppaurora.parties.server.keeping.versions import Versions
from ppaurora.parties.server.watching.logs import LogLevel, log, log_often
from ppaurora.parties.study.study import Study

UNKNOWN_BYTES = 16
BROKEN = (
    f"{MOST_BROKEN} of its sessions broke off while the verdicts on the lists were opened, by each "
    "of which a server that does not follow the protocol may have learnt one bit about each list; "
    "before you run `ppaurora study restart`, see in the logs why each of them failed"
)


@dataclass(frozen=True, slots=True)
class MismatchHalt:
    """One halt: of which version, the session, why, and whether the study was restarted here."""

    version: bytes
    session: bytes
    why: str
    restarted: bool

    @classmethod
    def of(cls, row: Row) -> MismatchHalt:
        """The record that a sound row of `halts` is."""
        version, session, why, restarted = row
        assert isinstance(version, bytes)
        assert isinstance(session, bytes)
        return cls(version, session, str(why), bool(restarted))


class MismatchHalts:
    """The halts of every study at this server; audit log and event history tell of them."""

    def __init__(
        self,
        database: Database,
        results: StoredResults,
        versions: Versions,
        audit: AuditLog,
        history: EventHistory,
        verdicts: VerdictRecords,
    ) -> None:
        self._db = database
        self._results = results
        self._versions = versions
        self._audit = audit
        self._history = history
        self._verdicts = verdicts
        self._checked_now: set[bytes] = set()
        self._unwritten: dict[tuple[bytes, bytes], tuple[Study, MismatchHalt]] = {}
        self._checked: dict[tuple[bytes, bytes], None] = {}
        """Checks that are over and may still be marked on the disk."""

    def add(self, study: Study, session: bytes, why: str) -> bool:
        """Stop the study because of this session, unless it is stopped or was because of it.

        The shares of a result that is not one are deleted, so that the owners can upload again and
        be computed on after a restart. Whether the study is stopped by this; it is even if the disk
        fails at this moment.
        """
        with contextlib.suppress(DiskFault):  # then it is looked for again before it is written
            if self.because_of(study, session) or self.current(study) is not None:
                return False
        halt = MismatchHalt(study.hash, session, why, restarted=False)
        self._unwritten[study.hash, session] = study, halt
        log("study stopped", level=LogLevel.ERROR, study=study.id, error=why)
        self.write_pending()
        return True

    def write_pending(self) -> None:
        """Write what the disk has not taken yet: halts first, then that checks are over."""
        try:
            for study, halt in list(self._unwritten.values()):
                self._write(study, halt)
            for study_hash, session in list(self._checked):
                with self._db.transaction():
                    self._db.delete("checks", study=study_hash, session=session)
                    self._db.afterwards(partial(self._checked.pop, (study_hash, session), None))
        except DiskFault as error:
            what = f"a halt, or the end of a check, is not written yet: {error}"
            log_often("disk fault", of="halts", level=LogLevel.ERROR, error=what)

    def _write(self, study: Study, halt: MismatchHalt) -> None:
        session, why = halt.session, halt.why
        with self._db.transaction():
            if not any(one.session == session for one in self._written(study)):
                self._db.put("halts", study.hash, session, why, int(False))
                self._results.forget(study.hash)
                self._history.add(study.hash, f"stopped: {why}")
                self._audit.record("study stopped", study=study.id, session=session.hex(), why=why)
            self._db.afterwards(partial(self._unwritten.pop, (study.hash, halt.session), None))

    def current(self, study: Study) -> MismatchHalt | None:
        """The last halt after which the study was not restarted here; None if it goes on."""
        return next((one for one in reversed(self._of(study)) if not one.restarted), None)

    def because_of(self, study: Study, session: bytes) -> bool:
        """True if this session stopped the study or a version before, restarted since or not."""
        return any(one.session == session for one in self._of(study))

    def count(self, studies: Iterable[Study]) -> int:
        """Number of these studies that are stopped."""
        return sum(self.current(study) is not None for study in list(studies))

    def last(self, study: Study) -> bytes:
        """The session of the last halt, restarted or not; empty if there was none."""
        return next((one.session for one in reversed(self._of(study))), b"")

    def restart(self, study: Study) -> bool:
        """Let the study go on here; whether it was stopped."""
        with self._db.transaction():
            if self.current(study) is None:
                return False
            for one in self._of(study):
                row = (one.version, one.session, one.why, int(True))
                self._db.replace("halts", *row, study=one.version, session=one.session)
                forget = partial(self._unwritten.pop, (one.version, one.session), None)
                self._db.afterwards(forget)
            self._verdicts.forgive(study)
            self._history.add(study.hash, "restarted by this server's operator")
            self._audit.record("study restarted", study=study.id)
        log("study restarted", study=study.id)
        return True

    def checking(self, study: Study, session: bytes, under_way: bool) -> None:
        """Remember while the dealings of a helper are checked in this session that they are.

        Without a mark on the disk no check begins; that one is over is written when it can be.
        """
        if under_way:
            self._db.replace("checks", study.hash, session, study=study.hash, session=session)
            self._checked.pop((study.hash, session), None)
            self._checked_now.add(session)
            return
        self._checked[study.hash, session] = None
        self._checked_now.discard(session)
        self.write_pending()

    def add_interrupted(self, study: Study) -> None:
        """Stop a study in which this server was ended while it checked the dealings of a helper.

        The helper may have brought that about, when its wrong dealing was not the one used.
        """
        for _, session in self._db.rows("checks", study=study.hash):
            assert isinstance(session, bytes)
            if session in self._checked_now or (study.hash, session) in self._checked:
                continue
            self.add(study, session, "this server was ended while it checked what a helper dealt")
            self.checking(study, session, False)

    def add_broken(self, study: Study, session: bytes = b"") -> None:
        """Stop a study of which too many sessions broke off while verdicts were opened.

        Each may have told the server that broke it off one bit about each list. `session` is the
        last of them, where one has just ended.
        """
        self._verdicts.over(study, session)
        if self._verdicts.broken(study) >= MOST_BROKEN:
            self.add(study, session or os.urandom(UNKNOWN_BYTES), BROKEN)

    def add_unknown(self, study: Study) -> None:
        """Stop a study of which the record of a halt was damaged."""
        name = os.urandom(UNKNOWN_BYTES)
        self.add(study, name, "the record of a halt was damaged on this server's disk")

    def _of(self, study: Study) -> list[MismatchHalt]:
        """The halts of the versions before, and of this one, oldest first."""
        found = self._written(study)
        known = {one.session for one in found}
        versions = {*self._versions.before(study.hash), study.hash}
        unwritten = [halt for _, halt in list(self._unwritten.values()) if halt.version in versions]
        return found + [one for one in unwritten if one.session not in known]

    def _written(self, study: Study) -> list[MismatchHalt]:
        """Those that are on the disk."""
        versions = [*reversed(self._versions.before(study.hash)), study.hash]
        for version in versions:
            # a damaged record, which this reading finds, is a halt in the next one
            self._db.rows("halts", study=version)
        return [
            MismatchHalt.of(row) for one in versions for row in self._db.rows("halts", study=one)
        ]
