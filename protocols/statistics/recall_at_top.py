"""The recall of those who alert at the k highest scores: TP_k/P.

Ties as in `ppaurora.protocols.statistics.at_top`. Exact and correctly rounded. Nobody learns
anything. Four hops for every two decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.at_top import AtTop
from ppaurora.protocols.statistics.statistic import NO_POSITIVES


@dataclass(frozen=True, slots=True)
class RecallAtTop(AtTop):
    """The share of all positives that have the highest scores."""

    name: ClassVar[str] = "recall_at_top"
    short: ClassVar[str] = "Recall at the top"
    title: ClassVar[str] = "recall at the k highest scores, ties in favour"
    known_as: ClassVar[str] = "recall at k, sensitivity at the k highest scores"
    undefined: ClassVar[str] = NO_POSITIVES
    columns: ClassVar[tuple[str, str]] = ("k", "recall")

    def denominators(self, party: Party, data: Ranked, places: Sequence[int]) -> Shared:
        return data.labels.P.repeat(len(places))

    def whole(self, data: Pooled, place: int) -> int:
        return data.P

    def told(self, decimals: int) -> str:
        return (
            "for each k the released decimals of the share of all positives that are among the k "
            f"highest scores; whether they are undefined: {self.undefined}. Two of them tell the "
            "share between their ranks, of ranks that are one apart the label of that sample, and "
            "several as a rule the number of all positives"
        )
