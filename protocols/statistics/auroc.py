"""The area under the ROC curve: the chance that a positive scores above a negative, ties half.

[ppAURORA, Alg. 2]. AUROC = N / D with

    N = Σ_j (1 - y_j)·(TP_j + B_j)       D = 2·P·N

where B_j is TP before j's group of tied scores: a negative in a group with g positives stands below
B_j positives and beside g, and since the positives come first in a group, TP_j = B_j + g.
Exact integers; nobody learns anything. One hop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import inner_product, largest_denominator
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.class_counts import pinned_warnings
from ppaurora.protocols.release.label_guessing import guessing_warnings
from ppaurora.protocols.statistics.estimates import OneRatioOfRanks
from ppaurora.protocols.statistics.statistic import NO_CLASS


def most_pairs(n: int) -> int:
    """The largest P·N of n samples.

    >>> most_pairs(5)
    6
    """
    return (n // 2) * ((n + 1) // 2)


@dataclass(frozen=True, slots=True)
class Auroc(OneRatioOfRanks):
    """AUROC with ties."""

    name: ClassVar[str] = "auroc"
    title: ClassVar[str] = "AUROC, ties counted half"
    known_as: ClassVar[str] = "scikit-learn roc_auc_score, pROC auc"
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})
    undefined: ClassVar[str] = NO_CLASS

    def ratio(self, party: Party, data: Ranked) -> Ratio:
        labels, groups = data.labels, data.groups
        # N = Σ (1 - y)·(TP + B)
        N = inner_product(party, 1 - labels.y, labels.TP + groups.B)
        return Ratio(N, 2 * groups.PN, self.bound(data.n))

    def ratio_cost(self, n: int) -> Cost:
        return inner_product.cost().of(n)

    def bound(self, n: int) -> int:
        return 2 * most_pairs(n)

    def scaled(self, data: Pooled, scale: int) -> int | None:
        P, N = data.P, data.N
        if not P * N:
            return None
        # 2U = Σ over groups of FP_group · (2·TP before + TP_group)
        U2 = sum(((j - i) - (t - s)) * (s + t) for s, t, i, j in data.steps)
        return half_up(Fraction(scale * U2, 2 * P * N))

    def fits(self, n: int, decimals: int) -> bool:
        return self.bound(n) <= largest_denominator()

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        guessing = guessing_warnings(self.text, sizes, decimals)
        return pinned_warnings(self.text, sizes, decimals, ties=True) + guessing
