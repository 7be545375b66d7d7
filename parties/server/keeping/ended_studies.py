"""The studies that this server's operator has ended: what is left of them goes, and stays away.

The mark comes first, then everything else is deleted; after a crash in between, the next look does
the rest. So a study is never served again of which something is gone. An agreement is ended with
all of its releases.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.errors import ConfigurationError, PolicyRefusal
from ppaurora.parties.server.keeping.store import Store
from ppaurora.parties.server.watching.logs import LogLevel, log
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.endings import Endings, check_id
from ppaurora.parties.study.study import Study


class EndedStudies:
    """Ends studies at one server; `look` is for the thread that answers requests.

    `busy` says whether a study is being computed, and `break_off` ends that.
    """

    def __init__(
        self,
        store: Store,
        acceptances: Acceptances,
        busy: Callable[[Study], bool] = lambda study: False,
        break_off: Callable[[Study], None] = lambda study: None,
    ) -> None:
        self._store = store
        self._acceptances = acceptances
        self._endings = Endings(acceptances.state)
        self._busy = busy
        self._break_off = break_off
        self._by_id = {study.id: study for study in self._endings.all()}
        self._broken_off: list[Study] = []
        for study in self._by_id.values():
            self._erase(study)

    def look(self) -> None:
        """End what the operator has asked for since the last look."""
        for study in [one for one in self._broken_off if not self._computed(one)]:
            self._erase(study)
            self._broken_off.remove(study)
        for study, break_off in self._endings.asked():
            try:
                self.end(study, break_off=break_off)
            except AuroraError as error:
                log("study not ended", level=LogLevel.ERROR, study=study.id, error=str(error))
                self._endings.answer(study, str(error))
            else:
                self._endings.answer(study)

    def end(self, study: Study, *, break_off: bool = False) -> None:
        """Delete what this server keeps of the study, for good; refused while it computes it.

        Of an agreement that is what it keeps of every release.
        """
        if self._store.versions.current(study.id) not in (b"", study.hash):
            raise ConfigurationError(
                f"This server has served another version of study {study.id}",
                advice="Give the file of the version that was served last: it ends the others too.",
            )
        if computed := self._computed(study):
            if not break_off:
                raise PolicyRefusal(
                    f"Study {computed[0].id} is being computed at this moment, so {study.id} was "
                    "not ended",
                    advice="Wait until that is over, or add --break-off.",
                )
            for one in computed:
                self._break_off(one)
            self._broken_off.append(study)
        self._endings.add(study)
        self._by_id[study.id] = study
        self._erase(study)
        log("study ended", level=LogLevel.WARNING, study=study.id, hash=study.hash.hex())

    def of_id(self, id: str) -> Study | None:
        """The ended study with this id, or of which a release has it, if there is one."""
        ended = self._by_id.values()
        return self._by_id.get(id) or next(
            (study for study in ended if id in (one.id for one in study.releases)), None
        )

    def all(self) -> Collection[Study]:
        """Every study that was ended here."""
        return self._by_id.values()

    def why_not(self, study: Study) -> str:
        """Reason why a study that was ended, or has the id of one, is not served; else empty."""
        try:
            for one in (study, study.agreement):
                if (ended := self._by_id.get(one.id)) is not None:
                    check_id(ended, one)
        except PolicyRefusal as refusal:
            return str(refusal)
        return ""

    def _erase(self, study: Study) -> None:
        for one in (study, *study.releases):
            for hash in self._store.erasures.erase(one):
                self._acceptances.forget(hash)

    def _computed(self, study: Study) -> list[Study]:
        """The study, or those of its releases, on which a session runs."""
        return [one for one in (study, *study.releases) if self._busy(one)]
