"""DIV: division with exact digits, by long division with one batch of comparisons a digit.

[ppAURORA, section 4, DIV], which follows SecureNN; here in any base, and rounded. With a remainder
R < D the next digit is the number of k in 1, 2, ... with k·D <= base·R; all k are compared at once,
and the comparison also gives [..]·D, so that the next remainder follows without another hop. The
last digit counts the k with 2k·D <= 2·base·R + D, which rounds half up. The hops of a comparison a
step, which finds one digit or, for a few quotients, two decimals or more (`digit_steps`); nobody
learns anything.

If D = 0, every comparison holds: the result is the public constant `undefined`.

N may exceed D by as little as a declared error bound does: while 2·base·(N - D) < D the digits are
still those of the quotient. If D = 0, N·base^digits must stay below 2^62.

`whole_quotient` is the whole part floor(N/D), where that has a known number of digits: long
division from the highest digit down, each digit by parallel comparisons. With a remainder R the
digit at the place of unit base^i is the number of k in 1, 2, ... with k·base^i·D <= R. The
remainder is never scaled up, so N may be as large as the comparisons hold. A step is one digit or,
for a few quotients, two decimals (`digit_steps`); nobody learns anything. Where D = 0 the result is
`undefined`, as in `divide`.

Whoever deviates: comparisons and no other message, so that each receives uniformly random words.
The number of steps is public: wrong digits end nothing sooner or later. `whole_quotient` likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ppaurora.mpc.cost import Cost, CostFunction, costs
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.compare import is_negative, negative_times
from ppaurora.mpc.primitives.digit_steps import (
    USUAL_RADIX,
    Step,
    digit_steps,
    largest_denominator,
    largest_divisor,
    largest_factor,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words


def _holds(bound: int) -> Callable[[Sequence[Step]], bool]:
    """True for steps of which no difference reaches 2^63, for denominators of up to `bound`."""
    return lambda steps: bound * largest_factor(steps) < 1 << 63


def steps_cost(steps_for: Callable[[int], Sequence[Step]]) -> CostFunction:
    """The cost of the steps for each length, of which the last needs no product."""

    def cost(n: int) -> Cost:
        *before, last = steps_for(n)
        spent = is_negative.cost().of(n * last.count)
        return sum((negative_times.cost().of(n * step.count) for step in before), start=spent)

    return CostFunction(lambda n: cost(n).hops if n else 0, lambda n: cost(n).payload)


def division_cost(
    *, digits: int, base: int = 10, bound: int = 1, widest: int = USUAL_RADIX
) -> CostFunction:
    """The cost for denominators of up to `bound`, on which the width of the steps depends.

    Without one it is that of the widest steps.
    """
    return steps_cost(lambda n: digit_steps(digits, base, n, _holds(bound), widest=widest))


@costs(division_cost)
def divide(
    party: Party,
    numerator: Shared,
    denominator: Shared,
    *,
    digits: int,
    bound: int,
    base: int = 10,
    widest: int = USUAL_RADIX,
) -> Shared:
    """round_half_up(base^digits · N / D) for 0 <= N <= D <= bound; `undefined` if D = 0.

    `bound` is public; one that the arithmetic cannot hold is refused before anything is sent. No
    step is wider than `widest`, for which `radix_beside` is meant.
    """
    if digits < 1 or base < 2:
        raise ValueError(f"division to {digits} digits in base {base}")
    if bound > largest_denominator(base):
        raise BoundExceeded(
            f"a denominator of up to {bound} is more than {largest_denominator(base)}, the most "
            f"that division in base {base} holds"
        )
    length = len(numerator)
    quotient = Shared.zeros(party.role, length)
    remainder = numerator
    for step in digit_steps(digits, base, length, _holds(bound), widest=widest):
        unit = denominator * 2 if step.last else denominator
        top = remainder * (2 * step.radix) + denominator if step.last else remainder * step.radix
        digit, remainder = next_digit(party, top, unit, step)
        quotient = quotient * step.radix + digit
    return quotient


def next_digit(party: Party, top: Shared, unit: Shared, step: Step) -> tuple[Shared, Shared]:
    """The digit, which is the number of k with k·unit <= top, and top - digit·unit.

    After the last digit nothing is left over that anybody needs; it is then the top itself.
    """
    k, once = np.arange(1, step.count + 1, dtype=np.uint64), np.ones(step.count, np.uint64)
    below = multiplied(top, once) - multiplied(unit, k)
    all_of_them = np.full(len(top), step.count)
    if step.last:
        return all_of_them - folded(is_negative(party, below), step.count), top
    missing, missing_units = negative_times(party, below, multiplied(unit, once))
    # digit·unit = Σ_k (unit - [k·unit > top]·unit)
    rest = top - unit * step.count + folded(missing_units, step.count)
    return all_of_them - folded(missing, step.count), rest


def multiplied(vector: Shared, factors: Words) -> Shared:
    """The vector times each factor, one vector after the other."""
    if not vector.present:
        return Shared.absent(len(vector) * factors.size)
    return Shared.from_words(vector.role, np.outer(factors, vector.words).reshape(-1))


def folded(vector: Shared, count: int) -> Shared:
    """The sum of `count` consecutive vectors."""
    length = len(vector) // count
    if not vector.present:
        return Shared.absent(length)
    words = vector.words.reshape(count, length).sum(axis=0, dtype=np.uint64)
    return Shared.from_words(vector.role, words)


def _whole_fits(bound: int, digits: int, base: int) -> Callable[[Sequence[Step]], bool]:
    """True if neither N nor the largest multiple of the first step reaches 2^63."""
    scale = base**digits
    return lambda steps: (
        bound * max(scale + 1, steps[0].count * (scale // steps[0].radix)) < 1 << 63
    )


def whole_quotient_cost(*, digits: int, base: int = 10, bound: int = 1) -> CostFunction:
    """The cost for denominators of up to `bound`, on which the width of the steps depends."""
    return steps_cost(lambda n: digit_steps(digits, base, n, _whole_fits(bound, digits, base)))


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
    for step in digit_steps(digits, base, length, _whole_fits(bound, digits, base)):
        unit //= step.radix
        digit, remainder = next_digit(party, remainder, denominator * unit, step)
        quotient = quotient * step.radix + digit
    return quotient
