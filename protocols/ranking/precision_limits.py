"""Confidence limits of average precision: their contract, and A ± z·sqrt(A·(1 - A)/P).

[Thesis, section 4.3] takes average precision for the share of successes among P trials, P being the
number of positives: A = Y/P with the variance A·(1 - A)/P. Limits on one scale are a class of the
contract `PrecisionLimits`.

`BinomialLimits` take the normal law [Thesis, section 4.3, "Binomial Interval"], cut off at 0 and 1.
A and the root are computed to e decimals, seven or eight more than are released, and stay shared; z
has e decimals too. The limits, of 2·e decimals, are rounded half up by a division by 10^2e.

How sure that is: the released average precision is wrong only if the exact one lies within 2^-64 of
the last decimal below a rounding boundary. A limit can be wrong by one unit of its last decimal
only if the exact one lies within (1 + z·(1 + sqrt(n)))·10^-e of a rounding boundary: of an A that
is off by δ, the root is off by at most δ·sqrt(2·n), as A and 1 - A are 0 or make P·A·(1 - A) at
least 1/(2·n).

Nobody learns anything. 84 hops for four decimals. Where all positives have the highest scores the
interval is from 1 to 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import (
    is_zero,
    largest_root_denominator,
    largest_wide_denominator,
    wide_divide,
    wide_divide_to_wide,
    wide_multiply,
    wide_negative_times,
    wide_root_to_wide,
    widen,
)
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared, concatenate_wide
from ppaurora.protocols.arithmetic.fixed_point import FixedPoint
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.ranking.ranked import Ranked
from ppaurora.protocols.ranking.recalls_from import steps_beyond, steps_beyond_cost

CERTAINTY_BITS = 64
ALL = Fraction(0)


@dataclass(frozen=True, slots=True)
class Trials:
    """Y with F bits behind the point, rounded down by less than n² units, and P."""

    n: int
    F: int
    Y: WideShared
    P: WideShared

    @property
    def successes(self) -> WideShared:
        """Y, rounded up instead: A = successes/2^F·P is too high by 2^-64 of the last decimal."""
        return self.Y + self.n**2


def trials(party: Party, data: Ranked, decimals: int) -> Trials:
    """Y and P of the sorted list with its groups."""
    n = data.n
    point = trials_point(n, decimals)
    if point is None:
        raise LocalProtocolError(f"no weights for {n} samples and {decimals} decimals")
    Y = steps_beyond(party, data, ALL, point).X
    return Trials(n, point.F, Y, widen(party, data.labels.P))


def trials_cost(n: int, decimals: int) -> Cost:
    """The cost of `trials` for n samples."""
    point = trials_point(n, decimals)
    if point is None:
        return Cost()
    return widen.cost().of(1) + steps_beyond_cost(n, ALL, point)


def trials_point(n: int, decimals: int) -> FixedPoint | None:
    """The bits of Y; None where its sums do not stay below 2^63."""
    return FixedPoint.fitting(n, n * n, CERTAINTY_BITS + (n * n * 10**decimals).bit_length())


@dataclass(frozen=True, slots=True)
class PrecisionLimits(ABC):
    """Average precision and its limits; a normal variable exceeds their z with `tail`."""

    tail: Fraction

    @abstractmethod
    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        """Average precision, lower and upper limit; `undefined` where there are no positives."""

    @abstractmethod
    def cost(self, n: int, decimals: int) -> Cost:
        """The cost of `private` for n samples."""

    @abstractmethod
    def plaintext(self, A: Fraction, P: int) -> Sequence[Fraction]:
        """The lower and the upper limit, to 40 decimals or more."""

    @abstractmethod
    def fits(self, n: int, decimals: int) -> bool:
        """True if the arithmetic allows n samples to so many decimals; monotone in n."""


BASE = 100
LEAST_GUARD = 7
CLEAR_DIGITS = 80


def places(decimals: int) -> int:
    """The digits in base 100 to which A and the root are computed: e = 2·places."""
    return -(-(decimals + LEAST_GUARD) // 2)


@dataclass(frozen=True, slots=True)
class BinomialLimits(PrecisionLimits):
    """A ± z·sqrt(A·(1 - A)/P)."""

    def private(self, party: Party, data: Ranked, decimals: int) -> Shared:
        found, digits = trials(party, data, decimals), places(decimals)
        n, scale = data.n, 1 << found.F
        unit, z = BASE**digits, scaled_quantile(self.tail, 2 * digits)
        # without positives A is taken to be 0 until the end
        none = widen(party, is_zero(party, data.labels.P))
        trial = found.P + none
        A = wide_divide_to_wide(
            party, found.successes, trial * scale, digits=digits, base=BASE, bound=n * scale
        )
        spread = wide_multiply(party, A, unit - A)
        error = wide_root_to_wide(
            party, spread, trial * unit**2, digits=digits, base=BASE, bound=n * unit**2
        )
        # the distances of the limits from 0 and from 1, of which the negative ones are cut off
        distances = concatenate_wide([A * unit - error * z, unit**2 - A * unit - error * z])
        _, beyond = wide_negative_times(party, distances, distances)
        inside = distances - beyond
        span = unit**2 - none * unit**2
        N = concatenate_wide([found.successes, inside[:1], unit**2 - inside[1:]])
        D = concatenate_wide([found.P * scale, span, span])
        bound = _largest(n, found.F, digits)
        return wide_divide(party, N, D, digits=decimals, bound=bound)

    def cost(self, n: int, decimals: int) -> Cost:
        digits, point = places(decimals), trials_point(n, decimals)
        if point is None:
            return Cost()
        A = wide_divide_to_wide.cost(digits=digits, base=BASE).of(1)
        error = wide_root_to_wide.cost(digits=digits, base=BASE).of(1)
        bound = _largest(n, point.F, digits)
        division = wide_divide.cost(digits=decimals, bound=bound).of(3)
        rounding = wide_negative_times.cost().of(2) + division
        none = is_zero.cost().of(1) + widen.cost().of(1)
        return trials_cost(n, decimals) + none + A + wide_multiply.cost().of(1) + error + rounding

    def plaintext(self, A: Fraction, P: int) -> Sequence[Fraction]:
        spread = A * (1 - A) / P
        root = Fraction(isqrt(int(spread * 100**CLEAR_DIGITS)), 10**CLEAR_DIGITS)
        half = root * Fraction(scaled_quantile(self.tail, CLEAR_DIGITS), 10**CLEAR_DIGITS)
        return max(A - half, Fraction(0)), min(A + half, Fraction(1))

    def fits(self, n: int, decimals: int) -> bool:
        if n == 0:
            return True
        digits, point = places(decimals), trials_point(n, decimals)
        divided = point is not None and n << point.F <= largest_wide_denominator(BASE)
        one_squared: int = BASE ** (2 * digits)
        rooted = n * one_squared <= largest_root_denominator(digits, BASE)
        return divided and rooted and one_squared <= largest_wide_denominator()


def _largest(n: int, F: int, digits: int) -> int:
    """The denominators of average precision, of F bits, and of its limits are at most this."""
    rounded: int = BASE ** (2 * digits)
    return max(n << F, rounded)
