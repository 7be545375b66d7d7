"""The intercept of a logistic regression whose slope is 1, found digit by digit.

P(y = 1) = σ(a + x) with x the logit of each group of samples. The score

    g(a) = P - Σ_k n_k·σ(a + x_k)

falls as a rises, and is at a public a a sum of the shared counts with public weights, which takes
no message. A digit of a in base 64 is found by 63 comparisons of g with 0, of which it is opened
how many are negative: five hops and one. **P0 and P1 learn these digits, that is the intercept, to
12 decimals**, and nothing besides. The steps of `ppaurora.protocols.ranking.logit_scoring` would
not do: they begin where the information is largest, which with the slope held at 1 is nowhere known
beforehand, and go too far from elsewhere if the scores are far from right.

With logits no farther than 10.4 from 0 and both classes among at most 2^31 samples, |a| < 32. If
there are no positives g is below 0 everywhere, and if there are no negatives above it: all digits
are then the least or the largest ones, which no other data have.

The digits are right to 2^-42. A weight is right to 2^-57, which moves a by at most 2^-57·n/I with
the information I = Σ_k n_k·σ_k·(1 - σ_k), and so by less than 10^-10 where n/I is below 10^7.

The work is the same for all data: eight digits, weights by `tabulated` in words of 64 bits.
49 hops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.kernels.polynomials import Whole, scaled_product
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import open_words, wide_is_negative, widen
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.tabulated import (
    COVARIATE_BITS,
    ONE,
    PLACE_BITS,
    falling_sigmoid,
    whole_covariates,
)

DIGIT_BITS, DIGITS = 6, 8
OTHERS = (1 << DIGIT_BITS) - 1
"""Digits beside 0."""
OFFSET_BITS = 42
"""Behind the point of the intercept, from -32 to below 32."""
LEAST = -(1 << DIGIT_BITS * DIGITS - 1)
MOST = -LEAST - 1


@dataclass(frozen=True, slots=True)
class Intercept:
    """Its value in units of 2^-42, and 1 where there is one, else 0; I in units of 2^-62."""

    value: int
    found: int
    information: WideShared


def offset(party: Party, x: Sequence[Decimal], positives: Shared, samples: Shared) -> Intercept:
    """The intercept at both proxies, for groups with these logits; `found` is 0 at the helper."""
    wide, logits = widen(party, concatenate([positives.sum(), samples])), whole_covariates(x)
    P, counts = wide[:1] * ONE, wide[1:]
    a = LEAST
    for place in reversed(range(DIGITS)):
        unit = 1 << place * DIGIT_BITS
        at = a + unit * np.arange(1, OTHERS + 1)
        g = P.repeat(OTHERS) - counts.weighted(_σ(counts, logits, at))
        opened = open_words(party, wide_is_negative(party, g).low().sum())
        if opened is not None:
            a += unit * max(0, OTHERS - int(opened[0]))
    [σ] = _σ(counts, logits, np.array([a]))
    found = int(a > LEAST) & int(a < MOST)
    return Intercept(a, found, counts.weighted(scaled_product(σ, ONE - σ)[None]))


def offset_cost(groups: int) -> Cost:
    """The cost of `offset` for so many groups."""
    digit = wide_is_negative.cost().of(OTHERS) + open_words.cost().of(1)
    return widen.cost().of(1 + groups) + Cost(DIGITS * digit.hops, DIGITS * digit.payload)


def _σ(counts: WideShared, x: Whole, at: Whole) -> Whole:
    """σ(a + x) in units of 2^-62 at the proxies, a row for each a."""
    if not counts.present:
        return np.zeros((len(at), len(x)), np.int64)
    place = (x >> COVARIATE_BITS - PLACE_BITS) + (at[:, None] << PLACE_BITS - OFFSET_BITS)
    rest = falling_sigmoid()(place)
    return np.where(place > 0, ONE - rest, rest)
