"""The area under the precision-recall curve by lower trapezoids.

[Thesis, Eq. 4.3]: from one recall to the next a straight line from the smallest precision at the
first to the largest at the second. The smallest one is that of the last boundary before the next
positives, B/J, so that with p = TP - B

    area = 1/2P · Σ p·(B/J + TP/j)    over the boundaries with p > 0 and B > 0
         = 1/2P · Σ_j V_j·(E_j - B_j - [B_j = 0]·TP_j)/j.

The sum begins at the first recall that is reached, not at 0. So it is 0 where all positives are in
one group of tied scores, even for a perfect classifier, and at most (P - 1)/P. That is the
definition. It is one of the three estimators that the thesis recommends.

Always correctly rounded, as far as `ppaurora.protocols.arithmetic.reciprocals` says. Nobody learns
anything. Five hops, 4 a limb and 4 for every two decimals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import negative_times
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.rounding import scaled_sum
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.precision_recall import PrecisionRecallArea


@dataclass(frozen=True, slots=True)
class LowerTrapezoid(PrecisionRecallArea):
    """Lines from the smallest precision at a recall to the largest one at the next."""

    name: ClassVar[str] = "aupr_lower_trapezoid"
    title: ClassVar[str] = (
        "area under the precision-recall curve by lower trapezoids, from the first recall reached "
        "on; 0 where all positives are tied"
    )
    known_as: ClassVar[str] = "lower trapezoid estimator of the AUCPR"
    inputs: ClassVar[Inputs] = frozenset({Input.TIES, Input.GROUPS, Input.NEXT})
    c: ClassVar[int] = 2

    def factors(self, party: Party, data: Ranked) -> tuple[Shared, Shared]:
        groups, TP = data.groups, data.labels.TP
        _, of_first = negative_times(party, groups.B - 1, TP)
        # S = V·(E - B - [B = 0]·TP)
        return groups.V, groups.E - groups.B - of_first

    def factors_cost(self, n: int) -> Cost:
        return negative_times.cost().of(n)

    def scaled(self, data: Pooled, scale: int) -> int | None:
        if not data.P:
            return None

        def terms() -> Iterator[tuple[int, int]]:
            reached, smallest = 0, (0, 1)
            for s, t, _, j in data.steps:
                if t > s and reached:
                    yield (t - s) * smallest[0], smallest[1]
                    yield (t - s) * t, j
                reached, smallest = t, (t, j)

        return scaled_sum(terms, 2 * data.P, scale)
