"""The negative predictive value: how many of those called negative are negative.

TN / (TN + FN), exact; nobody learns anything.
With a level each has Wilson's limits (`ppaurora.protocols.statistics.proportion`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.party import Party
from ppaurora.protocols.ranking.binned import AtCuts, Confusion
from ppaurora.protocols.statistics.proportion import Proportion
from ppaurora.protocols.statistics.thresholds import Fractions


@dataclass(frozen=True, slots=True)
class NegativePredictiveValue(Proportion):
    """TN / (TN + FN)."""

    name: ClassVar[str] = "npv"
    short: ClassVar[str] = "Negative predictive value"
    title: ClassVar[str] = "negative predictive value at a threshold"
    known_as: ClassVar[str] = "scikit-learn precision_score of the other class"
    undefined: ClassVar[str] = "nobody is called negative"
    among: ClassVar[str] = "called negative"
    columns: ClassVar[tuple[str, ...]] = ("npv",)

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        return [(at.TN, at.TN + at.FN)]

    def share(self, counts: Confusion) -> tuple[int, int]:
        return counts.tn, counts.tn + counts.fn
