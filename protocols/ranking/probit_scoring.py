"""Fisher scoring of the ROC-GLM on shared rates, with an opened score at each step.

[ROC-GLM, "The ROC-GLM"]; the letters are those of `ppaurora.protocols.release.roc_glm`. At a public
γ everything but the rates c_j is public, and the score is linear in them:

    V = Σ_j a_j·h_j·c_j - Σ_j a_j·h_j·Φ_j.

So a step is a sum with public weights, which takes no message, and its opening: one hop. **P0 and
P1 learn V, two numbers a step**, and from them every γ on the way. As a rule so many numbers
determine the rates, which is why nothing is gained over releasing those but that the receivers do
not see them.

V is rounded to 2^-40 before it is opened, where the lowest bit may be either way, so that an
opening tells no more of it. Rates are right to 2^-41 and V to 2^-39: together they move γ by at
most 2^-40 times its sensitivity to the rates, for five points or more.

All 25 openings take place; after the last step zeros are opened. The servers do the same work in
each of them, at the last γ where the fit has ended: the functions of γ are read by `tabulated` in
words of 64 bits, and I⁻¹ is found in floating point by single operations that every machine rounds
alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import sqrt
from typing import TypeAlias

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.kernels.polynomials import UNIT_BITS, Whole, scaled_product
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import open_words
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import WIDE_BITS, times, to_integers, to_wide, total
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.arithmetic.tabulated import (
    COVARIATE_BITS,
    LARGEST_RATIO,
    LINE_BITS,
    ONE,
    PLACE_BITS,
    in_line,
    normal_functions,
    rounded_down,
    whole_covariates,
)
from ppaurora.protocols.release.roc_glm import FARTHEST, MOST_STEPS, SMALLEST_STEP

RATE_BITS, WEIGHT_BITS = 40, 48
INFORMATION_BITS = 50
RATIO_BITS = UNIT_BITS - LARGEST_RATIO.bit_length() + 1 - WEIGHT_BITS
HALF_RING = 1 << WIDE_BITS - 1
DIGITS = 40
LARGEST_GAMMA = 50
"""No γ for which Φ is computed at five points or more is beyond."""
LARGEST_MOVE = 2.0**60
LEAST_DETERMINANT = 1e-100
"""In place of 0, where there is nothing to divide by."""

Pair: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Fitted:
    """γ and the area, and by how much γ can change if every rate does by up to 1, a little.

    `gamma1` and `gamma2` are in units of 2^-40, `area` is in units of 2^-62; `found` is 1 where the
    scoring has converged, else 0.
    """

    gamma1: int
    gamma2: int
    area: int
    sensitivity: float
    found: int


@dataclass(frozen=True, slots=True)
class StepTerms:
    """The terms of a scoring step at a public γ: weights, what is subtracted, I, and Σ_j |a_j·h_j|.

    `inside` is 1 where no point is beyond what Φ is computed for, and I can be inverted.
    """

    weights: tuple[Whole, Whole]
    subtracted: tuple[int, int]
    information: tuple[float, float, float]
    spread: Pair
    inside: int

    def solved(self, V: Pair) -> Pair:
        """I⁻¹·V."""
        i11, i12, i22 = self.information
        D = self._determinant
        return (i22 * V[0] - i12 * V[1]) / D, (i11 * V[1] - i12 * V[0]) / D

    @property
    def sensitivity(self) -> float:
        i11, i12, i22 = self.information
        of_1, of_2 = self.spread
        size = abs(i12)
        return max(i22 * of_1 + size * of_2, size * of_1 + i11 * of_2) / self._determinant

    @property
    def _determinant(self) -> float:
        i11, i12, i22 = self.information
        return max(i11 * i22 - i12 * i12, LEAST_DETERMINANT)


def scored(party: Party, rates: WideShared) -> Fitted:
    """γ of the rates, multiples of 2^-40, at both proxies; `found` is 0 where there is none.

    The helper does not learn it, and `found` is 0 there.
    """
    gamma = np.array([0, 1 << LINE_BITS], np.int64)
    goes_on, found, sensitivity = 1, 0, 0.0
    for _ in range(MOST_STEPS):
        # the helper has nothing to do but to deal nothing
        terms = None if party.is_helper else terms_at(gamma, len(rates))
        score = Shared.absent(2) if terms is None else _score(rates, terms)
        goes_on &= 0 if terms is None else terms.inside
        opened = open_words(party, score * goes_on)
        if terms is None or opened is None:
            continue
        first, second = opened.view(np.int64).tolist()
        moves = terms.solved((first / (1 << RATE_BITS), second / (1 << RATE_BITS)))
        there = gamma + np.array([_whole(move) for move in moves], np.int64)
        gamma = np.clip(there, -LARGEST_GAMMA << LINE_BITS, LARGEST_GAMMA << LINE_BITS)
        near = int(max(map(abs, moves)) < SMALLEST_STEP)
        sensitivity = (sensitivity, terms.sensitivity)[goes_on]
        found |= goes_on & near
        goes_on &= 1 - near
    gamma1, gamma2 = gamma.tolist()
    return Fitted(gamma1, gamma2, _area(gamma1, gamma2), sensitivity, found)


def scored_cost() -> Cost:
    """The cost of `scored`."""
    one = open_words.cost().of(2)
    return Cost(MOST_STEPS * one.hops, MOST_STEPS * one.payload)


def _score(rates: WideShared, terms: StepTerms) -> Shared:
    """V in units of 2^-40."""
    parts = []
    for weights, subtracted in zip(terms.weights, terms.subtracted, strict=True):
        parts.append(rounded_down((rates * weights).sum() - subtracted, WEIGHT_BITS))
    return concatenate(parts)


def _whole(move: float) -> int:
    """In units of 2^-40, and no more than words hold."""
    return round(min(max(move * (1 << LINE_BITS), -LARGEST_MOVE), LARGEST_MOVE))


def _area(gamma1: int, gamma2: int) -> int:
    """Φ(γ1 / sqrt(1 + γ2²)) in units of 2^-62."""
    scale = 1 << LINE_BITS
    place = gamma1 / scale / sqrt(1 + (gamma2 / scale) * (gamma2 / scale))
    at = np.array([round(place * (1 << PLACE_BITS))], np.int64)
    return int(_below(at, normal_functions()[0](at))[0])


@cache
def covariates(points: int) -> Whole:
    """Φ⁻¹(t_j), in units of 2^-58."""
    found = []
    for place in range(1, points + 1):
        tail = Fraction(min(place, points + 1 - place), points + 1)
        size = Decimal(scaled_quantile(tail, DIGITS)).scaleb(-DIGITS)
        found.append(-size if 2 * place < points + 1 else size)
    return whole_covariates(found)


def terms_at(gamma: Whole, points: int) -> StepTerms:
    """The public part of a step at γ, in units of 2^-40."""
    h = covariates(points)
    place = in_line(h, int(gamma[0]), int(gamma[1]))
    of_tail, of_ratio, of_weight = normal_functions()
    below, a, w = _below(place, of_tail(place)), of_ratio(place), of_weight(place)
    # a is tabulated as a share of 16
    weights = a >> RATIO_BITS, scaled_product(h, a) >> RATIO_BITS - UNIT_BITS + COVARIATE_BITS
    along = scaled_product(h, w)
    columns = (
        w >> UNIT_BITS - INFORMATION_BITS,
        along >> COVARIATE_BITS - INFORMATION_BITS,
        scaled_product(h, along) >> 2 * COVARIATE_BITS - UNIT_BITS - INFORMATION_BITS,
    )
    i11, i12, i22 = (int(column.sum()) / (1 << INFORMATION_BITS) for column in columns)
    of_1, of_2 = (int(np.abs(column).sum()) / (1 << WEIGHT_BITS) for column in weights)
    inside = int(np.abs(place).max() <= FARTHEST << PLACE_BITS) & int(i11 * i22 - i12 * i12 > 0)
    return StepTerms(
        weights=weights,
        subtracted=(_inner(weights[0], below), _inner(weights[1], below)),
        information=(i11, i12, i22),
        spread=(of_1, of_2),
        inside=inside,
    )


def _below(place: Whole, tail: Whole) -> Whole:
    """Φ of places whose tails are known."""
    return np.where(place > 0, ONE - tail, tail)


def _inner(weights: Whole, below: Whole) -> int:
    """Σ_j a_j·h_j·Φ_j, in the units of the products."""
    [found] = to_integers(total(times(to_wide(weights), to_wide(below))))
    signed = (found + HALF_RING) % (2 * HALF_RING) - HALF_RING
    return signed >> UNIT_BITS - RATE_BITS
