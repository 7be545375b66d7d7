"""The mean AUCNPR over the folds of a cross-validation, with the interval of its spread.

[Folds, erratum 5], [Thesis, 3.4], which recommends it: folds differ in their shares of positives,
and the normalised area does not depend on them. How the mean and its limits are made stands in
`ppaurora.protocols.statistics.fold_mean` and `fold_deviation`; the value of a fold is `aucnpr`, of
average precision. Nobody learns anything. 119 hops for four decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.statistics.aucnpr import NormalisedArea
from ppaurora.protocols.statistics.fold_mean import FoldDeviation

OF_FOLD = NormalisedArea()


@dataclass(frozen=True, slots=True)
class NormalisedAreaFolds(FoldDeviation):
    """The mean of the folds' AUCNPRs."""

    name: ClassVar[str] = "aucnpr_folds"
    short: ClassVar[str] = "Mean AUCNPR over folds"
    title: ClassVar[str] = (
        "mean AUCNPR over the folds of a cross-validation, with the interval of how far the folds "
        "are apart"
    )
    known_as: ClassVar[str] = "mean of normalised average precisions"
    inputs: ClassVar[Inputs] = NormalisedArea.inputs
    undefined: ClassVar[str] = "a class is missing in a fold that has to count"

    def ratio(self, party: Party, data: Ranked, decimals: int) -> WideRatio:
        return OF_FOLD.ratio(party, data, decimals)

    def ratio_cost(self, n: int, decimals: int) -> Cost:
        return OF_FOLD.ratio_cost(n, decimals)

    def bound(self, n: int, decimals: int) -> int:
        return OF_FOLD.bound(n, decimals)

    def counts(self, data: Ranked) -> Shared:
        return data.PN

    def exact(self, data: Pooled) -> Fraction | None:
        return OF_FOLD.exact(data)

    def ratio_holds(self, n: int, decimals: int) -> bool:
        return OF_FOLD.fits(n, decimals)
