"""The F1 score: the harmonic mean of precision and recall.

2·TP / (2·TP + FP + FN), exact; nobody learns anything.
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
class F1(AtThreshold, RatesAtCuts):
    """2·TP / (2·TP + FP + FN)."""

    name: ClassVar[str] = "f1"
    short: ClassVar[str] = "F1 score"
    title: ClassVar[str] = "F1 score at a threshold"
    known_as: ClassVar[str] = "scikit-learn f1_score"
    undefined: ClassVar[str] = "nobody is positive or called so"
    resampled: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("f1",)

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        return [(at.TP * 2, at.TP * 2 + at.FP + at.FN)]

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        return rate(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn)

    def largest(self, n: int) -> int:
        return 2 * n
