"""The verdicts on uploads that a server keeps, and the sessions that broke while they were opened.

What a deviating server can read in a verdict is one bit of its choice about an upload, so a verdict
is made once: a session over the same uploads takes it from here, for as long as the study is kept,
whatever becomes of the upload. Only a session that breaks after a
proxy has begun to send its part, and before the verdicts are kept, may have told its peer something
that does not show here; such sessions are counted by the study's id, over all its uploads and
versions, and three of them stop the study at this server until its operator restarts it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import msgpack

from ppaurora.mpc.role import PROXIES, Role
from ppaurora.parties.errors import EvidenceRefused
from ppaurora.parties.requests.messages import KnownVerdict
from ppaurora.parties.server.keeping.database import Database, Value
from ppaurora.parties.study.rule import StoredUpload
from ppaurora.parties.study.runs import StudyRun, proxy_runs, runs_of
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.verdicts import Verdicts

MOST_BROKEN = 3


class VerdictRecords:
    """The verdicts of every study at this server, and the sessions that broke at them."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._under_way: set[tuple[str, bytes]] = set()

    def known(self, study: Study, roster: Sequence[StoredUpload]) -> tuple[KnownVerdict, ...]:
        """Verdicts kept of these uploads, in a fixed order."""
        return tuple(
            KnownVerdict(one.upload, int(row[2]), bool(row[3]))
            for one in roster
            for row in sorted(self._db.rows("verdicts", id=study.id, upload=one.upload), key=_run)
        )

    def unsound(self, study: Study, upload: bytes) -> bool:
        """True if a kept verdict on this upload says that its list is unsound."""
        return any(not row[3] for row in self._db.rows("verdicts", id=study.id, upload=upload))

    def begin(self, study: Study, session: bytes) -> None:
        """Note that this server is about to send its part of verdicts in this session.

        P0 names the sessions: those before that broke off under the same name are still counted.
        """
        with self._db.transaction():
            before = self._db.rows("openings", id=study.id, session=session)
            self._db.delete("openings", id=study.id, session=session)
            for _ in before:
                self.count_unknown(study.id)
            self._db.put("openings", study.id, session)
            self._under_way.add((study.id, session))

    def keep(self, study: Study, session: bytes, run: int, sound: Mapping[bytes, bool]) -> None:
        """Keep the verdicts of a run on these uploads; the session is not broken at them."""
        with self._db.transaction():
            for upload, bit in sound.items():
                before = self._db.rows("verdicts", id=study.id, upload=upload, run=run)
                if any(bool(row[3]) is not bit for row in before):
                    raise EvidenceRefused(
                        "A list was found sound once and unsound once",
                        advice="One of the servers does not follow the protocol.",
                    )
                row = (study.id, upload, run, int(bit))
                self._db.replace("verdicts", *row, id=study.id, upload=upload, run=run)
            self._db.delete("openings", id=study.id, session=session)

    def repeated(
        self, study: Study, roster: Sequence[StoredUpload], known: Collection[KnownVerdict]
    ) -> None:
        """Count a session that opens again what this server keeps, as one that broke off."""
        if not {*self.known(study, roster)} <= {*known}:
            self.count_unknown(study.id)

    def over(self, study: Study, session: bytes) -> None:
        """The session has ended: if verdicts were being opened in it, it broke off there."""
        self._under_way.discard((study.id, session))

    def broken(self, study: Study) -> int:
        """Number of sessions of this study that broke off while verdicts were opened."""
        rows = self._db.rows("openings", id=study.id)
        return sum((study.id, row[1]) not in self._under_way for row in rows)

    def forgive(self, study: Study) -> None:
        """Count from nought again: the operator has restarted the study."""
        self._db.delete("openings", id=study.id)

    def count_unknown(self, id: Value) -> None:
        """Count a broken session, or one that may have been, of which there is no name."""
        self._db.put("openings", id, os.urandom(16))


@dataclass(frozen=True, slots=True)
class KeptVerdicts(Verdicts):
    """The verdicts of one run of a session, kept in the records of this server."""

    records: VerdictRecords
    run: StudyRun
    session: bytes
    uploads: tuple[bytes, ...]

    @classmethod
    def of(
        cls,
        records: VerdictRecords,
        run: StudyRun,
        session: bytes,
        roster: Sequence[StoredUpload],
        known: Collection[KnownVerdict],
    ) -> KeptVerdicts:
        """Those of this run over these uploads, of which some are `known`."""
        uploads = tuple(one.upload for one in roster)
        return cls(known_in(known, run.number, uploads), records, run, session, uploads)

    def begin(self) -> None:
        self.records.begin(self.run.study, self.session)

    def keep(self, found: Mapping[int, bool]) -> None:
        sound = {self.uploads[place]: bit for place, bit in found.items()}
        self.records.keep(self.run.study, self.session, self.run.number, sound)


def known_in(
    known: Collection[KnownVerdict], run: int, uploads: Sequence[bytes]
) -> dict[int, bool]:
    """The verdicts that are known in a run, by the place of the upload."""
    sound = {one.upload: one.sound for one in known if one.run == run}
    return {place: sound[upload] for place, upload in enumerate(uploads) if upload in sound}


def known_to_any(
    study: Study, roster: Sequence[StoredUpload], *told: Collection[KnownVerdict]
) -> tuple[KnownVerdict, ...]:
    """The verdicts on these uploads that any of several servers keeps, in a fixed order."""
    found: dict[tuple[bytes, int], bool] = {}
    uploads = {one.upload for one in roster}
    for one in (each for own in told for each in own):
        if one.upload not in uploads or one.run not in range(len(runs_of(study))):
            continue
        if found.setdefault((one.upload, one.run), one.sound) is not one.sound:
            raise EvidenceRefused(
                "The servers keep different verdicts on the same list",
                advice="One of them does not tell the truth. Agree on a new study, with a new id.",
            )
    return tuple(KnownVerdict(*place, sound) for place, sound in sorted(found.items()))


def known_for(
    study: Study, roster: Sequence[StoredUpload], kept: Mapping[Role, Collection[KnownVerdict]]
) -> tuple[KnownVerdict, ...]:
    """The verdicts that a session need not open again, by what each server keeps.

    In a covert study both proxies of a run must keep it: on the word of one of them, an unsound
    list of an owner who has joined with it would be taken for sound in every run.
    """
    if not study.options.covert:
        return known_to_any(study, roster, *kept.values())
    both: set[KnownVerdict] = set()
    for run in runs_of(study):
        first, second = ({*kept.get(run.place(proxy), ())} for proxy in PROXIES)
        both |= {one for one in first & second if one.run == run.number}
    return known_to_any(study, roster, both)


def differs(
    study: Study,
    server: Role,
    own: Collection[KnownVerdict],
    told: Collection[KnownVerdict],
) -> bool:
    """True if the verdicts that P0 tells cannot be used together with this server's own.

    Where no verdict may be opened twice, it must find all that it keeps. In a covert study it must
    keep all of the runs in which it is a proxy; what it keeps beside is opened again, and counted.
    """
    if not study.options.covert:
        return not {*own} <= {*told}
    runs = {run.number for run in proxy_runs(study, server)}
    return not {one for one in told if one.run in runs} <= {*own}


def verdicts_digest(known: Sequence[KnownVerdict]) -> str:
    """One short name for exactly these verdicts, in this order."""
    content = [[one.upload, one.run, one.sound] for one in known]
    return sha256(msgpack.packb(content)).hexdigest()


def _run(row: Sequence[Value]) -> int:
    return int(row[2])
