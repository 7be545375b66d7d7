"""Average precision: the area under the precision-recall curve by steps.

[ppAURORA, Alg. 4, errata 1 and 2], [Thesis, Eq. 4.10]: each step of the recall at the precision of
its right end, TP_j / j with public j, so that no vector is divided:

    average precision = 1/P · Σ_j V_j·(TP_j - B_j)/j

Nobody learns anything. 5 hops.
"""

from __future__ import annotations

from collections.abc import Sequence
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
class AveragePrecision(OneRatio[Ranked, Pooled]):
    """The step sum."""

    name: ClassVar[str] = "average_precision"
    title: ClassVar[str] = "average precision, by steps"
    known_as: ClassVar[str] = "scikit-learn average_precision_score"
    pipeline: ClassVar[type[SortedList]] = SortedList
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})
    undefined: ClassVar[str] = NO_POSITIVES

    def ratio(self, party: Party, data: Ranked) -> Ratio:
        labels, groups = data.labels, data.groups
        fixed = FixedPoint.of(data.n, c=1)
        # S = V·(TP - B)
        S = multiply(party, groups.V, labels.TP - groups.B)
        N = fixed.sum(party, S) + fixed.k * labels.P
        return Ratio(N, labels.P * (1 << fixed.f), fixed.bound)

    def ratio_cost(self, n: int) -> Spent:
        return multiply.cost().of(n) + sum_cost()

    def scaled(self, data: Pooled, one: int) -> int | None:
        if not data.P:
            return None
        return scaled_sum(lambda: (((t - s) * t, j) for s, t, _, j in data.steps), data.P, one)

    def holds(self, n: int, decimals: int) -> bool:
        return fixed_point_holds(n, decimals, c=1)

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warning(self.text, sum(sizes))
