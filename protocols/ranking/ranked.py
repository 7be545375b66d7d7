"""The sorted list as the statistics see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.ranking.groups import Groups
from ppaurora.protocols.ranking.labels import Labels
from ppaurora.protocols.ranking.pieces import Pieces


@dataclass(frozen=True, slots=True)
class Ranked:
    """The labels in the order of the scores and, where a statistic needs ties, the groups.

    Where it needs the boundaries only, `boundaries` are these.
    """

    labels: Labels
    tied: Groups | None = None
    boundaries: Shared | None = None

    @property
    def n(self) -> int:
        return len(self.labels.y)

    @property
    def P(self) -> Shared:
        return self.labels.P

    @property
    def N(self) -> Shared:
        return self.labels.N

    @property
    def PN(self) -> Shared:
        return self.groups.PN

    @property
    def wide(self) -> bool:
        """No: lists for which sums reach 2^63 are refused."""
        return False

    @property
    def pieces(self) -> Pieces:
        """The pieces of the ROC curve at the boundaries, with the groups' positions."""
        groups, TP = self.groups, self.labels.TP
        F1 = np.arange(1, self.n + 1) - TP
        return Pieces(groups.con, groups.J - groups.B, F1, groups.B, TP, self.P, self.N)

    @property
    def con(self) -> Shared:
        """1 where the score differs from the next one."""
        found = self.boundaries if self.tied is None else self.tied.con
        if found is None:
            raise LocalProtocolError("a statistic uses the boundaries of ties but did not ask")
        return found

    @property
    def groups(self) -> Groups:
        if self.tied is None:
            raise LocalProtocolError("a statistic uses the groups of ties but did not ask for them")
        return self.tied
