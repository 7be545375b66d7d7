"""The area under the ROC curve of scores without ties between the classes.

[ppAURORA, Alg. 1]. AUROC = N / D with

    N = Σ_j (1 - y_j)·TP_j               D = P·N

Exact where no positive is tied with a negative. Elsewhere the optimistic value: the positives of a
tie are sorted first, so that ties count as won. Nobody learns anything. Two hops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.on_first_use import np
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import inner_product, largest_denominator, multiply
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.pipelines.sorted_list import SortedList
from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.release.class_counts import pinned_warnings
from ppaurora.protocols.release.label_guessing import guessing_warnings
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.one_number import OneRatioOfRanks
from ppaurora.protocols.statistics.statistic import NO_CLASS


@dataclass(frozen=True, slots=True)
class AurocNoTies(OneRatioOfRanks):
    """AUROC without a step for ties."""

    name: ClassVar[str] = "auroc_no_ties"
    title: ClassVar[str] = "AUROC for scores without ties between the classes"
    known_as: ClassVar[str] = (
        "scikit-learn roc_auc_score, where no positive is tied with a negative"
    )
    pipeline: ClassVar[type[SortedList]] = SortedList
    undefined: ClassVar[str] = NO_CLASS

    def ratio(self, party: Party, data: Ranked) -> Ratio:
        y, TP, P = data.labels.y, data.labels.TP, data.labels.P
        N = inner_product(party, 1 - y, TP)
        D = multiply(party, P, data.labels.N)
        return Ratio(N, D, self.bound(data.n))

    def ratio_cost(self, n: int) -> Spent:
        return inner_product.cost().of(n) + multiply.cost().of(1)

    def bound(self, n: int) -> int:
        return most_pairs(n)

    def scaled(self, data: Pooled, one: int) -> int | None:
        P, N = data.P, data.N
        if not P * N:
            return None
        U = sum(np.cumsum(data.labels)[data.labels == 0].tolist())
        return half_up(Fraction(one * U, P * N))

    def holds(self, n: int, decimals: int) -> bool:
        return self.bound(n) <= largest_denominator()

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        guessing = guessing_warnings(self.text, sizes, decimals)
        return pinned_warnings(self.text, sizes, decimals, ties=False) + guessing
