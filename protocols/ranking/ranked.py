"""The sorted list as the statistics see it."""

from __future__ import annotations

from dataclasses import dataclass

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.protocols.ranking.groups import Groups
from ppaurora.protocols.ranking.labels import Labels


@dataclass(frozen=True, slots=True)
class Ranked:
    """The labels in the order of the scores and, where a statistic needs ties, the groups."""

    labels: Labels
    tied: Groups | None = None

    @property
    def n(self) -> int:
        return len(self.labels.y)

    @property
    def groups(self) -> Groups:
        if self.tied is None:
            raise LocalProtocolError("a statistic uses the groups of ties but did not ask for them")
        return self.tied
