"""The base class of the difference of two numbers of the same samples, with its interval and z.

Both numbers lie between 0 and 1, so the difference Δ lies between -1 and 1. It travels as 1 + Δ,
and so do its limits Δ ± z_level·SE, cut off at the ends. z = Δ/SE has three decimals, rounded half
away from 0; from 99.9995 on it is released as "at least 100". Where SE is 0, z is 0 if Δ is, and
without bound if not. The p-value of z is the receivers'.

Nobody learns anything. The z takes five hops and those of a root of five digits.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, undefined, wide_negative_times, wide_root
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.rounding import half_up, half_up_root
from ppaurora.protocols.pipelines.pipeline import Clear, Data
from ppaurora.protocols.ranking.area_limits import PlainLimits
from ppaurora.protocols.release.values import (
    NO_SAMPLES,
    Z_TENS,
    Interval,
    Released,
    ValueKind,
    signed_text,
    z_text,
)
from ppaurora.protocols.statistics.estimates import no_width
from ppaurora.protocols.statistics.statistic import Statistic, Topic

Z_DECIMALS = 3
Z_DIGITS = Z_DECIMALS + Z_TENS
LARGEST_Z: int = 10**Z_DIGITS
"""|z|/100 is released to five decimals."""


class OneDifference(Statistic[Data, Clear]):
    """A difference, its lower and upper limit, and z."""

    __slots__ = ()

    topic: ClassVar[Topic] = Topic.COMPARISON
    kind: ClassVar[ValueKind] = ValueKind.INTERVAL
    without_width: ClassVar[str]
    """The reason why both limits may be one number, with a better choice."""

    @property
    @abstractmethod
    def limits(self) -> PlainLimits:
        """The limits z_level·SE on either side of the difference."""

    def words(self, decimals: int) -> int:
        return 4

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        *values, z = words
        if [*words] == undefined_words(decimals):
            return Interval(undefined=self.undefined)
        scale = 10**decimals
        if not all(0 <= word <= 2 * scale for word in values) or not 0 <= z <= 2 * LARGEST_Z:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        value, lower, upper = (signed_text(word - scale, decimals) for word in values)
        note = no_width(lower, upper, self.without_width)
        return Interval(value, lower, upper, z_text(z - LARGEST_Z, Z_DECIMALS), note=note)

    def value_without_samples(self) -> Released:
        return Interval(undefined=NO_SAMPLES)

    def told(
        self, difference: Fraction, variance: Fraction, limits: PlainLimits, decimals: int
    ) -> list[int]:
        """The words of a difference in the clear."""
        half = limits.half(variance)
        ends = max(difference - half, Fraction(-1)), min(difference + half, Fraction(1))
        values = [half_up((1 + number) * 10**decimals) for number in (difference, *ends)]
        size = 0 if difference == 0 else LARGEST_Z
        if variance:
            squared = difference**2 / variance
            size = min(size, half_up_root(squared * 100**Z_DECIMALS))
        return [*values, LARGEST_Z + (size if difference > 0 else -size)]


def z_word(
    party: Party,
    squared: WideShared,
    scaled: WideShared,
    signed: WideShared,
    few: WideShared,
    *,
    bound: int,
) -> Shared:
    """10^5 + 1000·z, of z²/100² = squared/scaled with the sign of `signed`.

    Where `few` is negative all others are 0. Both are at most `bound`.
    """
    # z²/100² = min(squared, scaled) / scaled, and 1 if scaled is 0 and squared is not
    numbers = concatenate_wide([squared - scaled, squared + scaled - 1, signed, few])
    signs, parts = wide_negative_times(party, numbers, numbers)
    both_nothing, negative, is_few = (signs[place : place + 1] for place in (1, 2, 3))
    larger = squared - parts[:1]
    size = wide_root(party, squared, larger + both_nothing - is_few, digits=Z_DIGITS, bound=bound)
    return size - multiply(party, negative.low(), size) * 2 + LARGEST_Z


def z_word_cost(bound: int) -> Cost:
    """The cost of `z_word`."""
    root = wide_root.cost(digits=Z_DIGITS, bound=bound).of(1)
    return wide_negative_times.cost().of(4) + root + multiply.cost().of(1)


def undefined_words(decimals: int) -> list[int]:
    """The words where there is no difference."""
    return [undefined(decimals + 1)] * 3 + [LARGEST_Z + undefined(Z_DIGITS)]
