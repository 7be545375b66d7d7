"""The accuracy: how many of all samples are called what they are.

(TP + TN) / n, exact; nobody learns anything.
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
class Accuracy(Proportion):
    """(TP + TN) / n."""

    name: ClassVar[str] = "accuracy"
    short: ClassVar[str] = "Accuracy"
    title: ClassVar[str] = "accuracy at a threshold"
    known_as: ClassVar[str] = "scikit-learn accuracy_score"
    undefined: ClassVar[str] = "never"
    among: ClassVar[str] = "samples"
    public_total: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("accuracy",)

    def rates(self, party: Party, at: AtCuts) -> Sequence[Fractions]:
        return [(at.TP + at.TN, at.P + at.N)]

    def share(self, counts: Confusion) -> tuple[int, int]:
        return counts.tp + counts.tn, counts.n
