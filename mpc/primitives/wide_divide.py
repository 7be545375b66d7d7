"""Division of wide numbers, exact digits: as `mpc.primitives.divide`, in Z_2^256.

With a remainder R < D the next digit is the number of k with k·D <= base·R; the last digit counts
the k with (2k - 1)·D <= 2·base·R, which rounds half up. Five hops a step, which finds one digit or,
for a few ratios, two decimals; nobody learns anything. Where D = 0 the result is `undefined`, as it
is there.

N may exceed D by as little as a declared error bound does: while 2·base·(N - D) < D the digits are
still those of the quotient. It may lie below 0 by up to D / (2·base^digits), which rounds to 0.
Where D = 0, N·base^digits must stay below 2^254.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.digit_steps import Step, digit_steps, largest_factor
from ppaurora.mpc.primitives.largest import largest_wide_denominator
from ppaurora.mpc.primitives.wide_compare import Weighing
from ppaurora.mpc.primitives.wide_digits import (
    Digit,
    check_bound,
    check_digits,
    count_missing,
    weighing_cost,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import WIDE_BITS


def _holds(bound: int) -> Callable[[Sequence[Step]], bool]:
    """Whether no difference of the steps reaches 2^255, for denominators of up to `bound`."""
    return lambda steps: bound * largest_factor(steps) < 1 << WIDE_BITS - 1


def _digit(step: Step) -> Digit:
    count = step.count
    ones = np.ones((1, count), np.uint64)
    if step.last:
        return Digit(2 * step.radix, [range(1, 2 * count, 2)], Weighing(count, 0, ones, ()))
    return Digit(step.radix, [range(1, count + 1)], Weighing(count, 1, ones, ((0, 0),)))


def wide_division_cost(*, digits: int, base: int = 10, bound: int = 1) -> Cost:
    """The cost for denominators of up to `bound`, on which the width of the steps depends.

    Without one it is that of the widest steps.
    """
    return weighing_cost(
        lambda n: [_digit(step).weighing for step in digit_steps(digits, base, n, _holds(bound))]
    )


@costs(wide_division_cost)
def wide_divide_to_wide(
    party: Party,
    numerator: WideShared,
    denominator: WideShared,
    *,
    digits: int,
    bound: int,
    base: int = 10,
) -> WideShared:
    """The quotient of `wide_divide` in Z_2^256: for guard digits, on which one computes further.

    base^digits may be as large as 2^254.
    """
    check_digits(digits, base, WIDE_BITS)
    check_bound(bound, largest_wide_denominator(base), f"wide division in base {base}")
    return _quotient(party, numerator, denominator, bound, digits, base)


@costs(wide_division_cost)
def wide_divide(
    party: Party,
    numerator: WideShared,
    denominator: WideShared,
    *,
    digits: int,
    bound: int,
    base: int = 10,
) -> Shared:
    """round_half_up(base^digits · N / D) for 0 <= N <= D <= bound, `undefined` where D = 0.

    `bound` is public; one that the arithmetic cannot hold is refused before anything is sent, as
    are digits whose numbers do not stay below 2^63.
    """
    check_digits(digits, base, 64)
    check_bound(bound, largest_wide_denominator(base), f"wide division in base {base}")
    return _quotient(party, numerator, denominator, bound, digits, base).low()


def _quotient(
    party: Party, N: WideShared, D: WideShared, bound: int, digits: int, base: int
) -> WideShared:
    quotient, R = WideShared.zeros(party.role, len(N)), N
    for step in digit_steps(digits, base, len(N), _holds(bound)):
        missing, *missing_units = count_missing(party, R, [D], _digit(step))
        quotient = quotient * step.radix + step.count - missing
        if missing_units:
            # R' = base·R - digit·D, and digit·D = count·D - Σ_k [k·D > base·R]·D
            R = R * step.radix - D * step.count + missing_units[0]
    return quotient
