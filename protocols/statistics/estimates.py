"""Base classes of statistics by what they release: one number, one interval, or one bit.

Numbers and confidence limits lie between 0 and 1; a bit is the outcome of a test.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, undefined
from ppaurora.mpc.primitives.digit_steps import radix_beside
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.pipelines.pipeline import Clear, Data
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
    """One ratio of integers, divided once."""

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


class OneInterval(Statistic[Data, Clear]):
    """A value, its lower and its upper limit: all three undefined, or none."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    without_width: ClassVar[str]
    """Why both limits may be one number, and what to take instead."""

    @property
    def reason(self) -> str:
        """Why there is no number."""
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
    """Why the limits are one number; None where they are not."""
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
