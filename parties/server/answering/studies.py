"""The studies that a server serves: those that site.toml names, and those whose files come and go.

A study from a watched folder is served once its operator has accepted its hash. When its file goes
away it is paused: nothing of it is deleted, and nothing is done for it until the file is back. One
file that cannot be followed touches no other study, and is told once.

A version with more owners takes the place of the one before it once it is accepted, and once that
one is closed here. A proxy that holds an unsealed result of the version before waits: either the
other proxy seals it, and then there is no new version, or it has closed that version without one.

Of a study with a schedule every release is served that has opened, and each is a study of its own:
it is accepted because its agreement is. The agreement itself is never computed.

`look` is for the thread that answers requests. Other threads see one whole set or the next one:
a set is never changed, only exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, ValuesView
from pathlib import Path

from ppaurora.mpc.keys import PublicKey, fingerprint
from ppaurora.parties.errors import ConfigurationError, DiskFault, KeyFault
from ppaurora.parties.requests.messages import Refused
from ppaurora.parties.requests.refusals import Code, refused, refused_key
from ppaurora.parties.server.answering.study_files import StudyFile, StudyFiles
from ppaurora.parties.server.keeping.ended_studies import EndedStudies
from ppaurora.parties.server.keeping.new_version import close_before
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.logs import LogLevel, log
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.endings import ENDED
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.releases import release_with_id
from ppaurora.parties.study.schedule import day
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.versions import check_only_adds_owners


class ServedStudies(Mapping[str, Study]):
    """Every study that is served now, by its id.

    `misplaced` says why a study cannot be served where this server listens, empty if it can, and
    `held_back` why it waits for a statement about a key. `break_off` ends a study's session.
    """

    def __init__(
        self,
        public: PublicKey,
        named: Mapping[Path, Study],
        files: StudyFiles,
        acceptances: Acceptances,
        store: Store,
        misplaced: Callable[[Study], str],
        busy: Callable[[Study], bool] = lambda study: False,
        keys: Callable[[], KeysInForce] = KeysInForce,
        held_back: Callable[[Study], str] = lambda study: "",
        break_off: Callable[[Study], None] = lambda study: None,
    ) -> None:
        self._keys = keys
        self._held_back = held_back
        self._public = public
        self._files = files
        self._acceptances = acceptances
        self._ended = EndedStudies(store, acceptances, busy, break_off)
        self._store = store
        self._misplaced = misplaced
        self._busy = busy
        self._faults: dict[Path, str] = {}
        self._now: Mapping[str, Study] = {}
        self._running = False
        self._waiting: dict[bytes, Study] = {}
        self._found_waiting: dict[bytes, Study] = {}
        self._with_other_proxy: dict[str, bytes] = {}
        store.know(acceptances.all())
        accepted = [one for one in acceptances.all() if store.versions.current(one.id) == one.hash]
        self._paused: Mapping[str, Study] = {one.id: one for one in accepted}
        self._not_accepted: Sequence[Study] = ()
        self._agreements: Sequence[Study] = ()
        self._named = {path: StudyFile(study) for path, study in named.items()}
        for study in named.values():
            if not self._ended.why_not(study):
                acceptances.add(study)
        self.look()
        if named and not self._now and not self._agreements:
            raise ConfigurationError(f"No study can be served: {self.faults[0]}")
        self._running = True

    def __getitem__(self, id: str) -> Study:
        return self._now[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now)

    def __len__(self) -> int:
        return len(self._now)

    def values(self) -> ValuesView[Study]:
        """The studies of one moment."""
        return self._now.values()

    @property
    def faults(self) -> list[str]:
        """Faults of the files that are not followed, by path."""
        return list(self._faults.values())

    def admits(self, exchange: bytes) -> bool:
        """True if somebody with this key takes part in a study that this server knows."""
        known = (
            *self._now.values(),
            *self._paused.values(),
            *self._not_accepted,
            *self._agreements,
            *self._ended.all(),
        )
        keys = self._keys()
        return any(keys.holder(study, exchange) for study in known)

    def why_not(self, id: str, exchange: bytes) -> Refused:
        """Refuse a request about a study, or a version with this key, not served now."""
        paused, ended = self._paused.get(id), self._ended.of_id(id)
        keys = self._keys()
        if ended is not None and keys.holder(ended, exchange) is not None:
            return refused(Code.ENDED, ENDED, "Ask the operator why; a new study needs a new id.")
        if paused is not None and keys.holder(paused, exchange) is not None:
            return refused(
                Code.PAUSED,
                "This study is paused by its operator",
                "Uploads and results are kept; its operator says when it goes on.",
            )
        if early := self._not_opened(id, exchange):
            return early
        later = [one for one in (*self._not_accepted, *self._waiting.values()) if one.id == id]
        if id in self._now and not any(keys.holder(one, exchange) for one in later):
            return refused_key(None)
        return unknown_study(id, exchange)

    def follower(self, study: Study) -> Study | None:
        """The accepted version that waits until this one is closed, if there is one."""
        return self._waiting.get(study.hash)

    def served_by_other_proxy(self, id: str, version: bytes) -> None:
        """Another server serves this version: it has closed the one before, without a result."""
        self._with_other_proxy[id] = version

    def look(self) -> None:
        """Take up what was put into the watched folders, and pause what was taken away."""
        self._ended.look()
        faults: dict[Path, str] = {}
        not_accepted: list[Study] = []
        self._found_waiting = {}
        agreements: list[Study] = []
        present: dict[str, Study] = {}
        for path, file in {**self._named, **self._files.look()}.items():
            why = file.fault
            if file.study is not None and (ended := self._ended.why_not(file.study)):
                faults[path] = f"{path} is not served. {ended}"
                continue
            if (study := file.study) is not None and not self._is_closed(study):
                own = self._keys().role_of(study, self._public) is not None
                if own and self._acceptances.find(study.hash) is None:
                    not_accepted.append(study)
                why = self._obstacle(path, study, present)
                if not why and study.scheduled:
                    agreements.append(study)
                    why = self._with_releases(study, present)
                elif not why:
                    present[study.id] = study
            if why:
                faults[path] = why
        self._not_accepted = not_accepted
        self._agreements = agreements
        self._waiting = self._found_waiting
        for hash, waiting in self._waiting.items():
            before = self._acceptances.find(hash)
            if before is None or self._store.versions.current(before.id) != hash:
                continue
            if present.setdefault(waiting.id, before) != self._now.get(waiting.id):
                self._store.register(before)
        self._exchange(present)
        self._tell(faults)

    def _obstacle(self, path: Path, study: Study, present: Mapping[str, Study]) -> str:
        """Reason why this study is not served, empty once it is."""
        try:
            check_own(study, self._public, path, self._keys())
            if study.period:
                return (
                    f"{path} is one release of a schedule, and every server makes the releases "
                    "from the agreement: put that file there"
                )
            if held_back := self._held_back(study):
                return held_back
            if self._acceptances.find(study.hash) is None:
                return (
                    f"{path} waits for its operator to accept it: `ppaurora study accept {path}`, "
                    f"hash {study.hash.hex()}"
                )
            other = present.get(study.id)
            if other is not None and other.hash.hex() not in (study.hash.hex(), study.follows):
                raise ConfigurationError(
                    f"Two study files have the id {study.id}",
                    advice="Give each study an id of its own.",
                )
            if misplaced := self._misplaced(study):
                return misplaced
            if not study.scheduled and self._now.get(study.id) != study:
                self._take_up(study)
        except (ConfigurationError, KeyFault, DiskFault) as error:
            return str(error)
        return ""

    def _with_releases(self, agreement: Study, present: dict[str, Study]) -> str:
        """Serve the releases of an agreement that have opened; why one is not served, or empty."""
        fault = ""
        for period in agreement.schedule.opened_at(self._store.now()):
            release = agreement.release(period.name)
            if self._ended.why_not(release):
                continue
            try:
                if release.id in present:
                    raise ConfigurationError(
                        f"Two studies have the id {release.id}",
                        advice="Give each study an id of its own.",
                    )
                if self._now.get(release.id) != release:
                    self._acceptances.add(release)
                    self._take_up(release)
            except (ConfigurationError, DiskFault) as error:
                fault = fault or str(error)
            else:
                present[release.id] = release
        return fault

    def _not_opened(self, id: str, exchange: bytes) -> Refused | None:
        """The reply about a release of a schedule that opens later; None if it is of no such."""
        for agreement in self._agreements:
            release = release_with_id(agreement, id)
            if release.period and self._keys().holder(agreement, exchange) is not None:
                opens = agreement.schedule.opens(agreement.schedule.period(release.period))
                return refused(
                    Code.TOO_EARLY,
                    f"The release of {release.period} opens on {day(opens)}",
                    "A period has to be over before anything of it is uploaded.",
                )
        return None

    def _exchange(self, present: Mapping[str, Study]) -> None:
        """Serve these studies from now on, and no others."""
        left = {**self._paused, **self._now}
        left = {id: study for id, study in left.items() if not self._ended.why_not(study)}
        gone = {id: study for id, study in left.items() if id in self._now and id not in present}
        for study in gone.values():
            log("study paused", level=LogLevel.WARNING, study=study.id)
        for id, study in present.items():
            if self._running and self._now.get(id) != study:
                log("study served", study=study.id, hash=study.hash.hex())
        self._paused = {id: study for id, study in left.items() if id not in present}
        self._now = present

    def _tell(self, faults: dict[Path, str]) -> None:
        """Log what was not so at the last look."""
        for path, why in faults.items():
            if self._faults.get(path) != why:
                log("study not served", level=LogLevel.ERROR, file=path.name, error=why)
        self._faults = faults

    def _take_up(self, study: Study) -> None:
        """Serve the study from now on, if what is stored of it fits."""
        if self._store.versions.current(study.id) != study.hash:
            if study.follows:
                self._close_before(study)
            if all(file.study != study for file in self._named.values()):
                self._store.audit.record("study accepted", study=study.id, hash=study.hash.hex())
        self._store.register(study)

    def _close_before(self, study: Study) -> None:
        """Close the version before this one, unless it has a result or may still get one."""
        before = self._acceptances.find(bytes.fromhex(study.follows))
        if before is None:
            raise ConfigurationError(
                f"This server does not know the version that study {study.id} follows",
                advice="Accept that one's file first: `ppaurora study accept`.",
            )
        check_only_adds_owners(before, study)
        self._found_waiting[before.hash] = study
        if self._busy(before):
            raise ConfigurationError(
                f"The version before of study {study.id} is being computed at this moment",
                advice="This one follows if that session ends without a result.",
            )
        if self._with_other_proxy.get(study.id) == study.hash:
            self._store.drop_unsealed(before)
        close_before(self._store, before, study)
        del self._found_waiting[before.hash]

    def _is_closed(self, study: Study) -> bool:
        return bool(self._store.versions.after(study.hash))


def unknown_study(id: str, exchange: bytes) -> Refused:
    """Refuse a request about a study that this server does not know, or not yet."""
    return refused(
        Code.UNKNOWN_STUDY,
        "This server does not serve this study yet",
        "Its operator accepts it with `ppaurora study accept`.",
    )


def check_own(study: Study, public: PublicKey, path: Path, keys: KeysInForce) -> None:
    """Refuse a study in which the key `public` is no server's, or not one that others accept."""
    if keys.role_of(study, public) is None:
        raise KeyFault(
            f"This server's key {fingerprint(public)} is not a server's in {path}",
            advice="Give study.toml's author the line of `ppaurora keys show`; after a change of "
            "the key, put its file where [keys] changes says.",
        )
    keys.check_own(study, public)
