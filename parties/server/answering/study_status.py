"""Status of a study at this server, from what is stored, what runs, and what P0 has met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.build import build
from ppaurora.parties.errors import KeyFault
from ppaurora.parties.requests.status import Note, State, Status, UploadStatus
from ppaurora.parties.server.computing.runner import SessionRunner
from ppaurora.parties.server.computing.session_keys import written
from ppaurora.parties.server.keeping.damage_words import damage_in_words
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.rule import StoredUpload, waits_for
from ppaurora.parties.study.runs import holders
from ppaurora.parties.study.schedule import day
from ppaurora.parties.study.study import Study


class StudyStatus:
    """The status of each study; `obstacle` says what keeps P0 from computing it."""

    def __init__(
        self,
        public: PublicKey,
        store: Store,
        runner: SessionRunner,
        obstacle: Callable[[Study], str],
        keys: Callable[[], KeysInForce],
    ) -> None:
        self.public = public
        self._keys = keys
        self._store = store
        self._runner = runner
        self._obstacle = obstacle

    def role(self, study: Study) -> Role:
        """This server's role in the study."""
        role = self._keys().role_of(study, self.public)
        assert role is not None
        return role

    def holds_shares(self, study: Study) -> bool:
        """True if this server holds shares of the study's lists, in any of its runs."""
        return self.role(study) in holders(study)

    def state(self, study: Study) -> tuple[State, str]:
        """State of the study here, and a sentence of detail."""
        ended = self._store.ended(study)
        if ended:
            return State.OVER, ended
        if halt := self._store.halts.current(study):
            return State.STOPPED, halt.why
        result = self._store.results.find(study.hash)
        if result is not None:
            return (State.COMPUTED if result.sealed else State.UNSEALED), ""
        if self._runner.busy_with(study):
            return State.COMPUTING, ""
        if not self.holds_shares(study):
            return State.READY, ""
        stored_uploads = self._store.stored_uploads(study)
        asked = self._store.requests.stands(study.hash, stored_uploads)
        missing = (
            self.damage(study)
            or waits_for(study, stored_uploads, asked)
            or self.spent(study, stored_uploads)
            or self._obstacle(study)
        )
        if missing:
            return State.WAITING, f"{missing}{self._closed(study)}"
        return (State.STARTING if self.role(study) is Role.P0 else State.READY), ""

    def _closed(self, study: Study) -> str:
        """The end of a sentence about a release that takes no more lists; else empty."""
        if not study.period:
            return ""
        closes = study.schedule.closes(study.schedule.period(study.period))
        return f"; the release closed on {day(closes)}" if self._store.now() >= closes else ""

    def spent(self, study: Study, roster: Sequence[StoredUpload]) -> str:
        """Reason why no session over this roster may begin with the newest keys; empty if one may.

        Of a server without a key that is accepted, P0 tells by itself.
        """
        keys, role = self._keys(), self.role(study)
        try:
            newest = {other: keys.of_server(study, other)[0] for other in role.others}
        except KeyFault:
            return ""
        used = written(study, {**newest, role: self.public})
        return self._store.rosters.spent(study, roster, used)

    def damage(self, study: Study) -> str:
        """Owners whose shares were damaged here, in a sentence; empty if there are none."""
        return damage_in_words(self._store.damaged(study), self.role(study))

    def report(self, study: Study) -> Status:
        """Everything that this server tells about the study."""
        state, detail = self.state(study)
        return Status(
            study=study.id,
            hash=study.hash.hex(),
            server=str(self.role(study)),
            state=state,
            detail=detail,
            uploads=tuple(
                UploadStatus(
                    owner=one.owner,
                    samples=one.samples,
                    stored=one.stored,
                    received=self._store.received(study, one),
                    size=one.size,
                    at=datetime.fromtimestamp(one.at, UTC),
                )
                for one in self._store.uploads(study)
            ),
            progress=self._runner.progress(study),
            last_problem=self._runner.failure(study),
            notes=tuple(
                Note(datetime.fromtimestamp(at, UTC), text)
                for at, text in self._store.history.of(study.hash)
            ),
            software=build(),
            at=datetime.now(UTC),
        )
