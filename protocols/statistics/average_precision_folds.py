"""The mean average precision over the folds of a cross-validation, with the interval of its spread.

[Folds, erratum 5], [Thesis, section 4.3]: how the mean and its limits are made stands in
`ppaurora.protocols.statistics.fold_mean` and `fold_deviation`. Y and P of every fold are those of
`ppaurora.protocols.ranking.precision_limits`. Nobody learns anything. 119 hops for four decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.arithmetic.rounding import exact_sum
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.pipelines.sorted_list import Input
from ppaurora.protocols.ranking.precision_limits import trials, trials_cost, trials_point
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.fold_mean import FoldDeviation


@dataclass(frozen=True, slots=True)
class AveragePrecisionFolds(FoldDeviation):
    """The mean of the folds' average precisions."""

    name: ClassVar[str] = "average_precision_folds"
    short: ClassVar[str] = "Mean average precision over folds"
    title: ClassVar[str] = (
        "mean average precision over the folds of a cross-validation, with the interval of how "
        "far the folds are apart"
    )
    known_as: ClassVar[str] = "scikit-learn average_precision_score, mean over folds"
    inputs: ClassVar[Inputs] = frozenset({Input.GROUPS})
    undefined: ClassVar[str] = "there are no positives in a fold that has to count"

    def ratio(self, party: Party, data: Ranked, decimals: int) -> WideRatio:
        found = trials(party, data, decimals)
        return WideRatio(found.successes, found.P * (1 << found.F), found.n << found.F)

    def ratio_cost(self, n: int, decimals: int) -> Cost:
        return trials_cost(n, decimals)

    def bound(self, n: int, decimals: int) -> int:
        point = trials_point(n, decimals)
        return 0 if point is None else n << point.F

    def counts(self, data: Ranked) -> Shared:
        return data.P

    def exact(self, data: Pooled) -> Fraction | None:
        if not data.P:
            return None
        return exact_sum(((t - s) * t, j) for s, t, _, j in data.steps) / data.P

    def ratio_holds(self, n: int, decimals: int) -> bool:
        return trials_point(n, decimals) is not None
