"""DIV over Z_2^256, with exact digits: as `mpc.primitives.divide`.

With a remainder R < D the next digit is the number of k with k·D <= base·R; the last digit counts
the k with (2k - 1)·D <= 2·base·R, which rounds half up. Five hops a step, which finds one digit or,
for a few ratios, two decimals; nobody learns anything. Where D = 0 the result is `undefined`, as it
is there.

N may exceed D by as little as a declared error bound does: while 2·base·(N - D) < D the digits are
still those of the quotient. It may lie below 0 by up to D / (2·base^digits), which rounds to 0.
Where D = 0, N·base^digits must stay below 2^254.

`next_digit` finds one digit of a quotient or a root by comparing all its values at once. With
values y_v and public coefficients a_v that grow with k, a digit in 0..count is the number of k in
1..count for which

    x_k = top·R - Σ_v a_v[k]·y_v >= 0,

where R is the remainder so far. The comparisons also give the sums by which the next remainder and
the next values follow, so that a digit is five hops. Nobody learns anything.

Whoever deviates: wide comparisons and no other message, in a public number of steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party, Program
from ppaurora.mpc.primitives.digit_steps import (
    Step,
    digit_steps,
    largest_factor,
    largest_wide_denominator,
    undefined,
)
from ppaurora.mpc.primitives.wide_compare import EXCHANGES, Weighing, weighed_signs
from ppaurora.mpc.primitives.wide_multiply import over_wide_blocks
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import WIDE_BITS, minus, times, to_wide
from ppaurora.mpc.words import Words

LARGEST_BASE = 1 << 14
"""A digit in a larger base would be counted by more comparisons than are worth their bytes."""


@dataclass(frozen=True, slots=True)
class Digit:
    """The factor of the remainder, the values' coefficients for each k, and what is summed."""

    top: int
    coefficients: Sequence[Sequence[int]]
    weighing: Weighing


def count_missing(
    party: Party, remainder: WideShared, values: Sequence[WideShared], digit: Digit
) -> list[WideShared]:
    """Sums of the bits [x_k < 0], as the weighing names them."""
    program = partial(_compare, digit=digit)
    weighing = digit.weighing
    return over_wide_blocks(
        party, program, remainder, *values, outputs=weighing.outputs, size=weighing.block
    )


def weighing_cost(weighings: Callable[[int], Sequence[Weighing]]) -> CostFunction:
    """The cost of digits found one after the other, for each length."""
    return CostFunction(
        lambda n: EXCHANGES * len(weighings(n)) if n else 0,
        lambda n: sum(weighing.cost.payload(n) for weighing in weighings(n)),
    )


def _compare(
    party: Party, length: int, R: Words | None, *values: Words | None, digit: Digit
) -> Program[Sequence[Words] | None]:
    if R is None:
        return (yield from weighed_signs(party, length, None, weighing=digit.weighing))
    y = [value for value in values if value is not None]
    # x_k = top·R - Σ_v a_v[k]·y_v
    x = times(to_wide(digit.top), R)[:, None]
    for a, value in zip(digit.coefficients, y, strict=True):
        x = minus(x, times(to_wide(a)[:, :, None], value[:, None]))
    opened = [x, *(value[:, None] for value in y[: digit.weighing.values])]
    numbers = np.concatenate(opened, axis=1)
    return (yield from weighed_signs(party, length, numbers, weighing=digit.weighing))


def check_digits(digits: int, base: int, bits: int) -> None:
    """Refuse what makes no sense, and results that shares of so many bits do not hold."""
    if digits < 1 or not 2 <= base <= LARGEST_BASE:
        raise ValueError(f"{digits} digits in base {base}: at least 1, in base 2 to {LARGEST_BASE}")
    if undefined(digits, base).bit_length() >= bits:
        raise BoundExceeded(
            f"{digits} digits in base {base} make numbers of up to {undefined(digits, base)}, "
            f"which is not below 2^{bits - 1}, the most that the result's words hold"
        )


def check_bound(bound: int, largest: int, what: str) -> None:
    """Refuse a denominator for which a difference would reach 2^255."""
    if bound > largest:
        raise BoundExceeded(
            f"a denominator of up to {bound} is more than {largest}, the most that {what} holds"
        )


def _holds(bound: int) -> Callable[[Sequence[Step]], bool]:
    """True for steps of which no difference reaches 2^255, for denominators of up to `bound`."""
    return lambda steps: bound * largest_factor(steps) < 1 << WIDE_BITS - 1


def _digit(step: Step) -> Digit:
    count = step.count
    ones = np.ones((1, count), np.uint64)
    if step.last:
        return Digit(2 * step.radix, [range(1, 2 * count, 2)], Weighing(count, 0, ones, ()))
    return Digit(step.radix, [range(1, count + 1)], Weighing(count, 1, ones, ((0, 0),)))


def wide_division_cost(*, digits: int, base: int = 10, bound: int = 1) -> CostFunction:
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
    D, R, length = denominator, numerator, len(numerator)
    quotient = WideShared.zeros(party.role, length)
    for step in digit_steps(digits, base, length, _holds(bound)):
        missing, *missing_units = count_missing(party, R, [D], _digit(step))
        quotient = quotient * step.radix + step.count - missing
        if missing_units:
            # R' = base·R - digit·D, and digit·D = count·D - Σ_k [k·D > base·R]·D
            R = R * step.radix - D * step.count + missing_units[0]
    return quotient


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
    wide = wide_divide_to_wide(party, numerator, denominator, digits=digits, bound=bound, base=base)
    return wide.low()
