"""Algorithm 4: the area under the precision-recall curve by trapezoids, from the point (0, 1).

[ppAURORA, Alg. 4, errata 1 and 2]: steps along the recall TP/P,

    aupr = 1/2P · (E_0 + Σ_j V_j·(E_j - B_j)/j)

Always correctly rounded, as far as `ppaurora.protocols.arithmetic.reciprocals` says. Nobody learns
anything. One hop, 4 a limb and 4 for every two decimals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.rounding import scaled_sum
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.precision_recall import PrecisionRecallArea


@dataclass(frozen=True, slots=True)
class Aupr(PrecisionRecallArea):
    """The area under the precision-recall curve by the trapezoid rule."""

    name: ClassVar[str] = "aupr"
    short: ClassVar[str] = "AUPR (trapezoids)"
    title: ClassVar[str] = "area under the precision-recall curve, by trapezoids"
    known_as: ClassVar[str] = "scikit-learn auc over precision_recall_curve"
    inputs: ClassVar[Inputs] = frozenset({Input.TIES, Input.GROUPS, Input.NEXT})
    c: ClassVar[int] = 2

    def factors(self, party: Party, data: Ranked) -> tuple[Shared, Shared]:
        # S = V·(E - B)
        return data.groups.V, data.groups.E - data.groups.B

    def whole(self, data: Ranked) -> Shared:
        return data.groups.E_0

    def scaled(self, data: Pooled, scale: int) -> int | None:
        if not data.P:
            return None

        def terms() -> Iterator[tuple[int, int]]:
            before = (1, 1)
            for s, t, _, j in data.steps:
                if t > s:
                    yield (t - s) * before[0], before[1]
                    yield (t - s) * t, j
                before = (t, j)

        return scaled_sum(terms, 2 * data.P, scale)
