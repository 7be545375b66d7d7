"""The balanced accuracy: the mean of sensitivity and specificity.

    (TP/P + TN/N) / 2 = (TP·N + TN·P) / 2PN,

exact; nobody learns anything. One hop more than a rate of counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import products
from ppaurora.protocols.ranking.binned import AtCuts, Confusion
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.statistic import NO_CLASS
from ppaurora.protocols.statistics.thresholds import AtThreshold, Fractions, RatesAtCuts


@dataclass(frozen=True, slots=True)
class BalancedAccuracy(AtThreshold, RatesAtCuts):
    """Half of sensitivity plus specificity."""

    name: ClassVar[str] = "balanced_accuracy"
    short: ClassVar[str] = "Balanced accuracy"
    title: ClassVar[str] = "balanced accuracy at a threshold"
    known_as: ClassVar[str] = "scikit-learn balanced_accuracy_score"
    undefined: ClassVar[str] = NO_CLASS
    resampled: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("balanced_accuracy",)

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        TPN, TNP, PN = products(party, [at.TP, at.TN, at.P, at.N], [(0, 3), (1, 2), (2, 3)])
        return [(TPN + TNP, PN * 2)]

    def rates_cost(self, count: int) -> Cost:
        return products.cost(factors=4, pairs=3).of(count)

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        P, N = counts.tp + counts.fn, counts.fp + counts.tn
        return [(Fraction(counts.tp, P) + Fraction(counts.tn, N)) / 2 if P and N else None]

    def largest(self, n: int) -> int:
        return 2 * most_pairs(n)
