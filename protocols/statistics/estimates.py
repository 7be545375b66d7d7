"""Base classes of statistics by what they release: one number, one interval, or one bit.

Numbers and confidence limits lie between 0 and 1; a bit is the outcome of a test.

`UnbinnedBounds` are values of binned scores between bounds for the scores themselves. The value is
rounded half up; the lower bound is rounded down and the upper one up, so that both
still hold. With scale = 10^d, this is a rounding down:

    floor(scale·x) = round_half_up(scale·x - 1/2),

and the upper bound is released as what is missing to 1, rounded down as well. The division is in
256 bits, five hops for every two decimals; nobody learns anything.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, largest_wide_denominator, undefined, wide_divide
from ppaurora.mpc.primitives.digit_steps import radix_beside
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.ratio import Ratio, WideRatio
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.pipelines.pipeline import Clear, Data
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.ranking.ranked import Pooled, Ranked
from ppaurora.protocols.release.values import (
    NO_SAMPLES,
    Decision,
    Interval,
    Released,
    Scalar,
    ValueKind,
    ratio_text,
)
from ppaurora.protocols.statistics.statistic import Statistic


class OneNumber(Statistic[Data, Clear]):
    """One number between 0 and 1, rounded half up to the study's decimals."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.SCALAR

    @abstractmethod
    def scaled(self, data: Clear, scale: int) -> int | None:
        """round_half_up(scale · number) of the pooled data, None where it is undefined."""

    def plaintext_words(self, data: Clear, decimals: int) -> Sequence[int]:
        word = self.scaled(data, 10**decimals)
        return [undefined(decimals) if word is None else word]

    def words(self, decimals: int) -> int:
        return 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        value = ratio_text(self.text, words[0], decimals)
        return Scalar(undefined=self.undefined) if value is None else Scalar(value)

    def value_without_samples(self) -> Released:
        return Scalar(undefined=NO_SAMPLES)


class OneRatio(OneNumber[Data, Clear]):
    """A statistic that is one ratio of shared integers, which the servers divide once."""

    __slots__ = ()

    @abstractmethod
    def ratio(self, party: Party, data: Data) -> Ratio:
        """Numerator and denominator, shared; the denominator is 0 if and only if undefined."""

    @abstractmethod
    def ratio_cost(self, n: int) -> Cost:
        """The cost of `ratio`."""

    @abstractmethod
    def bound(self, n: int) -> int:
        """An upper bound of the denominator for n samples, as `ratio` states it."""

    def private(self, party: Party, data: Data, decimals: int) -> Shared:
        return self._divided(party, data, decimals, compared=0)

    def cost(self, n: int, decimals: int) -> Cost:
        return self._cost(n, decimals, compared=0)

    def _divided(self, party: Party, data: Data, decimals: int, *, compared: int) -> Shared:
        """The quotient, beside so many comparisons."""
        ratio, widest = self.ratio(party, data), radix_beside(compared)
        return divide(party, ratio.N, ratio.D, digits=decimals, bound=ratio.bound, widest=widest)

    def _cost(self, n: int, decimals: int, *, compared: int) -> Cost:
        division = divide.cost(digits=decimals, bound=self.bound(n), widest=radix_beside(compared))
        return self.ratio_cost(n) + division.of(1)


class OneRatioOfRanks(OneRatio[Ranked, Pooled]):
    """One ratio of the sorted list, for which all its samples were compared."""

    __slots__ = ()

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        return self._divided(party, data, decimals, compared=data.n)

    def cost(self, n: int, decimals: int) -> Cost:
        return self._cost(n, decimals, compared=n)


