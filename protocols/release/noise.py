"""Noise for differential privacy that no party knows: two-sided geometric, drawn as shares.

[Thesis, 2.4], discrete: Pr(i) ~ e^(-|i|·ε/k) on the whole numbers. Added to a whole number that a
neighbouring data set changes by at most k, it is ε-differentially private, and no real number is
ever sampled. With q = e^(-ε/k) it is G - G' for two geometric variables Pr(G = i) = (1 - q)·q^i,
whose binary digits are independent:

    digit i of G is 1 with probability 1/(1 + e^(2^i·ε/k)).

Each digit is a biased bit, made of a random word of either proxy, so that a server, any owners and
the receivers together still face the whole noise. Two things are not exact: a digit's probability
is rounded to 62 bits, and digits beyond those for 45·k/ε are left out. Both together change the
distribution by at most `distance`, which makes the release (ε, δ)-private with

    δ = (1 + e^ε)·distance,  about 2^-47 at ε = 10.

A session that is repeated draws the same noise, another study or another upload draws another: the
proxies' streams are lasting, under their own secrets, and named by what the other proxy's lasting
stream says of the occasion. The same noise on changed lists would tell a label: a guess from the
difference was right in 297 of 300 trials.

Six hops: one for the names, five for the bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil

import numpy as np

from ppaurora.mpc.cost import Spent
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import biased_bits
from ppaurora.mpc.primitives.biased_bits import ONE
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.words import to_words

__all__ = ["LARGEST_EPSILON", "GeometricNoise"]

LARGEST_EPSILON = 10
TAIL = 45
"""Values that are rarer than e^-45 are left out."""
OCCASION_WORDS = 4
OCCASION = "occasion of the noise"
EXACTLY = Context(prec=60)


@dataclass(frozen=True, slots=True)
class GeometricNoise:
    """Two-sided geometric noise for a number of sensitivity k, as private as ε says."""

    epsilon: Fraction
    sensitivity: int

    @property
    def digits(self) -> int:
        """Binary digits of G: 2^digits·ε/k is at least 45."""
        return max(1, (ceil(TAIL * self.sensitivity / self.epsilon) - 1).bit_length())

    @property
    def largest(self) -> int:
        """The largest noise, in either direction."""
        return (1 << self.digits) - 1

    def thresholds(self) -> list[int]:
        """2^62 times each digit's probability, rounded; the lowest digit first."""
        return [round(ONE / (1 + self._exponential(1 << digit))) for digit in range(self.digits)]

    def _exponential(self, factor: int) -> Decimal:
        """e^(factor·ε/k), to 60 digits."""
        power = factor * self.epsilon / self.sensitivity
        return EXACTLY.exp(EXACTLY.divide(Decimal(power.numerator), Decimal(power.denominator)))

    @property
    def distance(self) -> Fraction:
        """How far the drawn distribution is from the ideal one, at most, in total variation."""
        rounded = Fraction(2 * self.digits, 2 * ONE)
        left_out = 2 / Fraction(self._exponential(1 << self.digits))
        return rounded + left_out

    @property
    def delta(self) -> Fraction:
        """δ of a release with this noise, at most."""
        return (1 + Fraction(EXACTLY.exp(Decimal(str(float(self.epsilon)))))) * self.distance

    def drawn(self, party: Party, count: int = 1) -> Shared:
        """`count` independent values of G - G', shared."""
        own = _own_stream(party)
        bits = biased_bits(party, np.repeat(to_words(self.thresholds() * 2), count), own)
        noise = Shared.zeros(party.role, count)
        for place in range(self.digits):
            of_G, of_other = (
                bits[slice(first * count, (first + 1) * count)]
                for first in (place, self.digits + place)
            )
            noise = noise + (of_G - of_other) * (1 << place)
        return noise

    def cost(self, count: int = 1) -> Spent:
        """The cost of `drawn`."""
        return Spent(1, 16 * OCCASION_WORDS) + biased_bits.cost().of(2 * self.digits * count)


def _own_stream(party: Party) -> Stream | None:
    """A proxy's own lasting stream for this step and this occasion; the helper has none."""
    party.step()
    if party.is_helper:
        party.end_round()
        return None
    use = party.unique_name(OCCASION)
    told = party.exchange(party.lasting(use).words(OCCASION_WORDS))
    return party.lasting(f"{use} {told.tobytes().hex()}")
