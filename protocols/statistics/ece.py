"""The expected calibration error: how far rates and mean scores lie apart, over parts of the grid.

    Σ_l |P_l - S_l| / n    with the positives P_l and the sum of scores S_l of each part,

exact for parts of equal width, a sign found privately for each. The error of a sum, as
`ppaurora.protocols.grid.sums` states it, counts once for each part. Nobody learns anything. Six
hops before the division.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import wide_negative_times, widen
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.grid.cuts import EqualParts
from ppaurora.protocols.grid.sums import SCALE, Sum, joined, joined_cost
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins, between
from ppaurora.protocols.release.values import NO_WEIGHT
from ppaurora.protocols.statistics.of_sums import OfSums
from ppaurora.protocols.statistics.parameters import whole
from ppaurora.protocols.statistics.statistic import Topic
from ppaurora.protocols.statistics.thresholds import MOST_PARTS


@dataclass(frozen=True, slots=True)
class ExpectedCalibrationError(OfSums, EqualParts):
    """The mean distance of the observed rate from the mean score, weighted by the samples."""

    name: ClassVar[str] = "ece"
    short: ClassVar[str] = "Expected calibration error"
    title: ClassVar[str] = "expected calibration error over parts of equal width"
    known_as: ClassVar[str] = "torchmetrics BinaryCalibrationError(norm='l1')"
    topic: ClassVar[Topic] = Topic.CALIBRATION
    inputs: ClassVar[Inputs] = frozenset({Sum.SCORES})
    undefined: ClassVar[str] = "never"
    shows_counts: ClassVar[bool] = False
    sums_scores: ClassVar[bool] = True
    joins: ClassVar[bool] = True
    bins: int = whole("equal parts of the range of the scores", 8, least=2, most=MOST_PARTS)

    @property
    def parts(self) -> int:
        return self.bins

    def ratio(self, party: Party, data: Binned) -> WideRatio:
        at, unit = self.thresholds(), data.unit(Sum.SCORES)
        positives, *scores = map(between, (data.up_to(at)[0], *data.scores_up_to(at)))
        S, P = side_by_side(
            party,
            [lambda own: joined(own, *scores, unit=unit), lambda own: widen(own, positives)],
        )
        distance = P * unit.scale - S
        _, negative = wide_negative_times(party, distance, distance)
        whole = self.whole(party, data)
        return WideRatio((distance - negative * 2).sum(), whole * unit.scale, self.largest(data.n))

    def whole(self, party: Party, data: Binned) -> WideShared:
        """The number of samples."""
        return WideShared.public(party.role, [data.n])

    def ratio_cost(self, n: int) -> Cost:
        sums = joined_cost(self.bins) | widen.cost().of(self.bins)
        return sums + wide_negative_times.cost().of(self.bins)

    def over_secret_total(self) -> WeightedCalibrationError:
        return WeightedCalibrationError(bins=self.bins)

    def exact(self, data: PooledBins) -> Fraction | None:
        parts = data.parts(self.thresholds())
        apart = sum((abs(part.positives - part.scores) for part in parts), Fraction(0))
        return apart / data.n if data.n else None

    def largest(self, n: int) -> int:
        return max(1, n * SCALE)


@dataclass(frozen=True, slots=True)
class WeightedCalibrationError(ExpectedCalibrationError):
    """The same of samples that count with weights, which weigh a secret number in all."""

    listed: ClassVar[bool] = False
    weighted: ClassVar[bool] = True
    undefined: ClassVar[str] = NO_WEIGHT

    def whole(self, party: Party, data: Binned) -> WideShared:
        return widen(party, data.P + data.N)

    def ratio_cost(self, n: int) -> Cost:
        return ExpectedCalibrationError.ratio_cost(self, n) + widen.cost().of(1)
