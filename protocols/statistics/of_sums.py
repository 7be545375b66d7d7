"""One number from the sums that owners upload beside their counts: what such statistics share.

What the owners add up is exact but for what lies behind 2^-134 (`ppaurora.protocols.grid.sums`);
from there on everything is exact, and rounded half up. So the released number is that of the scores
as they are, correctly rounded, where all of them are 0 or at least 2^-82, and for squared errors
0 or at least 2^-15. Smaller ones, and all logarithms, move a sum by less than 2^-134 for each
owner: the number can be wrong by one unit of its last decimal only if the exact one lies that close
to a rounding boundary.

Nobody learns anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import largest_wide_denominator, wide_divide
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.ratio import WideRatio
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Scalar, ValueKind
from ppaurora.protocols.statistics.statistic import Statistic


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
