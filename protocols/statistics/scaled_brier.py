"""The scaled Brier score: how much better the scores are than everybody's the same, the prevalence.

    1 - n·S/PN    with S = Σ (y - f)²,    at most 1.

It has no least value; a number below -1 is released as -1. With D = PN it is max(2·D - n·S, 0)/D
- 1. Nobody learns anything. Seven hops before the division.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, wide_multiply, wide_negative_times, widen
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.grid.sums import SCALE, Sum, joined, joined_cost
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.statistics.auroc import most_pairs
from ppaurora.protocols.statistics.of_sums import OfSums
from ppaurora.protocols.statistics.statistic import NO_CLASS, Topic


@dataclass(frozen=True, slots=True)
class ScaledBrier(OfSums):
    """1 minus the Brier score over that of the prevalence."""

    name: ClassVar[str] = "scaled_brier"
    short: ClassVar[str] = "Scaled Brier score"
    title: ClassVar[str] = "scaled Brier score (Brier skill score); -1 stands for -1 or less"
    known_as: ClassVar[str] = "rms val.prob, ROC-GLM's scaled Brier score"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    inputs: ClassVar[Inputs] = frozenset({Sum.SQUARES})
    undefined: ClassVar[str] = NO_CLASS
    joins: ClassVar[bool] = True
    within: ClassVar[PublicRange] = PublicRange(tens=1, shift=1)

    def ratio(self, party: Party, data: Binned) -> WideRatio:
        unit = data.unit(Sum.SQUARES)
        S, pairs = side_by_side(
            party,
            [
                lambda own: joined(own, *data.sums[Sum.SQUARES], unit=unit),
                lambda own: widen(own, multiply(own, data.P, data.N)),
            ],
        )
        D = pairs * unit.scale
        above = D * 2 - self.times_samples(party, S, data)
        _, below_zero = wide_negative_times(party, above, above)
        return WideRatio(above - below_zero, D, self.largest(data.n))

    def times_samples(self, party: Party, S: WideShared, data: Binned) -> WideShared:
        """n·S."""
        return S * data.n

    def over_secret_total(self) -> WeightedScaledBrier:
        return WeightedScaledBrier()

    def ratio_cost(self, n: int) -> Cost:
        pairs = multiply.cost().of(1) + widen.cost().of(1)
        return (joined_cost(1) | pairs) + wide_negative_times.cost().of(1)

    def exact(self, data: PooledBins) -> Fraction | None:
        pairs = data.P * data.N
        if not pairs:
            return None
        return max(1 - data.n * data.sums[Sum.SQUARES][0] / pairs, Fraction(-1))

    def largest(self, n: int) -> int:
        return max(1, most_pairs(n) * SCALE)


@dataclass(frozen=True, slots=True)
class WeightedScaledBrier(ScaledBrier):
    """The same of samples that count with weights: n is what they weigh in all, a secret number."""

    listed: ClassVar[bool] = False
    weighted: ClassVar[bool] = True

    def times_samples(self, party: Party, S: WideShared, data: Binned) -> WideShared:
        return wide_multiply(party, S, widen(party, data.P + data.N))

    def ratio_cost(self, n: int) -> Cost:
        more = widen.cost().of(1) + wide_multiply.cost().of(1)
        return ScaledBrier.ratio_cost(self, n) + more
