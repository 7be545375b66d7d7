"""Records of an owner's uploads on its own disk: secret, studies, privacy spent, cuts, releases.

The secret repeats an interrupted upload. The privacy spent of a data set and the cuts at which
counts of it were sent hold over all studies, each where the site's policy asks for it, and so does
whether its own values may be shown. The lists of a schedule's releases are held against each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ppaurora.parties.participant.cuts_sent import CutsSent
from ppaurora.parties.participant.member import Member
from ppaurora.parties.participant.own_values_sent import OwnValuesSent
from ppaurora.parties.participant.privacy_budget import PrivacyBudget
from ppaurora.parties.participant.releases_sent import Footprint, ListRows, ReleasesSent
from ppaurora.parties.participant.upload_secret import UploadSecret
from ppaurora.parties.site.acceptances import Acceptances
from ppaurora.parties.site.site import Policy
from ppaurora.parties.study.schedule import day
from ppaurora.parties.study.study import Study


@dataclass(frozen=True, slots=True)
class SentList:
    """The list of one release that was sent: its samples, and when that was begun, if known."""

    samples: int
    begun: float | None

    def __str__(self) -> str:
        return f"{self.samples} samples" + ("" if self.begun is None else f", {day(self.begun)}")


class UploadRecords:
    """The secret of this member's upload, privacy spent, cuts sent and accepted studies.

    They are files in the folder `state`; without one, a policy that needs them is refused.
    """

    def __init__(self, member: Member, policy: Policy, state: Path | None) -> None:
        most = policy.most_privacy_loss
        self.secret = UploadSecret.of(state, member.study, member.named)
        self._study = member.study
        self._accepted = Acceptances(state) if state else None
        self._budget = None if most is None else PrivacyBudget(state, policy.data_set, most)
        self._cuts = CutsSent(state, policy.data_set) if policy.same_cuts else None
        self._own_values = (
            OwnValuesSent(state, policy.data_set, shows=policy.own_values) if state else None
        )
        self._state = state
        self._named = member.named
        self._begun = False
        self._earlier: Footprint | None = None

    def check(self, upload: bytes, rows: ListRows | None) -> None:
        """Refuse an upload for which the budget, the cuts or a release before leave no room.

        `rows` is what the upload is made of, where it is one of a schedule.
        """
        if rows is not None:
            ReleasesSent(self._state, self._study, self._named).check(rows)
        if self._cuts is not None:
            self._cuts.check(self._study)
        if self._own_values is not None:
            self._own_values.check(self._study)
        if self._budget is not None:
            self._budget.check(self._study, upload)

    def keep(self, upload: bytes, rows: ListRows | None) -> None:
        """Keep what must outlive a crash, before anything is sent; then it is on the disk."""
        self.secret.keep()
        self.check(upload, rows)
        if rows is not None:
            earlier = ReleasesSent(self._state, self._study, self._named).keep(rows)
            if not self._begun:
                self._begun, self._earlier = True, earlier
        if self._cuts is not None:
            self._cuts.keep(self._study)
        if self._own_values is not None:
            self._own_values.keep(self._study)
        if self._budget is not None:
            self._budget.spend(self._study, upload)
        if self._accepted is not None:
            self._accepted.add(self._study)

    def check_found(self, upload: bytes, size: int) -> None:
        """Refuse to repeat an upload of which the servers have these bytes, if they lost it."""
        if self._budget is not None:
            self._budget.check_found(upload, size)

    def finish(self, upload: bytes) -> None:
        """Note that all servers have the upload."""
        self._begun = False
        if self._budget is not None:
            self._budget.stored(upload)

    def not_begun(self) -> None:
        """Note that a server has refused the upload before any had anything of it.

        Its release is not open, perhaps: the list may then be sent for the release that it is of.
        What was sent for this release before stands, and other releases are compared with that.
        """
        if self._begun:
            ReleasesSent(self._state, self._study, self._named).put_back(self._earlier)
            self._begun = False

    def withdrawn(self) -> None:
        """Note that the servers have deleted the upload, before anything was computed on it."""
        self.secret.forget()
        if self._study.period and self._state is not None:
            ReleasesSent(self._state, self._study, self._named).forget()

    def of_releases(self) -> dict[str, SentList]:
        """The list that was sent for each release of the agreement, by this site's records."""
        if self._state is None or not self._state.is_dir() or not self._study.period:
            return {}
        sent = ReleasesSent(self._state, self._study, self._named).samples()
        agreed = self._study.agreement
        return {
            period: SentList(
                samples,
                UploadSecret.of(self._state, agreed.release(period), self._named).begun,
            )
            for period, samples in sent.items()
        }

    def accept(self) -> None:
        """Note that this version of the study is accepted."""
        if self._accepted is not None:
            self._accepted.add(self._study)

    def carry_over(self, before: Study) -> None:
        """Keep for this version of the study what was kept for the one before it."""
        if self._budget is not None:
            self._budget.carry_over(before, self._study)
