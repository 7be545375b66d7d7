"""The whole part of a quotient, digit by digit: floor(N/D) where that has a known number of digits.

Long division from the highest digit down, each digit by parallel comparisons as in `divide`: with a
remainder R the digit at the place of unit base^i is the number of k in 1, 2, ... with
k·base^i·D <= R. The remainder is never scaled up, so N may be as large as the comparisons hold.
Four hops a step of one digit or, for a few quotients, two decimals (`digit_steps`); nobody learns
anything. Where D = 0 the result is `undefined`, as in `divide`.

Whoever deviates: comparisons and no other message, as in `divide`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.digit_steps import Step, digit_steps
from ppaurora.mpc.primitives.divide import next_digit, steps_cost
from ppaurora.mpc.primitives.largest import largest_divisor
from ppaurora.mpc.shares import Shared


def _holds(bound: int, digits: int, base: int) -> Callable[[Sequence[Step]], bool]:
    """Whether neither N nor the largest multiple of the first step reaches 2^63."""
    one = base**digits
    return lambda steps: bound * max(one + 1, steps[0].count * (one // steps[0].radix)) < 1 << 63


def whole_quotient_cost(*, digits: int, base: int = 10, bound: int = 1) -> Cost:
    """The cost for denominators of up to `bound`, on which the width of the steps depends."""
    return steps_cost(lambda n: digit_steps(digits, base, n, _holds(bound, digits, base)))


@costs(whole_quotient_cost)
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
    unit = base**digits
    for step in digit_steps(digits, base, length, _holds(bound, digits, base)):
        unit //= step.radix
        digit, remainder = next_digit(party, remainder, denominator * unit, step)
        quotient = quotient * step.radix + digit
    return quotient
