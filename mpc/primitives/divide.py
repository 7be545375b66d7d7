"""Division that releases exact digits: long division, each digit by parallel comparisons.

ppAURORA (Ünal, Pfeifer, Akgün), section 4, DIV, after SecureNN; here in any base, and rounded. With
a remainder R < D the next digit is the number of k in 1, 2, ... with k·D <= base·R; all k are
compared at once, and the comparison also gives [..]·D, so that the next remainder follows without
another hop. The last digit counts the k with 2k·D <= 2·base·R + D, which rounds half up. Four hops
a digit; nobody learns anything.

Where D = 0 every comparison holds: the result is the public constant `undefined`, larger than any
quotient, so that one released word tells a quotient or that there is none.

N may exceed D by as little as a declared error bound does: while 2·base·(N - D) < D the digits are
still those of the quotient. Where D = 0, N·base^digits must stay below 2^62.
"""

from __future__ import annotations

import numpy as np

from ppaurora.mpc.cost import Cost, costs
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.compare import is_negative, negative_times
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import Words


def multiples(place: int, digits: int, base: int) -> int:
    """How many multiples of D the digit at `place` is compared with.

    A quotient of one makes the first digit `base`, and rounding up the last one; where one digit
    is both, `base` still has to differ from undefined.
    """
    first, last = place == 0, place == digits - 1
    return base - 1 + max(first, last) + (first and last)


def undefined(digits: int, base: int = 10) -> int:
    """The result where numerator and denominator are 0: every digit at its highest count."""
    value = 0
    for place in range(digits):
        value = base * value + multiples(place, digits, base)
    return value


def largest_denominator(base: int = 10) -> int:
    """The largest D for which no difference of the long division reaches 2^63."""
    return (2**63 - 1) // (2 * base + 1)


def division_cost(*, digits: int, base: int = 10) -> Cost:
    def payload(n: int) -> int:
        counts = [multiples(place, digits, base) for place in range(digits)]
        return sum(negative_times.cost().payload(n * count) for count in counts[:-1]) + (
            is_negative.cost().payload(n * counts[-1])
        )

    return Cost.fixed(4 * digits, payload)


@costs(division_cost)
def divide(
    party: Party,
    numerator: Shared,
    denominator: Shared,
    *,
    digits: int,
    bound: int,
    base: int = 10,
) -> Shared:
    """round_half_up(base^digits · N / D) for 0 <= N <= D <= bound, `undefined` where D = 0.

    `bound` is public; one that the arithmetic cannot hold is refused before anything is sent.
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
    for place in range(digits):
        count = multiples(place, digits, base)
        last = place == digits - 1
        unit = denominator * 2 if last else denominator
        scaled = remainder * (2 * base) + denominator if last else remainder * base
        once, k = np.ones(count, np.uint64), np.arange(1, count + 1, dtype=np.uint64)
        below = multiplied(scaled, once) - multiplied(unit, k)
        if last:
            missing = is_negative(party, below)
        else:
            missing, missing_units = negative_times(party, below, multiplied(unit, once))
            # R' = base·R - digit·D, and digit·D = Σ_k (D - [k·D > base·R]·D)
            remainder = scaled - unit * count + folded(missing_units, count)
        quotient = quotient * base + np.full(length, count) - folded(missing, count)
    return quotient


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
