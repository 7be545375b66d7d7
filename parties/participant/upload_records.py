"""What an owner's state keeps of the data set that it sends: over all studies, before each upload.

The privacy that was spent of it and the cuts at which counts of it were sent, each where the site's
policy asks for it.
"""

from __future__ import annotations

from pathlib import Path

from ppaurora.parties.participant.cuts_sent import CutsSent
from ppaurora.parties.participant.privacy_budget import PrivacyBudget
from ppaurora.parties.site.site import Policy
from ppaurora.parties.study.study import Study

__all__ = ["DataSet"]


class DataSet:
    """The data set of this policy, whose records lie in the folder `state`."""

    def __init__(self, policy: Policy, state: Path | None) -> None:
        most = policy.most_privacy_loss
        self._budget = None if most is None else PrivacyBudget(state, policy.data_set, most)
        self._cuts = CutsSent(state, policy.data_set) if policy.same_cuts else None

    def check(self, study: Study, upload: bytes) -> None:
        """Refuse an upload to a study for which the budget or the cuts leave no room."""
        if self._cuts is not None:
            self._cuts.check(study)
        if self._budget is not None:
            self._budget.check(study, upload)

    def keep(self, study: Study, upload: bytes) -> None:
        """Keep what this upload costs and tells; once this returns, that is on the disk."""
        self.check(study, upload)
        if self._cuts is not None:
            self._cuts.keep(study)
        if self._budget is not None:
            self._budget.spend(study, upload)

    def found(self, upload: bytes, size: int) -> None:
        """Refuse to repeat an upload of which the servers have these bytes, if they lost it."""
        if self._budget is not None:
            self._budget.check_found(upload, size)

    def stored(self, upload: bytes) -> None:
        """Note that all servers have the upload."""
        if self._budget is not None:
            self._budget.stored(upload)

    def carry_over(self, before: Study, study: Study) -> None:
        """Keep for this version of a study what was kept for the one before it."""
        if self._budget is not None:
            self._budget.carry_over(before, study)
