"""Average precision and the number of positives: what its confidence limits are computed from.

[Thesis, section 4.3] takes average precision for the share of successes among P trials, P being the
number of positives: A = Y/P with the variance A·(1 - A)/P. Limits on one scale are a class of the
contract below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import widen
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.fixed_point import FixedPoint
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
    def in_clear(self, A: Fraction, P: int) -> Sequence[Fraction]:
        """The lower and the upper limit, to 40 decimals or more."""

    @abstractmethod
    def holds(self, n: int, decimals: int) -> bool:
        """Whether n samples can be computed to so many decimals; monotone in n."""
