"""The positive predictive value: how many of those called positive are positive.

TP / (TP + FP), exact; nobody learns anything.
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
class PositivePredictiveValue(Proportion):
    """TP / (TP + FP)."""

    name: ClassVar[str] = "ppv"
    aliases: ClassVar[tuple[str, ...]] = ("precision",)
    short: ClassVar[str] = "Positive predictive value"
    title: ClassVar[str] = "positive predictive value at a threshold"
    known_as: ClassVar[str] = "scikit-learn precision_score"
    undefined: ClassVar[str] = "nobody is called positive"
    among: ClassVar[str] = "called positive"
    columns: ClassVar[tuple[str, ...]] = ("ppv",)

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        return [(at.TP, at.TP + at.FP)]

    def share(self, counts: Confusion) -> tuple[int, int]:
        return counts.tp, counts.tp + counts.fp
