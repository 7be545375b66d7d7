"""Mechanisms that add noise to a number between 0 and 1: their contract, and the usual one.

A mechanism asks for a value of the lists as a shared whole number, to so many digits, and for how
much it is shrunk where a class is rare; it adds noise that no party knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.release.noise import GeometricNoise
from ppaurora.protocols.release.privacy import Privacy

LN_20 = Fraction("2.9957")
LARGEST_WORD = 1 << 61
"""The largest noise, in units of the last decimal, for which a noisy number has a sign."""


class Mechanism(ABC):
    """Noise for a number that is released to so many decimals."""

    __slots__ = ()

    @property
    @abstractmethod
    def digits(self) -> int:
        """To how many decimals the value is wanted before the noise."""

    @property
    @abstractmethod
    def least_class(self) -> int:
        """The class size b below which the value is shrunk before noise is added."""

    @property
    @abstractmethod
    def privacy(self) -> Privacy:
        """The privacy loss of the noisy number."""

    @property
    @abstractmethod
    def largest(self) -> int:
        """The largest noise, in units of the last decimal."""

    @property
    @abstractmethod
    def scale(self) -> Fraction | None:
        """The scale of the noise; None where it follows the secret class counts."""

    @abstractmethod
    def scale_of(self, P: int, n: int) -> Fraction:
        """The scale with P positives among n samples."""

    @property
    def likely(self) -> Fraction:
        """The number of scales that noise exceeds once in 20 times: of Laplace's law ln 20."""
        return LN_20

    @abstractmethod
    def fits(self, n: int) -> bool:
        """True if the arithmetic allows n samples."""

    @abstractmethod
    def before_noise(self, value: int) -> int:
        """The number that noise of 0 leaves of a value, in the clear."""

    @abstractmethod
    def noisy(
        self, party: Party, use: str, value: Callable[[Party], Shared], P: Shared, n: int
    ) -> Shared:
        """The value plus noise, in units of the last decimal; P positives among n samples.

        `use` is a name of the noise that nothing else in the session has.
        """

    @abstractmethod
    def cost(self, value: Cost, n: int) -> Cost:
        """The cost of `noisy`, with that of the value."""


@dataclass(frozen=True, slots=True)
class PublicScale(Mechanism):
    """Two-sided geometric noise for a public sensitivity, k units of the last decimal.

    Of two neighbouring data sets the values before rounding differ by at most `sensitivity`, the
    rounded ones by at most k = ceil(10^decimals·sensitivity).
    """

    epsilon: Fraction
    sensitivity: Fraction
    least: int
    decimals: int

    @property
    def digits(self) -> int:
        return self.decimals

    @property
    def least_class(self) -> int:
        return self.least

    @property
    def noise(self) -> GeometricNoise:
        return GeometricNoise(self.epsilon, ceil(10**self.decimals * self.sensitivity))

    @property
    def scale(self) -> Fraction:
        units = Fraction(ceil(10**self.decimals * self.sensitivity), 10**self.decimals)
        return units / self.epsilon

    def scale_of(self, P: int, n: int) -> Fraction:
        return self.scale

    @property
    def privacy(self) -> Privacy:
        return Privacy(self.epsilon, self.noise.delta)

    @property
    def largest(self) -> int:
        return self.noise.largest

    def fits(self, n: int) -> bool:
        return self.largest < LARGEST_WORD

    def before_noise(self, value: int) -> int:
        return value

    def noisy(
        self, party: Party, use: str, value: Callable[[Party], Shared], P: Shared, n: int
    ) -> Shared:
        found, noise = side_by_side(party, [value, lambda own: self.noise.drawn(own, use)])
        return found + noise

    def cost(self, value: Cost, n: int) -> Cost:
        return value | self.noise.cost()
