"""The logarithmic loss: the mean surprise at the labels, had the scores been right.

    -Σ (y·ln f + (1 - y)·ln(1 - f)) / n,    between 0 and 36.05,

with f kept 2^-52 away from 0 and 1, as scikit-learn does. One hop before the division.
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
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.statistics.of_sums import OfSums
from ppaurora.protocols.statistics.statistic import Topic


@dataclass(frozen=True, slots=True)
class LogLoss(OfSums):
    """The mean of -ln f of positives and -ln(1 - f) of negatives."""

    name: ClassVar[str] = "log_loss"
    short: ClassVar[str] = "Logarithmic loss"
    title: ClassVar[str] = "logarithmic loss of the scores as probabilities"
    known_as: ClassVar[str] = "scikit-learn log_loss"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    inputs: ClassVar[Inputs] = frozenset({Sum.LOGS})
    undefined: ClassVar[str] = "never"
    within: ClassVar[PublicRange] = PublicRange(tens=2)

    def ratio(self, party: Party, data: Binned) -> WideRatio:
        most = self.largest(data.n)
        return WideRatio(
            joined(party, *data.sums[Sum.LOGS]), WideShared.public(party.role, [most]), most
        )

    def ratio_cost(self, n: int) -> Cost:
        return joined_cost(1)

    def exact(self, data: PooledBins) -> Fraction | None:
        return data.sums[Sum.LOGS][0] / data.n

    def largest(self, n: int) -> int:
        return max(1, n * SCALE)
