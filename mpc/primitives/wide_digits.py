"""The next digit of a quotient or a root in Z_2^256, by comparing all its values at once.

A digit d in 0..count is what is left to find of a number built digit by digit. With values y_v and
public coefficients a_v that grow with k, it is the number of k in 1..count for which

    x_k = top·R - Σ_v a_v[k]·y_v >= 0,

where R is the remainder so far. The comparisons also give the sums by which the next remainder and
the next values follow, so that a digit is five hops. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party, Program
from ppaurora.mpc.primitives.digit_steps import undefined
from ppaurora.mpc.primitives.wide_blocks import over_wide_blocks
from ppaurora.mpc.primitives.wide_compare import EXCHANGES, Weighing, weighed_signs
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import minus, times, to_wide
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


def weighing_cost(weighings: Callable[[int], Sequence[Weighing]]) -> Cost:
    """The cost of digits found one after the other, for each length."""
    return Cost(
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
