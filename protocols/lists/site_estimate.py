"""An owner's estimate θ with its variance v, as five words: what a summary over sites is made of.

    counted    1 if the owner has an estimate, else 0
    θ          (θ + 64)·2^40, θ between -64 and 64
    v          (v - 2^-24)·2^58, v between 2^-24 and 8
    weight     2^42/v in two words, of which the higher one counts 2^33

θ and v are rounded to these units, and the weight follows from v as it is rounded. A variance below
2^-24, that of an error of 1/4096, counts as 2^-24. An owner without an estimate shares θ = 0 and
v = 2^-24 with a weight of 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

POINT_BITS, VARIANCE_BITS, WEIGHT_BITS = 40, 58, 42
FARTHEST = 64
MOST_VARIANCE = 8
FLOOR = 1 << VARIANCE_BITS - 24
"""The least variance."""
LARGEST_WEIGHT_BITS = WEIGHT_BITS + 24
LOW_BITS = LARGEST_WEIGHT_BITS // 2
WORDS = 5
MOST_SITES = 511
"""Sums over more sites would need more bits than their arithmetic has."""
DIGITS = 60


@dataclass(frozen=True, slots=True)
class SiteEstimate:
    """θ and v in their units; None in place of it where an owner has none."""

    θ: int
    v: int

    @classmethod
    def of(cls, θ: Decimal, v: Fraction) -> SiteEstimate | None:
        """The estimate; None if its variance is 0 or above 8, or it is not within 64 of 0."""
        if not 0 < v <= MOST_VARIANCE or abs(θ) > FARTHEST:
            return None
        return cls(round(θ * (1 << POINT_BITS)), max(FLOOR, round(v * (1 << VARIANCE_BITS))))

    @property
    def weight(self) -> int:
        """2^42/v."""
        return round(Fraction(1 << WEIGHT_BITS + VARIANCE_BITS, self.v))


def to_words(estimate: SiteEstimate | None) -> list[int]:
    """The words of an estimate, or of none."""
    one = estimate or SiteEstimate(0, FLOOR)
    weight = one.weight if estimate else 0
    return [
        int(estimate is not None),
        one.θ + (FARTHEST << POINT_BITS),
        one.v - FLOOR,
        weight >> LOW_BITS,
        weight & (1 << LOW_BITS) - 1,
    ]


def limits() -> list[int]:
    """The largest words."""
    return [
        1,
        2 * FARTHEST << POINT_BITS,
        (MOST_VARIANCE << VARIANCE_BITS) - FLOOR,
        1 << LARGEST_WEIGHT_BITS - LOW_BITS,
        (1 << LOW_BITS) - 1,
    ]


def from_words(words: tuple[int, ...]) -> SiteEstimate | None:
    """The estimate behind words in the clear.

    >>> from_words(tuple(to_words(SiteEstimate(-3, FLOOR + 5))))
    SiteEstimate(θ=-3, v=17179869189)
    """
    counted, θ, v, _, _ = words
    return SiteEstimate(θ - (FARTHEST << POINT_BITS), v + FLOOR) if counted else None


def logit(area: Fraction, variance: Fraction) -> SiteEstimate | None:
    """logit A with its variance by the delta method, Var/(A·(1 - A))²; None of an A of 0 or 1.

    Of DeLong's variance it is at most 8 (`ppaurora.protocols.ranking.logit_limits`).
    """
    if area in (0, 1):
        return None
    odds = area / (1 - area)
    with localcontext() as context:
        context.prec = DIGITS
        θ = (Decimal(odds.numerator) / odds.denominator).ln()
        return SiteEstimate.of(θ, variance / (area * (1 - area)) ** 2)


def log_ratio(observed: int, n: int, expected: Fraction) -> SiteEstimate | None:
    """ln O/E with the variance (1 - O/n)/O, E taken as it is; None where O or E is 0, or O = n."""
    if not 0 < observed < n or not expected:
        return None
    with localcontext() as context:
        context.prec = DIGITS
        ratio = observed / expected
        θ = (Decimal(ratio.numerator) / ratio.denominator).ln()
        return SiteEstimate.of(θ, Fraction(n - observed, n * observed))
