"""One number from the sums that owners upload beside their counts: what such statistics share.

What the owners add up is exact but for what lies behind 2^-134 (`ppaurora.protocols.grid.sums`);
from there on everything is exact, and rounded half up. So the released number is that of the scores
as they are, correctly rounded, where all of them are 0 or at least 2^-82, and for squared errors
0 or at least 2^-15. Smaller ones, and all logarithms, move a sum by less than 2^-134 for each
owner: the number can be wrong by one unit of its last decimal only if the exact one lies that close
to a rounding boundary.

Where samples count with weights, sums and counts are those of the weights, and so is the number of
all samples, which is secret: a mean is divided by it (`WeightedMeanLoss`). A weighted sum of
logarithms is exact to 2^-128.

Nobody learns anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_wide_denominator, wide_divide, widen
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.grid.sums import SCALE, Sum, joined, joined_cost
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import (
    NO_SAMPLES,
    NO_WEIGHT,
    Released,
    Scalar,
    ValueKind,
)
from ppaurora.protocols.statistics.statistic import NEVER, Statistic


class OfSums(Statistic[Binned, PooledBins]):
    """One number within a public range."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.SCALAR
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    within: ClassVar[PublicRange] = PublicRange()

    @abstractmethod
    def ratio(self, party: Party, data: Binned) -> WideRatio:
        """The number plus `within.shift`, as a ratio; 0/0 if and only if it is undefined."""

    @abstractmethod
    def ratio_cost(self, n: int) -> Cost:
        """The cost of `ratio`."""

    @abstractmethod
    def exact(self, data: PooledBins) -> Fraction | None:
        """The number in the clear."""

    @abstractmethod
    def largest(self, n: int) -> int:
        """The largest denominator of n samples."""

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        ratio, tens = self.ratio(party, data), self.within.tens
        return wide_divide(
            party,
            ratio.N,
            ratio.D * 10**tens,
            digits=decimals + tens,
            bound=ratio.bound * 10**tens,
        )

    def cost(self, n: int, decimals: int) -> Cost:
        return self.ratio_cost(n) + wide_divide.cost(digits=decimals + self.within.tens).of(1)

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        return [self.within.word(self.exact(data), decimals)]

    def words(self, decimals: int) -> int:
        return 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        value = self.within.text(self.text, words[0], decimals)
        return Scalar(undefined=self.undefined) if value is None else Scalar(value)

    def value_without_samples(self) -> Released:
        return Scalar(undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        most: int = self.largest(n) * 10**self.within.tens
        return most <= largest_wide_denominator()

    def label_digits(self, decimals: int) -> int:
        return decimals

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)


class MeanLoss(OfSums):
    """The mean of one loss over all samples."""

    __slots__ = ()

    listed: ClassVar[bool] = False
    undefined: ClassVar[str] = NEVER
    which: ClassVar[Sum]

    def ratio(self, party: Party, data: Binned) -> WideRatio:
        most = self.largest(data.n)
        return WideRatio(
            joined(party, *data.sums[self.which]), WideShared.public(party.role, [most]), most
        )

    def ratio_cost(self, n: int) -> Cost:
        return joined_cost(1)

    def exact(self, data: PooledBins) -> Fraction | None:
        return data.sums[self.which][0] / data.n if data.n else None

    def largest(self, n: int) -> int:
        return max(1, n * SCALE)


class WeightedMeanLoss(MeanLoss):
    """The mean of a loss over samples with weights, which weigh a secret number in all."""

    __slots__ = ()

    listed: ClassVar[bool] = False
    weighted: ClassVar[bool] = True
    undefined: ClassVar[str] = NO_WEIGHT

    def ratio(self, party: Party, data: Binned) -> WideRatio:
        unit = data.unit(self.which)
        loss, whole = side_by_side(
            party,
            [
                lambda own: joined(own, *data.sums[self.which], unit=unit),
                lambda own: widen(own, data.P + data.N),
            ],
        )
        return WideRatio(loss, whole * unit.scale, self.largest(data.n))

    def ratio_cost(self, n: int) -> Cost:
        return joined_cost(1) | widen.cost().of(1)
