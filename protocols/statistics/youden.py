"""Youden's index at a threshold.

    TP/P + TN/N - 1 = (TP·N - FP·P) / PN,    from -1 to 1,

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
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.statistic import NO_CLASS
from ppaurora.protocols.statistics.thresholds import AtThreshold, Fractions, RatesAtCuts


@dataclass(frozen=True, slots=True)
class Youden(AtThreshold, RatesAtCuts):
    """Sensitivity plus specificity minus 1."""

    name: ClassVar[str] = "youden"
    short: ClassVar[str] = "Youden index"
    title: ClassVar[str] = "Youden's index at a threshold"
    known_as: ClassVar[str] = 'pROC coords(ret = "youden") minus 1'
    undefined: ClassVar[str] = NO_CLASS
    resampled: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("youden",)

    @property
    def within(self) -> PublicRange:
        return PublicRange(tens=1, shift=1)

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        TPN, FPP, PN = products(party, [at.TP, at.FP, at.P, at.N], [(0, 3), (1, 2), (2, 3)])
        return [(TPN - FPP, PN)]

    def rates_cost(self, count: int) -> Cost:
        return products.cost(factors=4, pairs=3).of(count)

    def exact(self, counts: Confusion, threshold: Fraction) -> Sequence[Fraction | None]:
        P, N = counts.tp + counts.fn, counts.fp + counts.tn
        return [Fraction(counts.tp, P) + Fraction(counts.tn, N) - 1 if P and N else None]

    def largest(self, n: int) -> int:
        return most_pairs(n)
