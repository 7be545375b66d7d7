"""The positive predictive value: how many of those called positive are positive.

TP / (TP + FP), exact; nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.party import Party
from ppaurora.protocols.ranking.binned import AtCuts, Confusion
from ppaurora.protocols.statistics.thresholds import AtThreshold, Fractions, RatesAtCuts, rate


@dataclass(frozen=True, slots=True)
class PositivePredictiveValue(AtThreshold, RatesAtCuts):
    """TP / (TP + FP)."""

    name: ClassVar[str] = "ppv"
    aliases: ClassVar[tuple[str, ...]] = ("precision",)
    short: ClassVar[str] = "Positive predictive value"
    title: ClassVar[str] = "positive predictive value at a threshold"
    known_as: ClassVar[str] = "scikit-learn precision_score"
    undefined: ClassVar[str] = "nobody is called positive"
    columns: ClassVar[tuple[str, ...]] = ("ppv",)

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        return [(at.TP, at.TP + at.FP)]

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        return rate(counts.tp, counts.tp + counts.fp)

    def largest(self, n: int) -> int:
        return n
