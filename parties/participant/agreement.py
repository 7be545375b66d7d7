"""Agreement to exactly one study, by a site that takes part in it or serves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.endings import Endings
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.passphrase import Passphrase
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.versions import check_only_adds_owners

COUNTS = "Your upload counts for this version now; it was not sent again."
TO_UPLOAD = "No upload of yours counts for this version yet: run `ppaurora outsource`."


@dataclass(frozen=True, slots=True)
class Agreement:
    """A study that a site may accept, and the version that it follows, if it follows one."""

    participant: Participant
    accepted: Acceptances
    earlier: Study | None

    @classmethod
    def of(
        cls, own: Site, study: Study, passphrase: Passphrase, before: Path | None = None
    ) -> Agreement:
        """The agreement of this site to this study; refused for a study that has ended here."""
        participant = Participant(
            own_identity(own, passphrase),
            study,
            own.policy,
            own.participant_state,
            own.fold_key,
            Keyring(own.keys).in_force(),
        )
        accepted = Acceptances.of(own, server=participant.role is not None)
        Endings(accepted.state).check(study)
        earlier = _version_before(study, before, own, accepted) if study.follows else None
        if earlier is not None:
            check_only_adds_owners(earlier, study)
        return cls(participant, accepted, earlier)

    def accept(self) -> str:
        """Accept the study; a sentence on the earlier upload of an owner, if there is an earlier
        version."""
        participant = self.participant
        if participant.role is not None:
            if self.earlier is not None:
                self.accepted.add(self.earlier)
            self.accepted.add(participant.study)
        elif self.earlier is not None:
            with participant:
                counts = participant.accept(self.earlier)
            if participant.member.entry.uploads:
                return COUNTS if counts else TO_UPLOAD
        else:
            self.accepted.add(participant.study)
        return ""


def _version_before(study: Study, given: Path | None, own: Site, accepted: Acceptances) -> Study:
    """The version that this one follows, from wherever this site has it."""
    wanted = bytes.fromhex(study.follows)
    known = accepted.find(wanted)
    if known is not None:
        return known
    for path in (given,) if given else own.studies:
        for found in _loaded(path):
            if found.hash == wanted:
                return found
    raise ConfigurationError(
        f"The version that study {study.id} follows, {study.follows[:16]}, is not here to compare",
        advice="Give its file with --before FILE.",
    )


def _loaded(path: Path) -> Iterator[Study]:
    """The study in a file, if there is one that can be followed."""
    try:
        yield Study.load(path)
    except AuroraError:
        return
