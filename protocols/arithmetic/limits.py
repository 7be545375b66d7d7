"""The limits of an interval around a number that stays shared, cut off at the ends of its range."""

from __future__ import annotations

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import undefined, wide_negative_times
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide


def cut_limits(
    party: Party,
    middle: WideShared,
    half: WideShared,
    few: WideShared,
    *,
    most: int,
    nothing: tuple[int, int],
) -> tuple[WideShared, WideShared]:
    """(middle - half, middle + half) cut off at 0 and `most`, over `most`: all lower ratios, then
    all upper ones.

    They are 0/0 where `few`, one number, is negative; there middle and half must be the public
    constants `nothing`. Nobody learns anything. Five hops.
    """
    m = len(middle)
    # the distances of the limits from 0 and from `most`, of which the negative ones are cut off
    distances = concatenate_wide([middle - half, most - middle - half, few])
    signs, beyond = wide_negative_times(party, distances, distances)
    inside, is_few = distances - beyond, signs[2 * m :].repeat(m)
    of_middle, of_half = nothing
    lower = inside[:m] - is_few * max(of_middle - of_half, 0)
    upper = most - inside[m : 2 * m] - is_few * min(of_middle + of_half, most)
    whole = most - is_few * most
    return concatenate_wide([lower, upper]), concatenate_wide([whole, whole])


def cut_limits_cost(intervals: int = 1) -> Cost:
    """The cost of `cut_limits` around so many numbers."""
    return wide_negative_times.cost().of(2 * intervals + 1)


def limits_of_nothing(places: int, base: int, times: int, z: int) -> tuple[int, int]:
    """`nothing` of `cut_limits` where estimate and error are divisions of 0 by 0.

    Both have so many places, the middle is `times` the estimate, and half is z times the error.
    """
    value = undefined(places, base)
    return value * times, value * z
