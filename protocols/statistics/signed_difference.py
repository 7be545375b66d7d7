"""A difference of two numbers as it is released: value, both limits and z, all with a sign.

The words are the difference and its limits, moved up by the most that they can be, and 10^5 +
1000·z. z has three decimals, rounded half away from 0; from 99.9995 on it is released as "at least
100". Where the standard error is 0, z is 0 if the difference is, as pROC has it, and without bound
if not. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, undefined, wide_negative_times, wide_root
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.rounding import half_up, half_up_root
from ppaurora.protocols.ranking.area_limits import PlainLimits
from ppaurora.protocols.release.values import Z_TENS, Interval, signed_text, z_text
from ppaurora.protocols.statistics.estimates import no_width

Z_DECIMALS = 3
Z_DIGITS = Z_DECIMALS + Z_TENS
LARGEST_Z: int = 10**Z_DIGITS
"""|z|/100 is released to five decimals."""


def signed_z(
    party: Party,
    squared: WideShared,
    scaled: WideShared,
    signed: WideShared,
    few: WideShared,
    bound: int,
) -> Shared:
    """10^5 + 1000·z of z² = 100²·squared/scaled, both at most `bound`; z has the sign of `signed`.

    Where `few`, one number for all, is negative all of these must be 0, and z is undefined.
    """
    m = len(squared)
    # z²/100² = min(squared, scaled) / scaled, and 1 if scaled is 0 and squared is not
    numbers = concatenate_wide([squared - scaled, squared + scaled - 1, signed, few])
    signs, parts = wide_negative_times(party, numbers, numbers)
    both_nothing, negative = signs[m : 2 * m], signs[2 * m : 3 * m]
    none = signs[3 * m :].repeat(m)
    larger = squared - parts[:m]
    size = wide_root(party, squared, larger + both_nothing - none, digits=Z_DIGITS, bound=bound)
    return size - multiply(party, negative.low(), size) * 2 + LARGEST_Z


def signed_z_cost(bound: int, m: int = 1) -> Cost:
    """The cost of `signed_z` of m numbers."""
    signs = wide_negative_times.cost().of(3 * m + 1)
    return signs + wide_root.cost(digits=Z_DIGITS, bound=bound).of(m) + multiply.cost().of(m)


def error_digits(decimals: int) -> int:
    """The digits by which the limits and z of a known difference tell its standard error.

    Limits and z follow from that error, and move in one direction as it grows. So all together take
    about as many values as those of them that take the most.
    """
    return max(decimals, Z_DIGITS)


def undefined_words(decimals: int) -> list[int]:
    """The words of a difference that does not exist."""
    return [undefined(decimals + 1)] * 3 + [LARGEST_Z + undefined(Z_DIGITS)]


def words_of(
    difference: Fraction, variance: Fraction, limits: PlainLimits, decimals: int, most: int = 1
) -> list[int]:
    """The words of a difference, between -most and most, with its limits and z, in the clear."""
    half = limits.half(variance)
    ends = max(difference - half, Fraction(-most)), min(difference + half, Fraction(most))
    values = [half_up((most + number) * 10**decimals) for number in (difference, *ends)]
    size = 0 if difference == 0 else LARGEST_Z
    if variance:
        size = min(size, half_up_root(difference**2 / variance * 100**Z_DECIMALS))
    return [*values, LARGEST_Z + (size if difference > 0 else -size)]


def of_words(
    text: str,
    words: Sequence[int],
    decimals: int,
    undefined: str,
    without_width: str,
    most: int = 1,
) -> Interval:
    """The difference behind its words; those that no computation yields are refused."""
    *values, z = words
    if [*words] == undefined_words(decimals):
        return Interval(undefined=undefined)
    scale: int = most * 10**decimals
    if not all(0 <= word <= 2 * scale for word in values) or not 0 <= z <= 2 * LARGEST_Z:
        raise RemoteProtocolError(
            f"the shares of {text} do not make a result",
            advice="The two proxies hold shares of different runs; ask for the result again.",
        )
    value, lower, upper = (signed_text(word - scale, decimals) for word in values)
    note = no_width(lower, upper, without_width)
    return Interval(value, lower, upper, z_text(z - LARGEST_Z, Z_DECIMALS), note=note)
