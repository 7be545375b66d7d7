"""The Brier score: the mean squared error of the scores as probabilities.

    Σ (y - f)² / n,    between 0 and 1.

One hop before the division.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.grid.sums import SCALE, Sum, joined, joined_cost
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.statistics.of_sums import OfSums
from ppaurora.protocols.statistics.statistic import Topic


@dataclass(frozen=True, slots=True)
class Brier(OfSums):
    """The mean of (y - f)²."""

    name: ClassVar[str] = "brier"
    short: ClassVar[str] = "Brier score"
    reference: ClassVar[str] = "Brier, Monthly Weather Review 1950"
    title: ClassVar[str] = "Brier score, the mean squared error of the scores"
    known_as: ClassVar[str] = "scikit-learn brier_score_loss, rms val.prob"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    inputs: ClassVar[Inputs] = frozenset({Sum.SQUARES})
    undefined: ClassVar[str] = "never"

    def ratio(self, party: Party, data: Binned) -> WideRatio:
        most = self.largest(data.n)
        return WideRatio(
            joined(party, *data.sums[Sum.SQUARES]), WideShared.public(party.role, [most]), most
        )

    def ratio_cost(self, n: int) -> Cost:
        return joined_cost(1)

    def exact(self, data: PooledBins) -> Fraction | None:
        return data.sums[Sum.SQUARES][0] / data.n

    def largest(self, n: int) -> int:
        return max(1, n * SCALE)
