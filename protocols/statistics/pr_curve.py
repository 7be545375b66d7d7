"""The precision-recall curve at cut points of the grid: TP/P and TP/(TP + FP), exact.

Nobody learns anything.
"""

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
class PrecisionRecallCurve(AtPoints, RatesAtCuts):
    """Recall and precision above each cut point."""

    topic: ClassVar[Topic] = Topic.PRECISION
    name: ClassVar[str] = "pr_curve"
    short: ClassVar[str] = "Precision-recall curve"
    title: ClassVar[str] = "precision-recall curve at equal steps of the score"
    known_as: ClassVar[str] = "scikit-learn precision_recall_curve"
    undefined: ClassVar[str] = "there are no positives, or nobody is called positive"
    columns: ClassVar[tuple[str, ...]] = ("recall", "precision")

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        return [(at.TP, at.P), (at.TP, at.TP + at.FP)]

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        return [
            *rate(counts.tp, counts.tp + counts.fn),
            *rate(counts.tp, counts.tp + counts.fp),
        ]

    def largest(self, n: int) -> int:
        return n
