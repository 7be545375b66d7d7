"""Fisher scoring of the ROC-GLM on shared rates, with an opened score at each step.

[ROC-GLM, "The ROC-GLM"]; the letters are those of `ppaurora.protocols.release.roc_glm`. At a public
γ everything but the rates c_j is public, and the score is linear in them:

    V = Σ_j a_j·h_j·c_j - Σ_j a_j·h_j·Φ_j.

So a step is a sum with public weights, which takes no message, and its opening: one hop. **P0 and
P1 learn V, two numbers a step**, and from them every γ on the way. As a rule so many numbers
determine the rates, which is why nothing is gained over releasing those but that the receivers do
not see them.

The weights have 48 bits behind the point and are computed in decimals, the same on every machine.
V is rounded to 2^-40 before it is opened, where the lowest bit may be either way, so that an
opening tells no more of it. Rates are right to 2^-41 and V to 2^-39: together they move γ by at
most 2^-40 times its sensitivity to the rates, for five points or more.

All 25 openings take place; after the last step zeros are opened, so that neither the helper nor an
onlooker sees how many steps there were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import open_words
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.normal import density_and_tails, scaled_quantile
from ppaurora.protocols.arithmetic.opened_score import rounded_down, signed
from ppaurora.protocols.release.roc_glm import FARTHEST, MOST_STEPS, SMALLEST_STEP

RATE_BITS, WEIGHT_BITS = 40, 48
DIGITS, TAIL_DIGITS = 40, 20

Pair = tuple[Decimal, Decimal]


@dataclass(frozen=True, slots=True)
class Fitted:
    """γ, and by how much it can change if every rate does by up to 1, for small changes."""

    gamma: Pair
    sensitivity: Decimal


@dataclass(frozen=True, slots=True)
class StepTerms:
    """What a step takes at a public γ: weights, what is subtracted, I⁻¹, and Σ_j |a_j·h_j|."""

    weights: tuple[list[int], list[int]]
    subtracted: tuple[int, int]
    inverse: tuple[Decimal, Decimal, Decimal]
    spread: Pair

    def solved(self, V: Pair) -> Pair:
        """I⁻¹·V."""
        i11, i12, i22 = self.inverse
        return i11 * V[0] + i12 * V[1], i12 * V[0] + i22 * V[1]

    @property
    def sensitivity(self) -> Decimal:
        i11, i12, i22 = map(abs, self.inverse)
        of_1, of_2 = self.spread
        return max(i11 * of_1 + i12 * of_2, i12 * of_1 + i22 * of_2)


def scored(party: Party, rates: WideShared) -> Fitted | None:
    """γ of the rates, multiples of 2^-40, at both proxies; None where scoring does not converge.

    The helper does not learn it and gets None.
    """
    gamma: Pair = (Decimal(0), Decimal(1))
    terms, found = (None if party.is_helper else terms_at(gamma, len(rates))), None
    for _ in range(MOST_STEPS):
        score = Shared.zeros(party.role, 2) if terms is None else _score(rates, terms)
        opened = open_words(party, score)
        if terms is None or opened is None:
            continue
        with localcontext() as context:
            context.prec = DIGITS
            first, second = (Decimal(signed(word)) / (1 << RATE_BITS) for word in opened.tolist())
            step = terms.solved((first, second))
            gamma = gamma[0] + step[0], gamma[1] + step[1]
            if max(map(abs, step)) < Decimal(SMALLEST_STEP):
                found, terms = Fitted(gamma, terms.sensitivity), None
            else:
                terms = terms_at(gamma, len(rates))
    return found


def scored_cost() -> Spent:
    """The cost of `scored`."""
    one = open_words.cost().of(2)
    return Spent(MOST_STEPS * one.hops, MOST_STEPS * one.payload)


def _score(rates: WideShared, terms: StepTerms) -> Shared:
    """V in units of 2^-40."""
    parts = []
    for weights, subtracted in zip(terms.weights, terms.subtracted, strict=True):
        parts.append(rounded_down((rates * weights).sum() - subtracted, WEIGHT_BITS))
    return concatenate(parts)


@cache
def covariates(points: int) -> tuple[Decimal, ...]:
    """Φ⁻¹(t_j)."""
    found = []
    for place in range(1, points + 1):
        tail = Fraction(min(place, points + 1 - place), points + 1)
        size = Decimal(scaled_quantile(tail, DIGITS)).scaleb(-DIGITS)
        found.append(-size if 2 * place < points + 1 else size)
    return tuple(found)


def terms_at(gamma: Pair, points: int) -> StepTerms | None:
    """The public part of a step; None where γ has left the data."""
    with localcontext() as context:
        context.prec = DIGITS
        h, weights, below, i11, i12, i22 = covariates(points), [], [], *[Decimal(0)] * 3
        for x in h:
            eta = gamma[0] + gamma[1] * x
            if abs(eta) > FARTHEST:
                return None
            density, of_below, of_above = density_and_tails(eta, TAIL_DIGITS)
            a = density / (of_below * of_above)
            weights.append(a)
            below.append(of_below)
            i11 += a * density
            i12 += a * density * x
            i22 += a * density * x * x
        determinant = i11 * i22 - i12 * i12
        if determinant <= 0:
            return None
        columns = (weights, [a * x for a, x in zip(weights, h, strict=True)])
        whole = [_whole(column) for column in columns]
        return StepTerms(
            weights=(whole[0], whole[1]),
            subtracted=(_inner(whole[0], below), _inner(whole[1], below)),
            inverse=(i22 / determinant, -i12 / determinant, i11 / determinant),
            spread=(sum(map(abs, columns[0]), Decimal(0)), sum(map(abs, columns[1]), Decimal(0))),
        )


def _whole(weights: Sequence[Decimal]) -> list[int]:
    return [round(one * (1 << WEIGHT_BITS)) for one in weights]


def _inner(weights: Sequence[int], below: Sequence[Decimal]) -> int:
    """Σ_j a_j·h_j·Φ_j, in the units of the products."""
    total = sum((one * value for one, value in zip(weights, below, strict=True)), Decimal(0))
    return round(total * (1 << RATE_BITS))
