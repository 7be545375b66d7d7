"""Statistics that are one number between 0 and 1: what they have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, undefined
from ppaurora.mpc.primitives.digit_steps import radix_beside
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.pipelines.pipeline import Clear, Data
from ppaurora.protocols.ranking.pooled import Pooled
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.release.decimals import ratio_text
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Scalar, ValueKind
from ppaurora.protocols.statistics.statistic import Statistic


class OneNumber(Statistic[Data, Clear]):
    """One number between 0 and 1, rounded half up to the study's decimals."""

    __slots__ = ()

    kind: ClassVar[ValueKind] = ValueKind.SCALAR

    @abstractmethod
    def scaled(self, data: Clear, one: int) -> int | None:
        """round_half_up(one · number) of the pooled data, None where it is undefined."""

    def in_clear(self, data: Clear, decimals: int) -> Sequence[int]:
        word = self.scaled(data, 10**decimals)
        return [undefined(decimals) if word is None else word]

    def words(self, decimals: int) -> int:
        return 1

    def released(self, words: Sequence[int], decimals: int) -> Released:
        value = ratio_text(self.text, words[0], decimals)
        return Scalar(undefined=self.undefined) if value is None else Scalar(value)

    def nothing(self) -> Released:
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
        """What the denominator of n samples is at most, as `ratio` states it."""

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
