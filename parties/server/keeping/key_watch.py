"""Keys as time goes by: new statements, days that come near, revocations.

What an owner uploaded before this server learnt that the owner's key is revoked may be the thief's.
Nobody can tell, so it is deleted while the study is not computed, once for each revocation, and the
owner uploads again with the key that took its place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from ppaurora.mpc.keys import PublicKey, fingerprint
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.logs import LogLevel, log
from ppaurora.parties.site.keyring import Keyring, KeySettings
from ppaurora.parties.study.key_days import days_left, nears_its_end
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.study import Study

WARNING_SECONDS = 86_400.0
FAULTY = "As long as it is not mended, a restart leaves out the studies whose keys it names."


class KeyWatch:
    """The keys of one server's studies; `look` is for the thread that answers requests."""

    def __init__(
        self,
        settings: KeySettings,
        own: PublicKey,
        now: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._own = own
        self._ring = Keyring(settings, now, bears_faults=True)
        self._untold = self._ring.known
        self._told_faults: set[str] = set()
        self._tell_faults()
        self._steady = steady
        self._warned_at: float | None = None

    def in_force(self) -> KeysInForce:
        """The keys that stand for those of studies today."""
        return self._ring.in_force()

    @property
    def faults(self) -> list[str]:
        """Faults of the files of statements now, and what follows from them."""
        return [f"{error} {FAULTY}" for error in self._ring.faults]

    def holds_back(self, study: Study) -> str:
        """Reason why the study waits for a key statement to be mended; empty if it does not."""
        return self._ring.holds_back(study)

    def _tell_faults(self) -> None:
        """Log what is wrong with files, each time that it comes."""
        faults = {str(error) for error in self._ring.faults}
        for told in sorted(faults - self._told_faults):
            log("key statement refused", level=LogLevel.ERROR, error=told)
        self._told_faults = faults

    def days_left(self) -> float:
        """For how many days this server's key is good; infinite where no day was set."""
        left = days_left(self._own, self.in_force().day)
        return float("inf") if left is None else left

    def look(self, studies: Iterable[Study], store: Store) -> None:
        """Take what is new, and warn once a day of keys that near their end.

        The logs tell of every statement when it comes, and of all that are there at the start.
        """
        studies = list(studies)
        new, _ = self._ring.refresh()
        self._tell_faults()
        self._untold += new
        news = bool(self._untold)
        while self._untold:
            store.audit.record("key statement", says=self._untold[0].sentence)
            log("key statement", detail=self._untold.pop(0).sentence)
        for study in studies if news else ():
            try:
                self.in_force().check(study)
            except ConfigurationError as error:
                log("key statement refused", level=LogLevel.ERROR, study=study.id, error=str(error))
        now = self._steady()
        if news or self._warned_at is None or now - self._warned_at >= WARNING_SECONDS:
            self._warned_at = now
            self._warn(studies)

    def _warn(self, studies: Iterable[Study]) -> None:
        """Log what is to be said of keys, once of each, in however many studies it is."""
        keys, name = self.in_force(), fingerprint(self._own)
        told: dict[str, str] = {}
        for study in studies:
            for warning in keys.warnings(study):
                told.setdefault(warning, study.id)
        for warning, study_id in told.items():
            log("key warning", level=LogLevel.WARNING, study=study_id, detail=warning)
        if end := nears_its_end(self._own, keys.day):
            log("key warning", level=LogLevel.WARNING, detail=f"this server's key {name} {end}")
        elif refusal := keys.refusal(self._own):
            log("key warning", level=LogLevel.WARNING, detail=f"this server's {refusal}")

    def set_aside(self, study: Study, store: Store) -> None:
        """Delete the uploads whose owners' keys were revoked since; not while they are computed."""
        keys = self.in_force()
        if not (keys.statements.revoked or keys.statements.refused):
            return
        for owner in study.owners:
            for key in filter(keys.is_revoked, keys.statements.chain(owner.public)):
                _delete_upload(study, owner.name, fingerprint(key), store)


def _delete_upload(study: Study, owner: str, key: str, store: Store) -> None:
    """Delete what `owner` uploaded before its key was revoked, once, and nothing computed already.

    What was done under a version before is not done again: what came since is not the thief's.

    What may be computed again, because its result is not sealed, is left until that is decided.
    """
    result = store.results.find(study.hash)
    versions = (study.hash, *store.versions.before(study.hash))
    if any(store.revocations.done(one, key) for one in versions):
        return
    if result is not None and not result.sealed:
        return
    why = f"had its key {key} revoked; its share was deleted, to be uploaded again"
    if result is None and not store.ended(study) and store.drop_upload(study, owner, why):
        log("upload deleted", level=LogLevel.WARNING, study=study.id, owner=owner, detail=why)
    store.revocations.note_done(study.hash, key)
