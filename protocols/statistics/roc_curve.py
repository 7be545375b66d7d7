"""The ROC curve at cut points of the grid: FP/N and TP/P, exact. Nobody learns anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.party import Party
from ppaurora.protocols.ranking.binned import AtCuts, Confusion
from ppaurora.protocols.statistics.statistic import Topic
from ppaurora.protocols.statistics.thresholds import AtPoints, Fractions, RatesAtCuts, rate


@dataclass(frozen=True, slots=True)
class RocCurve(AtPoints, RatesAtCuts):
    """Both rates above each cut point."""

    topic: ClassVar[Topic] = Topic.DISCRIMINATION
    name: ClassVar[str] = "roc_curve"
    short: ClassVar[str] = "ROC curve"
    title: ClassVar[str] = "ROC curve at equal steps of the score"
    known_as: ClassVar[str] = "scikit-learn roc_curve"
    undefined: ClassVar[str] = "the class that the rate is of is missing"
    columns: ClassVar[tuple[str, ...]] = ("fpr", "tpr")

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        return [(at.FP, at.N), (at.TP, at.P)]

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        return [
            *rate(counts.fp, counts.fp + counts.tn),
            *rate(counts.tp, counts.tp + counts.fn),
        ]

    def largest(self, n: int) -> int:
        return n
