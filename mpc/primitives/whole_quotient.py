"""The whole part of a quotient, digit by digit: floor(N/D) where that has a known number of digits.

Long division from the highest digit down, each digit by parallel comparisons as in `divide`: with a
remainder R the digit at the place of unit base^i is the number of k in 1, 2, ... with
k·base^i·D <= R. The remainder is never scaled up, so N may be as large as the comparisons hold.
Four hops a digit; nobody learns anything. Where D = 0 the result is `undefined`, as in `divide`.
"""

from __future__ import annotations

import numpy as np

from ppaurora.mpc.cost import costs
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.compare import is_negative, negative_times
from ppaurora.mpc.primitives.divide import division_cost, folded, multiples, multiplied
from ppaurora.mpc.shares import Shared


def largest_divisor(digits: int, base: int = 10) -> int:
    """The largest D for which neither N nor a difference of `whole_quotient` reaches 2^63.

    >>> largest_divisor(15) >= 4 * 576
    True
    """
    one: int = base**digits
    return (2**63 - 1) // max(one + 1, multiples(0, digits, base) * one // base)


@costs(division_cost)
def whole_quotient(
    party: Party,
    numerator: Shared,
    denominator: Shared,
    *,
    digits: int,
    bound: int,
    base: int = 10,
) -> Shared:
    """floor(N/D) for 0 <= N < (base^digits + 1)·D and D <= bound, `undefined` for N = D = 0.

    `bound` is public; one that the arithmetic cannot hold is refused before anything is sent.
    """
    if digits < 1 or base < 2:
        raise ValueError(f"a quotient of {digits} digits in base {base}")
    if bound > largest_divisor(digits, base):
        raise BoundExceeded(
            f"a denominator of up to {bound} is more than {largest_divisor(digits, base)}, the "
            f"most for a quotient of {digits} digits in base {base}"
        )
    length = len(numerator)
    quotient = Shared.zeros(party.role, length)
    remainder = numerator
    for place in range(digits):
        count = multiples(place, digits, base)
        unit = denominator * base ** (digits - 1 - place)
        once, k = np.ones(count, np.uint64), np.arange(1, count + 1, dtype=np.uint64)
        below = multiplied(remainder, once) - multiplied(unit, k)
        if place == digits - 1:
            missing = is_negative(party, below)
        else:
            missing, missing_units = negative_times(party, below, multiplied(unit, once))
            # R' = R - digit·unit, and digit·unit = Σ_k (unit - [k·unit > R]·unit)
            remainder = remainder - unit * count + folded(missing_units, count)
        quotient = quotient * base + np.full(length, count) - folded(missing, count)
    return quotient
