"""The accuracy: how many of all samples are called what they are.

(TP + TN) / n, exact; nobody learns anything.
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
class Accuracy(AtThreshold, RatesAtCuts):
    """(TP + TN) / n."""

    name: ClassVar[str] = "accuracy"
    short: ClassVar[str] = "Accuracy"
    title: ClassVar[str] = "accuracy at a threshold"
    known_as: ClassVar[str] = "scikit-learn accuracy_score"
    undefined: ClassVar[str] = "never"
    columns: ClassVar[tuple[str, ...]] = ("accuracy",)

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        return [(at.TP + at.TN, at.P + at.N)]

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        return rate(counts.tp + counts.tn, counts.n)

    def largest(self, n: int) -> int:
        return n
