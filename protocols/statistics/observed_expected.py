"""Observed over expected: the positives there are over those that the scores make expect.

    P / Σ f.

It has no largest value; a number above 100 is released as 100: min(P, 100·Σ f)/Σ f. Undefined where
all scores are 0. Nobody learns anything. Six hops before the division.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_negative_times, widen
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.grid.sums import SCALE, Sum, joined, joined_cost
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.statistics.of_sums import OfSums
from ppaurora.protocols.statistics.statistic import Topic

MOST = 100


@dataclass(frozen=True, slots=True)
class ObservedExpected(OfSums):
    """P / Σ f."""

    name: ClassVar[str] = "observed_expected"
    short: ClassVar[str] = "Observed / expected"
    title: ClassVar[str] = "observed over expected positives; 100 stands for 100 or more"
    known_as: ClassVar[str] = "O/E ratio, inverse of pmcalplot's E:O"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    inputs: ClassVar[Inputs] = frozenset({Sum.SCORES})
    undefined: ClassVar[str] = "all scores are 0"
    weighted: ClassVar[bool] = True
    joins: ClassVar[bool] = True
    within: ClassVar[PublicRange] = PublicRange(tens=2)

    def ratio(self, party: Party, data: Binned) -> WideRatio:
        unit, scores = data.unit(Sum.SCORES), [words.sum() for words in data.sums[Sum.SCORES]]
        S, P = side_by_side(
            party,
            [
                lambda own: joined(own, *scores, unit=unit),
                lambda own: widen(own, data.P),
            ],
        )
        room = S * MOST - P * unit.scale
        _, beyond = wide_negative_times(party, room, room)
        return WideRatio(P * unit.scale + beyond, S, self.largest(data.n))

    def ratio_cost(self, n: int) -> Cost:
        return (joined_cost(1) | widen.cost().of(1)) + wide_negative_times.cost().of(1)

    def label_digits(self, decimals: int) -> int:
        return 0

    def exact(self, data: PooledBins) -> Fraction | None:
        expected = sum(data.sums[Sum.SCORES], Fraction(0))
        return min(data.P / expected, Fraction(MOST)) if expected else None

    def largest(self, n: int) -> int:
        # every list's low words may add up to one unit of the high ones
        return max(1, 2 * n * SCALE)
