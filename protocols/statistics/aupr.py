"""The area under the precision-recall curve by trapezoids, from the point (0, 1).

[ppAURORA, Alg. 4, errata 1 and 2]: steps along the recall TP/P, and the precision at place j is
TP_j / j with public j, so that no vector is divided:

    aupr = 1/2P · (E_0 + Σ_j V_j·(E_j - B_j)/j)

Nobody learns anything. 5 hops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.arithmetic.reciprocals import FixedPoint, fixed_point_holds, sum_cost
from ppaurora.protocols.arithmetic.rounding import scaled_sum
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input, SortedList
from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.release.class_counts import few_samples_warning
from ppaurora.protocols.statistics.statistic import NO_POSITIVES, OneRatio


@dataclass(frozen=True, slots=True)
class Aupr(OneRatio[Ranked, Pooled]):
    """The trapezoid."""

    name: ClassVar[str] = "aupr"
    title: ClassVar[str] = "area under the precision-recall curve, by trapezoids"
    known_as: ClassVar[str] = "scikit-learn auc over precision_recall_curve"
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS, Input.NEXT})
    undefined: ClassVar[str] = NO_POSITIVES

    def ratio(self, party: Party, data: Ranked) -> Ratio:
        P, groups = data.labels.P, data.groups
        fixed = FixedPoint.of(data.n, c=2)
        # S = V·(E - B)
        S = multiply(party, groups.V, groups.E - groups.B)
        N = groups.E_0 * (1 << fixed.f) + fixed.sum(party, S) + fixed.k * P
        return Ratio(N, P * (2 << fixed.f), fixed.bound)

    def ratio_cost(self, n: int) -> Spent:
        return multiply.cost().of(n) + sum_cost()

    def scaled(self, data: Pooled, one: int) -> int | None:
        if not data.P:
            return None

        def terms() -> Iterator[tuple[int, int]]:
            before = (1, 1)
            for s, t, _, j in data.steps:
                if t > s:
                    yield (t - s) * before[0], before[1]
                    yield (t - s) * t, j
                before = (t, j)

        return scaled_sum(terms, 2 * data.P, one)

    def holds(self, n: int, decimals: int) -> bool:
        return fixed_point_holds(n, decimals, c=2)

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warning(self.text, sum(sizes))
