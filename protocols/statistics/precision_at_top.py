"""The precision of those who alert at the k highest scores: TP_k/k.

Ties as in `ppaurora.protocols.statistics.at_top`. Exact and correctly rounded. Where k is below
10^decimals the released decimals are the number of positives among the k highest scores. Four hops
for every two decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.values import NO_SAMPLES
from ppaurora.protocols.statistics.at_top import AtTop


@dataclass(frozen=True, slots=True)
class PrecisionAtTop(AtTop):
    """The share of positives among the highest scores."""

    name: ClassVar[str] = "precision_at_top"
    short: ClassVar[str] = "Precision at the top"
    title: ClassVar[str] = "precision at the k highest scores, ties in favour"
    known_as: ClassVar[str] = "precision at k, positive predictive value at the k highest scores"
    undefined: ClassVar[str] = NO_SAMPLES
    columns: ClassVar[tuple[str, str]] = ("k", "precision")

    def denominators(self, party: Party, data: Ranked, places: Sequence[int]) -> Shared:
        return Shared.public(party.role, places)

    def whole(self, data: Pooled, place: int) -> int:
        return place

    def told(self, decimals: int) -> str:
        return (
            f"the released decimals; for k below {10**decimals} they are the number of positives "
            "among the k highest scores, and two of them tell the number between their ranks, of "
            "ranks that are one apart the label of that sample"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        exact = [str(k) for k in self.k if k < 10**decimals]
        if not exact:
            return ()
        return (
            f"{self.text} to {decimals} decimals tells the number of positives among the "
            f"{', '.join(exact)} highest scores exactly",
        )