class OneWideRatio(OneNumber[Data, Clear]):
    """One ratio of whole numbers that 64 bits may not hold, divided once in 256.

    Over counts it is one for each row of them (`ppaurora.protocols.ranking.rows`).
    """

    __slots__ = ()

    @abstractmethod
    def wide_ratio(self, party: Party, data: Data, decimals: int) -> WideRatio:
        """Numerator and denominator, shared; the denominator is 0 if and only if undefined."""

    @abstractmethod
    def wide_ratio_cost(self, n: int, decimals: int, rows: int = 1) -> Cost:
        """The cost of `wide_ratio` for so many rows of n places."""

    @abstractmethod
    def largest(self, n: int, decimals: int) -> int:
        """The largest denominator of n samples, as `wide_ratio` states it."""

    def private(self, party: Party, data: Data, decimals: int) -> Shared:
        ratio = self.wide_ratio(party, data, decimals)
        return wide_divide(party, ratio.N, ratio.D, digits=decimals, bound=ratio.bound)

    def cost(self, n: int, decimals: int) -> Cost:
        division = wide_divide.cost(digits=decimals, bound=self.largest(n, decimals)).of(1)
        return self.wide_ratio_cost(n, decimals) + division

    def fits(self, n: int, decimals: int) -> bool:
        return self.largest(n, decimals) <= largest_wide_denominator()


class OneInterval(Statistic[Data, Clear]):
    """A value, its lower and its upper limit: all three undefined, or none."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    without_width: ClassVar[str]
    """The reason why both limits may be one number, with a better choice."""

    @property
    def reason(self) -> str:
        """The reason why there is no number."""
        return self.undefined

    def words(self, decimals: int) -> int:
        return 3

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        value, lower, upper = (ratio_text(self.text, word, decimals) for word in words)
        if value is lower is upper is None:
            return Interval(undefined=self.reason)
        if value is None or lower is None or upper is None:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return Interval(value, lower, upper, note=no_width(lower, upper, self.without_width))

    def value_without_samples(self) -> Released:
        return Interval(undefined=NO_SAMPLES)


def no_width(lower: str, upper: str, why: str) -> str | None:
    """The reason why the limits are one number; None if they are not."""
    return why if why and lower == upper else None


NOT_REJECTED, REJECTED, UNDEFINED = 0, 1, 2


class OneBit(Statistic[Data, Clear]):
    """The outcome of a test: one of the three words above."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.TEST

    def words(self, decimals: int) -> int:
        return 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        [word] = words
        if word == UNDEFINED:
            return Decision(undefined=self.undefined)
        if word not in (NOT_REJECTED, REJECTED):
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return Decision(rejected=word == REJECTED)

    def value_without_samples(self) -> Released:
        return Decision(undefined=NO_SAMPLES)

    def leaks(self, decimals: int) -> str:
        return (
            "one bit, whether the null hypothesis is rejected, and whether the test is undefined: "
            f"{self.undefined}"
        )

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return ()


class UnbinnedBounds(OneInterval[Binned, PooledBins]):
    """The value, the lower bound, and how far the upper bound lies below 1."""

    __slots__ = ()

    without_width: ClassVar[str] = ""
    """Bounds that meet are no fault: the value is certain."""
    pipeline: ClassVar[type[Histogram]] = Histogram

    @abstractmethod
    def largest(self, n: int, decimals: int) -> int:
        """The common denominator of the three is at most this for n samples."""

    def rounded(
        self, party: Party, numbers: Sequence[WideShared], whole: WideShared, n: int, decimals: int
    ) -> Shared:
        """The released words of the value, the lower bound, and what the upper one lacks to 1.

        They are given as numerators over the same whole.
        """
        scale = 10**decimals
        value, *bounds = numbers
        # scale·N/D - 1/2 = (2·scale·N - D)/2D
        N = concatenate_wide(
            [value * (2 * scale), *(side * (2 * scale) - whole for side in bounds)]
        )
        D = (whole * (2 * scale)).repeat(3)
        bound = self._largest_scaled(n, decimals)
        return wide_divide(party, N, D, digits=decimals, bound=bound)

    def rounded_cost(self, decimals: int) -> Cost:
        """The cost of `rounded`."""
        return wide_divide.cost(digits=decimals).of(3)

    def _largest_scaled(self, n: int, decimals: int) -> int:
        scaled: int = 2 * 10**decimals * self.largest(n, decimals)
        return max(1, scaled)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        value, lower, below_one = words
        missing: int = undefined(decimals)
        upper = missing if below_one == missing else 10**decimals - below_one
        return super().decode((value, lower, upper), decimals)

    def fits(self, n: int, decimals: int) -> bool:
        return self._largest_scaled(n, decimals) <= largest_wide_denominator()
