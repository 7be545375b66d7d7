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
proxies' streams are lasting, under their own secrets, and named by what the noise is for and by
what the other proxy's lasting stream says of the occasion. The same noise on changed lists would
tell a label: a guess from the difference was right in 297 of 300 trials. No name depends on the
steps before it, so that a repeated session may sort in another way.

Six hops: one for the names, five for the bits; one more for noise in Z_2^256.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from math import ceil

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import biased_bits, widen
from ppaurora.mpc.primitives.digit_steps import ONE
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.mpc.streams import Stream
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.words import to_words

LARGEST_EPSILON = 10
TAIL = 45
"""Values that are rarer than e^-45 are left out."""
OCCASION_WORDS = 4
OCCASION = "occasion of the noise"
PIECE_BITS = 60
"""Digits of wide noise that one word holds before it is widened."""
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
        return [
            round(EXACTLY.divide(ONE, EXACTLY.add(1, self._exponential(1 << digit))))
            for digit in range(self.digits)
        ]

    def _exponential(self, factor: int) -> Decimal:
        """e^(factor·ε/k), to 60 digits."""
        return exponential(factor * self.epsilon / self.sensitivity)

    @property
    def distance(self) -> Fraction:
        """A bound on the total variation distance between the drawn and the ideal distribution."""
        rounded = Fraction(2 * self.digits, 2 * ONE)
        left_out = 2 / Fraction(self._exponential(1 << self.digits))
        return rounded + left_out

    @property
    def delta(self) -> Fraction:
        """δ of a release with this noise, at most."""
        return (1 + Fraction(exponential(self.epsilon))) * self.distance

    def drawn(self, party: Party, use: str, count: int = 1) -> Shared:
        """`count` independent values of G - G', shared; below 62 digits.

        `use` says what they are for, as nothing else in the session is called.
        """
        one, other = self._parts(party, use, count, self.digits)
        return one - other

    def drawn_wide(self, party: Party, use: str, count: int = 1) -> WideShared:
        """Noise shared mod 2^256, with as many digits as there are."""
        parts = self._parts(party, use, count, PIECE_BITS)
        wide = widen(party, concatenate(parts))
        noise = WideShared.zeros(party.role, count)
        for part in range(len(parts)):
            # the pieces of G, the lowest first, and then those of G'
            piece, of_other = part // 2, part % 2
            factor = (-1 if of_other else 1) << PIECE_BITS * piece
            noise = noise + wide[slice(part * count, (part + 1) * count)] * factor
        return noise

    def _parts(self, party: Party, use: str, count: int, size: int) -> list[Shared]:
        """G and G' in pieces of `size` digits, by turns, the lowest pieces first."""
        own = own_stream(party, use)
        bits = biased_bits(party, np.repeat(to_words(self.thresholds() * 2), count), own)
        parts = []
        for start in range(0, self.digits, size):
            for first in (0, self.digits):
                total = Shared.zeros(party.role, count)
                for place in range(start, min(start + size, self.digits)):
                    digit = first + place
                    total = total + bits[slice(digit * count, (digit + 1) * count)] * (
                        1 << place - start
                    )
                parts.append(total)
        return parts

    def cost(self, count: int = 1) -> Cost:
        """The cost of `drawn`."""
        return stream_cost() + biased_bits.cost().of(2 * self.digits * count)

    def wide_cost(self, count: int = 1) -> Cost:
        """The cost of `drawn_wide`."""
        pieces = -(-self.digits // PIECE_BITS)
        return self.cost(count) + widen.cost().of(2 * pieces * count)


def stream_cost() -> Cost:
    """The cost of `own_stream`."""
    return Cost(1, 16 * OCCASION_WORDS)


def exponential(power: Fraction) -> Decimal:
    """e^power, to 60 digits."""
    return EXACTLY.exp(as_decimal(power))


def as_decimal(value: Fraction) -> Decimal:
    """The value to 60 digits."""
    return EXACTLY.divide(Decimal(value.numerator), Decimal(value.denominator))


def own_stream(party: Party, use: str) -> Stream | None:
    """A proxy's own lasting stream for this use and this occasion; the helper has none."""
    party.step()
    if party.is_helper:
        party.end_round()
        return None
    name = f"{OCCASION} {use}"
    told = party.exchange(party.lasting(name).words(OCCASION_WORDS))
    return party.lasting(f"{name} {told.tobytes().hex()}")
