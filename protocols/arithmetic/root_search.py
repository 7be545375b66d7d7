"""Roots of secret polynomials between 0 and 1, rounded to decimals, found digit by digit.

For each of several secret numbers A between 0 and 1 there is a line, gap(θ), that falls and is 0 at
A, and a polynomial G(θ) that is positive at 0 and changes its sign once below A. Wanted is where it
does. A digit is found by comparing all its values at once: of each a sign of the line, a sign of
the polynomial, and their product. In between the coefficients are moved to the digits found,

    c_i = Σ_j binomial(j, i)·D^(j - i)·c_j,

where the digit D is a sum of bits that fall, and D^e = Σ_k b_k·(k^e - (k - 1)^e). The last digit is
found at the halves, so that the root is rounded. Nothing else is rounded. The line is compared as
gap - 1: where it is 0 for all θ, 0 is found.

Two decimals a step for few numbers, one for many; nobody learns anything. Eight hops a step, and
six of the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, wide_is_negative, wide_products, widen
from ppaurora.mpc.primitives.digit_steps import Step, digit_steps
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.mpc.wide_words import WIDE_BITS

COMPARED = 8
"""A number counts as so many ratios of a division, of which few take wide steps."""


@dataclass(frozen=True, slots=True)
class Search:
    """G and the line of each number, lowest coefficient first, from the digits found so far."""

    G: Sequence[WideShared]
    gap: Sequence[WideShared]

    @property
    def degree(self) -> int:
        """The degree of G."""
        return len(self.G) - 1

    def finer(self, radix: int) -> Search:
        """With steps of 1/radix."""
        return Search(_finer(self.G, radix), _finer(self.gap, radix))

    def at(self, places: Sequence[int]) -> WideShared:
        """Negative where one has gone too far: gap - 1 of all numbers at all places, then G."""
        return concatenate_wide(
            [_values([self.gap[0] - 1, self.gap[1]], places), _values(self.G, places)]
        )


def _finer(coefficients: Sequence[WideShared], radix: int) -> list[WideShared]:
    degree = len(coefficients) - 1
    return [one * radix ** (degree - place) for place, one in enumerate(coefficients)]


def _values(coefficients: Sequence[WideShared], places: Sequence[int]) -> WideShared:
    """The polynomial of each number at all places, one number after the other."""
    numbers = len(coefficients[0])
    each = np.repeat(np.arange(numbers), len(places))
    total = coefficients[0][each]
    for power, one in enumerate(coefficients[1:], start=1):
        total = total + one[each] * ([place**power for place in places] * numbers)
    return total


def lowest_roots(party: Party, search: Search, *, decimals: int) -> Shared:
    """round_half_up(10^decimals · root) for each number, 0 where the line is 0 for all θ."""
    numbers = len(search.gap[0])
    found = Shared.zeros(party.role, numbers)
    for step in search_steps(decimals, numbers):
        search = search.finer(2 * step.radix if step.last else step.radix)
        powers = _digits(party, search, step)
        found = found * step.radix + powers[0]
        if not step.last:
            search = _moved(party, search, powers)
    return found


def lowest_roots_cost(numbers: int, *, degree: int, decimals: int) -> Cost:
    """The cost of `lowest_roots` for so many polynomials of this degree."""
    found = Cost()
    for step in search_steps(decimals, numbers):
        found += wide_is_negative.cost().of(2 * numbers * step.count)
        found += multiply.cost().of(numbers * step.count)
        if not step.last:
            pairs = len([*_shifts(degree)]) + 1
            found += widen.cost().of(degree * numbers)
            found += wide_products.cost(factors=2 * degree + 1, pairs=pairs).of(numbers)
    return found


def search_fits(steepest: int, *, degree: int, decimals: int, numbers: int) -> bool:
    """True if every value stays below 2^255, where |G'| is at most `steepest` from 0 to 1.1.

    G is 0 at the root, which is no more than the values of a step away from all of them.
    """
    unit, largest = 1, 0
    for step in search_steps(decimals, numbers):
        unit *= 2 * step.radix if step.last else step.radix
        largest = max(largest, steepest * unit ** (degree - 1) * 2 * (step.count + 1))
    return largest < 1 << WIDE_BITS - 1


def search_steps(decimals: int, numbers: int) -> tuple[Step, ...]:
    """The steps for so many numbers."""
    return digit_steps(decimals, 10, COMPARED * numbers, lambda _: True)


def _digits(party: Party, search: Search, step: Step) -> list[Shared]:
    """The next digits D of all numbers and D², D³, ..., in this order."""
    count, numbers = step.count, len(search.gap[0])
    places = range(1, 2 * count, 2) if step.last else range(1, count + 1)
    beyond = wide_is_negative(party, search.at(places)).low()
    # [θ < A] and [G(θ) >= 0]
    inside = multiply(party, 1 - beyond[: numbers * count], 1 - beyond[numbers * count :])
    own = [inside[start : start + count] for start in range(0, numbers * count, count)]
    return [
        concatenate(
            (one * [k**power - (k - 1) ** power for k in range(1, count + 1)]).sum() for one in own
        )
        for power in range(1, search.degree + 1)
    ]


def _moved(party: Party, search: Search, powers: Sequence[Shared]) -> Search:
    """The polynomials from D on."""
    degree, numbers = search.degree, len(search.gap[0])
    wide = widen(party, concatenate(powers))
    moves = [wide[numbers * place : numbers * (place + 1)] for place in range(degree)]
    factors = [*search.G[1:], search.gap[1], *moves]
    pairs = [(j - 1, degree + power) for j, power in _shifts(degree)]
    *of_G, of_gap = wide_products(party, factors, [*pairs, (degree, degree + 1)])
    G = [*search.G]
    for (j, power), product in zip(_shifts(degree), of_G, strict=True):
        G[j - power] = G[j - power] + product * comb(j, power)
    return Search(G, [search.gap[0] + of_gap, search.gap[1]])


def _shifts(degree: int) -> Iterator[tuple[int, int]]:
    """The degree of a coefficient, and the power of D that it is multiplied by."""
    return ((j, power) for j in range(1, degree + 1) for power in range(1, j + 1))
