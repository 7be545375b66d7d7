"""Logistic regression on shared counts, with opened iterates and the same work for all data.

The letters are those of `ppaurora.protocols.release.recalibration`. At a public (a, b) the gradient
g and the information I are sums of the shared counts with public weights, which take no message.
M, which comes to I⁻¹, stays shared:

    M := M·(2 - I·M),    (a, b) := (a, b) + M·g,

both from the same M and I, in the same two hops. **P0 and P1 learn every iterate, two numbers a
step**, to 12 decimals, and at the end whether M is as good as it has to be. How exact M is decides
how fast the steps become small, and not where they end: g is 0 there.

Eight steps of M alone come first, then 32 of both, whatever the data; after the last that is needed
zeros are opened. The servers do the same work in each of them: weights are found for every group
and in every step, at the last iterate where the regression has ended, by `tabulated` in words of
64 bits, and no number is as long as the data make it. 87 hops.

Four steps of M alone follow, at the last iterate: an M that is as good as it has to be, I·M being
within 1/4 of 1, is I⁻¹ to 2^-64 of it then, and its diagonal the squares of the standard errors.
They run beside the question whether M is so good, in 8 hops, two more than that takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.kernels.polynomials import UNIT_BITS, Whole, scaled_product
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import open_words, wide_is_negative, wide_products, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.mpc.words import Words
from ppaurora.protocols.arithmetic.tabulated import (
    COVARIATE_BITS,
    LINE_BITS,
    ONE,
    falling_sigmoid,
    in_line,
    rounded_down,
    scaled,
    whole_covariates,
)
from ppaurora.protocols.release.recalibration import (
    FARTHEST,
    LARGEST_INVERSE,
    MOST_STEPS,
    SMALLEST_STEP,
    WARMING,
    WORST_PRODUCT,
    first_inverse,
)

BITS = 40
"""Behind the point of a step, of M, of I, and of I·M."""
LARGEST_MOVE = 1 << UNIT_BITS - 1
COMPARED = 10
CLOSING = 4
"""Steps of M alone at the end: the distance of I·M from 1 is squared in each."""
FINE_BITS = 2 * COVARIATE_BITS - UNIT_BITS
"""Behind the point of I in these, where small weights of many samples count."""
NEAR = int(SMALLEST_STEP * (1 << BITS))
Matrix: TypeAlias = tuple[WideShared, WideShared, WideShared]
"""Upper left, the two equal ones, lower right."""
Product: TypeAlias = tuple[WideShared, WideShared, WideShared, WideShared]
"""Row by row."""


def bits_of(n: int) -> int:
    """The least number of bits of which 2 to the power is n or more."""
    return (n - 1).bit_length()


@dataclass(frozen=True, slots=True)
class ScoreGroups:
    """The logits of groups in units of 2^-58, and the shared positives and samples of n."""

    x: Whole
    positives: WideShared
    samples: WideShared
    n: int

    @property
    def n_bits(self) -> int:
        """M is found in multiples of 1/2^(40 + n_bits), n being at most 2^n_bits."""
        return bits_of(self.n)

    def first(self) -> Matrix:
        """The public M from which all begins, below I⁻¹ for any counts."""
        role = self.samples.role
        largest = int(np.abs(self.x).max()) / (1 << COVARIATE_BITS)
        own = round(first_inverse(self.n, largest) * (1 << BITS + self.n_bits))
        upper, beside, lower = (WideShared.public(role, [one]) for one in (own, 0, own))
        return upper, beside, lower


@dataclass(frozen=True, slots=True)
class Regression:
    """Intercept and slope in units of 2^-40, and 1 where they were found, else 0; with M."""

    intercept: int
    slope: int
    found: int
    inverse: Matrix


def grouped(
    party: Party, x: Sequence[Decimal], positives: Shared, samples: Shared, n: int
) -> ScoreGroups:
    """The groups with their counts in Z_2^256. One hop."""
    wide = widen(party, concatenate([positives, samples]))
    count = len(positives)
    return ScoreGroups(whole_covariates(x), wide[:count], wide[count:], n)


def scored(party: Party, groups: ScoreGroups) -> Regression:
    """The line at both proxies; `found` is 0 where there is none, and at the helper."""
    iterate, goes_on, found = np.zeros(2, np.int64), 1, 0
    M = groups.first()
    for step in range(-WARMING, MOST_STEPS):
        g, I = _sums(groups, iterate)  # noqa: E741
        used, T, moved = M, *_multiplied(party, groups, M, g, I)
        if step < 0:
            M = _renewed(party, M, T)
            continue
        M, opened = _renewed_and_opened(party, M, T, moved * goes_on)
        if opened is None:
            continue
        move = np.clip(opened.view(np.int64), -LARGEST_MOVE, LARGEST_MOVE)
        there = iterate + move
        iterate = np.clip(there, -FARTHEST << LINE_BITS, FARTHEST << LINE_BITS)
        inside, near = int((there == iterate).all()), int((np.abs(move) <= NEAR).all())
        found |= goes_on & inside & near
        goes_on &= inside & (1 - near)
    unfit: list[Words | None] = []
    inverse: list[Matrix] = []
    side_by_side(
        party,
        [
            lambda own: unfit.append(open_words(own, _unfit(own, groups, used, T) * found)),
            lambda own: inverse.append(_exact(own, groups, M, iterate)),
        ],
    )
    fits = 0 if unfit[0] is None else int((unfit[0] == 0).all())
    return Regression(int(iterate[0]), int(iterate[1]), found & fits, inverse[0])


def scored_cost(groups: int) -> Cost:
    """The cost of `grouped` and `scored` for so many groups."""
    warming = _multiplied_cost() + _renewed_cost()
    step = _multiplied_cost() + (_renewed_cost() | open_words.cost().of(2))
    return (
        widen.cost().of(2 * groups)
        + Cost(
            WARMING * warming.hops + MOST_STEPS * step.hops,
            WARMING * warming.payload + MOST_STEPS * step.payload,
        )
        + (
            wide_is_negative.cost().of(COMPARED) + open_words.cost().of(1)
            | Cost(CLOSING * warming.hops, CLOSING * warming.payload)
        )
    )


def _exact(party: Party, groups: ScoreGroups, M: Matrix, iterate: Whole) -> Matrix:
    """I⁻¹ at the iterate, from an M near it."""
    g, I = _sums(groups, iterate, FINE_BITS)  # noqa: E741
    for _ in range(CLOSING):
        T, _moved = _multiplied(party, groups, M, g, I, FINE_BITS)
        M = _renewed(party, M, T)
    return M


def _multiplied(
    party: Party,
    groups: ScoreGroups,
    M: Matrix,
    g: Sequence[WideShared],
    I: Matrix,  # noqa: E741
    bits: int = BITS,
) -> tuple[Product, Shared]:
    """I·M and M·g, in units of 2^-40, of an I in units of 2^-bits. One hop."""
    (m00, m01, m11), (i00, i01, i11) = range(3), range(3, 6)
    g0, g1 = 6, 7
    pairs = [
        (i00, m00), (i01, m01), (i00, m01), (i01, m11), (i11, m01), (i01, m00), (i11, m11),
        (m00, g0), (m01, g1), (m01, g0), (m11, g1),
    ]  # fmt: skip
    found = wide_products(party, [*M, *I, *g], pairs)
    upper, beside, other, right, under, left, lower = found[:7]
    products = upper + beside, other + right, left + under, beside + lower
    t00, t01, t10, t11 = (scaled(one, bits + groups.n_bits) for one in products)
    steps = found[7] + found[8], found[9] + found[10]
    moved = concatenate(rounded_down(step, COVARIATE_BITS + groups.n_bits) for step in steps)
    return (t00, t01, t10, t11), moved


def _multiplied_cost() -> Cost:
    return wide_products.cost(factors=8, pairs=11).of(1)


def _renewed(party: Party, M: Matrix, T: Product) -> Matrix:
    """M·(2 - T). One hop."""
    pairs = [(0, 3), (1, 5), (0, 4), (1, 6), (1, 4), (2, 6)]
    found = wide_products(party, [*M, *T], pairs)
    sums = found[0] + found[1], found[2] + found[3], found[4] + found[5]
    upper, beside, lower = (own * 2 - scaled(one, BITS) for own, one in zip(M, sums, strict=True))
    return upper, beside, lower


def _renewed_cost() -> Cost:
    return wide_products.cost(factors=7, pairs=6).of(1)


def _renewed_and_opened(
    party: Party, M: Matrix, T: Product, moved: Shared
) -> tuple[Matrix, Words | None]:
    """The next M, and the step. One hop."""
    renewed: list[Matrix] = []
    opened: list[Words | None] = []
    side_by_side(
        party,
        [
            lambda own: renewed.append(_renewed(own, M, T)),
            lambda own: opened.append(open_words(own, moved)),
        ],
    )
    return renewed[0], opened[0]


def _unfit(party: Party, groups: ScoreGroups, M: Matrix, T: Product) -> Shared:
    """0 if I·M is no farther than 1/4 from 1, entry by entry, and n·M below 10^5 on its diagonal.

    Then the line is within a third of the last step, that is of 10^-10, of the exact one.
    """
    most = int(WORST_PRODUCT * (1 << BITS))
    off = [one - (1 << BITS) * place for one, place in zip(T, (1, 0, 0, 1), strict=True)]
    largest = LARGEST_INVERSE << BITS + groups.n_bits
    room = [
        *(sign * one + most for one in off for sign in (1, -1)),
        *(largest - 1 - one * groups.n for one in (M[0], M[2])),
    ]
    return wide_is_negative(party, concatenate_wide(room)).low().sum()


def _sums(groups: ScoreGroups, iterate: Whole, bits: int = BITS) -> tuple[list[WideShared], Matrix]:
    """g in units of 2^-58, and I in units of 2^-bits."""
    x, positives, samples = groups.x, groups.positives, groups.samples
    h0 = np.full_like(x, 1 << COVARIATE_BITS)
    at = _weights(x, iterate, bits) if samples.present else (x,) * 5
    of_positives, of_samples = positives.weighted(np.stack([h0, x])), samples.weighted(np.stack(at))
    g = of_positives - of_samples[:2]
    i00, i01, i11 = (of_samples[place : place + 1] for place in range(2, 5))
    return [g[:1], g[1:]], (i00, i01, i11)


def _weights(x: Whole, iterate: Whole, bits: int) -> tuple[Whole, Whole, Whole, Whole, Whole]:
    """σ and σ·x in units of 2^-58; σ·(1 - σ) times 1, x and x² in units of 2^-bits."""
    place = in_line(x, int(iterate[0]), int(iterate[1]))
    rest = falling_sigmoid()(place)
    σ = np.where(place > 0, ONE - rest, rest)
    w = scaled_product(rest, ONE - rest)
    along = scaled_product(x, w)
    square = scaled_product(x, along)
    return (
        σ >> UNIT_BITS - COVARIATE_BITS,
        scaled_product(x, σ),
        w >> UNIT_BITS - bits,
        along >> COVARIATE_BITS - bits,
        square >> FINE_BITS - bits,
    )
