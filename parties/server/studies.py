"""The studies that a server serves: those that site.toml names, and those whose files come and go.

A study from a watched folder is served once its operator has accepted its hash. When its file goes
away it is paused: nothing of it is deleted, and nothing is done for it until the file is back. One
file that cannot be followed touches no other study, and is told once.

`look` is for the thread that answers requests. Other threads see one whole set or the next one:
a set is never changed, only exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, ValuesView
from pathlib import Path

from ppaurora.mpc.keys import PublicKey, fingerprint
from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.requests.messages import Refused
from ppaurora.parties.requests.refusals import Code, refused
from ppaurora.parties.server.logs import LogLevel, log
from ppaurora.parties.server.store import Store
from ppaurora.parties.server.study_files import StudyFiles
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.study import Study

__all__ = ["ServedStudies", "check_own", "unknown_study"]


class ServedStudies(Mapping[str, Study]):
    """Every study that is served now, by its id.

    `misplaced` says why a study cannot be served where this server listens, empty if it can.
    """

    def __init__(
        self,
        public: PublicKey,
        named: Mapping[str, Study],
        files: StudyFiles,
        acceptances: Acceptances,
        store: Store,
        misplaced: Callable[[Study], str],
        keys: Callable[[], KeysInForce] = KeysInForce,
    ) -> None:
        self._keys = keys
        self._public = public
        self._files = files
        self._acceptances = acceptances
        self._store = store
        self._misplaced = misplaced
        self._faults: dict[str, str] = {}
        self._named = self._registered(named)
        self._now: Mapping[str, Study] = dict(self._named)
        accepted = [one for one in acceptances.all() if store.is_registered(one)]
        self._paused: Mapping[str, Study] = {one.id: one for one in accepted}
        self._not_accepted: Sequence[Study] = ()
        self.look()

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
        """Of each file that is not followed, why."""
        return list(self._faults.values())

    def admits(self, exchange: bytes) -> bool:
        """Whether somebody with this key takes part in a study that this server knows of."""
        known = (*self._now.values(), *self._paused.values(), *self._not_accepted)
        keys = self._keys()
        return any(keys.holder(study, exchange) for study in known)

    def why_not(self, id: str, exchange: bytes) -> Refused:
        """What is answered about a study that is not served now."""
        paused = self._paused.get(id)
        if paused is None or self._keys().holder(paused, exchange) is None:
            return unknown_study(id, exchange)
        return refused(
            Code.PAUSED,
            "This study is paused by its operator",
            "Uploads and results are kept; its operator says when it goes on.",
        )

    def look(self) -> None:
        """Take up what was put into the watched folders, and pause what was taken away."""
        faults: dict[str, str] = {}
        not_accepted: list[Study] = []
        present: dict[str, Study] = dict(self._named)
        for path, file in self._files.look().items():
            why = file.fault
            if (study := file.study) is not None:
                own = self._keys().role_of(study, self._public) is not None
                if own and self._acceptances.find(study.hash) is None:
                    not_accepted.append(study)
                why = self._obstacle(path, study, present)
                if not why:
                    present[study.id] = study
            if why:
                faults[path.name] = why
        self._not_accepted = not_accepted
        self._exchange(present)
        self._tell(faults)

    def _obstacle(self, path: Path, study: Study, present: Mapping[str, Study]) -> str:
        """Why this study is not served, empty once it is."""
        try:
            check_own(study, self._public, path, self._keys())
            if self._acceptances.find(study.hash) is None:
                return (
                    f"{path} waits for its operator to accept it: `ppaurora study accept {path}`, "
                    f"hash {study.hash.hex()}"
                )
            if study.id in present and present[study.id].hash != study.hash:
                raise ConfigurationError(
                    f"Two study files have the id {study.id}",
                    advice="Give each study an id of its own.",
                )
            if misplaced := self._misplaced(study):
                return misplaced
            if self._now.get(study.id) != study:
                self._store.register(study, accepted=True)
        except (ConfigurationError, KeyFault) as error:
            return str(error)
        return ""

    def _exchange(self, present: Mapping[str, Study]) -> None:
        """Serve these studies from now on, and no others."""
        gone = {id: study for id, study in self._now.items() if id not in present}
        for study in gone.values():
            log("study paused", level=LogLevel.WARNING, study=study.id)
        for id, study in present.items():
            if self._now.get(id) != study:
                log("study served", study=study.id, hash=study.hash.hex())
        paused = {**self._paused, **gone}
        self._paused = {id: study for id, study in paused.items() if id not in present}
        self._now = present

    def _tell(self, faults: dict[str, str]) -> None:
        """Log what was not so at the last look."""
        for name, why in faults.items():
            if self._faults.get(name) != why:
                log("study not served", level=LogLevel.ERROR, file=name, error=why)
        self._faults = faults

    def _registered(self, named: Mapping[str, Study]) -> dict[str, Study]:
        """Those of which what is stored fits; whoever wrote their names has accepted them."""
        served, faults = {}, []
        for study in named.values():
            try:
                self._store.register(study)
            except ConfigurationError as error:
                faults.append(error)
                log("study not served", level=LogLevel.ERROR, study=study.id, error=str(error))
            else:
                self._acceptances.add(study)
                served[study.id] = study
        if faults and not served:
            raise faults[0]
        return served


def unknown_study(id: str, exchange: bytes) -> Refused:
    """What is answered about a study that this server does not know, or not yet."""
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
