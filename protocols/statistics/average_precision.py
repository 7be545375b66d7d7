"""Average precision: the area under the precision-recall curve by steps.

[ppAURORA, Alg. 4], [Thesis, Eq. 4.10]: each step of the recall at the precision of its right end,

    average precision = 1/P · Σ_j V_j·(TP_j - B_j)/j

Always correctly rounded, as far as `ppaurora.protocols.arithmetic.reciprocals` says. Nobody learns
anything. One hop, 4 a limb and 4 for every two decimals.
"""

from __future__ import annotations

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
class AveragePrecision(PrecisionRecallArea):
    """The step sum."""

    name: ClassVar[str] = "average_precision"
    title: ClassVar[str] = "average precision, by steps"
    known_as: ClassVar[str] = "scikit-learn average_precision_score"
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})
    c: ClassVar[int] = 1

    def factors(self, party: Party, data: Ranked) -> tuple[Shared, Shared]:
        # S = V·(TP - B)
        return data.groups.V, data.labels.TP - data.groups.B

    def scaled(self, data: Pooled, scale: int) -> int | None:
        if not data.P:
            return None
        return scaled_sum(lambda: (((t - s) * t, j) for s, t, _, j in data.steps), data.P, scale)
