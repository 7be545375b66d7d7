"""Logistic regression on shared counts, with opened iterates.

The letters are those of `ppaurora.protocols.release.recalibration`. At a public (a, b) the gradient
g and the information I are sums of the shared counts with public weights, which take no message.
M = I⁻¹ is found in shares,

    M = adj(I)/det I,

to 1/500 of 1/n, and M·g is opened: **P0 and P1 learn every iterate, two numbers a step**, to 12
decimals, and at each renewal of M whether the counts tell enough for one. How exact M is decides
how fast the steps become small, and not where they end: g is 0 there.

All steps take place whatever the data; after the last that is needed zeros are opened, so that
neither the helper nor an onlooker sees how many there were. Weights are computed in decimals, the
same on every machine. One hop, 29 for each of 8 renewals and 2 for each of 17 further steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    open_words,
    wide_divide_to_wide,
    wide_is_negative,
    wide_products,
    widen,
)
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.opened_score import rounded_down, signed
from ppaurora.protocols.release.recalibration import (
    FARTHEST,
    LARGEST_INVERSE,
    MOST_STEPS,
    RENEWED,
    SMALLEST_STEP,
)

STEP_BITS, INFORMATION_BITS, GRADIENT_BITS = 40, 30, 100
INVERSE_DIGITS = 8
PARTS = 10**INVERSE_DIGITS // (2 * LARGEST_INVERSE)
"""n·M is found in multiples of 1/500, from -10^5 to 10^5."""
DIGITS = 50

Pair = tuple[Decimal, Decimal]
Columns = tuple[list[int], ...]


@dataclass(frozen=True, slots=True)
class ScoreGroups:
    """The logits of groups, and what is shared of them: how many positives and samples of n."""

    x: Sequence[Decimal]
    positives: WideShared
    samples: WideShared
    n: int

    def gradient(self, weights: Columns) -> list[WideShared]:
        """g times 2^100/(500·n)."""
        h0, h1, at0, at1 = weights[:4]
        pairs = ((h0, at0), (h1, at1))
        return [((self.positives * h) - self.samples * at).sum() for h, at in pairs]

    def information(self, weights: Columns) -> list[WideShared]:
        """I times 2^30: its upper left, its other two equal ones and its lower right."""
        return [(self.samples * column).sum() for column in weights[4:]]

    @property
    def largest(self) -> int:
        """The determinant of I times 2^60 is at most this."""
        farthest = max(1, int(max(abs(one) for one in self.x)) + 1)
        most: int = self.n**2 * (((1 << INFORMATION_BITS) // 4 + 1) * farthest) ** 2
        return max(1, most)


def grouped(
    party: Party, x: Sequence[Decimal], positives: Shared, samples: Shared, n: int
) -> ScoreGroups:
    """The groups with their counts in Z_2^256. One hop."""
    wide = widen(party, concatenate([positives, samples]))
    return ScoreGroups(x, wide[: len(positives)], wide[len(positives) :], n)


def scored(party: Party, groups: ScoreGroups) -> Pair | None:
    """Intercept and slope at both proxies; None where none are found.

    The helper does not learn them and gets None.
    """
    iterate: Pair = (Decimal(0), Decimal(0))
    weights, found, goes_on = _weights(iterate, groups), None, not party.is_helper
    M: list[WideShared] = []
    for step in range(MOST_STEPS):
        if step < RENEWED:
            M, enough = _renewed(party, groups, weights)
            too_little = open_words(party, enough if goes_on else Shared.zeros(party.role, 1))
            goes_on = goes_on and too_little is not None and not too_little.any()
        moved = _step(party, M, groups.gradient(weights))
        opened = open_words(party, moved if goes_on else Shared.zeros(party.role, 2))
        if not goes_on or opened is None:
            continue
        with localcontext() as context:
            context.prec = DIGITS
            first, second = (Decimal(signed(word)) / (1 << STEP_BITS) for word in opened.tolist())
            iterate = iterate[0] + first, iterate[1] + second
            if max(map(abs, iterate)) > FARTHEST:
                goes_on = False
            elif max(abs(first), abs(second)) < Decimal(SMALLEST_STEP):
                found, goes_on = iterate, False
            else:
                weights = _weights(iterate, groups)
    return found


def scored_cost(groups: int) -> Spent:
    """The cost of `grouped` and `scored` for so many groups."""
    renewal = (
        wide_products.cost(factors=3, pairs=2).of(1)
        + wide_is_negative.cost().of(2)
        + open_words.cost().of(1)
        + wide_divide_to_wide.cost(digits=INVERSE_DIGITS).of(3)
    )
    step = wide_products.cost(factors=5, pairs=4).of(1) + open_words.cost().of(2)
    return Spent(
        RENEWED * renewal.hops + MOST_STEPS * step.hops,
        RENEWED * renewal.payload + MOST_STEPS * step.payload,
    ) + widen.cost().of(2 * groups)


def _renewed(
    party: Party, groups: ScoreGroups, weights: Columns
) -> tuple[list[WideShared], Shared]:
    """500·n·M as whole numbers, and 0 if they are below 500·10^5 on the diagonal."""
    i00, i01, i11 = groups.information(weights)
    product, square = wide_products(party, [i00, i01, i11], [(0, 2), (1, 1)])
    determinant = product - square
    most = determinant * LARGEST_INVERSE
    adjoint = [one * (groups.n << INFORMATION_BITS) for one in (i11, -i01, i00)]
    room = concatenate_wide([most - adjoint[0] - 1, most - adjoint[2] - 1])
    too_little = wide_is_negative(party, room).low().sum()
    quotient = wide_divide_to_wide(
        party,
        concatenate_wide([one + most for one in adjoint]),
        concatenate_wide([most * 2] * 3),
        digits=INVERSE_DIGITS,
        bound=2 * LARGEST_INVERSE * groups.largest,
    )
    M = quotient - 10**INVERSE_DIGITS // 2
    return [M[place : place + 1] for place in range(3)], too_little


def _step(party: Party, M: Sequence[WideShared], g: Sequence[WideShared]) -> Shared:
    """M·g in units of 2^-40."""
    products = wide_products(party, [*M, *g], [(0, 3), (1, 4), (1, 3), (2, 4)])
    moved = products[0] + products[1], products[2] + products[3]
    return concatenate(rounded_down(one, GRADIENT_BITS - STEP_BITS) for one in moved)


def _weights(iterate: Pair, groups: ScoreGroups) -> Columns:
    """Those of the positives and of the samples in g, and of the samples in I."""
    if not groups.positives.present:
        return ([0] * len(groups.x),) * 7
    columns: Columns = tuple([] for _ in range(7))
    with localcontext() as context:
        context.prec = DIGITS
        unit = Decimal(1 << GRADIENT_BITS) / (PARTS * groups.n)
        information = Decimal(1 << INFORMATION_BITS)
        for x in groups.x:
            share = 1 / (1 + (-(iterate[0] + iterate[1] * x)).exp())
            h1, at0, weight = unit * x, unit * share, information * share * (1 - share)
            numbers = unit, h1, at0, at0 * x, weight, weight * x, weight * x * x
            for column, number in zip(columns, numbers, strict=True):
                column.append(round(number))
    return columns
