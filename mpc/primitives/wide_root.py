"""The square root of a ratio of wide numbers, exact digits, rounded: five hops a step.

A step finds one digit or, for a few roots, two decimals (`digit_steps`), which are one in base 100.

Let s be the first j digits of sqrt(N/D), R = N·base^(2j) - s²·D and Y = s·D. The next digit is the
number of k in 1, 2, ... with (base·s + k)²·D <= N·base^(2j + 2), which is

    2·base·k·Y + k²·D <= base²·R.

The last digit counts the k with (base·s + k - 1/2)²·D <= N·base^(2j + 2), which rounds half up:

    4·base·(2k - 1)·Y + (2k - 1)²·D <= 4·base²·R.

The comparisons also give b_k·Y and b_k·D of their bits b_k, so that without another hop

    Y' = base·Y + Σ_k b_k·D,    R' = base²·R - Σ_k b_k·(2·base·Y + (2k - 1)·D).

Nobody learns anything. Where N = D = 0 every comparison holds: the result is the public constant
`undefined`, as in division. For a ratio of up to c² the caller takes c²·D for D: the root is then c
times smaller.

Whoever deviates: wide comparisons and no other message, in a public number of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.digit_steps import (
    Step,
    digit_steps,
    largest_factor_of_root,
    largest_root_denominator,
)
from ppaurora.mpc.primitives.wide_compare import Weighing
from ppaurora.mpc.primitives.wide_divide import (
    Digit,
    check_bound,
    check_digits,
    count_missing,
    weighing_cost,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import WIDE_BITS


def _holds(bound: int, digits: int, base: int) -> Callable[[Sequence[Step]], bool]:
    """True for steps of which no difference reaches 2^255, for denominators of up to `bound`."""
    return lambda steps: (
        bound * largest_factor_of_root(digits, base, steps[-1].radix) < 1 << WIDE_BITS - 1
    )


def _digit(step: Step) -> Digit:
    count, radix = step.count, step.radix
    ones = [1] * count
    odd = range(1, 2 * count, 2)
    if step.last:
        coefficients = [[4 * radix * each for each in odd], [each**2 for each in odd]]
        weighing = Weighing(count, 0, np.array([ones], np.uint64), ())
        return Digit(4 * radix**2, coefficients, weighing)
    numbers = range(1, count + 1)
    coefficients = [[2 * radix * k for k in numbers], [k**2 for k in numbers]]
    # Σ c_k·Y, Σ c_k·D and Σ (2k - 1)·c_k·D
    weighing = Weighing(count, 2, np.array([ones, odd], np.uint64), ((0, 0), (0, 1), (1, 1)))
    return Digit(radix**2, coefficients, weighing)


def wide_root_cost(*, digits: int, base: int = 10, bound: int = 1) -> CostFunction:
    """The cost for denominators of up to `bound`, on which the width of the steps depends.

    Without one it is that of the widest steps.
    """
    return weighing_cost(
        lambda n: [
            _digit(step).weighing
            for step in digit_steps(digits, base, n, _holds(bound, digits, base))
        ]
    )


@costs(wide_root_cost)
def wide_root_to_wide(
    party: Party,
    numerator: WideShared,
    denominator: WideShared,
    *,
    digits: int,
    bound: int,
    base: int = 10,
) -> WideShared:
    """The root of `wide_root` in Z_2^256: for guard digits, on which one computes further."""
    check_digits(digits, base, WIDE_BITS)
    check_bound(bound, largest_root_denominator(digits, base), f"a root to {digits} digits")
    D, R, length = denominator, numerator, len(numerator)
    s, Y = (WideShared.zeros(party.role, length) for _ in range(2))
    for step in digit_steps(digits, base, length, _holds(bound, digits, base)):
        count, radix = step.count, step.radix
        # the bits c_k = 1 - b_k count what is missing
        missing, *sums = count_missing(party, R, [Y, D], _digit(step))
        s = s * radix + count - missing
        if not step.last:
            _, missing_Y, missing_D, missing_odd_D = sums
            # Σ_k (2k - 1) = count²
            R = (
                R * radix**2
                - (Y * count - missing_Y) * (2 * radix)
                - (D * count**2 - missing_odd_D)
            )
            Y = Y * radix + D * count - missing_D
    return s


@costs(wide_root_cost)
def wide_root(
    party: Party,
    numerator: WideShared,
    denominator: WideShared,
    *,
    digits: int,
    bound: int,
    base: int = 10,
) -> Shared:
    """round_half_up(base^digits · sqrt(N / D)) for 0 <= N <= D <= bound, `undefined` where D = 0.

    `bound` is public; one that the arithmetic cannot hold is refused before anything is sent, as
    are digits whose numbers do not stay below 2^63.
    """
    check_digits(digits, base, 64)
    root = wide_root_to_wide(party, numerator, denominator, digits=digits, bound=bound, base=base)
    return root.low()
